"""The writes of the room: its public verbs."""

from formsengine.services.attaching import attach, received
from formsengine.services.defining import bytes_of, define, import_sheet, publish, withdraw
from formsengine.services.editing import Edit, Edited, begin, edit, publish_draft, redo, start_from, undo
from formsengine.services.filling import Written, answer, assign, move, open_response, refresh
from formsengine.services.handing import hand_out
from formsengine.services.settling import (
    accept,
    accept_several,
    find,
    reopen,
    revive,
    send_back,
    submit,
    void,
    would_accept,
)

__all__ = [
    "Edit",
    "Edited",
    "Written",
    "accept",
    "accept_several",
    "answer",
    "assign",
    "attach",
    "begin",
    "bytes_of",
    "define",
    "edit",
    "find",
    "hand_out",
    "import_sheet",
    "move",
    "open_response",
    "publish",
    "publish_draft",
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
    "would_accept",
]
