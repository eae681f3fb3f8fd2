"""The graph's writes: its public verbs."""

from memoryapp.graph.identity import resolve
from memoryapp.graph.services.audiences import change_audience
from memoryapp.graph.services.beliefs import (
    change_state,
    change_validity,
    give_way,
    reinstate,
    retire,
    retract,
    supersede,
)
from memoryapp.graph.services.binding import bind_actor, release_actor
from memoryapp.graph.services.edges import connect, connect_all, connect_as, disconnect
from memoryapp.graph.services.editing import edit
from memoryapp.graph.services.lookalikes import open_ambiguity_case
from memoryapp.graph.services.mentions import bind_mention, mention
from memoryapp.graph.services.merging import merge, retire_node, split, take_back, use_again
from memoryapp.graph.services.nodes import NodeInput, Upserted, upsert_node, upsert_nodes
from memoryapp.graph.services.owning import give_owner
from memoryapp.graph.services.projection import project
from memoryapp.graph.services.relations import RelationInput, relate, relate_all, retract_relation
from memoryapp.graph.services.remembering import Remembered, Waiting, remember, remember_all

__all__ = [
    "NodeInput",
    "RelationInput",
    "Remembered",
    "Upserted",
    "Waiting",
    "bind_actor",
    "bind_mention",
    "change_audience",
    "change_state",
    "change_validity",
    "connect",
    "connect_all",
    "connect_as",
    "disconnect",
    "edit",
    "give_owner",
    "give_way",
    "mention",
    "merge",
    "open_ambiguity_case",
    "project",
    "reinstate",
    "relate",
    "relate_all",
    "release_actor",
    "remember",
    "remember_all",
    "resolve",
    "retire",
    "retire_node",
    "retract",
    "retract_relation",
    "split",
    "supersede",
    "take_back",
    "upsert_node",
    "upsert_nodes",
    "use_again",
]
