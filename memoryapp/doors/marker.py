"""What marks text that Commonplace itself rendered for a prompt, so that it is never taken for new input.

A brief or a context block travels through a model and often comes back inside a transcript. Everything between the
opening and the closing mark is ours and says nothing new. A block cut off at its end reaches to the end of the text;
one cut off at its beginning reaches back to the start: losing a sentence is better than believing our own words.
"""

import re

MARKER_OPEN = "⟦commonplace"
MARKER_CLOSE = "⟦/commonplace⟧"

_BRACKET = re.compile(
    r"(?:⟦|\[\[|〚|&#10214;)[ \t>]{0,8}(?P<close>/?)[ \t]{0,8}commonplace\b[^⟧〛\]\n]{0,120}(?:⟧|〛|\]\]|&#10215;)?",
    re.IGNORECASE,
)
_LINE = re.compile(
    r"^[ \t>]{0,8}-[ \t][^\n]*\((?:since|until) [0-9]{4}(?:-[0-9]{2}){0,2}"
    r"(?:, until [0-9]{4}(?:-[0-9]{2}){0,2})?\)[ \t]*\r?$",
    re.MULTILINE,
)
"""A dated line as our blocks hold it, for when it comes back without the marks around it."""
_COMMENT_OPEN = re.compile(r"(?:<|&lt;)!--[ \t]{0,8}commonplace[ \t]{0,8}:", re.IGNORECASE)
_COMMENT_CLOSE = re.compile(r"--(?:>|&gt;)")
_KIND = re.compile(r"[^a-z0-9 _-]+")


def wrap(kind: str, text: str) -> str:
    """The text between its marks, each on a line of its own. A mark inside the text is defused, so it cannot end it."""
    name = _KIND.sub("", kind.casefold()).strip() or "text"
    inner = _BRACKET.sub(lambda found: found.group().replace("⟦", "(").replace("[[", "((").replace("〚", "("), text)
    return f"{MARKER_OPEN} {name}⟧\n{inner}\n{MARKER_CLOSE}"


def strip(text: str) -> list[tuple[int, int]]:
    """The stretches [start, end) of the text that we rendered ourselves, in order, none touching another."""
    return _joined(_bracketed(text) + _commented(text) + [found.span() for found in _LINE.finditer(text)])


def _bracketed(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    opened: int | None = None
    for mark in _BRACKET.finditer(text):
        if not mark.group("close"):
            opened = mark.start() if opened is None else opened
        else:
            spans.append((0 if opened is None else opened, mark.end()))
            opened = None
    if opened is not None:
        spans.append((opened, len(text)))
    return spans


def _commented(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    position = 0
    while (mark := _COMMENT_OPEN.search(text, position)) is not None:
        close = _COMMENT_CLOSE.search(text, mark.end())
        position = len(text) if close is None else close.end()
        spans.append((mark.start(), position))
    return spans


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
