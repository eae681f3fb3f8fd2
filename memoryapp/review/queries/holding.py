"""Which cases hold some words: looked for once, and then known by their ids.

A case has no words of its own but its reason; it is found by the words of what it is about. Each of these is gone
through once, in whatever order is quickest; the queue's own order is made from what was found.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet

from memoryapp.ledger.among import among
from memoryapp.ledger.principal import Principal
from memoryapp.review import sight
from memoryapp.review.models import Case

if TYPE_CHECKING:
    from memoryapp.review.queries.queue import Filters

FEW = 2000
"""So many cases that hold the words are known by their ids; of more, the first of them."""


@dataclass(frozen=True)
class Holding:
    """Cases that hold the words, whoever may see them: all of them (`complete`), or of too many the first found."""

    ids: frozenset[uuid.UUID]
    complete: bool


def narrowed(by: Principal, filters: Filters) -> Filters:
    """The same filters, with the cases that hold the text found already: the queue, its count and the case that comes
    next then look through no words again. One query, none without a text."""
    if not filters.text or filters.holding is not None:
        return filters
    found = list(_found(by, _plain(filters.text), filters.state)[: FEW + 1])
    return replace(filters, holding=Holding(frozenset(found[:FEW]), len(found) <= FEW))


def holds(by: Principal, filters: Filters) -> Q:
    """Of cases: that they hold the text."""
    if filters.holding is not None and filters.holding.complete:
        return among("pk", filters.holding.ids)
    text = _plain(filters.text)
    holding = Q(reason__icontains=text)
    for cases in sight.about(by, text):
        holding |= Q(pk__in=cases)
    return holding


def _found(by: Principal, text: str, state: str) -> QuerySet[Case, uuid.UUID]:
    """The ids of the cases in this state that hold the text, in no order."""
    reasons = Case.objects.filter(workspace=by.workspace, state=state, reason__icontains=text).values_list(
        "pk", flat=True
    )
    about = [cases.filter(case__state=state).values_list("case_id", flat=True) for cases in sight.about(by, text)]
    return reasons.order_by().union(*about, all=True)


def _plain(text: str) -> str:
    return text.replace("\x00", "")
