"""How much waits, without reading all of it: beyond a bound nobody counts on."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import IntegerField, QuerySet, Subquery
from django.db.models.expressions import RawSQL
from django.utils import timezone

from memoryapp.ledger.models import Workspace
from memoryapp.ledger.prepared.reading import reader_of
from memoryapp.ledger.principal import Principal
from memoryapp.review import registry, sight
from memoryapp.review.models import Case
from memoryapp.review.queries.queue import Filters, awake, queue

BOUND = 1000
"""How far each number is counted."""


class Count(int):
    """A number of cases; past the bound it reads as at least that many."""

    def __str__(self) -> str:
        return f"{BOUND:,}+" if self > BOUND else f"{int(self):,}"

    __repr__ = int.__repr__


class Bounded(Subquery):
    """How many rows a sliced query has."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) bounded)"
    output_field = IntegerField()

    def __init__(self, found: QuerySet[Any]) -> None:
        super().__init__(found.order_by().values("pk")[: BOUND + 1])


@dataclass(frozen=True)
class Waiting:
    """How much waits: in all, by kind, claimed by oneself, snoozed, and since when the oldest has."""

    total: Count
    by_kind: dict[str, Count]
    mine: Count
    snoozed: Count
    oldest: dt.datetime | None
    also: dict[str, Any] = field(default_factory=dict)


def waiting(by: Principal, also: Mapping[str, Any] | None = None) -> Waiting:
    """How much waits for a person, of what the caller may see: one query, which reads no more than the bound of any
    kind. `also` names other values that the same query finds on the way."""
    by.require("read_cases")
    now = timezone.now()
    hidden = sight.out_of_sight(by)
    opened = Case.objects.filter(workspace=by.workspace, state=Case.State.OPEN)
    if hidden:
        opened = opened.exclude(pk__in=RawSQL("SELECT case_id FROM out_of_sight", []))
    waits = opened.filter(awake())
    claimed = opened.filter(claimed_by=by.actor, claimed_until__gt=now)
    kinds = [kind.name for kind in registry.kinds()]
    asked: dict[str, Any] = {f"of_{number}": Bounded(waits.filter(kind=kind)) for number, kind in enumerate(kinds)} | {
        "mine": Bounded(opened.filter(assignee=by.actor)) + Bounded(claimed.exclude(assignee=by.actor)),
        "snoozed": Bounded(opened.filter(snoozed_until__gt=now)),
        "oldest": Subquery(waits.order_by("opened_at").values("opened_at")[:1]),
        **(also or {}),
    }
    found = dict(zip(asked, _found(by, asked, hidden), strict=True))
    by_kind = {kind: Count(found[f"of_{number}"]) for number, kind in enumerate(kinds) if found[f"of_{number}"]}
    return Waiting(
        total=Count(sum(by_kind.values())),
        by_kind=by_kind,
        mine=Count(found["mine"]),
        snoozed=Count(found["snoozed"]),
        oldest=found["oldest"],
        also={name: found[name] for name in also or ()},
    )


def _found(by: Principal, asked: Mapping[str, Any], hidden: list[RawSQL]) -> tuple[Any, ...]:
    """The values asked for. What is out of sight is gathered once for all of them, as the set `out_of_sight`."""
    asking = Workspace.objects.filter(pk=by.workspace.pk).values_list(*asked.values())
    connection = connections[DEFAULT_DB_ALIAS]
    compiler = asking.query.get_compiler(DEFAULT_DB_ALIAS)
    sql, parameters = compiler.as_sql()
    gathered: list[Any] = []
    for one in hidden:
        sql = f"WITH out_of_sight(case_id) AS MATERIALIZED ({one.sql}) {sql}"
        gathered = list(one.params)
    with connection.cursor() as cursor:
        cursor.execute(sql, (*gathered, *parameters))
        [found] = reader_of(asking, compiler)(cursor.fetchall(), connection)
    return tuple(found)


def matching(by: Principal, filters: Filters) -> Count:
    """How many cases match, up to the bound."""
    holding = filters.holding
    if holding is not None and not holding.complete:
        least = _counted(by, replace(filters, holding=replace(holding, complete=True)))
        if least > BOUND:
            return Count(least)
    return Count(_counted(by, filters))


def _counted(by: Principal, filters: Filters) -> int:
    return queue(by, filters).select_related(None).order_by().values("pk")[: BOUND + 1].count()
