"""A patch: operations on any fields at once, each with a verdict of its own. Nothing is refused for being early."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from formsengine.definition.plan import Planned
from formsengine.definition.stored import digest
from formsengine.evaluation.states import Key
from formsengine.log import asking, cursor, listing
from formsengine.log.addresses import Found, NotFound, address, find_field
from formsengine.log.commits import Clock, Commit, Event, Revision, Verdict, Writer, instant
from formsengine.log.consequences import settle
from formsengine.log.response import WRITABLE, Response
from formsengine.log.shapes import misshapen
from formsengine.problems import Refused, nearest
from formsengine.values.read import Kept, Setting, read_answer
from formsengine.values.refusing import Unreadable

MOST_OPERATIONS = 1000
ORIGINS = ("said", "typed", "inferred", "memory", "import", "migration")
REASONS = ("refused", "unknown", "not-applicable")
NOBODY_SAID = {"default", "computed", "system", "memory"}
"""Origins that any writer may answer over without having seen them."""


@dataclass(frozen=True, slots=True)
class Patch:
    """What a writer sends. `base` is the commit it last saw; `key` makes sending it twice the same as once."""

    ops: Sequence[Mapping[str, Any]]
    base: int | None = None
    key: str = ""
    after: str = ""
    late: bool = False
    language: str = ""
    locale: str | None = None
    evidence: Sequence[Any] = ()
    strict: bool = False

    def digest(self, writer: Writer) -> str:
        return digest({"ops": list(self.ops), "base": self.base, "by": writer.actor})


def values(**answers: Any) -> list[dict[str, Any]]:
    """Operations that set each field to its value."""
    return [{"op": "set", "field": name, "value": value} for name, value in answers.items()]


@dataclass(frozen=True, slots=True)
class Result:
    """The response after the patch, the commit, and whether it had been made before."""

    response: Response
    commit: Commit
    repeated: bool = False

    @property
    def verdicts(self) -> list[Verdict]:
        return self.commit.verdicts


class Draft:
    """A commit while it is decided: each event is folded at once, so that the next operation sees it."""

    def __init__(self, response: Response, writer: Writer, patch: Patch, clock: Clock) -> None:
        self.response = response.copy()
        self.writer = writer
        self.patch = patch
        self.clock = clock
        self.aliases: dict[str, str] = {}
        number = response.number + 1
        self.commit = Commit(number, writer, instant(clock.at), clock.zone, patch.base, patch.key)
        self.commit.language = patch.language
        self.response.settle_clock(clock.at, clock.local)

    def happen(self, event: Event) -> None:
        self.commit.events.append(event)
        self.response.fold(event, self.commit.number)

    def say(self, path: str, verdict: str, message: str = "", *, accepted: Sequence[str] = (), **more: Any) -> None:
        said = {"path": path, "verdict": verdict, "message": message, "accepted": list(accepted), **more}
        self.commit.verdicts.append({key: value for key, value in said.items() if value not in ("", [], None)})

    def new_id(self, letter: str) -> str:
        """Permanent, and the same when the log is replayed."""
        return f"{letter}{self.commit.number}.{len(self.commit.events)}"

    def address(self, key: Key) -> str:
        return address(self.response.plan, self.response.rows, key)

    def setting(self, planned: Planned) -> Setting:
        language = self.patch.language or self.response.plan.form.default_language
        rows = listing.row_labels(self.response, planned.question.rows_of) if planned.question.rows_of else {}
        return Setting(self.patch.locale, self.clock.zone, language, self.response.plan.list_of(planned), rows)

    def finish(self) -> Result:
        settle(self)
        self.response.append(self.commit)
        return Result(self.response, self.commit)


def write(response: Response, writer: Writer, patch: Patch, clock: Clock) -> Result:
    """The patch decided and folded. `response` stays as it was.

    Raises Refused for what concerns the patch as a whole (a key used for something else, a response that is void, a
    predecessor that has not arrived, an undo raced by a write); everything else is a verdict of its operation.
    """
    body = patch.digest(writer)
    if (earlier := _repeated(response, patch, body)) is not None:
        return Result(response, earlier, repeated=True)
    if response.state == "void":
        raise Refused("void", f"This response is void: {response.reason or 'no reason was given'}.")
    if patch.after and patch.after not in response.keys and not patch.late:
        raise Refused("waits", "The write before this one has not arrived yet; it is kept until then.")
    if patch.base is not None and not 0 <= patch.base <= response.number:
        raise Refused("base", f"There is no commit {patch.base}; the last one is {response.number}.")
    if not patch.ops or len(patch.ops) > MOST_OPERATIONS:
        raise Refused("operations", f"A patch has 1 to {MOST_OPERATIONS} operations.")
    draft = Draft(response, writer, patch, clock)
    draft.commit.body = body
    for number, op in enumerate(patch.ops):
        _one(draft, op, number)
    if patch.after and patch.after not in response.keys:
        draft.say("", "late", "Taken without the write before it, which never arrived.")
    return draft.finish()


def _repeated(response: Response, patch: Patch, body: str) -> Commit | None:
    number = response.keys.get(patch.key) if patch.key else None
    if number is None:
        return None
    earlier = response.commits[number - 1]
    if earlier.body != body:
        raise Refused("key-reused", f"The key {patch.key!r} was used for something else.")
    return earlier


def _one(draft: Draft, op: Mapping[str, Any], number: int) -> None:
    if wrong := misshapen(op):
        draft.say(f"ops/{number}", "rejected", wrong, code="shape")
        return
    name = str(op.get("op", ""))
    run = OPERATIONS.get(name)
    path = str(op.get("field") or op.get("repeat") or op.get("row") or f"ops/{number}")
    if run is None:
        close = nearest(name, OPERATIONS) or sorted(OPERATIONS)
        draft.say(path, "rejected", f"There is no operation {name!r}.", accepted=close, code="unknown-operation")
        return
    try:
        run(draft, op)
    except NotFound as missing:
        draft.say(path, "rejected", missing.message, accepted=missing.accepted, code=missing.code)
        event = {"event": "not-taken", "path": path, "raw": op.get("value"), "code": missing.code}
        draft.happen({**event, "message": missing.message})


def found_field(draft: Draft, op: Mapping[str, Any]) -> Found:
    response = draft.response
    return find_field(response.plan, response.rows, str(op.get("field", "")), aliases=draft.aliases)


def _set(draft: Draft, op: Mapping[str, Any]) -> None:
    found = found_field(draft, op)
    question = found.planned.question
    path = draft.address(found.key)
    if not question.writable:
        draft.say(path, "rejected", f"{question.name} is not answered: it is worked out.", code="not-writable")
        return
    try:
        kept = read_answer(question, _asked_for(draft, found, op), draft.setting(found.planned))
    except Unreadable as wrong:
        event = {"event": "rejected", "field": found.planned.uid, "row": found.row, "raw": op.get("value")}
        draft.happen({**event, "code": wrong.code, "message": wrong.message})
        draft.say(path, "rejected", wrong.message, accepted=wrong.accepted, code=wrong.code)
        return
    take(draft, found, op, "answer" if kept.value is not None else "retraction", kept)


def _asked_for(draft: Draft, found: Found, op: Mapping[str, Any]) -> Any:
    """The value sent, or the list in force with codes added and removed, so that "also bacon" does not replace it."""
    if "add" not in op and "remove" not in op:
        return op.get("value")
    current = draft.response.revision(found.key)
    kept = list(current.kept) if current and isinstance(current.kept, list) else []
    if found.planned.question.type not in ("choices", "rank"):
        raise Unreadable("type", f"{found.planned.name} holds one value: send it as `value`.", "value")
    removed = op.get("remove", [])
    out = read_answer(found.planned.question, removed, draft.setting(found.planned)).value or []
    return [*(each for each in kept if each not in out), *op.get("add", [])]


def _retract(draft: Draft, op: Mapping[str, Any]) -> None:
    take(draft, found_field(draft, op), op, "retraction", Kept(None))


def _decline(draft: Draft, op: Mapping[str, Any]) -> None:
    found = found_field(draft, op)
    reason = str(op.get("reason", "refused"))
    path = draft.address(found.key)
    if not found.planned.question.may_decline:
        draft.say(path, "rejected", f"{found.planned.name} has to be answered.", code="may-not-decline")
    elif reason not in REASONS:
        draft.say(path, "rejected", f"A reason is one of {', '.join(REASONS)}.", accepted=REASONS, code="reason")
    else:
        take(draft, found, {**op, "reason": reason}, "declined", Kept(None))


def take(draft: Draft, found: Found, op: Mapping[str, Any], status: str, kept: Kept) -> None:
    """In force, a candidate, a corroboration or nothing: as the table of concurrent writers says."""
    response, key, path = draft.response, found.key, draft.address(found.key)
    current = response.revision(key)
    if current is None and status == "retraction":
        draft.say(path, "no-op", "There was no answer to take back.")
        return
    if current is not None and (current.status, current.kept) == (status, kept.value) and not current.redacted:
        _again(draft, found, current, op)
        return
    because = _because(draft, found, current)
    revision = _revision(draft, found, op, status, kept, because)
    if because:
        draft.happen(revision.as_event("proposed"))
        draft.say(path, "candidate", MESSAGES[because], revision=revision.id, because=because, **_theirs(current, kept))
        return
    draft.happen(revision.as_event("revised"))
    if draft.writer.human and key in response.conflicts:
        _settle_conflict(draft, key, "edited")
    verdict = {"answer": "in-force", "retraction": "retracted", "declined": "declined"}[status]
    draft.say(path, verdict, revision=revision.id, coerced=kept.coerced or None, value=kept.value)


MESSAGES = {
    "stale": "Somebody answered this after what you saw: yours is kept beside it until a person picks.",
    "no-base": "This has an answer of somebody else: say which commit you saw, or a person picks.",
    "role": "This is for others to answer: yours waits for one of them.",
    "conflict": "Two answers wait for a person here; yours is kept beside them.",
    "amendment": "This has been submitted: yours is kept as a proposal until it is reopened or accepted.",
    "removed-row": "This row was removed: yours is kept with it.",
}


def _because(draft: Draft, found: Found, current: Revision | None) -> str:
    """Why the answer may not be in force at once; empty when it may."""
    response, key, writer, base = draft.response, found.key, draft.writer, draft.patch.base
    roles = found.planned.question.write_roles
    if response.state not in WRITABLE:
        return "amendment"
    if found.row and response.rows.removed_above(found.row):
        return "removed-row"
    if roles and not writer.roles & set(roles):
        return "role"
    if key in response.conflicts and not writer.human:
        return "conflict"
    since = response.head_since.get(key, 0)
    if since == draft.commit.number:
        return ""
    if base is not None:
        unseen = since > base and current is not None and not _own_since(draft, key, base)
        return "stale" if unseen else ""
    own = current is not None and current.session == writer.session and current.actor == writer.actor
    nobody = current is None or (current.origin in NOBODY_SAID and current.id not in response.confirmed)
    return "" if own or nobody else "no-base"


def _own_since(draft: Draft, key: Key, base: int) -> bool:
    """Whether all that moved the field after `base` came from the writer's own device, which has seen what it wrote."""
    writer, commits = draft.writer, draft.response.commits
    since = [commits[number - 1].by for number, _ in draft.response.history.get(key, ()) if number > base]
    return bool(writer.device) and all((by.actor, by.device) == (writer.actor, writer.device) for by in since)


def _theirs(current: Revision | None, kept: Kept) -> dict[str, Any]:
    if current is None:
        return {"mine": kept.value}
    return {"theirs": current.kept, "by": current.actor, "at": current.at, "mine": kept.value}


def _revision(draft: Draft, found: Found, op: Mapping[str, Any], status: str, kept: Kept, because: str) -> Revision:
    origin = str(op.get("origin") or ("typed" if draft.writer.human else "said"))
    return Revision(
        id=draft.new_id("r"),
        field=found.planned.uid,
        row=found.row,
        parent=draft.response.heads.get(found.key),
        status=status,
        raw=op.get("value", op.get("add")),
        kept=kept.value,
        origin=origin if origin in ORIGINS else "said",
        actor=draft.writer.actor,
        session=draft.writer.session,
        commit=draft.commit.number,
        at=draft.commit.at,
        because=because,
        speaker=str(op.get("speaker") or ""),
        said_at=str(op.get("said_at") or ""),
        evidence=tuple(op.get("evidence") or draft.patch.evidence),
        reason=str(op.get("reason") or ""),
        coerced=kept.coerced,
        approximate=kept.approximate or bool(op.get("approximate")),
        unconfirmed=bool(op.get("unconfirmed")) or origin == "inferred",
        confidence=op.get("confidence"),
        sources=op.get("sources"),
    )


def _again(draft: Draft, found: Found, current: Revision, op: Mapping[str, Any]) -> None:
    """The answer in force said once more: it is noted, and confirms what was only suggested."""
    where = {"field": found.planned.uid, "row": found.row, "revision": current.id, "by": draft.writer.actor}
    evidence = list(op.get("evidence") or draft.patch.evidence)
    draft.happen({"event": "corroborated", **where, "evidence": evidence})
    suggested = current.unconfirmed and current.id not in draft.response.confirmed
    if suggested and str(op.get("origin", "")) not in ("inferred", "memory"):
        draft.happen({"event": "confirmed", **where})
    draft.say(draft.address(found.key), "corroborated", revision=current.id)


def _confirm(draft: Draft, op: Mapping[str, Any]) -> None:
    found = found_field(draft, op)
    current = draft.response.revision(found.key)
    path = draft.address(found.key)
    if current is None or current.status != "answer":
        draft.say(path, "rejected", "There is no answer to confirm.", code="nothing")
        return
    where = {"field": found.planned.uid, "row": found.row, "revision": current.id}
    draft.happen({"event": "confirmed", **where, "by": draft.writer.actor})
    draft.say(path, "confirmed", revision=current.id)


def _acknowledge(draft: Draft, op: Mapping[str, Any]) -> None:
    """A warning was seen, and the answer stands."""
    found = found_field(draft, op)
    current = draft.response.revision(found.key)
    draft.response.work_out()
    state = draft.response.evaluation.states[found.key]
    numbers = [each.number for each in state.findings if each.severity == "warning"]
    path = draft.address(found.key)
    if current is None or not numbers:
        draft.say(path, "rejected", "There is no warning to acknowledge.", code="nothing")
        return
    where = {"field": found.planned.uid, "row": found.row, "revision": current.id}
    draft.happen({"event": "acknowledged", **where, "numbers": numbers, "by": draft.writer.actor})
    draft.say(path, "acknowledged", revision=current.id)


def _resolve(draft: Draft, op: Mapping[str, Any]) -> None:
    """A person picks one of the answers that wait, or keeps the one in force."""
    found = found_field(draft, op)
    key, path, response = found.key, draft.address(found.key), draft.response
    waiting = response.conflicts.get(key, ())
    pick = str(op.get("pick", ""))
    if not draft.writer.human:
        draft.say(path, "rejected", "Only a person settles what two writers disagree about.", code="person")
        return
    if response.state not in WRITABLE:
        draft.say(path, "rejected", "Reopen the response, or accept it with its amendments.", code="submitted")
        return
    if not waiting or (pick not in waiting and pick not in ("current", response.heads.get(key))):
        accepted = [*waiting, "current"] if waiting else []
        draft.say(path, "rejected", "Pick one of the answers that wait.", accepted=accepted, code="pick")
        return
    if pick in waiting:
        chosen = response.revisions[pick]
        event = Revision.of({**chosen.as_event("revised"), "id": draft.new_id("r"), "because": ""}).as_event("revised")
        draft.happen(event | {"parent": response.heads.get(key), "commit": draft.commit.number})
    _settle_conflict(draft, key, "picked" if pick in waiting else "kept")
    draft.say(path, "resolved", revision=response.heads.get(key))


def _settle_conflict(draft: Draft, key: Key, how: str) -> None:
    waiting = list(draft.response.conflicts.get(key, ()))
    event = {"event": "settled", "field": key[0], "row": key[1], "candidates": waiting, "how": how}
    draft.happen({**event, "by": draft.writer.actor})


OPERATIONS: dict[str, Callable[[Draft, Mapping[str, Any]], None]] = {
    "set": _set,
    "attach": _set,
    "ask": asking.ask,
    "retract": _retract,
    "decline": _decline,
    "confirm": _confirm,
    "acknowledge": _acknowledge,
    "resolve": _resolve,
    "undo": cursor.undo,
    "redo": cursor.redo,
    "restore": cursor.restore,
    "revert": cursor.revert,
    "rows": listing.rows,
    "row-add": listing.add,
    "row-remove": listing.remove,
    "row-restore": listing.put_back,
    "row-move": listing.move,
}
