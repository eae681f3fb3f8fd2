"""The declared types, as tools: reading them, and proposing another."""

from memoryapp.doors.tools import Tool
from memoryapp.ontology.api.proposals import Proposals
from memoryapp.ontology.api.types import Types

TOOLS = [
    Tool(
        "ontology_describe",
        Types,
        "get",
        "The declared types",
        "Kinds of belief, classes of nodes, relationships and relations: what the other tools take as `kind` and "
        "`class`.",
    ),
    Tool(
        "ontology_propose",
        Proposals,
        "post",
        "Propose a type",
        "Files changes of the declared types for people to decide on, such as the `drafts` of a refused write. Nothing "
        "changes until they do.",
    ),
]
