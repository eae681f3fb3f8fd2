"""What a person confirmed only a person changes: an agent's own verbs stop here, and the way around them is a verdict.

Confirmed is what a member wrote down or decided about: the belief's states, what it stands on, whose it is, and the
conflicts that were settled around it.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence

from django.db.models import Q

from memoryapp.doors.errors import Conflict
from memoryapp.graph.models import Belief, BeliefState, Relation, RelationPlayer, RelationState
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
    found = set(_by_states(wanted))
    found |= set(_by_what_they_stand_on(wanted - found)) if wanted - found else set()
    return found | (set(_by_statements(wanted - found, apart_from)) if wanted - found else set())


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


def _by_states(beliefs: set[uuid.UUID]) -> Sequence[uuid.UUID]:
    states = BeliefState.objects.filter(belief__in=beliefs, write__actor__kind=Actor.Kind.PERSON)
    lifted = Withdrawal.objects.filter(lifted_by__isnull=False)
    states = states.exclude(write__in=Withdrawal.objects.values("write"))
    states = states.exclude(write__in=lifted.values("lifted_by"))
    return list(states.values_list("belief", flat=True))


def _by_what_they_stand_on(beliefs: set[uuid.UUID]) -> set[uuid.UUID]:
    """A person added evidence or an owner, concluded it, or settled a conflict in which it stands."""
    of_people = RelationPlayer.objects.filter(
        belief__in=beliefs, relation__states__write__actor__kind=Actor.Kind.PERSON
    )
    supported = of_people.filter(role__in=SUPPORTED, relation__state=Relation.State.ACTIVATED)
    over = Q(relation__state=Relation.State.RETRACTED) | Q(relation__valid_to__isnull=False)
    settled = set(of_people.filter(over, kind="conflict").values_list("belief", "relation"))
    gone = _gone_by_themselves({relation for _, relation in settled}) if settled else set()
    by_verdict = {belief for belief, relation in settled if str(relation) not in gone}
    return {*supported.values_list("belief", flat=True), *by_verdict} - {None}


def _gone_by_themselves(conflicts: set[uuid.UUID]) -> set[str]:
    """Conflicts that nobody decided: what a person decided elsewhere left nothing of them."""
    asked = Case.objects.filter(key__in=[str(one) for one in conflicts], state=Case.State.VOID)
    return set(asked.values_list("key", flat=True))


def _by_statements(beliefs: set[uuid.UUID], apart_from: Collection[uuid.UUID]) -> Sequence[uuid.UUID]:
    """It stands on what a member wrote down."""
    statements = Source.objects.filter(kind=Source.Kind.STATEMENT).exclude(pk__in=apart_from)
    stated = RelationPlayer.objects.filter(
        kind="sourcing",
        role="sourced",
        belief__in=beliefs,
        relation__state=Relation.State.ACTIVATED,
        relation__players__source__in=statements.exclude(taken_back__in_force=True),
    )
    return list(stated.values_list("belief", flat=True))
