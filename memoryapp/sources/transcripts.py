"""Words that a turn only passes on: lines of a pasted transcript that are marked as an assistant's, a tool's or the
system's. Whoever pasted them did not say them.
"""

from __future__ import annotations

import re

_OTHERS = r"(?:ai|assistant|bot|chatbot|chatgpt|copilot|llm|system|tool)"
_SELF = r"(?:customer|human|i|me|myself|user)"
_BEFORE = r"^(?:[^\w\n]|[\d_]){0,40}"
_AFTER = r"(?:[ \t]{0,2}[\[(][^\]\)\n]{0,40}[\])])?[\])>*_|`\"' \t]{0,8}[:：]"
_MARK = re.compile(
    _BEFORE
    + r"(?:(?:im_start|start_header_id)\|>)?(?:(?P<other>(?:the[ ])?"
    + _OTHERS
    + r"(?:[ _-]?(?:call|message|msg"
    r"|output|prompt|reply|response|result|turn|said|says|wrote))?)|(?P<own>" + _SELF + r"))" + _AFTER,
    re.IGNORECASE | re.MULTILINE,
)
_TEMPLATE = re.compile(
    r"<\|(?:im_start\|>|start_header_id\|>)?[ \t]{0,4}(?:(?P<other>" + _OTHERS + r")|(?P<own>" + _SELF + r"))\b",
    re.IGNORECASE,
)
_JSON = re.compile(
    r"[\"']role[\"'][ \t\n]{0,8}:[ \t\n]{0,8}[\"'](?:(?P<other>" + _OTHERS + r")|(?P<own>" + _SELF + r"))[\"']",
    re.IGNORECASE,
)


def words_of_others(text: str) -> list[tuple[int, int]]:
    """The stretches [start, end) that are marked as said by an assistant, a tool or the system, in order.

    Each reaches to the next mark of the writer's own side, or to the end: losing a sentence is better than taking a
    machine's words for a person's.
    """
    marks = sorted(
        (found.start(), found.group("other") is not None)
        for expression in (_MARK, _TEMPLATE, _JSON)
        for found in expression.finditer(text)
    )
    spans: list[tuple[int, int]] = []
    opened: int | None = None
    for place, others in marks:
        if others and opened is None:
            opened = place
        elif not others and opened is not None:
            spans.append((opened, place))
            opened = None
    if opened is not None:
        spans.append((opened, len(text)))
    return spans


def is_of_others(text: str, start: int | None = None, end: int | None = None) -> bool:
    """Whether the words [start, end) touch what others said; of a whole text, whether nothing else is in it."""
    spans = words_of_others(text)
    if not spans:
        return False
    if start is not None and end is not None:
        return any(opening < end and start < closing for opening, closing in spans)
    edges = [0, *(place for span in spans for place in span), len(text)]
    return not any(text[low:high].strip() for low, high in zip(edges[::2], edges[1::2], strict=True))
