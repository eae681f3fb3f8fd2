"""Texts line by line: counting, choosing, and saying what differs, within bounds whatever the text."""

from __future__ import annotations

import difflib

MOST_COMPARED = 2000
"""Lines between the common beginning and end that are compared one by one; of more only the counts are told."""
MOST_SHOWN = 400
LONGEST_LINE = 2000


def split(text: str) -> list[str]:
    """The lines of a text without their ends. Only a line feed ends a line; one at the very end begins none."""
    if not text:
        return []
    return (text[:-1] if text.endswith("\n") else text).split("\n")


def number_at(text: str, offset: int) -> int:
    """The number, from 1, of the line that holds a place."""
    return text.count("\n", 0, offset) + 1


def difference(before: str, after: str, names: tuple[str, str] = ("before", "after")) -> str:
    """What differs, in the unified form, cut where it is very long."""
    old, new = split(before), split(after)
    same = _common(old, new)
    end = _common(old[same:][::-1], new[same:][::-1])
    changed = (len(old) - same - end, len(new) - same - end)
    if max(changed) > MOST_COMPARED:
        return f"@@ line {same + 1}: {changed[0]} lines became {changed[1]} @@"
    start = max(0, same - 3)
    stop = max(0, end - 3)
    cut = difflib.unified_diff(
        [line[:LONGEST_LINE] for line in old[start : len(old) - stop]],
        [line[:LONGEST_LINE] for line in new[start : len(new) - stop]],
        *names,
        lineterm="",
    )
    shown: list[str] = []
    for line in cut:
        if line.startswith("@@"):
            line = _moved(line, start)
        if len(shown) == MOST_SHOWN:
            shown.append("… more differs.")
            break
        shown.append(line)
    return "\n".join(shown)


def _common(one: list[str], other: list[str]) -> int:
    count = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        count += 1
    return count


def _moved(header: str, by: int) -> str:
    """A hunk's header, counted from the beginning of the whole text."""
    parts = header.split(" ")
    for place in (1, 2):
        sign, rest = parts[place][:1], parts[place][1:]
        first, comma, count = rest.partition(",")
        parts[place] = f"{sign}{int(first) + by}{comma}{count}"
    return " ".join(parts)
