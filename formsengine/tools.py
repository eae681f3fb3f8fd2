"""Forms as tools: finding, opening, viewing, answering, submitting, and what was answered before."""

from formsengine.api.filling import Forms, History, OneResponse, Responses, Writing
from formsengine.api.settling import Submitting
from memoryapp.doors.tools import Tool

TOOLS = [
    Tool(
        "forms_find",
        Forms,
        "get",
        "Find forms",
        "Forms by name, and a line for each response that is being filled: how far it is and what is asked next.",
    ),
    Tool(
        "forms_open",
        Responses,
        "post",
        "Open a form",
        "Begins a response, with what memory already knows, and shows what to ask now. Give at once what was said.",
    ),
    Tool(
        "forms_view",
        OneResponse,
        "get",
        "View a response",
        "What to ask now; or a step, a field with its reasons, the outline, or what changed since a commit.",
    ),
    Tool(
        "forms_write",
        Writing,
        "post",
        "Answer any fields",
        "Takes answers to any fields in any order, declines, undo and rows; each has a verdict that says what to send.",
        idempotent=True,
    ),
    Tool(
        "forms_submit",
        Submitting,
        "post",
        "Submit a response",
        "Submits exactly the commit you saw and writes its answers into memory; with `dry_run` it shows what it would.",
        idempotent=True,
    ),
    Tool(
        "forms_history",
        History,
        "get",
        "History of answers",
        "Who answered what and when, through what; of one field, every answer it had.",
    ),
]
