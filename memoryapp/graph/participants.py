"""Who takes part in a conversation, or states something, becomes a node, by the identity keys they are known with."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from memoryapp.access.models import Membership
from memoryapp.doors.errors import Conflict, DomainError, Violation
from memoryapp.graph.identity import canonical, distinct, keys_of, missing, nodes_by_key
from memoryapp.graph.models import ActorNode, Node, ParticipantNode
from memoryapp.graph.services.lookalikes import open_ambiguity_case
from memoryapp.graph.services.mentions import names_of
from memoryapp.graph.services.nodes import NodeInput, store
from memoryapp.graph.statements import Quoted
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.normalise import normal_text
from memoryapp.ontology.queries import current_ontology
from memoryapp.sources.models import Participant, Source

PERSON = "person"
"""The class of members."""


def identity_violations(
    workspace: Workspace, node_class: str, identity: Mapping[str, str], path: str
) -> list[Violation]:
    """What is wrong with the identity a participant is given with: the class, a key, a value, or that there is none."""
    ontology = current_ontology(workspace)
    try:
        ontology.concrete_class(node_class, path.rsplit("/", 1)[0] + "/class")
    except DomainError as error:
        return list(error.violations)
    if wrong := ontology.property_violations(node_class, identity, path):
        return wrong
    return [] if keys_of(ontology, node_class, identity) else [missing(ontology, node_class, path)]


def bind_participants(write: Write, sources: Sequence[Source]) -> None:
    """Find or make the node of every participant who speaks for the first time and came with identity keys.

    Who cannot be told apart (keys of two nodes, or of another class) stays unbound and a person is asked: what was told
    is kept in any case.
    """
    first: dict[Any, Source] = {}
    for source in sources:
        if source.participant_id is not None:
            first.setdefault(source.participant_id, source)
    bound = ParticipantNode.objects.filter(participant__in=list(first)).values("participant")
    people = list(Participant.objects.filter(pk__in=list(first)).exclude(pk__in=bound).exclude(identity={}))
    if not people:
        return
    ontology = current_ontology(write.workspace)
    clear = [given for person in people if (given := _given(write, ontology, person, first[person.pk]))]
    try:
        with transaction.atomic():
            _bind(write, clear)
    except Conflict:
        for given in clear:
            _bind_alone(write, given)


@dataclass(frozen=True)
class _Given:
    """A participant as a description of a node, and the node that their keys lead to already."""

    person: Participant
    node: NodeInput
    held: Node | None


def _given(write: Write, ontology: Ontology, person: Participant, turn: Source) -> _Given | None:
    """What is to be stored of a participant; none when a person has to say who they are."""
    properties: dict[str, Any] = dict(person.identity)
    keys = keys_of(ontology, person.node_class, canonical(ontology, person.node_class, properties))
    held = distinct(list(nodes_by_key(write.workspace, keys).values()))
    if len(held) > 1 or any(not ontology.is_class(node.node_class, person.node_class) for node in held):
        open_ambiguity_case(write, held)
        return None
    found = held[0] if held else None
    _call_by_name(ontology, person.node_class, person.name, found, properties)
    return _Given(person, NodeInput(person.node_class, properties, (Quoted(turn),)), found)


def _bind(write: Write, several: Sequence[_Given]) -> None:
    stored = store(write, [given.node for given in several])
    ParticipantNode.objects.bulk_create(
        ParticipantNode(workspace=write.workspace, participant=given.person, node=one.node, write=write)
        for given, one in zip(several, stored, strict=True)
    )


def _bind_alone(write: Write, given: _Given) -> None:
    try:
        with transaction.atomic():
            _bind(write, [given])
    except Conflict as refused:
        nodes = Node.objects.filter(workspace=write.workspace, pk__in=refused.extra.get("nodes", ()))
        if nodes:
            open_ambiguity_case(write, list(nodes))


def bind_members(write: Write, sources: Sequence[Source]) -> None:
    """Find or make the node of every member who states something for the first time: by the e-mail address of their
    account, else by its name. Who cannot be told apart stays unbound, and what they said waits for a person.
    """
    stated = {source.member_id: source for source in sources if source.member_id is not None}
    known = set(
        ActorNode.objects.filter(workspace=write.workspace, actor__in=list(stated)).values_list("actor", flat=True)
    )
    for member_id, source in stated.items():
        if member_id in known:
            continue
        with contextlib.suppress(DomainError), transaction.atomic():
            _bind_member(write, source)


def _bind_member(write: Write, source: Source) -> None:
    membership = Membership.objects.select_related("user", "actor").get(actor=source.member_id)
    user, ontology = membership.user, current_ontology(write.workspace)
    properties: dict[str, Any] = {"email": user.email} if user.email else {"handle": user.username}
    keys = keys_of(ontology, PERSON, canonical(ontology, PERSON, properties))
    held = distinct(list(nodes_by_key(write.workspace, keys).values()))
    _call_by_name(ontology, PERSON, membership.actor.name, held[0] if held else None, properties)
    made = store(write, [NodeInput(PERSON, properties, (Quoted(source),))])
    ActorNode.objects.create(workspace=write.workspace, actor=membership.actor, node=made[0].node, write=write)


def _call_by_name(
    ontology: Ontology, node_class: str, called_by: str, held: Node | None, properties: dict[str, Any]
) -> None:
    """Take the displayed name as the name of somebody who has none yet, else as one more alias."""
    name = " ".join(called_by.split())
    known = ontology.properties_of(node_class)
    if not name or "name" in properties or (held is not None and normal_text(name) in names_of(held)):
        return
    called = "name" if held is None or "name" not in held.properties else "alias"
    if called in known and not ontology.property_violations(node_class, {called: name}):
        properties[called] = name
