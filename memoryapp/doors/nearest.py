"""Did you mean: the nearest of the names that exist, by edit distance."""

from collections.abc import Iterable

LONGEST = 64
MOST = 2000


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name closest to `name`, or None when none is close: at most a third of its letters differ.

    A swapped pair of letters counts as one change. Of equally close names the first in alphabetical order is taken.
    Work is bounded: at most 2,000 names are compared, and nothing longer than 64 characters.
    """
    wanted = name.casefold()
    if not wanted or len(wanted) > LONGEST:
        return None
    allowed = max(1, min(4, len(wanted) // 3))
    best: tuple[int, str] | None = None
    for candidate in sorted(set(known))[:MOST]:
        folded = candidate.casefold()
        if len(folded) > LONGEST or abs(len(folded) - len(wanted)) > allowed:
            continue
        distance = edit_distance(wanted, folded)
        if distance <= allowed and (best is None or distance < best[0]):
            best = (distance, candidate)
    return best[1] if best else None


def edit_distance(one: str, other: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours that turn one text into the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one, start=1):
        line = [index]
        for column, opposite in enumerate(other, start=1):
            cost = min(row[column] + 1, line[column - 1] + 1, row[column - 1] + (letter != opposite))
            swapped = index > 1 and column > 1 and letter == other[column - 2] and one[index - 2] == opposite
            if swapped:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, row = row, line
    return row[-1]
