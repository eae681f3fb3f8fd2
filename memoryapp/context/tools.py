"""The context as tools: what the user wants kept in mind, and writing it down on their word."""

from memoryapp.context.api.acts import Undo
from memoryapp.context.api.changing import Unset, Update
from memoryapp.context.api.entries import Entries
from memoryapp.context.api.rendering import Render
from memoryapp.context.api.sections import SetSection
from memoryapp.doors.tools import Tool

TOOLS = [
    Tool("context_get", Entries, "get", "What is kept in mind", "The user's standing entries, by section, with ids."),
    Tool(
        "context_render",
        Render,
        "get",
        "Render the context",
        "What is pinned as one block for a prompt, within a budget. Nothing in it is news.",
    ),
    Tool(
        "context_set",
        Entries,
        "post",
        "Keep in mind",
        "Writes down what the user asks to keep in mind, in their words. The same section and title is the same entry.",
        idempotent=True,
    ),
    Tool(
        "context_update",
        Update,
        "post",
        "Change what is kept in mind",
        "Says an entry anew, pins it or not, or lets it expire. What it said before can be restored.",
    ),
    Tool(
        "context_unset",
        Unset,
        "post",
        "No longer keep in mind",
        "Takes an entry away when the user says so. It can be restored.",
        destructive=True,
    ),
    Tool(
        "context_set_section",
        SetSection,
        "post",
        "Set a section",
        "Lets a section hold exactly these entries; what else stood in it is unset. One act. A new one has `lock` 0.",
        destructive=True,
    ),
    Tool(
        "context_undo", Undo, "post", "Undo", "Undoes an act of the context as a whole, by the `act` it answered with."
    ),
]
