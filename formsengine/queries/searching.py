"""Responses found by what was answered in them, within the sight of whoever asks."""

from __future__ import annotations

from django.db.models import Q

from formsengine.models import FormResponse
from formsengine.queries.filled import RESPONSE, responses
from memoryapp.graph.models import Node
from memoryapp.index.models import IndexEntry
from memoryapp.index.queries import Scope, search
from memoryapp.ledger.principal import Principal

LONGEST = 300


def answering(by: Principal, asked: str, limit: int) -> list[tuple[FormResponse, str]]:
    """The responses whose answers hold what is asked, the best first, each with the answer that does."""
    seen = {RESPONSE: responses(by).filter(nobody_unknown(by))}
    hits = search(Scope(by.workspace, seen), asked, limit=limit).hits
    if not hits:
        return []
    rows = responses(by).in_bulk({hit.target_id for hit in hits})
    places = Q(pk__in=[])
    for hit in hits:
        places |= Q(target_type=RESPONSE, target_id=hit.target_id, part=hit.part)
    held = IndexEntry.objects.filter(places, workspace=by.workspace).values_list("target_id", "part", "text")
    texts = {(target, part): text for target, part, text in held}
    return [
        (rows[hit.target_id], _line(texts.get((hit.target_id, hit.part), ""), hit.words))
        for hit in hits
        if hit.target_id in rows
    ]


def nobody_unknown(by: Principal) -> Q:
    """Of responses: those about nobody, or about somebody in sight."""
    return Q(subject__isnull=True) | Q(subject__in=Node.objects.visible_to(by).values("pk"))


def _line(text: str, words: list[str]) -> str:
    """The answer with the most of the words; the first of those that have as many."""
    lines = text.splitlines() or [""]
    return max(lines, key=lambda line: sum(word in line.casefold() for word in words))[:LONGEST]
