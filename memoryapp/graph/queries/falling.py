"""What would become of beliefs if sources were taken back: what falls, what stands, what comes back, what a person must
say. Nothing is changed here; a fixed number of queries, and a few more for each level of derivation."""

from __future__ import annotations

import copy
import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from memoryapp.graph.models import Belief, BeliefState, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.queries.walks import Support
from memoryapp.graph.services.beliefs import HEAD
from memoryapp.graph.services.confirmed import confirmed
from memoryapp.graph.services.conflict import contradict
from memoryapp.ledger.models import Actor
from memoryapp.ledger.principal import Principal

OVER = (Standing.RETRACTED, Standing.WITHDRAWN)


@dataclass(frozen=True)
class Return:
    """A belief that another had replaced, which falls. `before` is how it stood then; `because` why a person must say
    whether it holds again, empty when it comes back by itself."""

    relation: Relation
    older: Belief
    successor: Belief
    before: BeliefState | None
    because: str = ""


@dataclass
class Fall:
    """What becomes of beliefs.

    `fallen` lose their last support. Of those, `conclusions` were drawn from other beliefs. `kept` lose it too, and
    stay since a person confirmed them. `standing` lose one support and have another.
    """

    fallen: list[Belief] = field(default_factory=list)
    conclusions: set[uuid.UUID] = field(default_factory=set)
    kept: list[Belief] = field(default_factory=list)
    standing: list[Belief] = field(default_factory=list)
    returns: list[Return] = field(default_factory=list)

    @property
    def restored(self) -> list[Return]:
        """What comes back by itself."""
        return [one for one in self.returns if not one.because]

    @property
    def asked(self) -> list[Return]:
        """What a person must say of whether it holds again."""
        return [one for one in self.returns if one.because]

    def seen_by(self, by: Principal) -> Fall:
        """The part of it that is in somebody's sight."""
        ids = {one.pk for one in [*self.fallen, *self.kept, *self.standing, *(one.older for one in self.returns)]}
        seen = set(Belief.objects.visible_to(by).filter(pk__in=ids).values_list("pk", flat=True))
        return Fall(
            [one for one in self.fallen if one.pk in seen],
            self.conclusions & seen,
            [one for one in self.kept if one.pk in seen],
            [one for one in self.standing if one.pk in seen],
            [one for one in self.returns if one.older.pk in seen and one.successor.pk in seen],
        )


def foresee(*, sources: Collection[uuid.UUID] = (), belief: Belief | None = None) -> Fall:
    """What becomes of everything that rests on these sources, or on a belief that is let go."""
    support = Support.without(sources=sources, beliefs=[belief.pk] if belief else [])
    live = {one.pk: one for one in _live(support.region)}
    kept = confirmed(support.lost() & live.keys(), sources)
    lost = support.lost(kept) & live.keys()
    if belief is not None:
        lost = lost | ({belief.pk} & live.keys())
    fallen = [live[pk] for pk in sorted(lost)]
    concluded = {one.conclusion for one in support.derivations}
    return Fall(
        fallen=fallen,
        conclusions=(concluded & lost) - ({belief.pk} if belief else set()),
        kept=[live[pk] for pk in sorted(kept)],
        standing=[live[pk] for pk in sorted(live.keys() - lost - kept - support.gone)],
        returns=_returns(fallen, lost),
    )


def returning(relation: Relation) -> Return | None:
    """What stands to come back when the successor in this supersession has fallen; None when it has not."""
    if relation.state != Relation.State.ACTIVATED:
        return None
    players = {one.role: one.belief for one in relation.players.select_related("belief")}
    older, successor = players["superseded"], players["successor"]
    if older is None or successor is None or successor.standing != Standing.WITHDRAWN or older.standing in OVER:
        return None
    states = list(BeliefState.objects.filter(belief=older).order_by("sequence"))
    return _return(relation, older, successor, states, [])


def _live(region: Iterable[uuid.UUID]) -> Iterable[Belief]:
    found = Belief.objects.filter(pk__in=list(region)).exclude(status=Status.DELETED)
    return found.exclude(standing__in=OVER)


def _returns(fallen: list[Belief], lost: set[uuid.UUID]) -> list[Return]:
    """What the fallen had taken the place of, and whether it can come back by itself."""
    by_id = {one.pk: one for one in fallen}
    successors = RelationPlayer.objects.filter(kind="supersession", role="successor", belief__in=list(by_id))
    succeeds = dict(successors.values_list("relation", "belief"))
    if not succeeds:
        return []
    standing = Relation.objects.filter(pk__in=list(succeeds), state=Relation.State.ACTIVATED)
    relations = {one.pk: one for one in standing.select_related("write__actor")}
    replaced = RelationPlayer.objects.filter(
        kind="supersession", role="superseded", relation__in=list(relations)
    ).select_related("belief")
    pairs = [
        (relations[player.relation_id], player.belief)
        for player in replaced.order_by("relation")
        if player.belief and player.belief.pk not in lost and player.belief.standing not in OVER
    ]
    if not pairs:
        return []
    states: dict[uuid.UUID, list[BeliefState]] = defaultdict(list)
    for state in BeliefState.objects.filter(belief__in=[older.pk for _, older in pairs]).order_by("sequence"):
        states[state.belief_id].append(state)
    held = _held_in_slots([older for _, older in pairs], lost)
    return [
        _return(relation, older, by_id[succeeds[relation.pk]], states[older.pk], held[older.slot])
        for relation, older in pairs
    ]


def _held_in_slots(beliefs: list[Belief], lost: set[uuid.UUID]) -> dict[str, list[Belief]]:
    found: dict[str, list[Belief]] = defaultdict(list)
    filled = {one.slot for one in beliefs if one.slot}
    if filled:
        workspace = beliefs[0].workspace_id
        for other in Belief.objects.filter(workspace=workspace, slot__in=filled, status=Status.ACTIVATED):
            if other.pk not in lost:
                found[other.slot].append(other)
    return found


def _return(
    relation: Relation, older: Belief, successor: Belief, states: list[BeliefState], held: list[Belief]
) -> Return:
    within = [state for state in states if state.write_id == relation.write_id]
    if not within:
        return Return(relation, older, successor, None, "It had ended before it was replaced.")
    before = next((state for state in states if state.sequence == within[0].sequence - 1), None)
    again = copy.copy(older)
    for name in HEAD:
        setattr(again, name, getattr(before or older, name))
    because = ""
    if relation.write.actor.kind == Actor.Kind.PERSON:
        because = "A person let another belief take its place."
    elif before is None or before.status != Status.ACTIVATED:
        because = "It was not held when it was replaced."
    elif states[-1].sequence != within[-1].sequence:
        because = "It was changed again since."
    elif any(other.pk != older.pk and contradict(other, again) for other in held):
        because = "Another belief holds at that time."
    return Return(relation, older, successor, before, because)
