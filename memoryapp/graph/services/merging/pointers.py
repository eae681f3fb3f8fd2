"""What of the graph refers to a node by a column that follows when it is folded or split."""

from __future__ import annotations

import uuid

from django.db.models import OuterRef, Q, QuerySet
from django.db.models.expressions import Exists

from memoryapp.graph.models import ActorNode, Belief, IdentityKey, Mention, ParticipantNode, Relation, RelationPlayer
from memoryapp.graph.referring import Pointer, register

SUBJECT = "belief.subject"
OBJECT = "belief.object"
PLAYER = "player.node"
KEY = "key.node"
MENTION = "mention.node"


def register_pointers() -> None:
    """Let the tables of the graph follow."""
    register(Pointer(SUBJECT, Belief, "subject", "statements about it"))
    register(Pointer(OBJECT, Belief, "object", "edges to it"))
    register(Pointer(PLAYER, RelationPlayer, "node", "parts in relations, its own memories among them", playing))
    register(Pointer(KEY, IdentityKey, "node", "identity keys"))
    register(Pointer(MENTION, Mention, "node", "names said of it"))
    register(Pointer("mention.circle", Mention, "circle", "names it said"))
    register(Pointer("participant.node", ParticipantNode, "node", "parts in conversations"))
    register(Pointer("actor.node", ActorNode, "node", "members and agents it is", _bound))


def playing(rows: QuerySet[RelationPlayer], node: uuid.UUID) -> QuerySet[RelationPlayer]:
    """Those in a relation in which the other node plays as well, or that make it own what it owns already."""
    beside = RelationPlayer.objects.filter(relation=OuterRef("relation"), node=node)
    return rows.filter(Q(Exists(beside)) | Q(kind="ownership", role="owner", relation__in=_owned_by_both(rows, node)))


def _owned_by_both(rows: QuerySet[RelationPlayer], node: uuid.UUID) -> list[uuid.UUID]:
    """The ownerships among these of beliefs that the node owns as well."""
    owning = rows.filter(kind="ownership", role="owner", relation__state=Relation.State.ACTIVATED).values("relation")
    other = RelationPlayer.objects.filter(
        kind="ownership", role="owner", node=node, relation__state=Relation.State.ACTIVATED
    ).values("relation")
    owned = RelationPlayer.objects.filter(kind="ownership", role="owned")
    theirs = set(owned.filter(relation__in=other).values_list("belief", flat=True))
    mine = owned.filter(relation__in=owning).values_list("relation", "belief")
    return [relation for relation, belief in mine if belief in theirs]


def _bound(rows: QuerySet[ActorNode], node: uuid.UUID) -> QuerySet[ActorNode]:
    return rows.filter(actor__in=ActorNode.objects.filter(node=node).values("actor"))
