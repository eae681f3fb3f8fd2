"""Episodes by what they have: conditions over properties, read and compared as questions to the graph are.

See docs/query.md. What is denied is the complement among the episodes asked for, also of those that have no value.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from memoryapp.doors.errors import Malformed
from memoryapp.doors.strict import LARGEST_INTEGER
from memoryapp.graph import typed
from memoryapp.graph.queries.asking.clauses import Clause
from memoryapp.graph.queries.asking.comparing import Comparing
from memoryapp.graph.queries.asking.conditions import Conditions
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.compiled import Ontology, Property
from memoryapp.timeline.models import Episode, EpisodeValue
from memoryapp.timeline.queries.known import then

FEW = 1000
"""Rows of what is looked for, up to which the episodes are these, and not all of them gone through in their order."""


class AsTyped(str):
    """A value as somebody typed it: a number or a truth value where the property is one."""


def one_of(declared: Property) -> Property:
    """A property as each of its values is: of a list, one of its items."""
    schema = declared.schema
    items = schema.get("items") if schema.get("type") == "array" else None
    return replace(declared, schema=items) if isinstance(items, Mapping) else declared


def properties(ontology: Ontology, kinds: Collection[str]) -> dict[str, dict[str, Property]]:
    """The properties that episodes of these kinds may have, also by the names they had before, by kind."""
    found: dict[str, dict[str, Property]] = defaultdict(dict)
    for kind in sorted(kinds):
        declared = ontology.episode_properties(kind)
        for name, one in declared.items():
            found[name][kind] = one_of(one)
        for above in ontology.episode_line(kind) if ontology.has_former_names else ():
            for old, now in ontology.document.episode_kinds[above].renamed.items():
                if now in declared:
                    found[old].setdefault(kind, one_of(declared[now]))
    return found


def read(
    ontology: Ontology, told: Any, kinds: Collection[str], *, time_zone: str | None = None, path: str = "/where"
) -> Clause:
    """The condition that this says of episodes of these kinds. Raises Malformed with every violation, each naming its
    place and the nearest name that is taken."""
    reader = _Reader(time_zone, properties(ontology, kinds))
    clause = reader.where(told, reader.known, path)
    if reader.wrong:
        raise Malformed.all(reader.wrong)
    return clause


class _Reader(Conditions):
    """Gathers what is wrong with the conditions of one question."""

    fields: Mapping[str, bytes] = {}

    def __init__(self, time_zone: str | None, by_kind: Mapping[str, Mapping[str, Property]]) -> None:
        super().__init__(time_zone)
        self.by_kind = by_kind
        self.known = {name: next(iter(of.values())) for name, of in by_kind.items()}

    def sort(self, name: str, known: Mapping[str, Property], path: str, also: tuple[str, ...]) -> bytes | None:
        """The sort of a property, if it is one in all these kinds."""
        of = self.by_kind.get(name, {})
        if len({(one.name, typed.sort_of(one.schema)) for one in of.values()}) > 1:
            message = f"“{name}” is another thing in some of these kinds: say which kind is meant."
            self.add(path, "ambiguous_property", message, ", ".join(of))
            return None
        return super().sort(name, known, path, also)

    def compared(self, name: str, sort: bytes, told: Any, path: str) -> Clause:
        if isinstance(told, dict):
            told = {operator: _as_typed(operand, sort) for operator, operand in told.items()}
        return super().compared(name, sort, _as_typed(told, sort), path)


def _as_typed(told: Any, sort: bytes) -> Any:
    if not isinstance(told, AsTyped) or sort not in (typed.NUMBER, typed.FLAG):
        return str(told) if isinstance(told, AsTyped) else told
    try:
        value = json.loads(told)
    except ValueError:
        return str(told)
    return value if isinstance(value, int | float) and abs(value) <= LARGEST_INTEGER else str(told)


class Having(Comparing):
    """What episodes have by their latest revision, now or as known then."""

    def __init__(self, by: Principal, known_at: dt.datetime | None) -> None:
        self.by = by
        self.known_at = known_at

    def values(self, name: str) -> QuerySet[EpisodeValue]:
        """What revisions say of a property."""
        return EpisodeValue.objects.filter(workspace=self.by.workspace, name=name)

    def in_sight(self, rows: QuerySet[EpisodeValue]) -> QuerySet[EpisodeValue]:
        """Those of episodes that the principal may see."""
        return rows.filter(episode__in=Episode.objects.visible_to(self.by).values("pk"))

    def having(self, rows: QuerySet[EpisodeValue]) -> Q:
        """Episodes of which one of these rows is said. Of few rows these episodes; of many each is asked, as an engine
        goes through what happened in its order. Which of the two is asked of the database now, with one count."""
        if rows.order_by().values("pk")[: FEW + 1].count() <= FEW:
            if self.known_at:
                return Q(pk__in=then(rows, self.known_at).values("episode"))
            return Q(pk__in=rows.filter(revision__sequence=F("episode__lock")).values("episode"))
        mine = rows.filter(episode=OuterRef("pk"))
        if self.known_at:
            return Q(Exists(then(mine, self.known_at)))
        return Q(Exists(mine.filter(revision__sequence=OuterRef("lock"))))
