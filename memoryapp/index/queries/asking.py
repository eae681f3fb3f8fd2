"""The words of a question: what each weighs in the workspace, and what may be meant by one nobody used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from memoryapp.index.edits import distances_from
from memoryapp.index.models import Term
from memoryapp.index.queries.counted import Counted
from memoryapp.index.ranking import (
    Scorer,
    Sought,
    idf,
)
from memoryapp.index.words import Word, sign
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Workspace

MOST_WORDS = 48
"""Words of a question that are looked for; of a longer one, the rarest."""
MOST_EXPANDED = 5
"""Unknown words of a question for which near words are sought."""
MOST_NEAR = 8
"""Near words taken for one of them."""


def weigh(counted: Counted, asked: list[Word]) -> tuple[Scorer, dict[str, list[str]], list[str]]:
    """Look the question's words up in the workspace's statistics; find near words for those nobody used."""
    statistics = counted.statistics
    frequencies = counted.frequencies([word.stem for word in asked])
    ordered = sorted(enumerate(asked), key=lambda pair: (frequencies.get(pair[1].stem, 0), pair[0]))
    kept = sorted(number for number, _ in ordered[:MOST_WORDS])
    key = counted.workspace.id.hex
    sought: list[Sought] = []
    weights: list[float] = []
    expanded: dict[str, list[str]] = {}
    unknown: list[str] = []
    for number in kept:
        word, frequency = asked[number], frequencies.get(asked[number].stem, 0)
        # A word that nobody used weighs as one used once: among few texts it would outweigh every word they hold.
        weights.append(idf(max(statistics.documents, 1), max(frequency, 1)))
        sought.append(Sought(number, sign(key, word.stem), word.written, weights[-1], 1.0, frequency))
        if frequency:
            continue
        near = near_words(counted, word) if len(expanded) + len(unknown) < MOST_EXPANDED else []
        for one in near:
            worth = idf(statistics.documents, one.documents)
            sought.append(Sought(number, sign(key, one.stem), one.written, worth, one.certainty, one.documents))
        if near:
            expanded[word.written] = [one.written for one in near]
        else:
            unknown.append(word.written)
    average = statistics.total_length / statistics.documents if statistics.documents else 0.0
    return Scorer(sought, average, weights), expanded, unknown


@dataclass(frozen=True)
class NearWord:
    """A word of the workspace that may be meant by one nobody used."""

    written: str
    stem: str
    documents: int
    distance: int

    @property
    def certainty(self) -> float:
        return 0.7 if self.distance == 1 else 0.5


def near_words(counted: Counted, word: Word) -> list[NearWord]:
    """Words of the workspace within one edit (two from eight letters) of a word nobody used, nearest and commonest
    first. Two letters that changed places are one edit."""
    if not word.may_be_misspelt:
        return []
    written = word.written
    most = 2 if len(written) >= 8 else 1
    size = len(written) // (most + 1)
    terms = prepared.rows(
        _sharing_a_piece,
        (len(written) - most, len(written) + most),
        workspace=counted.workspace,
        swapped=[written[:at] + written[at + 1] + written[at] + written[at + 2 :] for at in range(len(written) - 1)],
        start=written[:size],
        end=written[most * size :],
        between=[written[piece * size : (piece + 1) * size] for piece in range(1, most)],
    )
    distance_to = distances_from(written)
    terms = counted.known([term for term in terms if distance_to(term[0]) <= most])
    found = [NearWord(text, stem, documents, distance_to(text)) for text, stem, documents in terms]
    found.sort(key=lambda near: (near.distance, -near.documents, near.written))
    distinct: dict[str, NearWord] = {}
    for near in found:
        distinct.setdefault(near.stem, near)
    return list(distinct.values())[:MOST_NEAR]


def _sharing_a_piece(
    lengths: tuple[int, int],
    *,
    workspace: Workspace,
    swapped: Sequence[str],
    start: str,
    end: str,
    between: Sequence[str],
) -> QuerySet[Term, Any]:
    """A word within so many edits holds one piece more than that of it untouched: the first at its start, the last at
    its end, one between anywhere."""
    shared = Q(text__in=swapped) | Q(text__startswith=start) | Q(text__endswith=end)
    for piece in between:
        shared |= Q(text__contains=piece)
    words = Term.objects.filter(
        shared, workspace=workspace, form=Term.Form.WRITTEN, documents__gt=0, length__range=lengths
    )
    return words.values_list("text", "stem", "documents")
