"""What a log adds up to, worked out once at its end: for whoever reads many responses and needs no state in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from formsengine.definition.plan import Plan, Planned
from formsengine.evaluation.evaluate import Evaluation, Prepared
from formsengine.evaluation.rows import Row, Rows
from formsengine.evaluation.states import Answer, Key
from formsengine.log.commits import Event
from formsengine.log.response import Response
from formsengine.log.snapshot import keys, offered, plain


class Sum:
    """A response's answers, rows and values as `replay` gives them.

    What judges them is not worked out (states, findings, completeness), and which commit moved what is not kept.
    """

    def __init__(self, ready: Prepared) -> None:
        self.prepared = ready
        self.answers: dict[Key, Answer] = {}
        self.rows = Rows()
        self.conflicts: dict[Key, tuple[str, ...]] = {}
        self.heads: dict[Key, str | None] = {}
        self.events: dict[str, Event] = {}
        """The event of each revision."""

    @property
    def plan(self) -> Plan:
        return self.prepared.plan

    def work_out(self) -> None:
        """Every value, in order, from the answers in force."""
        items = self.plan.items
        for key, head in self.heads.items():
            planned = items.get(key[0])
            if head is not None and planned is not None:
                event = self.events[head]
                self.answers[key] = Answer(planned.question.type, event["status"], event["kept"], head)
        self.evaluation = Evaluation(self.prepared, self.answers, self.rows, self.conflicts)
        self.evaluation.start_values()


def summed(ready: Prepared, commits: Iterable[Mapping[str, Any]], later: Iterable[Prepared] = ()) -> Sum:
    """What the log of a response adds up to that began under `ready`; `later` are versions it may have moved to."""
    made = Sum(ready)
    known = {ready.plan.digest: ready} | {each.plan.digest: each for each in later}
    for body in commits:
        for event in body["events"]:
            if (add := ADDED.get(event["event"])) is not None:
                add(made, event)
            elif event["event"] == "migrated":
                made.prepared = known[event["to"]]
    made.work_out()
    return made


def answered(response: Response | Sum) -> Iterator[tuple[Planned, Key, Any]]:
    """Every answer that counts, and every computed value, as plain data, in the order of the form."""
    evaluation, answers = response.evaluation, response.answers
    for planned, key in keys(response):
        value, live = evaluation.values[key], planned.computed is not None and not planned.question.recompute_on
        if live and value is not None:
            yield planned, key, plain(value)
            continue
        answer = answers.get(key)
        if answer is None or answer.status != "answer" or not evaluation.relevant[key]:
            continue
        if value is not None or live or key in response.conflicts:
            excluded = evaluation.excluded.get(key)
            yield planned, key, offered(answer.kept, set(excluded)) if excluded else answer.kept


def _revised(made: Sum, event: Event) -> None:
    made.events[event["id"]] = event
    made.heads[event["field"], event.get("row", "")] = event["id"]


def _proposed(made: Sum, event: Event) -> None:
    key = (event["field"], event.get("row", ""))
    made.events[event["id"]] = event
    made.conflicts[key] = (*made.conflicts.get(key, ()), event["id"])


def _settled(made: Sum, event: Event) -> None:
    key = (event["field"], event.get("row", ""))
    left = tuple(each for each in made.conflicts.pop(key, ()) if each not in event["candidates"])
    if left:
        made.conflicts[key] = left


def _moved(made: Sum, event: Event) -> None:
    made.heads[event["field"], event.get("row", "")] = event["to"]


def _row_added(made: Sum, event: Event) -> None:
    made.rows.add(Row(event["row"], event["repeat"], event.get("parent", "")))


def _row_removed(made: Sum, event: Event) -> None:
    made.rows.set_removed(event["row"], event["event"] == "row-removed", 0)


def _row_moved(made: Sum, event: Event) -> None:
    made.rows.move(event["row"], event["to"])


def _redacted(made: Sum, event: Event) -> None:
    made.events[event["revision"]] = made.events[event["revision"]] | {"kept": None}


ADDED: dict[str, Callable[[Sum, Event], None]] = {
    "revised": _revised,
    "proposed": _proposed,
    "settled": _settled,
    "moved": _moved,
    "row-added": _row_added,
    "row-removed": _row_removed,
    "row-restored": _row_removed,
    "row-moved": _row_moved,
    "redacted": _redacted,
}
"""What changes answers and rows; everything else of a log is about judging them."""
