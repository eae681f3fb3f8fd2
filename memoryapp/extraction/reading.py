"""From stored sources to what an extractor reads, and from what it finds to proposals about those sources."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from memoryapp.extraction.candidates import Proposed
from memoryapp.extraction.proposals import Conversation, Mention, Moment, Participant, Proposal, Turn
from memoryapp.graph.models import ActorNode, ParticipantNode
from memoryapp.sources.models import Source


def conversation_of(sources: Sequence[Source]) -> Conversation:
    """The sources as turns, in the order given. What a member wrote down reads as their own turn."""
    people = {source.participant_id: source.participant for source in sources if source.participant}
    members = {source.member_id: source.member for source in sources if source.member}
    return Conversation(
        turns=tuple(_turn(index, source) for index, source in enumerate(sources)),
        participants=tuple(
            Participant(
                str(participant.pk), participant.name or participant.key, participant.role, participant.identity
            )
            for participant in people.values()
        )
        + tuple(Participant(str(member.pk), member.name) for member in members.values()),
    )


def nodes_of_speakers(sources: Sequence[Source]) -> dict[str, uuid.UUID]:
    """Id of a participant, or of a member who stated something, to node id: for those that are known."""
    ids = {source.participant_id for source in sources if source.participant_id}
    stated = {source.member_id for source in sources if source.member_id}
    bound = ParticipantNode.objects.filter(participant__in=ids).values_list("participant_id", "node_id")
    members = ActorNode.objects.filter(actor__in=stated).order_by("-pk").values_list("actor_id", "node_id")
    return {str(speaker): node for speaker, node in (*bound, *(members if stated else ()))}


def proposed_from(proposal: Proposal, sources: Mapping[str, Source], nodes: Mapping[str, uuid.UUID]) -> Proposed:
    """A rule's proposal as a proposal about its stored source, its participants turned into nodes."""
    details: dict[str, Any] = {
        "owners": [{"node": str(nodes[key])} for key in proposal.owners if key in nodes],
        "subject": _reference(proposal.subject, nodes),
        "predicate": proposal.predicate,
        "value": proposal.value,
        "object": _reference(proposal.object, nodes),
        "topic": proposal.topic,
        "valid_from": _as_text(proposal.valid_from),
        "valid_to": _as_text(proposal.valid_to),
        "attributes": dict(proposal.attributes),
        "signals": list(proposal.signals),
        "replaces": proposal.replaces,
    }
    return Proposed(
        source=sources[proposal.span.turn],
        start=proposal.span.start,
        end=proposal.span.end,
        kind=proposal.kind,
        content=proposal.content,
        details={name: value for name, value in details.items() if value},
        confidence=float(proposal.confidence),
        rule=proposal.rule,
    )


def _turn(index: int, source: Source) -> Turn:
    participant = source.participant
    spoken_by = participant or source.member
    return Turn(
        id=str(source.pk),
        position=index,
        speaker=source.speaker or ("user" if source.kind == Source.Kind.STATEMENT else "system"),  # type: ignore[arg-type]
        by=str(spoken_by.pk) if spoken_by else "",
        by_name=(spoken_by.name or spoken_by.key) if spoken_by else "",
        text=source.content,
        said_at=source.said_at,
        zone=source.said_zone,
    )


def _reference(mention: Mention | None, nodes: Mapping[str, uuid.UUID]) -> dict[str, Any] | None:
    if mention is None:
        return None
    if mention.key in nodes:
        return {"node": str(nodes[mention.key])}
    return {"class": mention.class_name or "thing", "name": mention.name}


def _as_text(moment: Moment | None) -> str:
    return moment.as_text() if moment else ""
