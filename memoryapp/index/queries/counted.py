"""How often words are used, as far as a reader may know: the measure of what a word of a question weighs.

Only what every reader of the workspace may be served is counted at all. Whoever is under rules of paths may not be
served all of that: what these rules hide is taken off again for each question, so that it moves no score of theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from memoryapp.index.engines import engine
from memoryapp.index.models import EVERYONE, IndexEntry, Statistics, Term
from memoryapp.index.words import Word, sign, words
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Workspace

AT_ONCE = 512
NearTerm = tuple[str, str, int]
"""A word as it is written, its stem, and how many rows hold it."""


class Counted:
    """The numbers of a workspace, but for the entries in `unseen`, where there are such."""

    def __init__(self, workspace: Workspace, unseen: Q | None = None) -> None:
        self.workspace = workspace
        self.unseen = unseen

    @cached_property
    def statistics(self) -> Statistics:
        """How many rows there are, and how long they are together."""
        found = prepared.first(_statistics, workspace=self.workspace) or Statistics()
        if self.unseen is not None:
            off = self._hidden().aggregate(documents=Count("pk"), length=Sum("length"))
            found.documents -= off["documents"]
            found.total_length -= off["length"] or 0
        return found

    def frequencies(self, stems: Sequence[str]) -> dict[str, int]:
        """How many rows hold each of these stems. One that none holds is left out."""
        found: dict[str, int] = {}
        for some in _chunks(stems):
            found.update(prepared.rows(_documents_with, workspace=self.workspace, stems=some))
        if self.unseen is not None and found:
            off = self._hidden_with(found)
            found = {stem: left for stem, count in found.items() if (left := count - off[stem]) > 0}
        return found

    def known(self, near: Sequence[NearTerm]) -> list[NearTerm]:
        """Those of these words that the reader may know of, each with how many rows hold it."""
        if self.unseen is None or not near:
            return list(near)
        off: Counter[str] = Counter()
        for label, text in self._holding({stem for _, stem, _ in near}).values_list("label", "text"):
            off.update({word.written for word in _written(label, text)})
        return [(text, stem, left) for text, stem, count in near if (left := count - off[text]) > 0]

    def _hidden(self) -> QuerySet[IndexEntry]:
        counted = IndexEntry.objects.filter(workspace=self.workspace, audience=EVERYONE, built_sequence__isnull=False)
        return counted.filter(self.unseen) if self.unseen is not None else counted.none()

    def _holding(self, stems: Iterable[str]) -> QuerySet[IndexEntry]:
        key = self.workspace.id.hex
        return engine().pick(self._hidden(), engine().any_of([sign(key, stem) for stem in sorted(stems)]))

    def _hidden_with(self, stems: Iterable[str]) -> Counter[str]:
        key = self.workspace.id.hex
        of_sign = {sign(key, stem): stem for stem in stems}
        off: Counter[str] = Counter()
        for terms in self._holding(of_sign.values()).values_list("terms", flat=True):
            off.update(of_sign[one] for one in of_sign.keys() & set(terms.split(" ")))
        return off


def _written(label: str, text: str) -> Iterator[Word]:
    yield from words(label)
    yield from words(text)


def _statistics(workspace: Workspace) -> QuerySet[Statistics]:
    return Statistics.objects.filter(workspace=workspace)[:1]


def _documents_with(workspace: Workspace, stems: Sequence[str]) -> QuerySet[Term, Any]:
    stored = Term.objects.filter(workspace=workspace, form=Term.Form.STEM, text__in=stems, documents__gt=0)
    return stored.values_list("text", "documents")


def _chunks(stems: Sequence[str]) -> Iterator[Sequence[str]]:
    return (stems[start : start + AT_ONCE] for start in range(0, len(stems), AT_ONCE))
