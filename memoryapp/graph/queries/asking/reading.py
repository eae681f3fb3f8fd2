"""Reading a question: from plain data to what can be asked, or to everything that is wrong with it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memoryapp.doors.errors import DomainError, Malformed
from memoryapp.graph import todays
from memoryapp.graph.queries.asking.clauses import All, Clause, Hop, Question, Related
from memoryapp.graph.queries.asking.conditions import Conditions, Known
from memoryapp.ontology.compiled import Ontology, Property

MOST_LIMIT = 200
USUAL_LIMIT = 50
MOST_OFFSET = 10_000
HOP_LIMIT = 20
"""Edges followed from one node, unless told."""
MOST_HOPS = 10
DEEPEST_HOP = 4

QUESTION = ("class", "exact", "where", "select", "order", "limit", "offset", "expand", "retired")
HOP = ("relationship", "direction", "class", "where", "select", "limit", "expand")
RELATED = ("relationship", "direction", "class", "where")
DIRECTIONS = {"out": ("out",), "in": ("in",), "both": ("out", "in")}


def read(
    ontology: Ontology,
    asked: Mapping[str, Any],
    *,
    valid_at: dt.datetime | None = None,
    known_at: dt.datetime | None = None,
    time_zone: str | None = None,
    path: str = "",
) -> Question:
    """The question that this says, of what is now or was at these times. `time_zone` is that of times without offset.

    Raises Malformed with every violation, each naming its place and the nearest name that is taken.
    """
    reader = _Reader(ontology, time_zone)
    question = reader.question(asked, path, valid_at, known_at)
    if reader.wrong or question is None:
        raise Malformed.all(reader.wrong)
    return question


class _Reader(Conditions):
    """Gathers what is wrong with one question."""

    composed = ("and", "or", "not", "related")

    def __init__(self, ontology: Ontology, time_zone: str | None) -> None:
        super().__init__(time_zone)
        self.ontology = ontology
        self.hops = 0

    def question(
        self, asked: Any, path: str, valid_at: dt.datetime | None, known_at: dt.datetime | None
    ) -> Question | None:
        if not self._is_object(asked, path, QUESTION):
            return None
        node_class = asked.get("class")
        if not isinstance(node_class, str):
            self.add(f"{path}/class", "missing", "A question asks for nodes of a class.", "a declared class")
            return None
        node_class = todays.node_class(self.ontology, node_class)
        classes = self._classes(node_class, f"{path}/class", exact=asked.get("exact") is True)
        if classes is None:
            return None
        known = self._known([node_class])
        for name in ("exact", "retired"):
            if not isinstance(asked.get(name, False), bool):
                self.add(f"{path}/{name}", "wrong_type", "This must be true or false.", "true or false")
        return Question(
            node_class=node_class,
            classes=classes,
            clause=self.where(asked.get("where"), known, f"{path}/where"),
            select=self._select(asked.get("select"), known, f"{path}/select"),
            order=self._order(asked.get("order"), known, f"{path}/order"),
            limit=self._whole(asked.get("limit", USUAL_LIMIT), 1, MOST_LIMIT, f"{path}/limit"),
            offset=self._whole(asked.get("offset", 0), 0, MOST_OFFSET, f"{path}/offset"),
            expand=self._hops(asked.get("expand"), classes, f"{path}/expand", 1),
            retired=asked.get("retired") is True,
            valid_at=valid_at,
            known_at=known_at,
        )

    def related(self, told: Any, path: str, depth: int) -> Clause:
        if isinstance(told, list):
            return All(tuple(self._related(one, f"{path}/{place}", depth) for place, one in self.first(told)))
        return self._related(told, path, depth)

    def _related(self, told: Any, path: str, depth: int) -> Clause:
        if not self.counted(path) or not self._is_object(told, path, RELATED):
            return All()
        led = self._led(told, path)
        if led is None:
            return All()
        relationship, directions, classes, known = led
        clause = self.where(told.get("where"), known, f"{path}/where", depth + 1)
        return Related(relationship, directions, classes, clause)

    def _led(self, told: Any, path: str) -> tuple[str, tuple[str, ...], tuple[str, ...], Known] | None:
        """Where an edge leads: its relationship, the directions, the classes at the other end, their properties."""
        name = told.get("relationship")
        if not isinstance(name, str):
            self.add(f"{path}/relationship", "missing", "This names a relationship.", "a declared relationship")
            return None
        name = self.ontology.today("relationships", name)
        declared = self._asked(lambda: self.ontology.relationship(name, f"{path}/relationship"))
        directions = DIRECTIONS.get(str(told.get("direction", "both")))
        if directions is None:
            self.add(f"{path}/direction", "not_a_choice", "An edge leads out, in, or either way.", "out, in, both")
        if declared is None or directions is None:
            return None
        ends = [
            pair.object if direction == "out" else pair.subject for direction in directions for pair in declared.pairs
        ]
        if "class" in told:
            end = todays.node_class(self.ontology, str(told["class"]))
            narrowed = self._classes(end, f"{path}/class")
            return None if narrowed is None else (name, directions, narrowed, self._known([end]))
        classes = sorted({one for end in ends for one in self.ontology.subclasses(end)})
        return name, directions, tuple(classes), self._known(sorted(set(ends)))

    def _hops(self, told: Any, classes: tuple[str, ...], path: str, depth: int) -> tuple[Hop, ...]:
        if told is None:
            return ()
        if not isinstance(told, list):
            self.add(path, "wrong_type", "What leads on is a list.", 'such as [{"relationship": "worksAt"}]')
            return ()
        if depth > DEEPEST_HOP:
            self.add(path, "too_deep", "These are too many hops in a row.", f"at most {DEEPEST_HOP}")
            return ()
        return tuple(hop for place, one in enumerate(told) if (hop := self._hop(one, f"{path}/{place}", depth)))

    def _hop(self, told: Any, path: str, depth: int) -> Hop | None:
        self.hops += 1
        if self.hops > MOST_HOPS:
            self.add(path, "too_many", "The question leads on too often.", f"at most {MOST_HOPS} hops")
            return None
        if not self._is_object(told, path, HOP):
            return None
        led = self._led(told, path)
        if led is None:
            return None
        relationship, directions, classes, known = led
        return Hop(
            relationship=relationship,
            directions=directions,
            classes=classes,
            clause=self.where(told.get("where"), known, f"{path}/where"),
            select=self._select(told.get("select"), known, f"{path}/select"),
            limit=self._whole(told.get("limit", HOP_LIMIT), 1, MOST_LIMIT, f"{path}/limit"),
            expand=self._hops(told.get("expand"), classes, f"{path}/expand", depth + 1),
        )

    def _select(self, told: Any, known: Known, path: str) -> tuple[str, ...] | None:
        if told is None:
            return None
        if not isinstance(told, list):
            self.add(path, "wrong_type", "Properties are selected by a list of names.", "a list of names")
            return None
        for place, name in enumerate(told):
            if not isinstance(name, str) or name not in known:
                self.unknown(str(name), known, f"{path}/{place}", "undeclared_property", "property")
        return tuple(known[name].name for name in told if isinstance(name, str) and name in known)

    def _order(self, told: Any, known: Known, path: str) -> tuple[tuple[str, bool], ...]:
        if told is None:
            return ()
        if not isinstance(told, list):
            self.add(path, "wrong_type", "An order is a list of names.", 'such as ["name", "-@recorded_at"]')
            return ()
        found = []
        for place, one in enumerate(told):
            name = one.removeprefix("-") if isinstance(one, str) else str(one)
            if self.sort(name, known, f"{path}/{place}", ()) is not None:
                found.append((known[name].name if name in known else name, one.startswith("-")))
        return tuple(found)

    def _known(self, classes: Sequence[str]) -> dict[str, Property]:
        """The properties that nodes of these classes may have, also by the names they had before."""
        found: dict[str, Property] = {}
        for one in classes:
            declared = self.ontology.properties_of(one)
            found |= {name: held for name, held in declared.items() if name not in found}
            for above in self.ontology.class_line(one) if self.ontology.has_former_names else ():
                renamed = self.ontology.document.node_classes[above].renamed
                found |= {old: declared[now] for old, now in renamed.items() if old not in found and now in declared}
        return found

    def _classes(self, name: Any, path: str, *, exact: bool = False) -> tuple[str, ...] | None:
        found = self._asked(lambda: self.ontology.subclasses(str(name), exact=exact, path=path))
        return None if found is None else tuple(sorted(found))

    def _asked(self, look: Callable[[], Any]) -> Any:
        try:
            return look()
        except DomainError as error:
            self.wrong += error.violations
            return None

    def _is_object(self, told: Any, path: str, names: tuple[str, ...]) -> bool:
        if not isinstance(told, Mapping):
            self.add(path or "/", "wrong_type", "This must be an object.", ", ".join(names))
            return False
        for name in told:
            if name not in names:
                self.unknown(str(name), names, f"{path}/{name}", "unknown_field", "field")
        return True

    def _whole(self, told: Any, least: int, most: int, path: str) -> int:
        if isinstance(told, bool) or not isinstance(told, int) or not least <= told <= most:
            self.add(path, "out_of_range", "This cannot be asked for.", f"an integer from {least} to {most}")
            return least
        return told
