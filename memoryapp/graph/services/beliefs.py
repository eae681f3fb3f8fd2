"""The life of a belief after it was recorded: superseded, retired, retracted, reinstated, edited, dated, shared.

What was said never changes. Each verb appends states through `change_state`, which is the only function that changes a
belief's head. None of them needs a case; verdicts on cases are made of these verbs. What a
person confirmed none of them changes for an agent.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from typing import Any

from django.db.models import F

from memoryapp.doors.errors import Conflict, Invalid, Stale
from memoryapp.doors.strict import unreadable_characters
from memoryapp.graph import changes
from memoryapp.graph.models import Belief, BeliefState, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.services.assembling import Assembly, Playing
from memoryapp.graph.services.confirmed import refuse_confirmed
from memoryapp.graph.statements import Moment, Quoted
from memoryapp.ledger.among import whose
from memoryapp.ledger.models import Write

CHUNK = 500
"""Beliefs that one statement changes."""

HEAD = (
    "status",
    "standing",
    "valid_from",
    "valid_from_precision",
    "valid_to",
    "valid_to_precision",
    "audience",
)
"""What a state keeps of a belief's head, besides its owners."""


def change_state(
    write: Write, belief: Belief, *, reason: str, owners: Sequence[uuid.UUID] | None = None, **change: Any
) -> Belief:
    """The one way a belief's head changes: a new BeliefState, and the head with its lock one higher.

    Nothing happens when nothing would change. Raises Invalid `reason_missing`, `valid_to_before_valid_from`.
    """
    if not reason.strip():
        raise Invalid.at("/reason", "reason_missing", "A belief does not change without a reason.", "one sentence")
    if wrong := unreadable_characters(reason):
        raise Invalid.at("/reason", "unreadable_text", f"The reason holds {wrong}.", "text without it")
    unknown = set(change) - set(HEAD)
    if unknown:
        raise TypeError(f"not part of a belief's head: {sorted(unknown)}")
    belief.refresh_from_db(fields=[*HEAD, "lock"])
    latest = BeliefState.objects.get(belief=belief, sequence=belief.lock)
    owned_by = sorted(map(str, owners)) if owners is not None else latest.owners
    if owned_by == latest.owners and all(getattr(belief, name) == value for name, value in change.items()):
        return belief
    for name, value in change.items():
        setattr(belief, name, value)
    if belief.valid_from and belief.valid_to and belief.valid_to < belief.valid_from:
        raise Invalid.at(
            "/valid_to",
            "valid_to_before_valid_from",
            "It would end before it began.",
            f"a time from {belief.valid_from.isoformat()} on",
        )
    belief.lock += 1
    state = state_of(write, belief, owned_by, reason)
    state.recorded_at = max(write.recorded_at, latest.recorded_at)
    state.save(force_insert=True)
    Belief.objects.filter(pk=belief.pk).update(lock=belief.lock, **{name: getattr(belief, name) for name in HEAD})
    return belief


def state_of(write: Write, belief: Belief, owners: list[str], reason: str) -> BeliefState:
    """The state that keeps the belief's head as it is now. Not stored."""
    return BeliefState(
        workspace=write.workspace,
        belief=belief,
        sequence=belief.lock,
        owners=owners,
        reason=reason,
        write=write,
        recorded_at=write.recorded_at,
        **{name: getattr(belief, name) for name in HEAD},
    )


def change_states(write: Write, beliefs: Sequence[Belief], *, reason: str, **change: str) -> None:
    """What `change_state` does, of many beliefs that all change alike: a few statements however many they are.

    For changes of status and standing alone. Those that are as they should be already stay untouched.
    """
    for start in range(0, len(beliefs), CHUNK):
        ids = [belief.pk for belief in beliefs[start : start + CHUNK]]
        several = [
            one for one in Belief.objects.filter(pk__in=ids) if any(getattr(one, k) != v for k, v in change.items())
        ]
        latest = {
            state.belief_id: state
            for state in BeliefState.objects.filter(whose("belief", Belief, lock=F("sequence")), belief__in=several)
        }
        states = []
        for belief in several:
            for name, value in change.items():
                setattr(belief, name, value)
            belief.lock += 1
            state = state_of(write, belief, latest[belief.pk].owners, reason)
            state.recorded_at = max(write.recorded_at, latest[belief.pk].recorded_at)
            states.append(state)
        BeliefState.objects.bulk_create(states)
        Belief.objects.filter(pk__in=[one.pk for one in several]).update(lock=F("lock") + 1, **change)
    for belief in beliefs:
        for name, value in change.items():
            setattr(belief, name, value)


def owners_of(belief: Belief) -> list[str]:
    """Ids of the nodes whose memory it is, sorted."""
    found: list[str] = BeliefState.objects.values_list("owners", flat=True).get(belief=belief, sequence=belief.lock)
    return found


def check_lock(belief: Belief, lock: int | None) -> None:
    """Refuse a change that was drawn against an older head. None means: whatever the head is."""
    if lock is not None and lock != belief.lock:
        raise Stale(
            "The belief changed since you read it.",
            code="stale",
            extra={"lock": belief.lock, "current": {"status": belief.status, "standing": belief.standing}},
        )


def supersede(
    write: Write,
    older: Belief,
    newer: Belief,
    *,
    reason: str,
    evidence: Sequence[Quoted] = (),
    never_right: bool = False,
) -> Relation:
    """`newer` takes the place of `older` from the newer one's valid_from on.

    The older one ends then: archived when that is past, else it stays activated and ends by itself. With `never_right`
    it is retracted instead. The supersession stands on `evidence`, or on what the newer one stands on. Raises Invalid
    or Conflict: `supersession_of_itself`, `supersession_circle`, `owners_differ`, `already_superseded`.
    """
    _refuse_supersession(older, newer)
    at = newer.valid_from
    if never_right:
        change_state(write, older, reason=reason, status=Status.ARCHIVED, standing=Standing.RETRACTED)
    else:
        end(write, older, at, reason=reason, precision=newer.valid_from_precision)
    assembly = Assembly(write, newer.ontology_version)
    players = [Playing("superseded", belief=older), Playing("successor", belief=newer)]
    relation = assembly.add("supersession", players, reason=reason, valid_from=at)
    cause = [Playing("evidence", source=q.source, start=q.start, end=q.end) for q in evidence] or evidence_of(newer)
    if cause:
        assembly.add("sourcing", [*cause, Playing("sourced", relation=relation)], reason=reason)
    assembly.finish()
    return relation


def give_way(
    write: Write,
    belief: Belief,
    *,
    to: Belief,
    reason: str,
    evidence: Sequence[Quoted] = (),
    lock: int | None = None,
) -> Relation:
    """Let another belief take its place, asked for directly; see `supersede`."""
    from memoryapp.graph.services import conflict

    write.by.require("relate")
    check_lock(belief, lock)
    require_content(belief)
    require_content(to)
    refuse_confirmed(write, belief)
    relation = supersede(write, belief, to, reason=reason, evidence=evidence)
    changes.announce(write, [belief, to, *conflict.reconsider(write, [belief, to])])
    return relation


def end(write: Write, belief: Belief, at: dt.datetime | None, *, reason: str, precision: str = "instant") -> Belief:
    """True until `at`: archived as ended when that is not ahead, else activated with its end known."""
    change: dict[str, Any] = {}
    if at is not None and (belief.valid_to is None or at < belief.valid_to):
        start = belief.valid_from
        change = {"valid_to": max(at, start) if start else at, "valid_to_precision": precision}
    until = change.get("valid_to", belief.valid_to)
    if until is not None and until > write.recorded_at:
        status, standing = Status.ACTIVATED, Standing.HOLDS
    else:
        status, standing = Status.ARCHIVED, Standing.ENDED
    return change_state(write, belief, reason=reason, status=status, standing=standing, **change)


def retire(write: Write, belief: Belief, *, reason: str, at: Moment | None = None, lock: int | None = None) -> Belief:
    """It is over, without a successor: true until `at` (now, when not said). Reversible by `reinstate`."""
    write.by.require("withdraw")
    _require_live(belief, lock)
    refuse_confirmed(write, belief)
    moment = at.instant if at else write.recorded_at
    if belief.valid_from and moment < belief.valid_from:
        raise Invalid.at(
            "/at", "before_valid_from", "It would end before it began.", f"a time from {belief.valid_from.isoformat()}"
        )
    end(write, belief, moment, reason=reason, precision=at.precision if at else "instant")
    return settled(write, belief)


def retract(write: Write, belief: Belief, *, reason: str, lock: int | None = None) -> Belief:
    """It never was right: out of sight for every valid time, kept in the history. Reversible by `reinstate`."""
    write.by.require("withdraw")
    check_lock(belief, lock)
    if belief.standing == Standing.RETRACTED:
        return belief
    require_content(belief)
    refuse_confirmed(write, belief)
    change_state(write, belief, reason=reason, status=Status.ARCHIVED, standing=Standing.RETRACTED)
    return settled(write, belief)


def reinstate(write: Write, belief: Belief, *, reason: str, lock: int | None = None) -> Belief:
    """Hold an archived belief true again, with the valid time it had before it was archived.

    Raises Conflict `not_archived`, `superseded` (undo the supersession instead) or `slot_taken`.
    """
    from memoryapp.graph.services import conflict

    write.by.require("withdraw")
    check_lock(belief, lock)
    require_content(belief)
    if belief.status != Status.ARCHIVED:
        raise Conflict("It is not archived.", code="not_archived", extra={"current": {"status": belief.status}})
    if successor := successor_of(belief):
        raise Conflict(
            "Another belief took its place; take that back instead.",
            code="superseded",
            extra={"successor": str(successor.pk)},
        )
    refuse_confirmed(write, belief)
    before = belief.states.filter(status__in=[Status.ACTIVATED, Status.RESOLVING]).order_by("sequence").last()
    dates = {name: getattr(before, name) for name in HEAD if name.startswith("valid_")} if before else {}
    change_state(write, belief, reason=reason, status=Status.ACTIVATED, standing=Standing.HOLDS, **dates)
    conflict.refuse_taken_slot(belief)
    return settled(write, belief)


def change_validity(
    write: Write,
    belief: Belief,
    *,
    valid_from: Moment | None,
    valid_to: Moment | None,
    reason: str,
    lock: int | None = None,
) -> Belief:
    """Say anew from when to when it holds; None is unbounded. Raises Conflict `slot_taken` when it would then clash."""
    from memoryapp.graph.services import conflict

    write.by.require("remember")
    _require_live(belief, lock)
    refuse_confirmed(write, belief)
    set_dates(write, belief, valid_from, valid_to, reason=reason)
    conflict.refuse_taken_slot(belief)
    return settled(write, belief)


def set_dates(
    write: Write, belief: Belief, valid_from: Moment | None, valid_to: Moment | None, *, reason: str
) -> Belief:
    """Append the valid time as given, whatever the status."""
    return change_state(
        write,
        belief,
        reason=reason,
        valid_from=valid_from.instant if valid_from else None,
        valid_from_precision=valid_from.precision if valid_from else "instant",
        valid_to=valid_to.instant if valid_to else None,
        valid_to_precision=valid_to.precision if valid_to else "instant",
    )


def evidence_of(belief: Belief) -> list[Playing]:
    """The quoted sources of the belief's own latest sourcing, as players of another relation."""
    latest = (
        RelationPlayer.objects.filter(
            kind="sourcing", role="sourced", belief=belief, relation__state=Relation.State.ACTIVATED
        )
        .order_by("-relation__recorded_at", "-relation_id")
        .values_list("relation", flat=True)
        .first()
    )
    quoted = RelationPlayer.objects.filter(relation=latest, role="evidence").select_related("source")
    return [
        Playing("evidence", source=player.source, start=player.span_start, end=player.span_end)
        for player in quoted.order_by("position")
    ]


def successor_of(belief: Belief) -> Belief | None:
    """The belief that supersedes it, if one does."""
    return Belief.objects.filter(
        plays__kind="supersession",
        plays__role="successor",
        plays__relation__state=Relation.State.ACTIVATED,
        plays__relation__in=RelationPlayer.objects.filter(kind="supersession", role="superseded", belief=belief).values(
            "relation"
        ),
    ).first()


def _refuse_supersession(older: Belief, newer: Belief) -> None:
    if older.pk == newer.pk:
        raise Invalid.at("/successor", "supersession_of_itself", "A belief cannot supersede itself.", "another belief")
    if taken := successor_of(older):
        raise Conflict("It has a successor already.", code="already_superseded", extra={"successor": str(taken.pk)})
    same_slot = older.slot and older.slot == newer.slot and older.shape != Belief.Shape.STATEMENT
    if not same_slot and owners_of(older) != owners_of(newer):
        raise Invalid.at(
            "/successor", "owners_differ", "The two belong to different owners.", "a belief of the same owners"
        )
    seen = {newer.pk}
    step = successor_of(newer)
    while step is not None:
        if step.pk == older.pk:
            raise Invalid.at(
                "/successor",
                "supersession_circle",
                "The older one already supersedes the newer one.",
                "a belief it does not supersede",
            )
        if step.pk in seen:
            break
        seen.add(step.pk)
        step = successor_of(step)


def require_content(belief: Belief) -> None:
    if belief.status == Status.DELETED:
        raise Conflict("Its content was erased; nothing can bring it back.", code="erased")


def _require_live(belief: Belief, lock: int | None) -> None:
    check_lock(belief, lock)
    require_content(belief)
    if belief.status == Status.ARCHIVED:
        raise Conflict("It is archived; reinstate it first.", code="archived", extra={"standing": belief.standing})


def settled(write: Write, belief: Belief) -> Belief:
    """After a change made directly: what waited on this belief is looked at anew, and everybody who cares is told."""
    from memoryapp.graph.services import conflict

    changes.announce(write, [belief, *conflict.reconsider(write, [belief])])
    return belief
