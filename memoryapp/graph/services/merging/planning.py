"""What folding one node into another would do: worked out from what is stored, and changing nothing."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import F

from memoryapp.doors.errors import Conflict
from memoryapp.graph import slots
from memoryapp.graph.models import Belief, BeliefState, Node, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.referring import chunks
from memoryapp.graph.services import conflict, digests
from memoryapp.graph.services.audiences import named_readers_of
from memoryapp.graph.services.merging import meeting
from memoryapp.graph.services.merging.pointers import playing
from memoryapp.ledger.models import Workspace
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology

LIVE = (Status.ACTIVATED, Status.RESOLVING)


@dataclass
class Mine:
    """A belief that refers to the node which goes, as it would be: its nodes and digests in memory are the new ones."""

    belief: Belief
    owners: list[uuid.UUID]
    before: list[uuid.UUID]
    looped: bool = False


@dataclass
class Rivalry:
    """A belief that would wait, and those it would contradict."""

    newcomer: Belief
    rivals: list[conflict.Rival]


@dataclass
class Plan:
    """What folding `folded` into `kept` does.

    `mine` are the beliefs that change their nodes or owners. `duplicates` pairs what says the same with what stays.
    `loops` are edges between the two. `ended` are relations that a node would play in twice, or own twice. `equal`
    pairs relations that join the same as another with the one that stays.
    """

    kept: Node
    folded: Node
    mine: dict[uuid.UUID, Mine] = field(default_factory=dict)
    duplicates: list[tuple[Belief, Belief]] = field(default_factory=list)
    rivalries: list[Rivalry] = field(default_factory=list)
    loops: list[Belief] = field(default_factory=list)
    ended: list[Relation] = field(default_factory=list)
    equal: list[tuple[Relation, Relation]] = field(default_factory=list)


def plan(workspace: Workspace, kept: Node, folded: Node) -> Plan:
    """Work out what folding would do. Raises Conflict `same_node`, `not_in_use`, `class_differs`."""
    refuse_unfit(current_ontology(workspace), kept, folded)
    found = Plan(kept, folded)
    found.mine = mine_of(workspace, current_ontology(workspace), folded, kept)
    found.loops = [one.belief for one in found.mine.values() if one.looped]
    found.ended = _ended(workspace, kept, folded)
    found.equal = meeting.equal_relations(workspace, kept.pk, folded.pk, {one.pk for one in found.ended})
    _meet(workspace, found)
    return found


def refuse_unfit(ontology: Ontology, kept: Node, folded: Node) -> None:
    """Two nodes become one only when both are in use and what was declared for the one holds of the other."""
    if kept.pk == folded.pk:
        raise Conflict("They are one node already.", code="same_node", extra={"node": str(kept.pk)})
    for node in (kept, folded):
        if node.state != Node.State.ACTIVE:
            message = f"“{node.label}” is {node.state}; put it back into use first."
            raise Conflict(message, code="not_in_use", extra={"node": str(node.pk)})
    declared = ontology.document.node_classes
    fits = {kept.node_class, folded.node_class} <= set(declared)
    if not fits or not ontology.is_class(kept.node_class, folded.node_class):
        other = fits and ontology.is_class(folded.node_class, kept.node_class)
        instead = f" Keep “{folded.label}” instead." if other else ""
        message = f"A {folded.node_class} cannot be folded into a {kept.node_class}.{instead}"
        raise Conflict(message, code="class_differs", extra={"nodes": [str(kept.pk), str(folded.pk)]})


def mine_of(
    workspace: Workspace,
    ontology: Ontology,
    origin: Node,
    destination: Node,
    only: Collection[uuid.UUID] | None = None,
) -> dict[uuid.UUID, Mine]:
    """Every belief that refers to `origin`, or `only` these of them, as it is when it refers to `destination`."""
    found: dict[uuid.UUID, Mine] = {}
    owned = _owned(workspace, origin)
    for belief in _about(workspace, origin, owned, only):
        before = owned.get(belief.pk) or []
        looped = belief.subject_id != belief.object_id
        if belief.subject_id == origin.pk:
            belief.subject = destination
        if belief.object_id == origin.pk:
            belief.object = destination
        looped = looped and belief.shape == Belief.Shape.EDGE and belief.subject_id == belief.object_id
        owners = sorted({destination.pk if one == origin.pk else one for one in before})
        found[belief.pk] = Mine(belief, owners, sorted(before), looped and belief.status in LIVE)
    classes = _classes({one.belief.subject_id for one in found.values() if one.belief.subject_id})
    for one in found.values():
        node_class = classes.get(one.belief.subject_id, "") if one.belief.subject_id else ""
        one.belief.slot, one.belief.statement = digests.work_out(ontology, one.belief, node_class, one.owners)
    return found


def _about(
    workspace: Workspace, node: Node, owned: dict[uuid.UUID, list[uuid.UUID]], only: Collection[uuid.UUID] | None
) -> Iterable[Belief]:
    rows = Belief.objects.filter(workspace=workspace).exclude(status=Status.DELETED)
    found = {one.pk: one for one in rows.filter(subject=node)} | {one.pk: one for one in rows.filter(object=node)}
    for some in chunks([pk for pk in owned if pk not in found]):
        found |= {one.pk: one for one in rows.filter(pk__in=some)}
    lacking = [pk for pk in found if pk not in owned]
    for some in chunks(lacking):
        states = BeliefState.objects.filter(belief__in=some, sequence=F("belief__lock"))
        owned |= {pk: [uuid.UUID(one) for one in owners] for pk, owners in states.values_list("belief", "owners")}
    return [one for pk, one in sorted(found.items()) if only is None or pk in only]


def _owned(workspace: Workspace, node: Node) -> dict[uuid.UUID, list[uuid.UUID]]:
    """The owners of every belief that the node owns."""
    owning = RelationPlayer.objects.filter(
        workspace=workspace, node=node, kind="ownership", role="owner", relation__state=Relation.State.ACTIVATED
    )
    owned = RelationPlayer.objects.filter(kind="ownership", role="owned", relation__in=owning.values("relation"))
    states = BeliefState.objects.filter(belief__in=owned.values("belief"), sequence=F("belief__lock"))
    return {pk: [uuid.UUID(one) for one in owners] for pk, owners in states.values_list("belief", "owners")}


def _classes(ids: set[uuid.UUID]) -> dict[uuid.UUID, str]:
    return {
        pk: name
        for some in chunks(sorted(ids))
        for pk, name in Node.objects.filter(pk__in=some).values_list("pk", "node_class")
    }


def _ended(workspace: Workspace, kept: Node, folded: Node) -> list[Relation]:
    rows = RelationPlayer.objects.filter(workspace=workspace, node=folded)
    twice = playing(rows, kept.pk).values("relation")
    return list(Relation.objects.filter(pk__in=twice, state=Relation.State.ACTIVATED).order_by("pk"))


def _meet(workspace: Workspace, found: Plan) -> None:
    """Find what says the same as something else then, and what contradicts it."""
    live = [one.belief for one in found.mine.values() if one.belief.status in LIVE and not one.looped]
    others = _others(workspace, live, set(found.mine))
    gone: set[uuid.UUID] = set()
    by_statement: dict[str, list[Belief]] = defaultdict(list)
    for belief in [*others, *live]:
        by_statement[belief.statement].append(belief)
    for same in by_statement.values():
        if len(same) > 1:
            gone |= _twins(found, same)
    by_slot: dict[str, list[Belief]] = defaultdict(list)
    for belief in [*others, *live]:
        if belief.slot and belief.status == Status.ACTIVATED and belief.pk not in gone:
            by_slot[belief.slot].append(belief)
    for rivals in by_slot.values():
        if len(rivals) > 1:
            _rivals(found, rivals)
    likings = [(one.belief, one.owners) for one in found.mine.values() if one.belief.pk not in gone]
    for newcomer, against in meeting.opposed(workspace, likings, found.mine):
        found.rivalries.append(Rivalry(newcomer, [one for one in against if one.older.pk not in gone]))
    found.rivalries = [one for one in found.rivalries if one.rivals]


def _others(workspace: Workspace, live: Sequence[Belief], mine: set[uuid.UUID]) -> list[Belief]:
    """What is held already and says the same as one of these, or fills the same slot."""
    rows = Belief.objects.filter(workspace=workspace, status__in=LIVE)
    found: dict[uuid.UUID, Belief] = {}
    for column in ("statement", "slot"):
        wanted = sorted({getattr(one, column) for one in live} - {""})
        for start in range(0, len(wanted), 400):
            some = rows.filter(**{f"{column}__in": wanted[start : start + 400]})
            found |= {one.pk: one for one in some if one.pk not in mine}
    return sorted(found.values(), key=lambda one: (one.recorded_at, one.pk))


def _twins(found: Plan, same: list[Belief]) -> set[uuid.UUID]:
    """Of beliefs that say the same to the same people at one time, one stays: what is held, and was there, first."""
    readers_of = named_readers_of(same)
    same.sort(key=lambda one: (one.status != Status.ACTIVATED, one.pk in found.mine, one.recorded_at, one.pk))
    stays: list[Belief] = []
    gone: set[uuid.UUID] = set()
    for belief in same:
        twin = next((one for one in stays if _alike(one, belief, readers_of)), None)
        if twin is None or (belief.pk not in found.mine and twin.pk not in found.mine):
            stays.append(belief)
        else:
            found.duplicates.append((belief, twin))
            gone.add(belief.pk)
    return gone


def _alike(one: Belief, other: Belief, readers_of: dict[uuid.UUID, frozenset[uuid.UUID]]) -> bool:
    if one.audience != other.audience or readers_of.get(one.pk) != readers_of.get(other.pk):
        return False
    return slots.touch(conflict.interval(one), conflict.interval(other))


def _rivals(found: Plan, rivals: list[Belief]) -> None:
    """What stays keeps its slot; what comes and contradicts it would wait."""
    rivals.sort(key=lambda one: (one.pk in found.mine, one.recorded_at, one.pk))
    held: list[Belief] = []
    for belief in rivals:
        if belief.pk not in found.mine:
            held.append(belief)
            continue
        against = [
            conflict.Rival(older, conflict.ONE_SLOT)
            for older in held
            if conflict.contradict(older, belief) and conflict.may_be_doubted(older, belief)
        ]
        if against:
            found.rivalries.append(Rivalry(belief, against))
        else:
            held.append(belief)
