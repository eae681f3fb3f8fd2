"""Which nodes a member or agent is, and which node somebody means by the words they type."""

from __future__ import annotations

import uuid

from django.db.models import Q, QuerySet

from memoryapp.doors.errors import Invalid, NotFound
from memoryapp.graph.identity import unfolded
from memoryapp.graph.models import ActorNode, IdentityKey, Node
from memoryapp.ledger.models import Actor
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.normalise import NORMALISERS, key_text

NAMED = 5
"""Nodes that a refusal names, where several are meant."""


def nodes_of(by: Principal, actor: Actor) -> QuerySet[ActorNode]:
    """The nodes in sight that this member or agent is, each with who said so."""
    found = ActorNode.objects.filter(node__in=Node.objects.visible_to(by), actor=actor)
    return found.select_related("node", "write__actor").order_by("pk")


def reader(by: Principal, actor_id: uuid.UUID) -> Actor:
    """The member or agent with this id as a reader. Raises NotFound `no_such_reader`."""
    kinds = [Actor.Kind.PERSON, Actor.Kind.AGENT]
    found = Actor.objects.filter(workspace=by.workspace, pk=actor_id, kind__in=kinds).first()
    if found is None:
        raise NotFound("There is no such member or agent.", code="no_such_reader")
    return found


def meant(by: Principal, words: str) -> Node:
    """The one active node with this id, with this value as an identity key, or called so in any case.

    Raises NotFound `no_such_node`, and Invalid `several_nodes` with the ids where the words fit more than one.
    """
    words = " ".join(words.replace("\x00", "").split())
    found = list(_fitting(by, words)[: NAMED + 1]) if words else []
    if not found:
        raise NotFound("No node has that name, key or id.", code="no_such_node")
    if len(found) > 1:
        named = ", ".join(f"{node.pk} ({node.node_class} {node.label})" for node in found[:NAMED])
        raise Invalid.at("/node", "several_nodes", f"“{words}” may be one of several.", f"the id of one: {named}")
    return found[0]


def _fitting(by: Principal, words: str) -> QuerySet[Node]:
    nodes = Node.objects.visible_to(by)
    try:
        one = nodes.filter(pk=uuid.UUID(words)).select_related("folded_into").first()
    except ValueError:
        one = None
    if one is not None:
        return nodes.filter(pk=unfolded(one).pk)
    keys = IdentityKey.objects.filter(workspace=by.workspace, active=True, value__in=_as_keys(words))
    fits = Q(label__iexact=words) | Q(pk__in=keys.values("node"))
    return nodes.filter(fits, state=Node.State.ACTIVE).order_by("pk")


def _as_keys(words: str) -> set[str]:
    return {key_text(words, normaliser) for normaliser in NORMALISERS} - {""}
