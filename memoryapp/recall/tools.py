"""Asking in words, as tools."""

from memoryapp.doors.tools import Tool
from memoryapp.recall.api import Brief, Recall

TOOLS = [
    Tool(
        "memory_recall",
        Recall,
        "post",
        "Recall",
        "What answers a question, best first, each with where it comes from. Only what is current, unless another time "
        "or the history is asked for. `budget_tokens` bounds the answer.",
    ),
    Tool(
        "brief",
        Brief,
        "get",
        "The brief of an owner",
        "What is current of one owner, as text for a prompt, within a budget. `owner` is a node's id (graph_find).",
    ),
]
