"""Reading a condition: properties compared with operands, joined by and, or and not; whatever has the properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoryapp.graph.queries.asking.clauses import All, AnyOf, Clause, Not
from memoryapp.graph.queries.asking.operands import Operands
from memoryapp.ontology.compiled import Property

DEEPEST = 12
"""Levels of and, or, not and related."""

Known = Mapping[str, Property]


class Conditions(Operands):
    """Gathers what is wrong with the conditions of one question. Of nodes there is also `related`."""

    composed: tuple[str, ...] = ("and", "or", "not")

    def where(self, told: Any, known: Known, path: str, depth: int = 0) -> Clause:
        """A condition: an object of which every part holds, or a list of such."""
        if told is None or not self.counted(path):
            return All()
        if depth > DEEPEST:
            self.add(path, "too_deep", "This is nested too deeply.", f"at most {DEEPEST} levels")
            return All()
        if isinstance(told, list):
            return All(tuple(self.where(one, known, f"{path}/{place}", depth + 1) for place, one in self.first(told)))
        if not isinstance(told, dict):
            self.add(path, "wrong_type", "A condition is an object.", 'such as {"name": {"eq": "Ines Ferro"}}')
            return All()
        clauses: list[Clause] = []
        for name, inner in told.items():
            place = f"{path}/{name}"
            if name in ("and", "or"):
                clauses.append(self._joined(name, inner, known, place, depth))
            elif name == "not":
                clauses.append(Not(self.where(inner, known, place, depth + 1)))
            elif name in self.composed:
                clauses.append(self.related(inner, place, depth))
            else:
                clauses.append(self._tests(name, inner, known, place))
        return clauses[0] if len(clauses) == 1 else All(tuple(clauses))

    def related(self, told: Any, path: str, depth: int) -> Clause:
        """What an edge leads to. No edge leads on from what is no node."""
        self.add(path, "undeclared_property", "No edge leads on from here.", ", ".join(self.composed))
        return All()

    def _joined(self, word: str, told: Any, known: Known, path: str, depth: int) -> Clause:
        if not isinstance(told, list) or not told:
            self.add(path, "wrong_type", f"“{word}” joins several conditions.", "a list of conditions")
            return All()
        inner = tuple(self.where(one, known, f"{path}/{place}", depth + 1) for place, one in self.first(told))
        return All(inner) if word == "and" else AnyOf(inner)

    def _tests(self, name: str, told: Any, known: Known, path: str) -> Clause:
        sort = self.sort(name, known, path, self.composed)
        now = known[name].name if name in known else name
        return All() if sort is None else self.compared(now, sort, told, path)
