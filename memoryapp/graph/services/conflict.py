"""Doubt: which beliefs cannot both be held, and what is opened for a person to decide.

Two beliefs conflict when they fill one slot with different values over overlapping valid time. Free statements without
a slot conflict when the rules assess that one contradicts the other. The older one stays current meanwhile.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from memoryapp.doors.errors import Conflict
from memoryapp.graph import slots
from memoryapp.graph.assessing import assess, polar
from memoryapp.graph.models import Belief, BeliefState, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Audience, Status
from memoryapp.graph.services.assembling import Assembly, Playing, change_relation
from memoryapp.graph.services.audiences import named_readers
from memoryapp.graph.services.beliefs import change_state
from memoryapp.graph.services.drafts import Draft
from memoryapp.ledger import prepared
from memoryapp.ledger.among import found_by
from memoryapp.ledger.models import Workspace, Write
from memoryapp.review import services as review
from memoryapp.review.models import Case

BELIEF_CONFLICT = "belief_conflict"
PROPERTY_CONFLICT = "property_conflict"

NO_LONGER = "The two no longer contradict each other."
ONE_SLOT = "Only one of them can hold at a time, and their times overlap."

NEIGHBOURS = 2000
"""Free statements of the batch's owners that the rules compare with, the newest first."""


@dataclass(frozen=True)
class Rival:
    """A current belief that a newcomer contradicts, and why. `because` says it in words that may quote people."""

    older: Belief
    why: str
    because: str = ""


@dataclass(frozen=True)
class Open:
    """An open conflict: the relation, the belief held meanwhile, and the one that waits."""

    relation: Relation
    older: Belief
    newcomer: Belief


class Held:
    """What is currently held that the drafts of a batch could contradict; grows with the batch."""

    def __init__(self, write: Write, drafts: Sequence[Draft]) -> None:
        self.write = write
        self._slots: defaultdict[str, list[Belief]] = defaultdict(list)
        self._polar: defaultdict[tuple[str, ...], list[Belief]] = defaultdict(list)
        filled = {draft.slot for draft in drafts if draft.slot}
        for belief in _activated(write).filter(slot__in=filled) if filled else ():
            self._slots[belief.slot].append(belief)
        self._readers: dict[uuid.UUID, frozenset[uuid.UUID]] = {}
        owners = {
            node.pk for draft in drafts if _is_polar(draft.shape, draft.slot, draft.content) for node in draft.owners
        }
        if owners:
            self._gather_polar(owners, drafts)

    def rivals(self, draft: Draft) -> list[Rival]:
        """The current beliefs that the newcomer contradicts."""
        found: list[Rival] = []
        for older in self._slots[draft.slot] if draft.slot else ():
            if draft.digest != older.statement and not _same_words(older, draft) and self._at_once(older, draft):
                found.append(Rival(older, ONE_SLOT))
        if _is_polar(draft.shape, draft.slot, draft.content):
            for older in self._polar[_owner_key(node.pk for node in draft.owners)]:
                assessed = assess(older.content, draft.content)
                if assessed.bearing == "contradicts" and self._at_once(older, draft):
                    found.append(Rival(older, assessed.reason))
        return [rival for rival in found if not ruled_apart(rival.older, draft.digest)]

    def add(self, belief: Belief, draft: Draft) -> None:
        """Count a belief made by the same batch as held."""
        self._readers[belief.pk] = frozenset(draft.readers)
        if belief.status != Status.ACTIVATED:
            return
        if draft.slot:
            self._slots[draft.slot].append(belief)
        elif _is_polar(draft.shape, draft.slot, draft.content):
            self._polar[_owner_key(node.pk for node in draft.owners)].append(belief)

    def _gather_polar(self, owners: set[uuid.UUID], drafts: Sequence[Draft]) -> None:
        """What these owners like or dislike: of what is stored, only what some draft says the opposite of."""
        opposed = {(not said.likes, said.words) for draft in drafts if (said := polar(draft.content))}
        stored = prepared.rows(_free_of, workspace=self.write.workspace, owners=sorted(owners))
        wanted = [id for id, content in stored if (said := polar(content)) and (said.likes, said.words) in opposed]
        beliefs = {one.pk: one for one in _activated(self.write).filter(pk__in=wanted)} if wanted else {}
        for belief_id, sequence, owned_by in BeliefState.objects.filter(belief__in=list(beliefs)).values_list(
            "belief", "sequence", "owners"
        ):
            if sequence == beliefs[belief_id].lock:
                self._polar[_owner_key(owned_by)].append(beliefs[belief_id])

    def _at_once(self, older: Belief, draft: Draft) -> bool:
        """Whether they overlap in time before the same audience. What one audience holds says nothing to another."""
        if older.audience != draft.audience or not slots.overlap(interval(older), draft.interval):
            return False
        if older.audience != Audience.NAMED:
            return True
        if older.pk not in self._readers:
            self._readers[older.pk] = named_readers(older)
        return self._readers[older.pk] == frozenset(draft.readers)


def contradict(older: Belief, newcomer: Belief) -> bool:
    """Whether two beliefs fill one slot with different values over overlapping valid time."""
    if not older.slot or older.slot != newcomer.slot or older.statement == newcomer.statement:
        return False
    if _same_words(older, newcomer):
        return False
    return _at_once(older, newcomer)


def may_be_doubted(older: Belief, newcomer: Belief) -> bool:
    """Whether a conflict of two that are both held could be opened: seen by the same, at one time, not ruled on yet."""
    held = older.status == newcomer.status == Status.ACTIVATED and older.pk != newcomer.pk
    if not held or not _at_once(older, newcomer) or not _same_audience(older, newcomer):
        return False
    return not ruled_apart(older, newcomer.statement) and not _settled_pair(older, newcomer)


def ruled_apart(one: Belief, statement: str) -> bool:
    """Whether somebody ruled that such a belief and such a statement are no conflict."""
    return RelationPlayer.objects.filter(
        workspace=one.workspace_id,
        kind="conflict",
        relation__state=Relation.State.RETRACTED,
        belief__statement=one.statement,
        relation__players__belief__statement=statement,
    ).exists()


def open_all(write: Write, newcomer: Belief, rivals: Sequence[Rival], ontology_version: int) -> list[Case]:
    """A conflict relation and a case for each rival of a newcomer, both stored already."""
    assembly = Assembly(write, ontology_version)
    relations = [
        assembly.add(
            "conflict",
            [Playing("claim", belief=rival.older), Playing("claim", belief=newcomer)],
            reason=rival.because or rival.why,
        )
        for rival in rivals
    ]
    assembly.finish()
    cases = []
    for relation, rival in zip(relations, rivals, strict=True):
        case = review.open_case(
            write,
            kind=case_kind(newcomer),
            key=str(relation.pk),
            reason=rival.why,
            subjects=[
                review.Subject("older", "belief", rival.older.pk),
                review.Subject("newcomer", "belief", newcomer.pk),
                review.Subject("conflict", "relation", relation.pk),
            ],
        )
        if case is not None:
            cases.append(case)
    return cases


def case_kind(belief: Belief) -> str:
    return PROPERTY_CONFLICT if belief.shape == Belief.Shape.PROPERTY else BELIEF_CONFLICT


def settle_by_policy(write: Write, cases: Sequence[Case]) -> list[Belief]:
    """Let the workspace's policy settle what it may. Returns the beliefs that changed by it."""
    from memoryapp.graph import policy

    return policy.settle(write, cases) if cases else []


def refuse_taken_slot(belief: Belief) -> None:
    """Refuse a change after which the belief would contradict another current one."""
    clash = clashing(belief)
    if clash:
        raise Conflict(
            "Another belief holds at that time.",
            code="slot_taken",
            extra={"beliefs": [str(other.pk) for other in clash]},
        )


def clashing(belief: Belief) -> list[Belief]:
    """The current beliefs that a current one contradicts, without a verdict by which both may stand."""
    if not belief.slot or belief.status != Status.ACTIVATED:
        return []
    others = Belief.objects.filter(workspace=belief.workspace_id, slot=belief.slot, status=Status.ACTIVATED)
    return [
        other
        for other in others.exclude(pk=belief.pk).order_by("pk")
        if contradict(other, belief) and _same_audience(other, belief) and not _settled_pair(other, belief)
    ]


def open_conflicts(write: Write, beliefs: Iterable[Belief]) -> list[Open]:
    """The conflicts not yet settled in which one of the beliefs is a claim, oldest first."""
    relations = Relation.objects.filter(
        workspace=write.workspace,
        kind="conflict",
        state=Relation.State.ACTIVATED,
        valid_to__isnull=True,
        players__belief__in=[belief.pk for belief in beliefs],
    ).distinct()
    players: defaultdict[uuid.UUID, list[Belief]] = defaultdict(list)
    for player in (
        RelationPlayer.objects.filter(found_by("relation", relations.values("pk")))
        .select_related("belief")
        .order_by("relation_id", "position")
    ):
        if player.belief is not None:
            players[player.relation_id].append(player.belief)
    return [Open(relation, *players[relation.pk]) for relation in relations.order_by("recorded_at", "pk")]


def close(write: Write, relation: Relation, *, reason: str) -> None:
    """The conflict is settled, or has gone: it is kept, with the time it ended."""
    change_relation(write, relation, reason=reason, valid_to=write.recorded_at)


def reconsider(write: Write, around: Sequence[Belief], *, reason: str = "") -> list[Belief]:
    """Look anew at what waits on these beliefs. Returns the beliefs that changed by it.

    A conflict whose older side is no longer held, or that no longer overlaps, closes and its case is void. A newcomer
    that contradicts what is held now gets a conflict with that. One that nothing contradicts any more is activated,
    with `reason` when it is one of `around`; what still waits and contradicts it gets a conflict with it as well.
    """
    mine = {belief.pk for belief in around}
    waiting = _waiting(write, around)
    touched: list[Belief] = []
    for newcomer in waiting:
        held = [one for one in open_conflicts(write, [newcomer]) if one.newcomer.pk == newcomer.pk]
        still = [one for one in held if _still_clashes(one)]
        for one in held:
            if one not in still:
                close(write, one.relation, reason=NO_LONGER)
                void(write, one.relation, NO_LONGER)
        if newcomer.status != Status.RESOLVING:
            continue
        rivals = _new_rivals(newcomer, {one.older.pk for one in still})
        if rivals:
            open_all(write, newcomer, rivals, newcomer.ontology_version)
        elif not still:
            because = reason if newcomer.pk in mine and reason else "Nothing that is held contradicts it any more."
            change_state(write, newcomer, reason=because, status=Status.ACTIVATED)
            touched.append(newcomer)
    return touched + (reconsider(write, touched) if touched else [])


def _waiting(write: Write, around: Sequence[Belief]) -> list[Belief]:
    """Newcomers that may be concerned: in the slots of these beliefs, or in an open conflict with one of them."""
    filled = {belief.slot for belief in around if belief.slot}
    ids = {one.newcomer.pk for one in open_conflicts(write, around)} | {belief.pk for belief in around}
    found = Belief.objects.filter(workspace=write.workspace).filter(
        Q(slot__in=filled, status=Status.RESOLVING) | Q(pk__in=ids)
    )
    return list(found.order_by("recorded_at", "pk"))


def _still_clashes(one: Open) -> bool:
    held = one.older.status == Status.ACTIVATED and one.newcomer.status == Status.RESOLVING
    return held and _at_once(one.older, one.newcomer)


def _new_rivals(newcomer: Belief, known: set[uuid.UUID]) -> list[Rival]:
    if not newcomer.slot:
        return []
    held = Belief.objects.filter(workspace=newcomer.workspace_id, slot=newcomer.slot, status=Status.ACTIVATED)
    return [
        Rival(older, ONE_SLOT)
        for older in held.exclude(pk__in=known).order_by("recorded_at", "pk")
        if contradict(older, newcomer)
        and _same_audience(older, newcomer)
        and not ruled_apart(older, newcomer.statement)
        and not _settled_pair(older, newcomer)
    ]


def _settled_pair(one: Belief, other: Belief) -> bool:
    """Whether a verdict was given on a conflict of exactly these two, by which both may stand."""
    relations = Relation.objects.filter(
        Q(state=Relation.State.RETRACTED) | Q(valid_to__isnull=False), kind="conflict", players__belief=one
    ).filter(players__belief=other)
    keys = {str(relation) for relation in relations.values_list("pk", flat=True)}
    if not keys:
        return False
    undecided = Case.objects.filter(
        workspace=one.workspace_id, kind__in=[BELIEF_CONFLICT, PROPERTY_CONFLICT], key__in=keys
    ).exclude(state=Case.State.DECIDED)
    return bool(keys - set(undecided.values_list("key", flat=True)))


def void(write: Write, relation: Relation, why: str) -> None:
    """Nobody need decide about the conflict any more."""
    case = Case.objects.filter(
        workspace=write.workspace,
        kind__in=[BELIEF_CONFLICT, PROPERTY_CONFLICT],
        key=str(relation.pk),
        state=Case.State.OPEN,
    ).first()
    if case is not None:
        review.void_case(write, case, why)


def _free_of(workspace: Workspace, owners: Sequence[uuid.UUID]) -> QuerySet[Belief, tuple[uuid.UUID, str]]:
    owned = RelationPlayer.objects.filter(kind="ownership", role="owner", node__in=owners).values("relation")
    mine = RelationPlayer.objects.filter(kind="ownership", role="owned", relation__in=owned).values("belief")
    free = Belief.objects.filter(workspace=workspace, status=Status.ACTIVATED, shape=Belief.Shape.STATEMENT, slot="")
    return free.filter(pk__in=mine).order_by("-recorded_at", "-pk").values_list("pk", "content")[:NEIGHBOURS]


def _activated(write: Write) -> QuerySet[Belief]:
    return Belief.objects.filter(workspace=write.workspace, status=Status.ACTIVATED)


def _is_polar(shape: str, slot: str, content: str) -> bool:
    return shape == Belief.Shape.STATEMENT and not slot and polar(content) is not None


def _same_words(one: Belief, other: Belief | Draft) -> bool:
    return one.shape == Belief.Shape.STATEMENT and slots.normal_content(one.content) == slots.normal_content(
        other.content
    )


def _at_once(one: Belief, other: Belief) -> bool:
    return one.audience == other.audience and slots.overlap(interval(one), interval(other))


def interval(belief: Belief) -> tuple[dt.datetime | None, dt.datetime | None]:
    return belief.valid_from, belief.valid_to


def _same_audience(one: Belief, other: Belief) -> bool:
    if one.audience != other.audience:
        return False
    return one.audience != Audience.NAMED or named_readers(one) == named_readers(other)


def _owner_key(owners: Iterable[uuid.UUID | str]) -> tuple[str, ...]:
    return tuple(sorted(map(str, owners)))
