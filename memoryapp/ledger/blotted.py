"""Further words that somebody names when a person is erased: a first name by itself, a nickname."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from memoryapp.doors.errors import Invalid, Violation
from memoryapp.ledger.blotting import Blotter
from memoryapp.ledger.fingerprints import texts_in
from memoryapp.ledger.models import WorkspaceRow
from memoryapp.ledger.principal import Principal

Model = type[WorkspaceRow]

MOST_WORDS = 20
LONGEST_WORD = 100
EXAMPLES = 5
AROUND = 40
"""Characters shown on each side of a word."""
CHUNK = 500


def further(words: Sequence[str]) -> list[str]:
    """The words that somebody names to be blotted as well, each once. Raises Invalid for what is no name."""
    found = list(dict.fromkeys(name for word in words if (name := " ".join(word.split()))))
    wrong = [
        Violation(
            f"/words/{place}", "not_to_be_blotted", f"“{word[:40]}” is no name.", "2 to 100 characters, letters too"
        )
        for place, word in enumerate(found)
        if not 2 <= len(word) <= LONGEST_WORD or not any(letter.isalpha() for letter in word) or "\x00" in word
    ]
    if len(found) > MOST_WORDS:
        wrong.append(Violation("/words", "too_many", "These are too many words.", f"at most {MOST_WORDS}"))
    if wrong:
        raise Invalid.all(wrong)
    return found


def in_context(
    by: Principal, word: str, places: Sequence[tuple[Model, str]], gone: Mapping[Model, set[uuid.UUID]]
) -> dict[str, Any]:
    """How often what was said holds a word, as far as the caller sees, and the first with what is around.

    `places` are the tables and columns that hold what was said; rows in `gone` go anyway.
    """
    blotter, count = Blotter([word]), 0
    examples: list[str] = []
    for model, name in places:
        seen = getattr(model._default_manager, "visible_to", None)
        rows = seen(by) if seen else model._base_manager.filter(workspace=by.workspace)
        for pk, value in rows.order_by("pk").values_list("pk", name).iterator(chunk_size=CHUNK):
            if pk in gone.get(model, ()):
                continue
            for text in texts_in(value):
                found = blotter.places(text)
                count += len(found)
                examples += [_around(text, *place) for place in found[: EXAMPLES - len(examples)]]
    return {"word": word, "count": count, "examples": examples}


def _around(text: str, start: int, end: int) -> str:
    before, after = max(0, start - AROUND), min(len(text), end + AROUND)
    return ("…" if before else "") + text[before:after] + ("…" if after < len(text) else "")
