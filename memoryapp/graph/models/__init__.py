"""Tables of the graph: nodes and what identifies them, beliefs and their history, relations and their players."""

from memoryapp.graph.models.beliefs import Belief, BeliefReader, BeliefState
from memoryapp.graph.models.nodes import ActorNode, IdentityKey, Mention, Node, NodeMove, NodeState, ParticipantNode
from memoryapp.graph.models.relations import Relation, RelationPlayer, RelationState

__all__ = [
    "ActorNode",
    "Belief",
    "BeliefReader",
    "BeliefState",
    "IdentityKey",
    "Mention",
    "Node",
    "NodeMove",
    "NodeState",
    "ParticipantNode",
    "Relation",
    "RelationPlayer",
    "RelationState",
]
