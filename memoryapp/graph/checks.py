"""What must hold of stored nodes, beliefs and relations, checked by `manage.py integrity`."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator

from django.db.models import Count, Exists, F, OuterRef, Q

from memoryapp.doors.errors import NotFound
from memoryapp.graph.identity import Key
from memoryapp.graph.models import Belief, BeliefState, IdentityKey, Node, Relation, RelationPlayer, RelationState
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.queries.walks import Support
from memoryapp.graph.services import keying
from memoryapp.graph.services.conflict import clashing
from memoryapp.graph.services.projection import project, projections_at
from memoryapp.graph.services.withdrawing import LOST_SUPPORT
from memoryapp.ledger import integrity
from memoryapp.ledger.integrity import Check, Finding, about
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology.queries import current_ontology
from memoryapp.review.models import Case
from memoryapp.sources.queries import withdrawn

CHUNK = 300


def register() -> None:
    """Let `manage.py integrity` run these."""
    integrity.register(Check("nodes", "Nodes and their keys are what is believed of them", _nodes, project_all))
    integrity.register(Check("values", "Values are compared as they are", _values, rekey_all))
    integrity.register(Check("taken_back", "What stands on nothing but sources taken back is asked about", _taken_back))
    integrity.register(Check("heads", "Beliefs and relations are in the state their history says", _heads))
    integrity.register(Check("support", "Every belief stands on evidence or a derivation", _support))
    integrity.register(Check("relations", "Every relation is whole, and supersessions go round in no circle", _whole))
    integrity.register(Check("slots", "No two current beliefs fill one slot at one time", _slots))
    integrity.register(Check("conflicts", "Only an open conflict keeps a belief waiting", _conflicts))


def _nodes(workspace: Workspace) -> Iterator[Finding]:
    try:
        ontology = current_ontology(workspace)
    except NotFound:
        return
    ids = list(Node.objects.filter(workspace=workspace).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), CHUNK):
        nodes = list(Node.objects.filter(pk__in=ids[start : start + CHUNK]).order_by("pk"))
        keys: dict[uuid.UUID, set[Key]] = {node.pk: set() for node in nodes}
        for row in IdentityKey.objects.filter(node__in=nodes, active=True):
            keys[row.node_id].add(Key(row.owner_class, row.key_set, row.value))
        declared = [node for node in nodes if node.node_class in ontology.document.node_classes]
        for node in set(nodes) - set(declared):
            yield about(node, "Its class is not declared.")
        instants = {node.pk: node.projected_at or node.recorded_at for node in declared}
        projections = projections_at(ontology, declared, instants)
        for node in declared:
            if node.properties != projections[node.pk].properties:
                yield about(node, "Its properties are not what is believed of it.")
            projected = projections[node.pk]
            if not set(projected.keys) <= keys[node.pk] <= {*projected.keys, *projected.kept}:
                yield about(node, "Its identity keys are not what is believed of it.")


def _values(workspace: Workspace) -> Iterator[Finding]:
    with contextlib.suppress(NotFound):
        for belief, _ in keying.misread(workspace):
            yield about(belief, "Its value is compared as another.")


def rekey_all(write: Write) -> None:
    """Read the key of every value off the value anew."""
    keying.rekey(write, Belief.objects.filter(workspace=write.workspace))


def project_all(write: Write) -> None:
    """Read every node off its beliefs anew."""
    declared = current_ontology(write.workspace).document.node_classes
    nodes = Node.objects.filter(workspace=write.workspace, node_class__in=list(declared)).order_by("pk")
    project(write, nodes)


def _taken_back(workspace: Workspace) -> Iterator[Finding]:
    sources = set(withdrawn(workspace).values_list("source", flat=True))
    if not sources:
        return
    lost = Support.without(sources=sources).lost()
    asked = set(
        Case.objects.filter(workspace=workspace, kind=LOST_SUPPORT, state=Case.State.OPEN).values_list("key", flat=True)
    )
    held = Belief.objects.filter(pk__in=lost, status__in=[Status.ACTIVATED, Status.RESOLVING]).order_by("pk")
    for belief in held:
        if str(belief.pk) not in asked:
            yield about(belief, "All it stood on was taken back, it is held, and nobody is asked.")


def _heads(workspace: Workspace) -> Iterator[Finding]:
    latest = BeliefState.objects.filter(belief=OuterRef("pk"), sequence=OuterRef("lock"))
    same = Q()
    for name in ("status", "standing", "audience"):
        same &= Q(**{name: OuterRef(name)})
    for belief in Belief.objects.filter(workspace=workspace).exclude(Exists(latest.filter(same))).order_by("pk"):
        yield about(belief, "Its status is not that of its latest state.")
    dates = ("valid_from", "valid_to")
    for belief_state in BeliefState.objects.filter(workspace=workspace, sequence=F("belief__lock")).select_related(
        "belief"
    ):
        if any(getattr(belief_state, name) != getattr(belief_state.belief, name) for name in dates):
            yield about(belief_state.belief, "Its valid time is not that of its latest state.")
    state = RelationState.objects.filter(relation=OuterRef("pk"), sequence=OuterRef("lock"), state=OuterRef("state"))
    for relation in Relation.objects.filter(workspace=workspace).exclude(Exists(state)).order_by("pk"):
        yield about(relation, "Its state is not that of its latest state.")


def _support(workspace: Workspace) -> Iterator[Finding]:
    standing = RelationPlayer.objects.filter(
        Q(kind="sourcing", role="sourced") | Q(kind="derivation", role="conclusion"), belief=OuterRef("pk")
    )
    for belief in Belief.objects.filter(workspace=workspace).exclude(Exists(standing)).order_by("pk"):
        yield about(belief, "It stands on neither evidence nor a derivation.")


def _whole(workspace: Workspace) -> Iterator[Finding]:
    for relation in Relation.objects.filter(workspace=workspace, state=Relation.State.ASSEMBLING).order_by("pk"):
        yield about(relation, "It was never activated.")
    successors: dict[uuid.UUID, uuid.UUID] = {}
    players = RelationPlayer.objects.filter(
        workspace=workspace, kind="supersession", relation__state=Relation.State.ACTIVATED
    ).order_by("relation_id", "role")
    sides: dict[uuid.UUID, dict[str, uuid.UUID]] = {}
    for player in players:
        if player.belief_id is not None:
            sides.setdefault(player.relation_id, {})[player.role] = player.belief_id
    for both in sides.values():
        if len(both) == 2:
            successors[both["superseded"]] = both["successor"]
    for first in sorted(successors):
        seen, step = {first}, successors.get(first)
        while step is not None and step not in seen:
            seen.add(step)
            step = successors.get(step)
        if step == first:
            yield Finding("graph.belief", str(first), "It supersedes itself in a circle.")


def _conflicts(workspace: Workspace) -> Iterator[Finding]:
    open_ones = RelationPlayer.objects.filter(
        kind="conflict",
        belief=OuterRef("pk"),
        relation__state=Relation.State.ACTIVATED,
        relation__valid_to__isnull=True,
    )
    waiting = Belief.objects.filter(workspace=workspace, status=Status.RESOLVING)
    for belief in waiting.exclude(Exists(open_ones)).order_by("pk"):
        yield about(belief, "It waits for a verdict, and no conflict of it is open.")


def _slots(workspace: Workspace) -> Iterator[Finding]:
    held = Belief.objects.filter(workspace=workspace, status=Status.ACTIVATED).exclude(slot="")
    shared = held.values("slot").annotate(count=Count("pk")).filter(count__gt=1).values("slot")
    for belief in held.filter(slot__in=shared).order_by("pk"):
        for other in clashing(belief):
            if other.pk > belief.pk:
                yield about(belief, f"It fills one slot with {other.pk} at one time.")
