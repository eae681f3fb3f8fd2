"""Taking a decision back: every head it changed is as it was before, by states appended, not by rows removed."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Exists, OuterRef, Q

from memoryapp.doors.errors import Conflict
from memoryapp.graph import changes
from memoryapp.graph.models import Belief, BeliefState, Relation, RelationPlayer, RelationState
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.referring import chunks
from memoryapp.graph.services import conflict
from memoryapp.graph.services.assembling import change_relations
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
    supported = put_back_relations(write, relations, made, reason)
    touched = [_put_back_belief(write, belief_id, before, reason) for belief_id, (before, _) in beliefs.items()]
    for belief in touched:
        refuse_taken(belief)
    touched += [belief for belief in supported if belief.pk not in beliefs]
    changes.announce(write, touched)
    return touched


def changed_beliefs(undone: Write) -> dict[uuid.UUID, tuple[BeliefState | None, BeliefState]]:
    """For each belief the write changed: the state before it, none when it made the belief, and the last within it."""
    states = BeliefState.objects.filter(write=undone).order_by("belief_id", "sequence")
    following = states.filter(belief=OuterRef("belief"), sequence=OuterRef("sequence") + 1).order_by()
    earlier = BeliefState.objects.filter(Exists(following), workspace=undone.workspace_id)
    return _first_and_last(states, earlier, "belief_id")


def changed_relations(undone: Write) -> dict[uuid.UUID, tuple[RelationState | None, RelationState]]:
    """The same for relations."""
    states = RelationState.objects.filter(write=undone).order_by("relation_id", "sequence")
    following = states.filter(relation=OuterRef("relation"), sequence=OuterRef("sequence") + 1).order_by()
    earlier = RelationState.objects.filter(Exists(following), workspace=undone.workspace_id)
    return _first_and_last(states, earlier, "relation_id")


def _first_and_last(states: Iterable[Any], earlier: Iterable[Any], of: str) -> dict[uuid.UUID, tuple[Any, Any]]:
    """By what they are of: the state before the first of these, and the last of them."""
    before = {(getattr(one, of), one.sequence): one for one in earlier}
    found: dict[uuid.UUID, tuple[Any, Any]] = {}
    for one in states:
        thing = getattr(one, of)
        first = found[thing][0] if thing in found else before.get((thing, one.sequence - 1))
        found[thing] = (first, one)
    return found


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


def put_back_relations(
    write: Write,
    relations: Mapping[uuid.UUID, tuple[RelationState | None, RelationState]],
    made: Collection[uuid.UUID],
    reason: str,
) -> list[Belief]:
    """Put relations back as they were; those that the decision recorded do not hold. Returns the beliefs that were
    there before and lose what the decision had let them stand on.

    What a belief or relation that goes itself (`made`) stands on stays with it.
    """
    stored = {pk: one for some in chunks(sorted(relations)) for pk, one in Relation.objects.in_bulk(some).items()}
    players = _supported([pk for pk, (before, _) in relations.items() if before is None])
    gone = {pk for pk, (before, _) in relations.items() if before is None and stored[pk].kind not in SUPPORTED}
    heads: dict[uuid.UUID, tuple[str, Any]] = {}
    supported: dict[uuid.UUID, Belief] = {}
    for pk, (before, after) in relations.items():
        if before is not None:
            heads[pk] = before.state, before.valid_to
        elif stored[pk].kind == "conflict":
            # A retracted conflict would mean that somebody ruled the two to be none.
            heads[pk] = Relation.State.ACTIVATED, stored[pk].valid_to or write.recorded_at
        elif after.state == Relation.State.ACTIVATED and not _stays(stored[pk], players.get(pk), made, gone):
            heads[pk] = Relation.State.RETRACTED, stored[pk].valid_to
            player = players.get(pk)
            if player is not None and player.belief is not None:
                supported[player.belief.pk] = player.belief
    change_relations(write, heads, reason=reason)
    _refuse_without_support(supported)
    return list(supported.values())


def _stays(
    relation: Relation, player: RelationPlayer | None, made: Collection[uuid.UUID], gone: Collection[uuid.UUID]
) -> bool:
    """Whether a relation that the decision recorded stays with what it says what it stands on, or whose it is."""
    if relation.kind not in SUPPORTED:
        return False
    return player is None or player.belief_id in made or player.played_by_id in gone


def _supported(relations: Sequence[uuid.UUID]) -> dict[uuid.UUID, RelationPlayer]:
    """What each of these relations gives support or an owner."""
    found: dict[uuid.UUID, RelationPlayer] = {}
    for some in chunks(sorted(relations)):
        rows = RelationPlayer.objects.filter(relation__in=some, kind__in=SUPPORTED, role__in=SUPPORTED.values())
        found |= {one.relation_id: one for one in rows.select_related("belief")}
    return found


def _refuse_without_support(beliefs: Mapping[uuid.UUID, Belief]) -> None:
    """What was there before stood on something, unless that was taken away since."""
    held = Q(kind="sourcing", role="sourced") | Q(kind="derivation", role="conclusion")
    for some in chunks(sorted(beliefs)):
        stand = set(
            RelationPlayer.objects.filter(held, belief__in=some, relation__state=Relation.State.ACTIVATED).values_list(
                "belief", flat=True
            )
        )
        for pk in some:
            if pk not in stand:
                message = "What this decision added is all that a belief stands on now; retract the belief instead."
                raise Conflict(message, code="last_support", extra={"belief": str(pk)})


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
