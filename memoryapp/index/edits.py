"""How far apart two written words are."""

from __future__ import annotations

from collections.abc import Callable


def distances_from(word: str) -> Callable[[str], int]:
    """A function that counts the edits from `word` to another: insertions, deletions, substitutions, and swaps of two
    neighbours (no letter edited twice). Bit-parallel, after Hyyrö (2003): one column of the table is one number.
    """
    size = len(word)
    full = (1 << size) - 1
    last = 1 << (size - 1) if size else 0
    places: dict[str, int] = {}
    for at, letter in enumerate(word):
        places[letter] = places.get(letter, 0) | 1 << at

    def to(other: str) -> int:
        if not size:
            return len(other)
        rises, falls, kept, before, distance = full, 0, 0, 0, size
        for letter in other:
            here = places.get(letter, 0)
            swapped = ((~kept & here) << 1) & before
            kept = ((((here & rises) + rises) ^ rises) | here | falls | swapped) & full
            up = falls | (~(kept | rises) & full)
            down = kept & rises
            if up & last:
                distance += 1
            elif down & last:
                distance -= 1
            up = (up << 1 | 1) & full
            rises = (down << 1 | ~(kept | up)) & full
            falls = up & kept
            before = here
        return distance

    return to
