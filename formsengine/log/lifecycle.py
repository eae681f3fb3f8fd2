"""From draft to accepted: what submission demands, what it keeps, and who may turn it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from formsengine.definition.stored import digest
from formsengine.log.addresses import address
from formsengine.log.commits import Clock, Revision, Writer
from formsengine.log.consequences import stamp, tell
from formsengine.log.response import WRITABLE, Response
from formsengine.log.snapshot import blockers, snapshot
from formsengine.log.writing import Draft, Patch, Result
from formsengine.problems import Problem, Refused, nearest

OUTCOMES = ("passed", "failed", "waived")


def _draft(response: Response, writer: Writer, clock: Clock, **patch: Any) -> Draft:
    return Draft(response, writer, Patch((), **patch), clock)


def _demand(response: Response, states: set[str], act: str) -> None:
    if response.state not in states:
        message = f"A response that is {response.state} is not {act}."
        raise Refused("state", message, [Problem("state", "state", message, tuple(sorted(states)))])


def _to(draft: Draft, state: str, reason: str = "", **more: Any) -> None:
    event = {"event": "state", "to": state, "reason": reason, "by": draft.writer.actor, "at": draft.commit.at}
    draft.happen({**event, **more})


def submit(response: Response, writer: Writer, clock: Clock, *, base: int, key: str = "") -> Result:
    """Submission n of exactly what the writer saw. Asked again for the same, it is the same submission.

    Raises Refused("stale") with the difference, Refused("blocked") with every reason, Refused("key-reused").
    """
    known = response.keys.get(key) if key else None
    if known is not None:
        commit = response.commits[known - 1]
        if commit.base != base:
            raise Refused("key-reused", f"The key {key!r} was used for something else.")
        return Result(response, commit, repeated=True)
    last = response.snapshots.get(response.submission)
    if response.state == "submitted" and last is not None and last["revision"] == base:
        return Result(response, response.commits[response.floor - 1], repeated=True)
    _demand(response, WRITABLE, "submitted")
    if base != response.number:
        raise Refused("stale", f"This is commit {response.number}, you saw {base}.", _difference(response, base))
    if found := blockers(response):
        raise Refused("blocked", f"{len(found)} things are in the way of submitting.", found)
    draft = _draft(response, writer, clock, base=base, key=key)
    draft.response.work_out()
    stamp(draft, {"submitted": draft.commit.at})
    number = response.submission + 1
    draft.response.work_out()
    kept = snapshot(draft.response, writer, clock, base)
    _to(draft, "submitted", submission=number, supersedes=response.submission or None, snapshot=kept)
    tell(draft, "submitted", number)
    return draft.finish()


def _difference(response: Response, base: int) -> list[Problem]:
    found = []
    for key, since in sorted(response.head_since.items()):
        if since > base:
            revision = response.revision(key)
            who = revision.actor if revision else "an undo"
            path = address(response.plan, response.rows, key)
            found.append(Problem(path, "changed", f"Changed by {who} in commit {since}."))
    return found


def send_back(
    response: Response, writer: Writer, clock: Clock, *, reason: str, notes: Sequence[Mapping[str, str]] = ()
) -> Result:
    """Returned to whoever fills it, with a note for each field that needs another look."""
    _demand(response, {"submitted"}, "returned")
    draft = _draft(response, writer, clock)
    for note in notes:
        if note["field"] not in response.plan.items:
            close = tuple(nearest(note["field"], response.plan.items))
            raise Refused("unknown-field", f"There is no field {note['field']!r}.", [
                Problem("notes", "unknown-field", f"There is no field {note['field']!r}.", close)])  # fmt: skip
    _to(draft, "returned", reason, notes=[dict(each) for each in notes])
    return draft.finish()


def accept(response: Response, writer: Writer, clock: Clock, *, amendments: Sequence[str] = ()) -> Result:
    """Accepted and locked; the named amendments become part of it."""
    _demand(response, {"submitted"}, "accepted")
    waiting = {each: key for key, found in response.conflicts.items() for each in found}
    if unknown := [each for each in amendments if each not in waiting]:
        raise Refused("unknown-amendment", f"{unknown[0]} is no proposal that waits.", [
            Problem("amendments", "unknown-amendment", "Name proposals that wait.", tuple(waiting))])  # fmt: skip
    draft = _draft(response, writer, clock)
    for each in amendments:
        chosen, key = response.revisions[each], waiting[each]
        event = Revision.of({**chosen.as_event("revised"), "id": draft.new_id("r")}).as_event("revised")
        event.pop("because", None)
        draft.happen({**event, "parent": draft.response.heads.get(key), "commit": draft.commit.number})
        settled = {"event": "settled", "field": key[0], "row": key[1], "candidates": list(response.conflicts[key])}
        draft.happen({**settled, "how": "accepted", "by": writer.actor})
    if amendments:
        draft.response.work_out()
        number = response.submission + 1
        kept = snapshot(draft.response, writer, clock, draft.commit.number)
        _to(draft, "submitted", submission=number, supersedes=response.submission, snapshot=kept)
    _to(draft, "accepted")
    tell(draft, "accepted", draft.response.submission)
    return draft.finish()


def reopen(response: Response, writer: Writer, clock: Clock, *, reason: str) -> Result:
    """Open again from its last submission, below which undo does not reach."""
    _demand(response, {"submitted", "accepted"}, "reopened")
    _reasoned(reason)
    draft = _draft(response, writer, clock)
    _to(draft, "reopened", reason)
    return draft.finish()


def void(response: Response, writer: Writer, clock: Clock, *, reason: str) -> Result:
    """Ended without a result; a person may make it a draft again."""
    _demand(response, WRITABLE | {"submitted"}, "made void")
    _reasoned(reason)
    draft = _draft(response, writer, clock)
    _to(draft, "void", reason)
    tell(draft, "void", draft.commit.number)
    return draft.finish()


def revive(response: Response, writer: Writer, clock: Clock, *, reason: str) -> Result:
    """A void response as a draft again, by a person."""
    _demand(response, {"void"}, "made a draft again")
    _reasoned(reason)
    if not writer.human:
        raise Refused("person", "A person makes a void response a draft again.")
    draft = _draft(response, writer, clock)
    _to(draft, "reopened" if response.submission else "draft", reason)
    return draft.finish()


def found(response: Response, writer: Writer, clock: Clock, *, gate: str, outcome: str, reason: str = "") -> Result:
    """What a check or an approval found. Waiving one says why."""
    known = response.gates.get(gate)
    if known is None or not known.open:
        accepted = tuple(name for name, each in response.gates.items() if each.open)
        raise Refused("gate", f"{gate} is not open.", [Problem("gate", "gate", "Name an open gate.", accepted)])
    if outcome not in OUTCOMES:
        problem = Problem("outcome", "outcome", "An outcome is one of these.", OUTCOMES)
        raise Refused("outcome", f"{outcome!r} is no outcome.", [problem])
    if outcome == "waived":
        _reasoned(reason)
    draft = _draft(response, writer, clock)
    event = {"event": "gate-found", "gate": gate, "occurrence": known.occurrence, "outcome": outcome}
    draft.happen({**event, "by": writer.actor, "reason": reason})
    return draft.finish()


def redact(response: Response, writer: Writer, clock: Clock, *, revision: str, reason: str) -> Result:
    """The content of a revision is gone; its place, its digest, who wrote it and when stay."""
    _reasoned(reason)
    known = response.revisions.get(revision)
    if known is None or known.redacted:
        raise Refused("unknown-revision", f"There is no revision {revision!r} to redact.")
    draft = _draft(response, writer, clock)
    mark = digest({"raw": known.raw, "kept": known.kept})
    draft.happen({"event": "redacted", "revision": revision, "reason": reason, "by": writer.actor, "digest": mark})
    return draft.finish()


def scrubbed(commit: Mapping[str, Any], revision: str) -> dict[str, Any]:
    """A stored commit without the content of a revision: what a store keeps after `redact`."""
    events = [dict(each) for each in commit["events"]]
    verdicts = [dict(each) for each in commit["verdicts"]]
    for event in events:
        if event.get("id") == revision:
            event.update(raw=None, kept=None)
            event.pop("evidence", None)
            event.pop("reason", None)
    for verdict in verdicts:
        if verdict.get("revision") == revision:
            for name in ("value", "mine", "theirs"):
                verdict.pop(name, None)
    return {**commit, "events": events, "verdicts": verdicts}


def _reasoned(reason: str) -> None:
    if not reason.strip():
        raise Refused("reason", "Say why.", [Problem("reason", "reason", "A reason in words is needed.")])


def stands_ready(response: Response) -> str:
    """A draft is ready or blocked; every other state is what it is."""
    if response.state not in WRITABLE:
        return response.state
    return "blocked" if blockers(response) else "ready"
