"""Taking a decision back: every head it changed is as it was before, by states appended, not by rows removed."""

from __future__ import annotations

import uuid
from collections import defaultdict

from django.db.models import Q

from memoryapp.doors.errors import Conflict
from memoryapp.graph import changes
from memoryapp.graph.models import Belief, BeliefState, Relation, RelationPlayer, RelationState
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.services import conflict
from memoryapp.graph.services.assembling import change_relation
from memoryapp.graph.services.beliefs import HEAD, change_state
from memoryapp.ledger.models import Write
from memoryapp.review.models import Decision

SUPPORTED = {"sourcing": "sourced", "derivation": "conclusion", "ownership": "owned"}
"""Kinds of relation that say what a belief stands on and whose it is, with its role in them: they stay with a belief
that is taken back, and go from one that was there before."""


def undo(write: Write, decision: Decision) -> list[Belief]:
    """Put back every belief and relation that the decision's write changed. Returns the beliefs touched.

    What the decision itself wrote down is retracted. Raises Conflict `later_write` with the write that stands in the
    way when something later rests on what would be put back.
    """
    undone = decision.write
    beliefs, relations = changed_beliefs(undone), changed_relations(undone)
    made = {belief_id for belief_id, (before, _) in beliefs.items() if before is None}
    refuse_later_states(beliefs, relations)
    refuse_later_relations(undone, set(beliefs), made)
    reason = f"Taken back: {decision.verdict.replace('_', ' ')}. {write.rationale}".strip()
    supported: list[Belief] = []
    for relation_id, (before, after) in relations.items():
        supported += put_back_relation(write, relation_id, before, after, made, reason)
    touched = [_put_back_belief(write, belief_id, before, reason) for belief_id, (before, _) in beliefs.items()]
    for belief in touched:
        refuse_taken(belief)
    touched += [belief for belief in supported if belief.pk not in beliefs]
    changes.announce(write, touched)
    return touched


def changed_beliefs(undone: Write) -> dict[uuid.UUID, tuple[BeliefState | None, BeliefState]]:
    """For each belief the write changed: the state before it, none when it made the belief, and the last within it."""
    within: dict[uuid.UUID, list[BeliefState]] = defaultdict(list)
    for state in BeliefState.objects.filter(write=undone).order_by("belief_id", "sequence"):
        within[state.belief_id].append(state)
    earlier = {
        (state.belief_id, state.sequence): state for state in BeliefState.objects.filter(belief__in=list(within))
    }
    return {
        belief_id: (earlier.get((belief_id, states[0].sequence - 1)), states[-1])
        for belief_id, states in within.items()
    }


def changed_relations(undone: Write) -> dict[uuid.UUID, tuple[RelationState | None, RelationState]]:
    """The same for relations."""
    within: dict[uuid.UUID, list[RelationState]] = defaultdict(list)
    for state in RelationState.objects.filter(write=undone).order_by("relation_id", "sequence"):
        within[state.relation_id].append(state)
    earlier = {
        (state.relation_id, state.sequence): state for state in RelationState.objects.filter(relation__in=list(within))
    }
    return {
        relation_id: (earlier.get((relation_id, states[0].sequence - 1)), states[-1])
        for relation_id, states in within.items()
    }


def refuse_later_states(
    beliefs: dict[uuid.UUID, tuple[BeliefState | None, BeliefState]],
    relations: dict[uuid.UUID, tuple[RelationState | None, RelationState]],
) -> None:
    """A head that is no longer as the decision left it was changed by a later write, which would be lost."""
    left = {belief_id: after for belief_id, (_, after) in beliefs.items()}
    for belief in Belief.objects.filter(pk__in=list(left)):
        after = left[belief.pk]
        if belief.lock == after.sequence:
            continue
        latest = BeliefState.objects.select_related("write__actor").get(belief=belief, sequence=belief.lock)
        if _head(latest) != _head(after):
            raise in_the_way(latest.write)
    stood = {relation_id: after for relation_id, (_, after) in relations.items()}
    for relation in Relation.objects.filter(pk__in=list(stood)):
        left_as = stood[relation.pk]
        if (relation.state, relation.valid_to) != (left_as.state, left_as.valid_to):
            last = RelationState.objects.select_related("write__actor").get(relation=relation, sequence=relation.lock)
            raise in_the_way(last.write)


def refuse_later_relations(undone: Write, touched: set[uuid.UUID], made: set[uuid.UUID]) -> None:
    """A later relation rests on a touched belief, unless it only adds evidence to one that was there before."""
    rests = Q(belief__in=touched) & ~Q(kind__in=["sourcing", "ownership"]) & ~Q(kind="derivation", role="conclusion")
    later = (
        RelationPlayer.objects.filter(rests | Q(belief__in=made))
        .filter(relation__state=Relation.State.ACTIVATED, relation__write__sequence__gt=undone.sequence)
        .select_related("relation__write__actor")
        .order_by("relation__write__sequence")
        .first()
    )
    if later is not None:
        raise in_the_way(later.relation.write)


def put_back_relation(
    write: Write,
    relation_id: uuid.UUID,
    before: RelationState | None,
    after: RelationState,
    made: set[uuid.UUID],
    reason: str,
) -> list[Belief]:
    """Put a relation back as it was. Returns the beliefs that were there before and lose what the decision had let
    them stand on."""
    relation = Relation.objects.get(pk=relation_id)
    if before is not None:
        change_relation(write, relation, reason=reason, state=before.state, valid_to=before.valid_to)
        return []
    if relation.kind == "conflict":
        # A retracted conflict would mean that somebody ruled the two to be none.
        until = relation.valid_to or write.recorded_at
        change_relation(write, relation, reason=reason, state=Relation.State.ACTIVATED, valid_to=until)
        return []
    if after.state != Relation.State.ACTIVATED:
        return []
    role = SUPPORTED.get(relation.kind)
    supported = (
        RelationPlayer.objects.select_related("belief").get(relation=relation, role=role).belief if role else None
    )
    if role and (supported is None or supported.pk in made):
        return []
    change_relation(write, relation, reason=reason, state=Relation.State.RETRACTED)
    if supported is None:
        return []
    _refuse_without_support(supported)
    return [supported]


def _refuse_without_support(belief: Belief) -> None:
    """What was there before stood on something, unless that was taken away since."""
    standing = Q(kind="sourcing", role="sourced") | Q(kind="derivation", role="conclusion")
    if not RelationPlayer.objects.filter(standing, belief=belief, relation__state=Relation.State.ACTIVATED).exists():
        message = "What this decision added is all that a belief stands on now; retract the belief instead."
        raise Conflict(message, code="last_support", extra={"belief": str(belief.pk)})


def _put_back_belief(write: Write, belief_id: uuid.UUID, before: BeliefState | None, reason: str) -> Belief:
    belief = Belief.objects.get(pk=belief_id)
    if before is None:
        return change_state(write, belief, reason=reason, status=Status.ARCHIVED, standing=Standing.RETRACTED)
    head = {name: getattr(before, name) for name in HEAD}
    return change_state(write, belief, reason=reason, owners=[uuid.UUID(owner) for owner in before.owners], **head)


def refuse_taken(belief: Belief) -> None:
    """Refuse to put a belief back beside one that was recorded later and contradicts it."""
    try:
        conflict.refuse_taken_slot(belief)
    except Conflict as taken:
        other = Belief.objects.select_related("write__actor").get(pk=uuid.UUID(taken.extra["beliefs"][0]))
        raise in_the_way(other.write) from taken


def _head(state: BeliefState) -> tuple[object, ...]:
    return (*(getattr(state, name) for name in HEAD), tuple(state.owners))


def in_the_way(write: Write) -> Conflict:
    """The refusal that names the later write."""
    return Conflict(
        f"It cannot be taken back: {write.actor.name} built on it later. Take that back first.",
        code="later_write",
        extra={
            "write": str(write.pk),
            "sequence": write.sequence,
            "action": write.action,
            "actor": write.actor.name,
            "recorded_at": write.recorded_at.isoformat(),
        },
    )
