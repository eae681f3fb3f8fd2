"""A form tried while it is written: test answers given to the form as it stands, evaluated as a response would be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from formsengine.definition.graph import graph
from formsengine.definition.plan import Plan
from formsengine.log.commits import Clock, Writer
from formsengine.log.response import Response, prepared
from formsengine.log.writing import Draft, Patch, write


@dataclass(slots=True)
class Trial:
    """What somebody answered to try the form: rows added in their order, and an answer for each path."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        return {"rows": self.rows, "answers": self.answers}

    @classmethod
    def of(cls, data: Any) -> Trial:
        if not isinstance(data, Mapping):
            return cls()
        return cls(list(data.get("rows", [])), dict(data.get("answers", {})))

    def take(self, ops: list[dict[str, Any]]) -> None:
        """Answers replace those before; rows keep their order, so that their ids stay."""
        for op in ops:
            match op.get("op"):
                case "set":
                    self.answers[op["field"]] = op["value"]
                case "retract":
                    self.answers.pop(op["field"], None)
                case "row-add" | "row-remove" | "row-restore":
                    self.rows.append(op)


@dataclass(frozen=True, slots=True)
class Tried:
    """The response there would be, and what of the answers was not taken, by path."""

    response: Response
    refused: dict[str, dict[str, Any]]


def tried(plan: Plan, trial: Trial, clock: Clock) -> Tried | None:
    """The form with these answers. None while its rules wait for each other, so that nothing can be worked out."""
    if graph(plan).circles or any(each.code == "repeated-name" for each in plan.problems):
        return None
    if any(each.question.type == "row" and each.question.rows_of not in plan.by_name for each in plan.fields):
        return None
    somebody = Writer("try", "console", human=True, roles=_roles(plan))
    response = Draft(Response("try", prepared(plan)), somebody, Patch(()), clock).finish().response
    for ops in (trial.rows, [{"op": "set", "field": path, "value": each} for path, each in trial.answers.items()]):
        if ops:
            done = write(response, somebody, Patch(ops, base=response.number), clock)
            response = done.response
    refused = {each["path"]: each for each in response.commits[-1].verdicts if each["verdict"] == "rejected"}
    return Tried(response, refused)


def _roles(plan: Plan) -> frozenset[str]:
    return frozenset(role for each in plan.fields for role in each.question.write_roles)
