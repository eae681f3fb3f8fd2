"""How a body proposes a candidate, and how a candidate is answered."""

from __future__ import annotations

import typing
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from memoryapp.doors.fields import Anything, Fields, Mapped, Number, OneOf, Several, Text, When, Whole
from memoryapp.extraction.agents import CandidateInput
from memoryapp.extraction.models import Candidate
from memoryapp.extraction.proposals import Signal
from memoryapp.graph.api.references import class_name, keys, node_id
from memoryapp.sources.models import Source

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

CANDIDATE: Described = {
    "id": serializers.UUIDField(),
    "state": serializers.ChoiceField(choices=Candidate.State.choices),
    "reason": serializers.CharField(help_text="Why it is in this state."),
    "kind": serializers.CharField(),
    "content": serializers.CharField(),
    "source": serializers.UUIDField(),
    "start": serializers.IntegerField(help_text="First character of the quote in the source, from 0."),
    "end": serializers.IntegerField(),
    "quote": serializers.CharField(),
    "proposal": serializers.DictField(help_text="Owners, subject, predicate, value, object, topic, validity."),
    "confidence": serializers.FloatField(allow_null=True),
    "extractor": serializers.CharField(help_text="Who proposed it."),
    "rule": serializers.CharField(),
    "belief": serializers.UUIDField(allow_null=True, help_text="What it became, or was merged into."),
    "recorded_at": serializers.DateTimeField(),
}


class Mention(serializers.Field[Any, Any, Any, Any]):
    """Somebody or something: by id, by keys, by name, or as a participant of the source's thread."""

    accepted = (
        'a node\'s id, {"class": "person", "keys": {"email": "ines@ferro.example"}}, '
        '{"class": "person", "name": "Ines"} or {"participant": "ines"}'
    )

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if isinstance(data, str):
            return {"node": str(node_id(data))}
        named = frozenset(data) if isinstance(data, dict) else frozenset()
        if named == {"class", "keys"}:
            return {"class": class_name(data["class"]), "keys": keys(data["keys"])}
        if named == {"class", "name"}:
            return {"class": class_name(data["class"]), "name": _name(data["name"])}
        if named == {"participant"}:
            return {"participant": _name(data["participant"])}
        raise ValidationError("This does not name anybody or anything.", code="not_a_node")

    def to_representation(self, value: Any) -> Any:
        return value


def _name(data: Any) -> str:
    if not isinstance(data, str) or not data.strip() or len(data) > 200:
        raise ValidationError("A name is a text of 1 to 200 characters.", code="wrong_type")
    return data


class Proposing(Fields):
    """What is proposed of some quoted words; where they stand is said by those that derive from this."""

    quote = Text(required=False, max_length=20_000, help_text="The words it stands on, letter for letter.")
    start = Whole(required=False, min_value=0, help_text="Where the quote begins, in characters from 0.")
    end = Whole(required=False, min_value=1)
    kind = Text(required=False, max_length=100, help_text="A declared kind; a property or edge is a fact by itself.")
    content = Text(required=False, max_length=20_000, help_text="The statement, in one sentence.")
    owners = Several(child=Mention(), required=False, max_length=20, help_text="Whose it is; else the speaker's.")
    subject = Mention(required=False)
    predicate = Text(required=False, max_length=100, help_text="A declared property or relationship of the subject.")
    value = Anything(required=False)
    object = Mention(required=False)
    qualifiers = Mapped(required=False)
    topic = Text(required=False, max_length=200, help_text="What the statement is about, such as report frequency.")
    attributes = Mapped(required=False)
    valid_from = When(required=False)
    valid_to = When(required=False)
    confidence = Number(required=False, min_value=0, max_value=100)
    signals = Several(
        child=OneOf(choices=typing.get_args(Signal)),
        required=False,
        max_length=6,
        help_text="What the words do: `ends` when they say that something is over.",
    )

    def validate(self, told: dict[str, Any]) -> dict[str, Any]:
        if "quote" not in told and not ("start" in told and "end" in told):
            raise ValidationError({"quote": ["The words it stands on are missing: give quote, or start and end."]})
        return told


def candidate_input(source: Source, item: dict[str, Any]) -> CandidateInput:
    """What was told of one candidate, about the source that was found for it."""
    told = {name: value for name, value in item.items() if name in Proposing().fields}
    for name in ("owners", "signals"):
        told[name] = tuple(told.get(name, ()))
    return CandidateInput(source=source, **told)


def shape(candidate: Candidate) -> dict[str, Any]:
    """A candidate as it is answered."""
    return {
        "id": str(candidate.pk),
        "state": candidate.state,
        "reason": candidate.reason,
        "kind": candidate.kind,
        "content": candidate.content,
        "source": str(candidate.source_id),
        "start": candidate.span_start,
        "end": candidate.span_end,
        "quote": candidate.quote,
        "proposal": candidate.proposal,
        "confidence": candidate.confidence,
        "extractor": candidate.run.extractor,
        "rule": candidate.rule,
        "belief": str(candidate.belief_id) if candidate.belief_id else None,
        "recorded_at": candidate.recorded_at,
    }
