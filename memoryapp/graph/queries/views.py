"""What is held true: now, and at any time as it was known at any other. One definition for every channel.

`current` reads the heads, which is fast; `as_of` reads the history and ignores today's heads. They agree: what
`current` returns is `as_of` now, as known now.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Collection
from dataclasses import dataclass, replace

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from memoryapp.graph.models import Belief, BeliefState, Relation, RelationPlayer, RelationState
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.queries import merges
from memoryapp.graph.queries.walks import evidence
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology


@dataclass(frozen=True)
class Scope:
    """Which beliefs are asked for. Everything left out does not narrow.

    `kinds` include every kind below them unless `exact`; once `looked_up` they stand for themselves alone. `owner`,
    `subject` and `object` are node ids. `in_evidence_of` keeps what a belief rests on, through any number of
    derivations; `not_in_evidence_of` the rest. `row_by_row` is for who asks it of single beliefs found otherwise:
    then nothing is gathered of the owner's other beliefs.
    """

    owner: uuid.UUID | None = None
    kinds: tuple[str, ...] = ()
    exact: bool = False
    looked_up: bool = False
    subject: uuid.UUID | None = None
    predicates: tuple[str, ...] = ()
    object: uuid.UUID | None = None
    ids: Collection[uuid.UUID] | None = None
    in_evidence_of: uuid.UUID | None = None
    not_in_evidence_of: uuid.UUID | None = None
    row_by_row: bool = False
    as_known: dt.datetime | None = None
    """Which node a belief is of, or led to, or belonged to, as it was known then."""


EVERYTHING = Scope()
FEW = 1000
"""Beliefs of one owner that are gathered for a page."""


def now(workspace: Workspace) -> dt.datetime:
    """This instant, never before what the workspace recorded last."""
    clock = prepared.first(_clock, workspace=workspace)
    return max(timezone.now(), clock) if clock else timezone.now()


def _clock(workspace: Workspace) -> QuerySet[Workspace, dt.datetime]:
    return Workspace.objects.filter(pk=workspace.pk).values_list("clock", flat=True)


def looked_up(by: Principal, scope: Scope) -> Scope:
    """The scope with every kind it asks for by name. Raises NotFound for a kind that is not declared."""
    if not scope.kinds or scope.looked_up:
        return scope
    ontology = current_ontology(by)
    wanted = {name for kind in scope.kinds for name in ontology.subkinds(kind, exact=scope.exact)}
    return replace(scope, kinds=tuple(sorted(wanted)), looked_up=True)


def for_a_page(scope: Scope) -> Scope:
    """The scope for whoever reads the newest page of it alone: of an owner with very many beliefs these are found
    sooner by looking at the newest of the workspace than by gathering all of the owner's."""
    if not scope.owner:
        return scope
    many = prepared.rows(_some_owned, FEW, owner=scope.owner)
    return replace(scope, row_by_row=len(many) >= FEW)


def _some_owned(most: int, owner: uuid.UUID) -> QuerySet[RelationPlayer, str]:
    playing = RelationPlayer.objects.filter(node=owner, kind="ownership", role="owner")
    return playing.values_list("role", flat=True)[:most]


def beliefs(by: Principal, scope: Scope = EVERYTHING) -> QuerySet[Belief]:
    """Every belief in sight within the scope, whatever its status, by id."""
    found: QuerySet[Belief] = Belief.objects.visible_to(by)
    if scope.kinds:
        found = found.filter(kind__in=looked_up(by, scope).kinds)
    then = merges.moved_since(by, scope.as_known, scope.owner, scope.subject, scope.object) if scope.as_known else None
    if scope.owner:
        owned = _owned_by(scope.owner)
        owns = Exists(owned.filter(belief=OuterRef("pk"))) if scope.row_by_row else Q(pk__in=owned.values("belief"))
        found = found.filter(then.of("player.node", Q(owns)) if then else owns)
    if scope.subject:
        found = found.filter(then.of("belief.subject", Q(subject=scope.subject)) if then else Q(subject=scope.subject))
    if scope.predicates:
        found = found.filter(predicate__in=scope.predicates)
    if scope.object:
        found = found.filter(then.of("belief.object", Q(object=scope.object)) if then else Q(object=scope.object))
    if scope.ids is not None:
        found = found.filter(pk__in=scope.ids)
    if scope.in_evidence_of:
        found = found.filter(pk__in=evidence(by, scope.in_evidence_of).ids)
    if scope.not_in_evidence_of:
        found = found.exclude(pk__in=evidence(by, scope.not_in_evidence_of).ids)
    return found.order_by("pk")


def current(by: Principal, scope: Scope = EVERYTHING, *, at: dt.datetime | None = None) -> QuerySet[Belief]:
    """What is held now: activated, valid now, not superseded. `at` is this instant, for whoever asked already."""
    at = at or now(by.workspace)
    return beliefs(by, scope).filter(_within(at), status=Status.ACTIVATED).exclude(Exists(_superseded_now(at)))


def told(by: Principal, scope: Scope = EVERYTHING, *, at: dt.datetime | None = None) -> QuerySet[Belief]:
    """What is held now, for whoever is told it, in a list, an answer or a brief: without a summary one of whose members
    is held no more. Its words are theirs; it stays where it is looked at by itself, and among everything."""
    at = at or now(by.workspace)
    return current(by, scope, at=at).exclude(Exists(_left_a_summary(at)))


def as_of(
    by: Principal,
    scope: Scope = EVERYTHING,
    *,
    valid_at: dt.datetime | None = None,
    known_at: dt.datetime | None = None,
    at: dt.datetime | None = None,
) -> QuerySet[Belief]:
    """What was true at `valid_at`, as it was known at `known_at`; either is now when left out, `at` if that is given.

    It reads the history alone. What had ended is served for the time in which it held; what was retracted or withdrawn
    by then, or still waited for a verdict, is not. Who may see it is decided by today's audience.
    """
    if known_at:
        scope = replace(scope, as_known=known_at)
    if not (valid_at and known_at):
        at = at or now(by.workspace)
        valid_at, known_at = valid_at or at, known_at or at
    valid, known = valid_at, known_at
    newer = BeliefState.objects.filter(
        belief=OuterRef("belief"), recorded_at__lte=known, sequence__gt=OuterRef("sequence")
    )
    served = (
        BeliefState.objects.filter(belief=OuterRef("pk"), recorded_at__lte=known)
        .filter(_within(valid))
        .filter(Q(status=Status.ACTIVATED) | Q(status=Status.ARCHIVED, standing=Standing.ENDED))
        .exclude(Exists(newer))
    )
    return beliefs(by, scope).filter(Exists(served)).exclude(Exists(_superseded(valid, known)))


def named(by: Principal, name: str) -> QuerySet[Belief]:
    """A view that the ontology declares, answered now. A kind declared below one of its kinds since is in it."""
    view = current_ontology(by).view(name)
    scope = Scope(
        owner=_id(view.owner),
        kinds=tuple(view.kinds),
        exact=view.exact,
        subject=_id(view.subject),
        predicates=tuple(view.predicates),
        in_evidence_of=_id(view.in_evidence_of),
        not_in_evidence_of=_id(view.not_in_evidence_of),
    )
    return beliefs(by, scope) if view.history else told(by, scope)


def _id(text: str) -> uuid.UUID | None:
    return uuid.UUID(text) if text else None


def _within(at: dt.datetime) -> Q:
    return (Q(valid_from__isnull=True) | Q(valid_from__lte=at)) & (Q(valid_to__isnull=True) | Q(valid_to__gt=at))


def _owned_by(owner: uuid.UUID) -> QuerySet[RelationPlayer]:
    return RelationPlayer.objects.filter(
        kind="ownership",
        role="owned",
        belief__isnull=False,
        relation__state=Relation.State.ACTIVATED,
        relation__players__role="owner",
        relation__players__node=owner,
    )


def _superseded_now(at: dt.datetime, belief: str = "pk") -> QuerySet[RelationPlayer]:
    return RelationPlayer.objects.filter(
        Q(relation__valid_from__isnull=True) | Q(relation__valid_from__lte=at),
        kind="supersession",
        role="superseded",
        belief=OuterRef(belief),
        relation__state=Relation.State.ACTIVATED,
    )


def _left_a_summary(at: dt.datetime) -> QuerySet[RelationPlayer]:
    """For a belief that sums others up: one of these that is not held any more."""
    members = RelationPlayer.objects.filter(
        kind="grouping",
        role="member",
        belief__isnull=False,
        relation__state=Relation.State.ACTIVATED,
        relation__players__kind="grouping",
        relation__players__role="summary",
        relation__players__belief=OuterRef("pk"),
    )
    superseded = _superseded_now(at, "belief")
    over = ~Q(belief__status=Status.ACTIVATED) | Q(belief__valid_to__lte=at)
    return members.filter(over | Q(Exists(superseded)))


def _superseded(valid: dt.datetime, known: dt.datetime) -> QuerySet[RelationPlayer]:
    newer = RelationState.objects.filter(
        relation=OuterRef("relation"), recorded_at__lte=known, sequence__gt=OuterRef("sequence")
    )
    held = (
        RelationState.objects.filter(relation=OuterRef("relation"), recorded_at__lte=known)
        .filter(Q(valid_from__isnull=True) | Q(valid_from__lte=valid), state=Relation.State.ACTIVATED)
        .exclude(Exists(newer))
    )
    return RelationPlayer.objects.filter(kind="supersession", role="superseded", belief=OuterRef("pk")).filter(
        Exists(held)
    )
