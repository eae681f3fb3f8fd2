"""A response: its commits, and what they add up to. Folding a commit decides nothing, so a replay gives the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from formsengine.definition.plan import Plan
from formsengine.evaluation.evaluate import Evaluation, Prepared
from formsengine.evaluation.rows import Row, Rows
from formsengine.evaluation.states import Answer, Key
from formsengine.log.commits import Commit, Event, Revision

WRITABLE = {"draft", "returned", "reopened"}


@dataclass(slots=True)
class Changes:
    """What a commit moved: for each field the revision before and after, for each row whether and where it was."""

    heads: dict[Key, tuple[str | None, str | None]]
    rows: dict[str, tuple[int | None, int | None]]


@dataclass(slots=True)
class GateState:
    """Whether a gate's condition holds now, for which time, and what was found about it."""

    open: bool = False
    occurrence: int = 0
    outcome: str = ""
    by: str = ""
    reason: str = ""
    since: str = ""


class Response:
    """One filling of a form. `write` and the acts of the lifecycle give a new one and leave this one as it was."""

    def __init__(self, id: str, prepared: Prepared) -> None:
        self.id = id
        self.prepared = prepared
        self.known: dict[str, Prepared] = {prepared.plan.digest: prepared}
        self.started_under = prepared.plan
        self.moved_version = False
        self.commits: list[Commit] = []
        self.revisions: dict[str, Revision] = {}
        self.heads: dict[Key, str | None] = {}
        self.head_since: dict[Key, int] = {}
        self.history: dict[Key, tuple[tuple[int, str | None], ...]] = {}
        self.redo: dict[Key, tuple[str | None, ...]] = {}
        self.conflicts: dict[Key, tuple[str, ...]] = {}
        self.confirmed: set[str] = set()
        self.corroborated: dict[str, int] = {}
        self.acknowledged: dict[str, frozenset[int]] = {}
        self.considered: set[Key] = set()
        self.asked: dict[Key, tuple[int, ...]] = {}
        self.answers: dict[Key, Answer] = {}
        self.rows = Rows()
        self.changes: dict[int, Changes] = {}
        self.undone: set[int] = set()
        self.keys: dict[str, int] = {}
        self.gates: dict[str, GateState] = {}
        self.state = "draft"
        self.reason = ""
        self.submission = 0
        self.floor = 0
        self.snapshots: dict[int, dict[str, Any]] = {}
        self.notes: dict[Key, str] = {}
        self.touched_in: dict[Key, int] = {}
        self.dirty: set[Key] = set()
        self.dirty_lists: set[Key] = set()
        self.evaluation = prepared.begun(self.answers, self.rows, self.conflicts)

    @property
    def plan(self) -> Plan:
        return self.prepared.plan

    @property
    def number(self) -> int:
        """The last commit: what a writer names as the base of what it saw."""
        return self.commits[-1].number if self.commits else 0

    def copy(self) -> Response:
        """An own response to change. Revisions and commits are never changed and so are shared."""
        made = object.__new__(Response)
        for name, value in self.__dict__.items():
            made.__dict__[name] = value.copy() if isinstance(value, dict | set | list | Rows) else value
        made.gates = {name: replace(gate) for name, gate in self.gates.items()}
        made.evaluation = self.evaluation.over(made.answers, made.rows, made.conflicts)
        return made

    # Folding.

    def fold(self, event: Event, commit: int) -> None:
        """What the event does to what the response adds up to."""
        FOLDS[event["event"]](self, event, commit)

    def settle_clock(self, at: datetime, local: datetime) -> None:
        self.evaluation.set_clock(local, local.date())

    def work_out(self) -> set[Key]:
        """Evaluates what depends on what was folded since the last time."""
        self.evaluation.outcomes = {name: gate.outcome for name, gate in self.gates.items() if gate.outcome}
        touched = self._again() if self.moved_version else self.evaluation.changed(self.dirty, self.dirty_lists)
        self.dirty, self.dirty_lists = set(), set()
        self.touched_in.update(dict.fromkeys(touched, self.number + 1))
        return touched

    def _again(self) -> set[Key]:
        """Everything anew under another version, by the same clock."""
        before = self.evaluation
        self.moved_version = False
        self.evaluation = Evaluation(self.prepared, self.answers, self.rows, self.conflicts)
        self.evaluation.now, self.evaluation.today = before.now, before.today
        self.evaluation.outcomes = before.outcomes
        self.evaluation.start()
        return {key for key, state in self.evaluation.states.items() if before.states.get(key) != state}

    def append(self, commit: Commit) -> None:
        """A commit whose events are folded already."""
        self.commits.append(commit)
        if commit.key:
            self.keys[commit.key] = commit.number
        if commit.undoes is not None:
            self.undone.add(commit.undoes)
        if commit.redoes is not None:
            self.undone.add(commit.redoes)
            undone = self.commits[commit.redoes - 1].undoes
            self.undone.discard(undone if undone is not None else 0)

    def replay(self, commit: Commit) -> None:
        """A commit from the log, folded and evaluated at its own time."""
        clock = commit.clock
        self.settle_clock(clock.at, clock.local)
        for event in commit.events:
            self.fold(event, commit.number)
        self.work_out()
        self.append(commit)

    def changes_of(self, commit: int) -> Changes:
        return self.changes.setdefault(commit, Changes({}, {}))

    def set_head(self, key: Key, revision: str | None, commit: int) -> None:
        before = self.heads.get(key)
        changes = self.changes_of(commit).heads
        changes[key] = (changes[key][0] if key in changes else before, revision)
        self.heads[key] = revision
        self.head_since[key] = commit
        self.history[key] = (*self.history.get(key, ()), (commit, revision))
        self.refresh(key)

    def refresh(self, key: Key) -> None:
        """What rules see of the field, after its head or what is known of it changed."""
        revision = self.revision(key)
        if key[0] not in self.plan.items:
            self.answers.pop(key, None)
            return
        if revision is None:
            self.answers.pop(key, None)
        else:
            unconfirmed = revision.unconfirmed and revision.id not in self.confirmed
            acknowledged = self.acknowledged.get(revision.id, frozenset())
            kind = self.plan.items[key[0]].question.type
            self.answers[key] = Answer(kind, revision.status, revision.kept, revision.id, unconfirmed, acknowledged)
        self.dirty.add(key)

    def revision(self, key: Key) -> Revision | None:
        """The revision in force, if any."""
        head = self.heads.get(key)
        return self.revisions[head] if head else None

    def head_at(self, key: Key, commit: int) -> str | None:
        found = None
        for number, revision in self.history.get(key, ()):
            if number > commit:
                break
            found = revision
        return found

    def row_place(self, row: str) -> int | None:
        found = self.rows.by_id.get(row)
        return None if found is None or found.removed else self.rows.place(row)

    def note_row(self, row: str, before: int | None, commit: int) -> None:
        changes = self.changes_of(commit).rows
        changes[row] = (changes[row][0] if row in changes else before, self.row_place(row))
        found = self.rows.by_id[row]
        self.dirty_lists.add((found.repeat, found.parent))


def prepared(plan: Plan) -> Prepared:
    """What every response of a plan shares. Raises nothing for a plan that `publish` let through."""
    return Prepared(plan)


def replay(
    id: str, ready: Prepared, commits: Iterable[Commit | Mapping[str, Any]], later: Iterable[Prepared] = ()
) -> Response:
    """The response that a log adds up to. It begins under `ready`; `later` are the versions it may have moved to."""
    response = Response(id, ready)
    response.known.update({each.plan.digest: each for each in later})
    for each in commits:
        response.replay(each if isinstance(each, Commit) else Commit.of(each))
    return response


def _revised(response: Response, event: Event, commit: int) -> None:
    revision = Revision.of(event)
    key = (revision.field, revision.row)
    response.revisions[revision.id] = revision
    response.redo[key] = ()
    response.set_head(key, revision.id, commit)


def _proposed(response: Response, event: Event, commit: int) -> None:
    revision = Revision.of(event)
    key = (revision.field, revision.row)
    response.revisions[revision.id] = revision
    response.conflicts[key] = (*response.conflicts.get(key, ()), revision.id)
    response.dirty.add(key)


def _settled(response: Response, event: Event, commit: int) -> None:
    key = (event["field"], event.get("row", ""))
    left = tuple(each for each in response.conflicts.get(key, ()) if each not in event["candidates"])
    if left:
        response.conflicts[key] = left
    else:
        response.conflicts.pop(key, None)
    response.dirty.add(key)


def _moved(response: Response, event: Event, commit: int) -> None:
    key = (event["field"], event.get("row", ""))
    stack = response.redo.get(key, ())
    match event["cause"]:
        case "undo":
            response.redo[key] = (*stack, event["from"])
        case "redo":
            response.redo[key] = stack[:-1]
        case _:
            response.redo[key] = ()
    response.set_head(key, event["to"], commit)


def _confirmed(response: Response, event: Event, commit: int) -> None:
    response.confirmed.add(event["revision"])
    response.refresh((event["field"], event.get("row", "")))


def _corroborated(response: Response, event: Event, commit: int) -> None:
    response.corroborated[event["revision"]] = response.corroborated.get(event["revision"], 0) + 1


def _acknowledged(response: Response, event: Event, commit: int) -> None:
    before = response.acknowledged.get(event["revision"], frozenset())
    response.acknowledged[event["revision"]] = before | set(event["numbers"])
    response.refresh((event["field"], event.get("row", "")))


def _considered(response: Response, event: Event, commit: int) -> None:
    response.considered.add((event["field"], event.get("row", "")))


def _asked(response: Response, event: Event, commit: int) -> None:
    key = (event["field"], event.get("row", ""))
    response.asked[key] = (*response.asked.get(key, ()), commit)


def _row_added(response: Response, event: Event, commit: int) -> None:
    response.rows.add(Row(event["row"], event["repeat"], event.get("parent", ""), changed_in=commit))
    response.note_row(event["row"], None, commit)


def _row_removed(response: Response, event: Event, commit: int) -> None:
    before = response.row_place(event["row"])
    response.rows.set_removed(event["row"], event["event"] == "row-removed", commit)
    response.note_row(event["row"], before, commit)


def _row_moved(response: Response, event: Event, commit: int) -> None:
    before = response.row_place(event["row"])
    response.rows.move(event["row"], event["to"])
    response.note_row(event["row"], before, commit)


def _gate(response: Response, event: Event, commit: int) -> None:
    gate = response.gates.setdefault(event["gate"], GateState())
    match event["event"]:
        case "gate-opened":
            gate.open, gate.occurrence, gate.outcome, gate.since = True, event["occurrence"], "", event["at"]
        case "gate-closed":
            gate.open = False
        case _:
            gate.outcome, gate.by, gate.reason = event["outcome"], event["by"], event.get("reason", "")


def _state(response: Response, event: Event, commit: int) -> None:
    response.state = event["to"]
    response.reason = event.get("reason", "")
    if event["to"] == "submitted":
        response.submission = event["submission"]
        response.snapshots[response.submission] = event["snapshot"]
        response.floor = commit
    if event["to"] == "returned":
        response.notes = {(each["field"], each.get("row", "")): each["note"] for each in event.get("notes", ())}


def _redacted(response: Response, event: Event, commit: int) -> None:
    found = response.revisions[event["revision"]]
    response.revisions[found.id] = replace(found, raw=None, kept=None, evidence=(), reason="", redacted=True)
    if response.heads.get((found.field, found.row)) == found.id:
        response.refresh((found.field, found.row))


def _migrated(response: Response, event: Event, commit: int) -> None:
    """Under another version from here on; every answer is looked at again, and what has no field is orphaned."""
    response.prepared = response.known[event["to"]]
    response.moved_version = True
    response.floor = commit
    for key in list(response.heads):
        response.refresh(key)


def _nothing(response: Response, event: Event, commit: int) -> None:
    """Kept for whoever reads the log; it changes nothing."""


FOLDS: dict[str, Callable[[Response, Event, int], None]] = {
    "revised": _revised,
    "proposed": _proposed,
    "settled": _settled,
    "moved": _moved,
    "confirmed": _confirmed,
    "corroborated": _corroborated,
    "acknowledged": _acknowledged,
    "considered": _considered,
    "asked": _asked,
    "row-added": _row_added,
    "row-removed": _row_removed,
    "row-restored": _row_removed,
    "row-moved": _row_moved,
    "gate-opened": _gate,
    "gate-closed": _gate,
    "gate-found": _gate,
    "state": _state,
    "redacted": _redacted,
    "migrated": _migrated,
    "rejected": _nothing,
    "not-taken": _nothing,
}
