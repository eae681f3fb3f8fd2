"""Reading what a property is compared with: each operator takes operands of the property's own sort."""

from __future__ import annotations

import datetime as dt
import math
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memoryapp.doors import moments
from memoryapp.doors.errors import Violation
from memoryapp.doors.nearest import nearest
from memoryapp.doors.strict import unreadable_characters
from memoryapp.graph import typed
from memoryapp.graph.queries.asking.clauses import (
    ACCEPTED,
    CLASS,
    FIELDS,
    ID,
    LABEL,
    OF_SORT,
    OPERATORS,
    RECORDED_AT,
    All,
    Clause,
    Test,
)
from memoryapp.ontology.compiled import Property

MOST_CONDITIONS = 200
"""Conditions of one question, with those that join others."""
MOST_VALUES = 200
"""Values of one `in`."""
LONGEST = 500
"""Characters of a text that is looked for."""
SORTS = {ID: typed.TEXT, LABEL: typed.TEXT, CLASS: typed.TEXT, RECORDED_AT: typed.DATE}


class Operands:
    """Gathers what is wrong with the conditions of one question. `fields` may be asked for besides properties."""

    fields: Mapping[str, bytes] = SORTS

    def __init__(self, time_zone: str | None) -> None:
        self.time_zone = time_zone
        self.wrong: list[Violation] = []
        self.conditions = 0

    def add(self, path: str, code: str, message: str, accepted: str = "") -> None:
        self.wrong.append(Violation(path, code, message, accepted))

    def counted(self, path: str) -> bool:
        """Count a condition, and say whether it is within the bound. The first that is not is told."""
        self.conditions += 1
        if self.conditions == MOST_CONDITIONS + 1:
            self.add(path, "too_many", "The question has too many conditions.", f"at most {MOST_CONDITIONS}")
        return self.conditions <= MOST_CONDITIONS

    def first(self, several: Sequence[Any]) -> Iterable[tuple[int, Any]]:
        """As many of these conditions as are read before there are too many, with their places."""
        return enumerate(several[: MOST_CONDITIONS + 1])

    def unknown(self, name: str, known: Iterable[str], path: str, code: str, what: str) -> None:
        """That there is no such name, with the nearest there is."""
        names = sorted(known)
        near = nearest(name, names)
        meant = f" Did you mean “{near}”?" if near else ""
        self.add(path, code, f"There is no {what} “{name[:64]}” here.{meant}", ", ".join(names))

    def sort(self, name: str, known: Mapping[str, Property], path: str, also: tuple[str, ...]) -> bytes | None:
        """The sort of a property, or of a field that every node has."""
        if name in self.fields:
            return self.fields[name]
        if name in known:
            return typed.sort_of(known[name].schema)
        self.unknown(name, (*known, *self.fields, *also), path, "undeclared_property", "property")
        return None

    def compared(self, name: str, sort: bytes, told: Any, path: str) -> Clause:
        """A value, an object of operators that all hold, or a list of such."""
        if isinstance(told, list) and all(isinstance(one, dict) for one in told[: MOST_CONDITIONS + 1]):
            return All(tuple(self.compared(name, sort, one, f"{path}/{place}") for place, one in self.first(told)))
        if not isinstance(told, dict):
            if isinstance(told, list):
                self.add(path, "wrong_type", "A list is looked for with an operator.", 'such as {"in": [...]}')
                return All()
            return self._test(name, "eq", told, sort, path)
        if not told:
            self.add(path, "missing", "An operator is missing.", ", ".join(_taken(name, sort)))
        tests = [self._test(name, operator, operand, sort, f"{path}/{operator}") for operator, operand in told.items()]
        return tests[0] if len(tests) == 1 else All(tuple(tests))

    def _test(self, name: str, operator: str, told: Any, sort: bytes, path: str) -> Clause:
        taken = _taken(name, sort)
        if not self.counted(path):
            return All()
        if operator not in OPERATORS:
            self.unknown(operator, taken, path, "unknown_operator", "operator")
        elif operator not in taken:
            message = f"“{operator}” does not compare this."
            self.add(path, "operator_does_not_fit", message, ", ".join(taken))
        elif operator == "exists":
            if isinstance(told, bool):
                return Test(name, operator, told, sort)
            self.add(path, "wrong_type", "This must be true or false.", "true or false")
        elif operator in ("in", "not_in", "between"):
            return self._several(name, operator, told, sort, path)
        else:
            return Test(name, operator, self._operand(name, operator, told, sort, path), sort)
        return All()

    def _several(self, name: str, operator: str, told: Any, sort: bytes, path: str) -> Clause:
        least, most = (2, 2) if operator == "between" else (1, MOST_VALUES)
        if not isinstance(told, list) or not least <= len(told) <= most:
            accepted = "a list of the least and the greatest" if operator == "between" else f"a list of 1 to {most}"
            self.add(path, "wrong_type", f"“{operator}” takes a list.", accepted)
            return All()
        operands = tuple(self._operand(name, operator, one, sort, f"{path}/{place}") for place, one in enumerate(told))
        return Test(name, operator, operands, sort)

    def _operand(self, name: str, operator: str, told: Any, sort: bytes, path: str) -> Any:
        """The operand of a property as its key; of a field as its column takes it; of words as text."""
        fits = {
            typed.FLAG: isinstance(told, bool),
            typed.NUMBER: isinstance(told, int | float) and not isinstance(told, bool) and math.isfinite(told),
            typed.DATE: isinstance(told, str),
            typed.TEXT: isinstance(told, str),
            typed.OTHER: True,
        }[sort]
        if not fits:
            self.add(path, "wrong_type", "This is compared with a value of another sort.", ACCEPTED[sort])
            return None
        if isinstance(told, str) and (len(told) > LONGEST or unreadable_characters(told)):
            self.add(path, "not_text", "This cannot be looked for.", f"a text of at most {LONGEST} characters")
            return None
        if sort == typed.DATE:
            return self._moment(name, told, path)
        if name == ID:
            return self._id(told, path)
        if operator in ("fuzzy", "contains", "starts_with", "ends_with"):
            if not told:
                self.add(path, "blank", "This looks for nothing.", "a text")
            return told
        return told if name in FIELDS else typed.key_of(told, sort)

    def _moment(self, name: str, told: str, path: str) -> Any:
        try:
            instant: dt.datetime = moments.parse(told, time_zone=self.time_zone).instant
        except moments.NotAMoment as error:
            self.add(path, error.code, str(error), error.accepted)
            return None
        return instant if name in FIELDS else typed.key_of(instant.isoformat(), typed.DATE)

    def _id(self, told: str, path: str) -> uuid.UUID | None:
        try:
            return uuid.UUID(told)
        except ValueError:
            self.add(path, "not_an_id", "This is not an id.", "an id as it was answered")
            return None


def _taken(name: str, sort: bytes) -> tuple[str, ...]:
    return FIELDS[name] if name in FIELDS else OF_SORT[sort]
