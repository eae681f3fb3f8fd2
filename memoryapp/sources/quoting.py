"""Where the quoted words stand in a source."""

from __future__ import annotations

from memoryapp.doors.errors import Violation
from memoryapp.sources.models import Source, Speaker
from memoryapp.sources.transcripts import is_of_others

SHOWN = 5


def locate(
    source: Source, quote: str | None, start: int | None, end: int | None, path: str, row: int | None = None
) -> tuple[int, int] | Violation:
    """The span (start, end) that is quoted, counted in code points; or what is wrong with it.

    A quote is taken literally and must stand in the source exactly once, unless `start` says which one is meant.
    """
    text = source.content
    if quote is None:
        if start is not None and end is not None and 0 <= start < end <= len(text):
            return start, end
        message = "This span does not lie within the source's words."
        return Violation(f"{path}/start", "span_not_there", message, f"0 <= start < end <= {len(text)}", row)
    found = _starts(text, quote)
    if not found:
        message = "The source does not say this, letter for letter."
        return Violation(f"{path}/quote", "quote_not_found", message, "words as they stand in the source", row)
    if start is None:
        if len(found) > 1:
            message = f"The source says this {len(found)} times or more."
            starts = ", ".join(str(at) for at in found)
            return Violation(f"{path}/quote", "quote_not_unique", message, f"start, one of {starts}", row)
        start = found[0]
    if not text.startswith(quote, start) or start < 0:
        message = "The quote does not stand there."
        accepted = ", ".join(str(at) for at in found)
        return Violation(f"{path}/start", "quote_not_there", message, accepted, row)
    if end is not None and end != start + len(quote):
        return Violation(
            f"{path}/end", "quote_not_there", "The quote does not end there.", str(start + len(quote)), row
        )
    return start, start + len(quote)


def _starts(text: str, quote: str) -> list[int]:
    """Where the quote begins, the first few times."""
    found: list[int] = []
    at = text.find(quote)
    while at >= 0 and len(found) < SHOWN:
        found.append(at)
        at = text.find(quote, at + 1)
    return found


def nobody_vouches(source: Source, start: int | None = None, end: int | None = None) -> bool:
    """Whether these words were said by an assistant, a tool or the system, in a turn of theirs or in one that passes
    them on."""
    if source.kind == Source.Kind.CHAT_TURN and source.speaker != Speaker.USER:
        return True
    return source.kind in (Source.Kind.CHAT_TURN, Source.Kind.STATEMENT) and is_of_others(source.content, start, end)
