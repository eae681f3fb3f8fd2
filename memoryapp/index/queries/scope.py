"""Where a search looks: the entries that a reader may be served, and those asked for among them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from memoryapp.index.models import EVERYONE, IndexEntry
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Workspace

Rows = Mapping[str, QuerySet[Any] | None]
"""Each wanted target type with the rows that may be served (a queryset already narrowed to what the reader may see and
asked for), or with None: then only rows open to the whole workspace."""


MOST_SHAPES = 1000
_types: dict[tuple[Hashable, ...], tuple[str, ...]] = {}


@dataclass(frozen=True)
class Targets:
    """Rows as a function: `rows(*shape, **given)`. The queries over them are prepared (see `ledger.prepared`).

    `in_threads` says whether there are turns among them, which gain by what their whole thread holds.
    """

    rows: Callable[..., Rows]
    shape: tuple[Hashable, ...] = ()
    given: Mapping[str, object] = field(default_factory=dict)
    in_threads: bool = True


@dataclass(frozen=True)
class Scope:
    """Where to search: among which rows, and by what they are narrowed further."""

    workspace: Workspace
    targets: Rows | Targets
    kinds: Sequence[str] = ()
    sections: Sequence[str] = ()
    speakers: Sequence[str] = ()
    since: dt.datetime | None = None
    until: dt.datetime | None = None
    unseen: Q | None = None
    """Entries that the reader may not know of by the rules of paths that they are under (see `texts.unseen`)."""


def eligible(scope: Scope) -> QuerySet[IndexEntry]:
    """The entries of a scope. A target type that the scope does not name is not there."""
    targets, place = _asked_of(scope)
    return entries_of(*place, **targets)


def found_in(scope: Scope, build: Callable[..., QuerySet[Any, Any]], *shape: Hashable, **given: object) -> list[Any]:
    """What a query over the scope's entries finds."""
    targets, place = _asked_of(scope)
    if isinstance(scope.targets, Targets):
        return prepared.rows(build, *shape, *place, **targets, **given)
    return list(build(*shape, *place, **targets, **given))


def types_in(scope: Scope) -> tuple[str, ...]:
    """The target types that the scope names."""
    targets = scope.targets
    if not isinstance(targets, Targets):
        return tuple(sorted(targets))
    key = (targets.rows, targets.shape)
    if key not in _types:
        if len(_types) >= MOST_SHAPES:
            _types.clear()
        _types[key] = tuple(sorted(targets.rows(*targets.shape, **targets.given)))
    return _types[key]


def _asked_of(scope: Scope) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """The named values, and what else there is, from which the scope's entries are queried."""
    named: dict[str, Any] = {"workspace": scope.workspace, "since": scope.since, "until": scope.until}
    narrowed = (tuple(scope.kinds), tuple(scope.sections), tuple(scope.speakers), scope.unseen)
    targets = scope.targets
    if isinstance(targets, Targets):
        return {**named, **targets.given}, (targets.rows, targets.shape, narrowed)
    return dict(named), ((lambda: targets), (), narrowed)


def entries_of(
    rows: Callable[..., Rows],
    shape: tuple[Hashable, ...],
    narrowed: tuple[Sequence[str], Sequence[str], Sequence[str], Q | None],
    *,
    workspace: Workspace,
    since: dt.datetime | None,
    until: dt.datetime | None,
    **given: object,
) -> QuerySet[IndexEntry]:
    kinds, sections, speakers, unseen = narrowed
    allowed = Q(pk__in=[])
    for target_type, served in sorted(rows(*shape, **given).items()):
        one = Q(target_type=target_type)
        one &= Q(audience=EVERYONE) if served is None else Q(Exists(served.filter(pk=OuterRef("target_id"))))
        allowed |= one
    entries = IndexEntry.objects.filter(allowed, workspace=workspace)
    if unseen is not None:
        entries = entries.exclude(unseen)
    if kinds:
        within = Q(pk__in=[])
        for kind in kinds:
            within |= Q(kind=kind) | Q(kind__startswith=kind + "/")
        entries = entries.filter(within)
    if sections:
        entries = entries.filter(section__in=sections)
    if speakers:
        entries = entries.filter(speaker__in=speakers)
    if since:
        entries = entries.filter(said_at__gte=since)
    if until:
        entries = entries.filter(said_at__lt=until)
    return entries
