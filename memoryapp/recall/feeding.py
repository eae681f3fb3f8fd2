"""What of the graph is searched: every belief by what it says and whose it is, every node by what it is called.

Who hears of a change puts it into the index within the same write. No status is kept there: whether a belief is current
is asked of the graph's views whenever something is recalled. A belief is also found by the words of what it superseded,
each in a longer text of its own, where they weigh less than its own words.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from memoryapp.doors.moments import Precision
from memoryapp.graph.models import Belief, Node, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Audience, Standing, Status
from memoryapp.graph.queries import listing
from memoryapp.index import services as index
from memoryapp.index.models import EVERYONE, IndexEntry
from memoryapp.index.said import NARROW
from memoryapp.index.texts import Text
from memoryapp.ledger import prepared
from memoryapp.ledger.among import among
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology

BELIEF = "belief"
NODE = "node"

LONGEST_CHAIN = 8
"""How far back the words of what was superseded lead to what is held now."""

_WRITTEN = {Precision.YEAR: "{at:%Y}", Precision.MONTH: "{at:%B %Y}"}


def changed(write: Write, touched: Sequence[Belief | Node]) -> None:
    """Bring the index up to date with what a write touched, and with what is called anew because of it."""
    beliefs = {thing.pk for thing in touched if isinstance(thing, Belief)}
    nodes = {thing.pk for thing in touched if isinstance(thing, Node)}
    nodes |= {thing.subject_id for thing in touched if isinstance(thing, Belief) and thing.subject_id}
    renamed = _put_nodes(write, sorted(nodes))
    beliefs |= _owned_by(renamed)
    beliefs |= successors(beliefs)
    _put(write, BELIEF, sorted(beliefs), list(belief_texts(write.workspace, sorted(beliefs))))


def successors(beliefs: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    """What ever took the place of one of these, and what took its place."""
    return {successor for _, successor in _chain(beliefs, "superseded", "successor", ever=True)}


def refresh(write: Write, *, nodes: Sequence[uuid.UUID] = (), beliefs: Sequence[uuid.UUID] = ()) -> None:
    """Bring the index up to date with these nodes and beliefs, whatever became of them."""
    _put_nodes(write, list(nodes))
    _put(write, BELIEF, beliefs, list(belief_texts(write.workspace, beliefs)))


def _put_nodes(write: Write, ids: list[uuid.UUID]) -> list[uuid.UUID]:
    """Put these nodes; gives those that the index knew by another name."""
    if not ids:
        return []
    entries = IndexEntry.objects.filter(workspace=write.workspace, target_type=NODE, target_id__in=ids, part=0)
    before = dict(entries.values_list("target_id", "text"))
    texts = list(node_texts(write.workspace, ids))
    _put(write, NODE, ids, texts)
    return [text.target_id for text in texts if before.get(text.target_id, text.text) != text.text]


def _put(write: Write, target_type: str, ids: Sequence[uuid.UUID], texts: list[Text]) -> None:
    index.put(write, texts)
    found = {text.target_id for text in texts}
    if gone := [(target_type, id) for id in ids if id not in found]:
        index.remove(write, gone)


def _owned_by(nodes: Sequence[uuid.UUID]) -> set[uuid.UUID]:
    if not nodes:
        return set()
    owned = RelationPlayer.objects.filter(
        kind="ownership",
        role="owned",
        relation__state=Relation.State.ACTIVATED,
        relation__players__role="owner",
        relation__players__node__in=nodes,
    )
    return {id for id in owned.values_list("belief", flat=True) if id}


def belief_ids(workspace: Workspace) -> Iterator[uuid.UUID]:
    """Every belief of the workspace that still says something, and whose source is not taken back."""
    rows = Belief.objects.filter(workspace=workspace).exclude(status=Status.DELETED)
    yield from rows.exclude(standing=Standing.WITHDRAWN).order_by("pk").values_list("pk", flat=True).iterator()


def belief_texts(workspace: Workspace, ids: Sequence[uuid.UUID]) -> Iterator[Text]:
    """These beliefs as they are searched, with their owners, their kind and since when in the label."""
    if not ids:
        return
    ontology = current_ontology(workspace)
    called = listing.owner_names(ids)
    superseded = _superseded_by(ids)
    for belief in map(BeliefRow._make, prepared.rows(_saying, workspace=workspace, ids=ids)):
        names = called.get(belief.pk, [])
        kind, path = _kind(ontology, belief)
        before = [one.content for one in superseded.get(belief.pk, ()) if _same_eyes(one, belief)]
        for part, text in enumerate([belief.content, *(f"{words}\n{belief.content}" for words in before)]):
            yield Text(
                BELIEF,
                belief.pk,
                text,
                part=part,
                label=" ".join(one for one in (*names, kind, _since(belief)) if one),
                kind=path,
                speaker=", ".join(names),
                said_at=belief.valid_from.astimezone(dt.UTC) if belief.valid_from else None,
                audience=belief.audience,
            )


def _same_eyes(older: Belief, newer: BeliefRow) -> bool:
    """Whether whoever is served the newer one may know the words of the older one."""
    return older.audience == newer.audience and newer.audience != Audience.NAMED


def _superseded_by(ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[Belief]]:
    """For each belief what it superseded, and what that had superseded: the nearest first."""
    pairs = _chain(ids, "successor", "superseded")
    reached = {there for _, there in pairs}
    told = Belief.objects.filter(pk__in=reached).exclude(status=Status.DELETED)
    contents = told.exclude(standing=Standing.WITHDRAWN).in_bulk()
    found: dict[uuid.UUID, list[Belief]] = defaultdict(list)
    for start, there in pairs:
        if there in contents:
            found[start].append(contents[there])
    return found


def _chain(ids: Iterable[uuid.UUID], role: str, other: str, *, ever: bool = False) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """Each of these with every belief that supersessions lead to from it, the nearest first; `ever` also by those that
    were taken back. At most `LONGEST_CHAIN` steps away."""
    front = {(start, start) for start in ids}
    reached: dict[tuple[uuid.UUID, uuid.UUID], None] = {}
    for _ in range(LONGEST_CHAIN):
        if not front:
            break
        steps = RelationPlayer.objects.filter(
            among("belief", {here for _, here in front}),
            kind="supersession",
            role=role,
            relation__players__role=other,
        )
        if not ever:
            steps = steps.filter(relation__state=Relation.State.ACTIVATED)
        leads: dict[uuid.UUID | None, list[uuid.UUID]] = defaultdict(list)
        for here, there in steps.values_list("belief", "relation__players__belief"):
            if there is not None:
                leads[here].append(there)
        front = {(start, there) for start, here in front for there in leads[here]} - set(reached)
        reached |= dict.fromkeys(sorted(front))
    return list(reached)


class BeliefRow(NamedTuple):
    """What of a belief is searched."""

    pk: uuid.UUID
    content: str
    kind: str
    audience: str
    valid_from: dt.datetime | None
    valid_from_precision: str


def _saying(workspace: Workspace, ids: Sequence[uuid.UUID]) -> QuerySet[Belief, Any]:
    rows = Belief.objects.filter(workspace=workspace, pk__in=ids).exclude(status=Status.DELETED)
    return rows.exclude(standing=Standing.WITHDRAWN).order_by("pk").values_list(*BeliefRow._fields)


def node_ids(workspace: Workspace) -> Iterator[uuid.UUID]:
    """Every node of the workspace but those folded into another, or known from nothing but what is taken back."""
    rows = _known(Node.objects.filter(workspace=workspace)).order_by("pk")
    yield from rows.values_list("pk", flat=True).iterator()


def node_texts(workspace: Workspace, ids: Sequence[uuid.UUID]) -> Iterator[Text]:
    """These nodes by their label, with their class and what else their class declares searchable.

    One of which something is known from a file has a second text without it: it is found by that alone where the file
    is out of sight.
    """
    if not ids:
        return
    ontology = current_ontology(workspace)
    rows = list(_known(Node.objects.filter(workspace=workspace, pk__in=ids)).order_by("pk"))
    elsewhere = _known_elsewhere([one.pk for one in rows if next(_searchable(ontology, one, one.properties), None)])
    for node in rows:
        declared = ontology.document.node_classes.get(node.node_class)
        title = declared.title or node.node_class if declared else node.node_class
        path = "/".join(reversed(ontology.class_line(node.node_class))) if declared else node.node_class
        audience = EVERYONE if node.known_to_all else NARROW
        told = [node.properties]
        if node.pk in elsewhere:
            told.append({name: _held(values, node.properties.get(name)) for name, values in elsewhere[node.pk].items()})
        for part, properties in enumerate(told):
            words = " ".join([title, *_searchable(ontology, node, properties)])
            yield Text(NODE, node.pk, node.label, part=part, label=words, kind=path, audience=audience)


def _held(values: Sequence[Any], now: Any) -> list[Any]:
    """Those of these values that a property has now."""
    held = now if isinstance(now, list) else [now]
    return [one for one in held if one in values]


def _known_elsewhere(nodes: Sequence[uuid.UUID]) -> dict[uuid.UUID, dict[str, Any]]:
    """Of those of these nodes of which something is known from files, or concluded: the values that stand on something
    else by themselves, by property."""
    said = Belief.objects.filter(subject__in=nodes, shape=Belief.Shape.PROPERTY, status=Status.ACTIVATED)
    said = said.filter(audience=Audience.WORKSPACE)
    sourced = RelationPlayer.objects.filter(
        kind="sourcing", role="sourced", belief=OuterRef("pk"), relation__state=Relation.State.ACTIVATED
    )
    apart = sourced.filter(relation__players__source__path="", relation__players__source__isnull=False)
    rows = said.annotate(apart=Exists(apart)) if nodes else said.none().annotate(apart=Exists(apart))
    found: dict[uuid.UUID, dict[str, Any]] = {}
    values = list(rows.order_by("recorded_at", "pk").values_list("subject", "predicate", "value", "apart"))
    for node in {node for node, _, _, is_apart in values if node and not is_apart}:
        found[node] = defaultdict(list)
    for node, predicate, value, is_apart in values:
        if node in found and is_apart:
            found[node][predicate].append(value)
    return found


def _known(nodes: QuerySet[Node]) -> QuerySet[Node]:
    said = Belief.objects.filter(subject=OuterRef("pk"), shape=Belief.Shape.PROPERTY)
    taken_back = Exists(said) & ~Exists(said.exclude(standing=Standing.WITHDRAWN))
    return nodes.exclude(state=Node.State.FOLDED).exclude(taken_back)


def traces(workspace: Workspace, sources: Sequence[uuid.UUID]) -> int:
    """How many entries of beliefs that fell are still there."""
    fallen = Belief.objects.filter(workspace=workspace, standing=Standing.WITHDRAWN).values("pk")
    return IndexEntry.objects.filter(workspace=workspace, target_type=BELIEF, target_id__in=fallen).count()


def unmoved(write: Write, sources: Sequence[uuid.UUID]) -> None:
    """What of the graph changes when a source is taken back is announced by the graph."""


def _searchable(ontology: Ontology, node: Node, properties: Mapping[str, Any]) -> Iterator[str]:
    """What of these properties the node's class declares searchable; nothing of a class that is not declared."""
    if node.node_class not in ontology.document.node_classes:
        return
    for name, declared in sorted(ontology.properties_of(node.node_class).items()):
        value: Any = properties.get(name)
        if declared.searchable and value is not None:
            yield from (str(one) for one in (value if isinstance(value, list) else [value]) if str(one) != node.label)


def _kind(ontology: Ontology, belief: BeliefRow) -> tuple[str, str]:
    """What the kind is called, and the kinds above it down to it."""
    declared = ontology.document.belief_kinds.get(belief.kind)
    if declared is None:
        return belief.kind, belief.kind
    return declared.title or belief.kind, "/".join(reversed(ontology.kind_line(belief.kind)))


def _since(belief: BeliefRow) -> str:
    at = belief.valid_from
    if at is None:
        return ""
    written = _WRITTEN.get(Precision(belief.valid_from_precision))
    return written.format(at=at) if written else f"{at.day} {at:%B %Y}"
