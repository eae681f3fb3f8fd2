"""The writes of the room: its public verbs."""

from formsengine.services.attaching import attach, received
from formsengine.services.defining import bytes_of, define, import_sheet, publish, read_sheet, withdraw
from formsengine.services.editing import Edit, Edited, begin, edit, publish_draft, redo, start_from, undo
from formsengine.services.filling import Written, answer, assign, foreseen, move, open_response, refresh
from formsengine.services.handing import hand_out
from formsengine.services.settling import (
    accept,
    find,
    reopen,
    revive,
    send_back,
    submit,
    void,
)

__all__ = [
    "Edit",
    "Edited",
    "Written",
    "accept",
    "answer",
    "assign",
    "attach",
    "begin",
    "bytes_of",
    "define",
    "edit",
    "find",
    "foreseen",
    "hand_out",
    "import_sheet",
    "move",
    "open_response",
    "publish",
    "publish_draft",
    "read_sheet",
    "received",
    "redo",
    "refresh",
    "reopen",
    "revive",
    "send_back",
    "start_from",
    "submit",
    "undo",
    "void",
    "withdraw",
]
