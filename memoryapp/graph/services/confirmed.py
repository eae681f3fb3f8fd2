"""What a person confirmed only a person changes: an agent's own verbs stop here, and the way around them is a verdict.

Confirmed is what a member wrote down or decided about: the belief's states, what it stands on, whose it is, and the
conflicts that were settled around it.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Collection, Iterable

from django.db.models import Q

from memoryapp.doors.errors import Conflict
from memoryapp.graph.models import Belief, BeliefState, Relation, RelationPlayer, RelationState
from memoryapp.ledger.among import among, whose
from memoryapp.ledger.models import Actor, Write
from memoryapp.review.models import Case
from memoryapp.sources.models import Source, Withdrawal

INSTEAD = (
    "A person confirmed it, and only a person changes it. Remember what speaks against it, or relate both as a "
    "conflict: a person then decides."
)
SUPPORTED = ("sourced", "conclusion", "owned")
"""Roles of what a relation gives evidence, premises or an owner."""


def confirmed(beliefs: Iterable[uuid.UUID], apart_from: Collection[uuid.UUID] = ()) -> set[uuid.UUID]:
    """Those of these beliefs that a person wrote down or decided about; what was said in sources `apart_from` or in
    such as are taken back does not count, nor does it to take a source back."""
    wanted = set(beliefs)
    found = _by_states(wanted)
    found |= set(_by_what_they_stand_on(wanted - found)) if wanted - found else set()
    return found | (_by_statements(wanted - found, apart_from) if wanted - found else set())


def is_confirmed(belief: Belief) -> bool:
    return bool(confirmed([belief.pk]))


def bound_by_people(write: Write) -> bool:
    """Whether the writer has to leave to people what people confirmed: an agent, or a job on behalf of one."""
    return write.by.actor.kind in (Actor.Kind.AGENT, Actor.Kind.JOB)


def may_change(write: Write, belief: Belief) -> bool:
    """Whether the writer may change the belief without asking a person."""
    return not bound_by_people(write) or not is_confirmed(belief)


def refuse_confirmed(write: Write, *beliefs: Belief) -> None:
    """Refuse a change of what a person confirmed by anybody else (Conflict `confirmed_by_person`)."""
    if not bound_by_people(write):
        return
    if ids := confirmed(belief.pk for belief in beliefs):
        raise _refusal({"beliefs": sorted(map(str, ids))})


def refuse_confirmed_relation(write: Write, relation: Relation) -> None:
    """Refuse to take back a relation that a person stated, or on which something stands that a person confirmed."""
    if not bound_by_people(write):
        return
    if RelationState.objects.filter(relation=relation, write__actor__kind=Actor.Kind.PERSON).exists():
        raise _refusal({"relation": str(relation.pk)})
    changed = RelationPlayer.objects.filter(relation=relation, role__in=[*SUPPORTED, "superseded"])
    refuse_confirmed(write, *Belief.objects.filter(pk__in=changed.values("belief")))


def _refusal(extra: dict[str, object]) -> Conflict:
    return Conflict(INSTEAD, code="confirmed_by_person", extra=extra)


def _by_states(beliefs: set[uuid.UUID]) -> set[uuid.UUID]:
    states = set(BeliefState.objects.filter(belief__in=beliefs).values_list("belief", "write"))
    theirs = _of_people({write for _, write in states})
    if theirs:
        took = Withdrawal.objects.filter(Q(write__in=theirs) | Q(lifted_by__in=theirs))
        theirs -= {write for both in took.values_list("write", "lifted_by") for write in both}
    return {belief for belief, write in states if write in theirs}


def _of_people(writes: set[uuid.UUID]) -> set[uuid.UUID]:
    """Those of these writes that a person made."""
    found = Write.objects.filter(whose("actor", Actor, kind=Actor.Kind.PERSON), among("pk", writes))
    return set(found.values_list("pk", flat=True))


def _by_what_they_stand_on(beliefs: set[uuid.UUID]) -> set[uuid.UUID]:
    """A person added evidence or an owner, concluded it, or settled a conflict in which it stands."""
    mine = RelationPlayer.objects.filter(Q(role__in=SUPPORTED) | Q(kind="conflict"), belief__in=beliefs)
    plays = list(mine.values_list("belief", "relation", "kind"))
    heads = _changed_by_people({relation for _, relation, _ in plays}) if plays else {}
    by_support, settled = set(), set()
    for belief, relation, kind in plays:
        state, valid_to = heads.get(relation, (None, None))
        if kind == "conflict":
            settled |= {(belief, relation)} if state == Relation.State.RETRACTED or valid_to else set()
        elif state == Relation.State.ACTIVATED:
            by_support.add(belief)
    gone = _gone_by_themselves({relation for _, relation in settled}) if settled else set()
    return (by_support | {belief for belief, relation in settled if str(relation) not in gone}) - {None}


def _changed_by_people(relations: set[uuid.UUID]) -> dict[uuid.UUID, tuple[str, dt.datetime | None]]:
    """Those of these relations that a person stated or changed, as they stand now."""
    states = set(RelationState.objects.filter(among("relation", relations)).values_list("relation", "write"))
    theirs = _of_people({write for _, write in states})
    found = Relation.objects.filter(among("pk", {relation for relation, write in states if write in theirs}))
    return {pk: (state, valid_to) for pk, state, valid_to in found.values_list("pk", "state", "valid_to")}


def _gone_by_themselves(conflicts: set[uuid.UUID]) -> set[str]:
    """Conflicts that nobody decided: what a person decided elsewhere left nothing of them."""
    asked = Case.objects.filter(key__in=[str(one) for one in conflicts], state=Case.State.VOID)
    return set(asked.values_list("key", flat=True))


def _by_statements(beliefs: set[uuid.UUID], apart_from: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """It stands on what a member wrote down."""
    standing = whose("relation", Relation, state=Relation.State.ACTIVATED)
    sourced = RelationPlayer.objects.filter(standing, kind="sourcing", role="sourced", belief__in=beliefs)
    of_relation = dict(sourced.values_list("relation", "belief"))
    evidence = RelationPlayer.objects.filter(among("relation", of_relation), role="evidence", source__isnull=False)
    cited = list(evidence.values_list("relation", "source")) if of_relation else []
    named = {source for _, source in cited if source not in apart_from}
    stated = Source.objects.filter(among("pk", named), kind=Source.Kind.STATEMENT) if named else Source.objects.none()
    stands = set(stated.exclude(taken_back__in_force=True).values_list("pk", flat=True))
    return {belief for relation, source in cited if source in stands and (belief := of_relation[relation])}
