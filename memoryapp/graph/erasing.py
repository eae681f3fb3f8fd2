"""What is erased of the graph: a person with all that was said of them, and what rested on sources that go.

The row of a belief stays as a tombstone: its id, times, history and place among others, without its words. The node
stays too, nameless, so that no relation loses a player.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.db.models import F, Q

from memoryapp.doors.errors import NotFound
from memoryapp.graph import changes
from memoryapp.graph.models import (
    ActorNode,
    Belief,
    BeliefState,
    IdentityKey,
    Mention,
    Node,
    NodeState,
    ParticipantNode,
    Relation,
    RelationPlayer,
    RelationState,
)
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.queries.relations import relations as relations_seen
from memoryapp.graph.queries.walks import Support
from memoryapp.graph.queries.why import APART
from memoryapp.graph.services import conflict
from memoryapp.graph.services.assembling import change_relation
from memoryapp.graph.services.beliefs import CHUNK, state_of
from memoryapp.graph.services.keying import rekey
from memoryapp.graph.services.withdrawing import concerned
from memoryapp.ledger import erasing
from memoryapp.ledger.among import found_by, whose
from memoryapp.ledger.erasing import Blanks, Changed, Eraser, Marked
from memoryapp.ledger.fingerprints import texts_in
from memoryapp.ledger.models import Actor, Write
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import Participant, Source

ERASED = "Erased."
NAMELESS = "Erased"
NAMES = {"name", "alias"}
SHOWN = 200


def register() -> None:
    """Take part in erasures."""
    erasing.register_target("node", _begin)
    says = ((Belief, "content"), (RelationPlayer, "quote"))
    erasing.register(
        "graph",
        Eraser(_mark, _prepare, _finish, own=(Belief,), says=says, blanks=BLANKS, examples=_examples),
    )


def _begin(by: Principal, node_id: uuid.UUID, marked: Marked) -> None:
    everything = by.actor.kind == Actor.Kind.SYSTEM
    nodes = Node.objects.filter(workspace=by.workspace) if everything else Node.objects.visible_to(by)
    node = nodes.filter(pk=node_id).select_related("folded_into").first()
    if node is None:
        raise NotFound("There is no such node.", code="no_such_node")
    while node.folded_into is not None:
        node = node.folded_into
    marked.name = node.label
    marked.add(Node, [node.pk])


def _mark(marked: Marked) -> None:
    if nodes := marked.of(Node):
        _mark_person(marked, nodes)
    _mark_beliefs(marked)
    if marked.seen_by is not None:
        seen = Belief.objects.visible_to(marked.seen_by).filter(pk__in=marked.of(Belief))
        marked.rows[Belief] = set(seen.values_list("pk", flat=True))
    beliefs, relations = marked.of(Belief), marked.of(Relation)
    sourced = RelationPlayer.objects.filter(
        Q(belief__in=beliefs) | Q(played_by__in=relations), kind="sourcing", role="sourced"
    )
    quoting = Q(source__in=marked.of(Source)) | Q(relation__in=sourced.values("relation"), source__isnull=False)
    quotes = RelationPlayer.objects.filter(quoting)
    if marked.seen_by is not None:
        quotes = quotes.filter(relation__in=relations_seen(marked.seen_by, retracted=True).values("pk"))
    marked.add(RelationPlayer, quotes.values_list("pk", flat=True))
    marked.add(Mention, Mention.objects.filter(source__in=marked.of(Source)).values_list("pk", flat=True))
    states = BeliefState.objects.filter(belief__in=beliefs)
    marked.add(BeliefState, states.values_list("pk", flat=True))
    marked.add(RelationState, RelationState.objects.filter(relation__in=relations).values_list("pk", flat=True))
    marked.add(Write, states.values_list("write", flat=True))


def _mark_person(marked: Marked, nodes: set[uuid.UUID]) -> None:
    """Everything by which a person is known, what they are in other rooms, and what is said of them alone."""
    marked.add(Node, Node.objects.filter(folded_into__in=nodes).values_list("pk", flat=True))
    became = NodeState.objects.filter(node__in=marked.of(Node))
    marked.add(NodeState, became.values_list("pk", flat=True))
    marked.add(Write, became.values_list("write", flat=True))
    keys = IdentityKey.objects.filter(node__in=nodes)
    marked.add(IdentityKey, keys.values_list("pk", flat=True))
    single = keys.exclude(key_set__contains="+")
    named = NAMES | set(single.values_list("key_set", flat=True))
    about = Belief.objects.filter(Q(subject__in=nodes) | Q(object__in=nodes), workspace=marked.workspace)
    values = about.filter(subject__in=nodes, shape=Belief.Shape.PROPERTY, predicate__in=named)
    marked.words |= {text for value in values.values_list("value", flat=True) for text in texts_in(value) if text}
    marked.words |= set(single.values_list("value", flat=True)) | {marked.name}
    bound = ParticipantNode.objects.filter(node__in=nodes)
    marked.add(Participant, bound.values_list("participant", flat=True))
    marked.words |= {name for name in bound.values_list("participant__name", flat=True) if name.strip()}
    people = ActorNode.objects.filter(node__in=nodes, actor__kind=Actor.Kind.PERSON)
    marked.add(Actor, people.values_list("actor", flat=True))
    mentions = Mention.objects.filter(node__in=nodes)
    marked.add(Mention, mentions.values_list("pk", flat=True))
    for source, start, end in mentions.values_list("source", "span_start", "span_end"):
        marked.spans.add((Source, source, "content", start, end))
    marked.add(Belief, about.values_list("pk", flat=True))
    marked.add(Belief, _owned_alone(nodes))
    playing = Relation.objects.filter(players__node__in=nodes).exclude(kind__in=APART)
    marked.add(Relation, playing.values_list("pk", flat=True))


def _owned_alone(nodes: set[uuid.UUID]) -> list[uuid.UUID]:
    """Beliefs that are nobody else's memory."""
    owned = RelationPlayer.objects.filter(kind="ownership", relation__players__node__in=nodes, role="owned")
    beliefs = list(owned.values_list("belief", flat=True))
    others = RelationPlayer.objects.filter(
        kind="ownership", role="owner", relation__state=Relation.State.ACTIVATED, relation__players__belief__in=beliefs
    ).exclude(node__in=nodes)
    shared = RelationPlayer.objects.filter(found_by("relation", others.values("relation")), role="owned").values(
        "belief"
    )
    kept = set(Belief.objects.filter(pk__in=shared).values_list("pk", flat=True))
    return [one for one in beliefs if one is not None and one not in kept]


def _mark_beliefs(marked: Marked) -> None:
    """What nothing holds up once the sources and the beliefs marked so far are gone."""
    if marked.of(Source) or marked.of(Belief):
        support = Support.without(sources=marked.of(Source), beliefs=marked.of(Belief))
        marked.add(Belief, support.lost())


def _prepare(write: Write, marked: Marked) -> None:
    for relation in Relation.objects.filter(pk__in=marked.of(Relation), state=Relation.State.ACTIVATED):
        change_relation(write, relation, reason=ERASED, state=Relation.State.RETRACTED)
    gone = _bury(write, marked)
    others = conflict.reconsider(write, concerned(write, gone))
    changes.announce(write, [*gone, *others])
    IdentityKey.objects.filter(pk__in=marked.of(IdentityKey)).update(active=False)
    Mention.objects.filter(pk__in=marked.of(Mention)).update(dismissed=True)
    nodes = Node.objects.filter(pk__in=marked.of(Node))
    nodes.exclude(state=Node.State.FOLDED).update(state=Node.State.RETIRED)
    nodes.update(label=NAMELESS, bare_label="", initials=None, initialled=None, properties={}, lock=F("lock") + 1)
    changes.announce(write, list(nodes))


def _bury(write: Write, marked: Marked) -> list[Belief]:
    """Leave of each belief the tombstone: deleted, without content, with a state that says when and by whom."""
    ids, buried = sorted(marked.of(Belief)), []
    for start in range(0, len(ids), CHUNK):
        living = Belief.objects.filter(pk__in=ids[start : start + CHUNK]).exclude(status=Status.DELETED)
        several = list(living)
        latest = {
            state.belief_id: state
            for state in BeliefState.objects.filter(whose("belief", Belief, lock=F("sequence")), belief__in=several)
        }
        states = []
        for belief in several:
            belief.status, belief.standing, belief.lock = Status.DELETED, Standing.WITHDRAWN, belief.lock + 1
            states.append(state_of(write, belief, latest[belief.pk].owners, ERASED))
        BeliefState.objects.bulk_create(states)
        for belief in several:
            Belief.objects.filter(pk=belief.pk).update(
                status=Status.DELETED,
                standing=Standing.WITHDRAWN,
                lock=belief.lock,
                content="",
                attributes={},
                value=None,
                value_key=b"",
                qualifiers={},
                topic="",
                slot="",
                statement=f"erased:{belief.pk}",
            )
        buried += several
    return buried


def _finish(write: Write, marked: Marked, blotted: Changed) -> None:
    """What was blotted in beliefs of others is indexed as it stands, and no digest tells what stood there."""
    changed = Belief.objects.filter(pk__in=blotted.get(Belief, set()) - marked.of(Belief))
    for belief in changed:
        Belief.objects.filter(pk=belief.pk).update(statement=f"erased:{belief.pk}")
    rekey(write, changed)
    nodes = Node.objects.filter(pk__in=blotted.get(Node, set()) - marked.of(Node))
    changes.announce(write, [*changed, *nodes])


def _examples(marked: Marked) -> list[str]:
    found = Belief.objects.filter(pk__in=marked.of(Belief)).exclude(content="").order_by("-recorded_at", "pk")
    return [text[:SHOWN] for text in found.values_list("content", flat=True)[: erasing.EXAMPLES]]


def _said_why(row: Any) -> str:
    return ERASED


BLANKS: Blanks = {
    (BeliefState, "reason"): _said_why,
    (RelationState, "reason"): _said_why,
    (NodeState, "reason"): _said_why,
    (IdentityKey, "value"): lambda row: f"erased:{row.pk}",
}
"""The database wants a reason for every state, and a key that is nobody else's."""
