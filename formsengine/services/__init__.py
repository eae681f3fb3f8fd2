"""The writes of the room: its public verbs."""

from formsengine.services.defining import bytes_of, define, import_sheet, publish, withdraw
from formsengine.services.filling import Written, answer, assign, move, open_response, refresh, resume
from formsengine.services.settling import accept, find, reopen, revive, send_back, submit, void

__all__ = [
    "Written",
    "accept",
    "answer",
    "assign",
    "bytes_of",
    "define",
    "find",
    "import_sheet",
    "move",
    "open_response",
    "publish",
    "refresh",
    "reopen",
    "resume",
    "revive",
    "send_back",
    "submit",
    "void",
    "withdraw",
]
