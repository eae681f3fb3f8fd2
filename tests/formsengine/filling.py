"""One response, filled by several writers, each of whom says what it last saw."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from formsengine.definition.model import Form
from formsengine.definition.publish import publish
from formsengine.definition.stored import read
from formsengine.log import lifecycle
from formsengine.log.commits import Clock, Writer
from formsengine.log.response import Response, prepared, replay
from formsengine.log.writing import Patch, Result, write

Answers = Mapping[str, Any] | None
ANA = Writer("ana", "browser", "s1", human=True, roles=frozenset({"staff"}))
BEN = Writer("ben", "browser", "s2", human=True)
BOT = Writer("bot", "agent", "s3")
START = datetime(2026, 5, 15, 9, 0, tzinfo=UTC)


def asks(name: str, type: str = "integer", **more: Any) -> dict[str, Any]:
    return {"kind": "field", "name": name, "type": type, "label": {"en": name}, **more}


def rows(name: str, *items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "repeat", "name": name, "label": {"en": name}, "items": list(items), **more}


def section(name: str, *items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "section", "name": name, "label": {"en": name}, "items": list(items), **more}


def choices(name: str, *codes: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "choices": [{"code": code, "label": {"en": code.title()}} for code in codes], **more}


def form(*items: dict[str, Any], **more: Any) -> Form:
    return read({"format": "form/1", "id": "f", "steps": [{"name": "one", "items": list(items)}], **more})


class Filling:
    """The newest state of a response, and the acts on it."""

    def __init__(self, made: Form, zone: str = "UTC") -> None:
        self.ready = prepared(publish(made))
        self.response = Response("response-1", self.ready)
        self.at = START
        self.zone = zone
        self.last: Result | None = None

    @property
    def clock(self) -> Clock:
        return Clock(self.at, self.zone)

    def patch(self, ops: list[dict[str, Any]], by: Writer = ANA, **more: Any) -> Result:
        self.at += timedelta(minutes=1)
        self.last = write(self.response, by, Patch(ops, **more), self.clock)
        self.response = self.last.response
        return self.last

    def op(self, op: str, by: Writer = ANA, base: int | None = None, **more: Any) -> Result:
        return self.patch([{"op": op, **more}], by, base=base)

    def say(self, answers: Answers = None, by: Writer = ANA, base: int | None = -1, **more: Any) -> Result:
        """Answers given by somebody who saw the newest state, or the given base."""
        ops = [{"op": "set", "field": name, "value": value} for name, value in {**(answers or {}), **more}.items()]
        return self.patch(ops, by, base=self.response.number if base == -1 else base)

    def row(self, repeat: str, by: Writer = ANA, **values: Any) -> str:
        result = self.op("row-add", by, repeat=repeat, values=values)
        return str(result.verdicts[0]["row"])

    def submit(self, by: Writer = ANA, base: int | None = None, key: str = "") -> Result:
        number = self.response.number if base is None else base
        result = lifecycle.submit(self.response, by, self.clock, base=number, key=key)
        self.response = result.response
        return result

    def key(self, path: str) -> tuple[str, str]:
        name, _, row = path.partition("@")
        return (self.response.plan.by_name[name].uid, row)

    def state(self, path: str) -> str:
        return str(self.response.evaluation.states[self.key(path)].name)

    def value(self, path: str) -> Any:
        return self.response.evaluation.values[self.key(path)]

    def kept(self, path: str) -> Any:
        revision = self.response.revision(self.key(path))
        return revision.kept if revision else None

    def rows(self, repeat: str, parent: str = "") -> tuple[str, ...]:
        return self.response.evaluation.live[(repeat, parent)]

    def verdicts(self) -> list[str]:
        assert self.last is not None
        return [str(each["verdict"]) for each in self.last.verdicts]

    def replayed(self) -> Response:
        """The response read again from its log, as it comes back from a store: as text."""
        stored = json.dumps([commit.as_data() for commit in self.response.commits])
        return replay("response-1", self.ready, json.loads(stored))


def facts(response: Response) -> dict[str, Any]:
    """Everything a reader could see of a response."""
    evaluation = response.evaluation
    return {
        "heads": {key: head for key, head in response.heads.items() if head},
        "values": {key: value for key, value in evaluation.values.items() if value is not None},
        "states": evaluation.states,
        "live": {key: live for key, live in evaluation.live.items() if live},
        "findings": {key: found for key, found in evaluation.findings.items() if found},
        "conflicts": response.conflicts,
        "state": response.state,
        "redo": {key: stack for key, stack in response.redo.items() if stack},
        "gates": response.gates,
        "undone": response.undone,
        "blocking": {step: keys for step, keys in evaluation.blocking.items() if keys},
    }
