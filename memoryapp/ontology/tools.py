"""The declared types, as a tool."""

from memoryapp.doors.tools import Tool
from memoryapp.ontology.api import Types

TOOLS = [
    Tool(
        "ontology_describe",
        Types,
        "get",
        "The declared types",
        "Kinds of belief, classes of nodes, relationships and relations: what the other tools take as `kind` and "
        "`class`.",
    ),
]
