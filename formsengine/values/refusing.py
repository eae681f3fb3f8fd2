"""Why an answer could not be read."""

from __future__ import annotations


class Unreadable(Exception):
    """The answer is kept as given and is not in force; `accepted` are examples, or the choices there are."""

    def __init__(self, code: str, message: str, *accepted: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.accepted = accepted
