"""How the timeline's answers are described, and the parameters its lists share."""

from __future__ import annotations

import re
import uuid
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from memoryapp.access.endpoints import described
from memoryapp.doors import strict
from memoryapp.doors.errors import DomainError
from memoryapp.doors.fields import Flag, Identifier, Paged, Several, Text, When
from memoryapp.graph.api.shapes import NEIGHBOUR
from memoryapp.ledger.principal import Principal
from memoryapp.timeline.models import Audience, State
from memoryapp.timeline.queries import Asked
from memoryapp.timeline.queries.connected import Circle, connected, found_by
from memoryapp.timeline.queries.having import AsTyped

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

TAKES_PART: Described = {
    "node": described("TakesPart", NEIGHBOUR),
    "role": serializers.CharField(),
}
EPISODE: Described = {
    "id": serializers.UUIDField(),
    "kind": serializers.CharField(),
    "content": serializers.CharField(help_text="What happened; empty of a conversation, whose turns say it."),
    "state": serializers.ChoiceField(choices=State.choices),
    "occurred_at": serializers.CharField(allow_null=True, help_text="Of a moment, as exactly as it is known."),
    "occurred_from": serializers.CharField(allow_null=True, help_text="Of an interval; null when that end is open."),
    "occurred_to": serializers.CharField(allow_null=True),
    "participants": described("Participation", TAKES_PART, many=True),
    "properties": serializers.DictField(),
    "thread": serializers.UUIDField(allow_null=True, help_text="The conversation that it is."),
    "external_id": serializers.CharField(),
    "audience": serializers.ChoiceField(choices=Audience.choices),
    "recorded_at": serializers.DateTimeField(),
    "amended_at": serializers.DateTimeField(allow_null=True),
    "lock": serializers.IntegerField(),
}
NARROWED: Described = {
    "where_cut": serializers.BooleanField(required=False, help_text="A fuzzy comparison did not look at every value."),
}
CONNECTED: Described = NARROWED | {
    "connected": described("ConnectedTakingPart", NEIGHBOUR, many=True, required=False),
    "connected_cut": serializers.BooleanField(required=False, help_text="More are connected than were asked for."),
}
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Connection(Text):
    """A relationship and who it leads to, as `worksAt:Acme` or with the node's id."""

    accepted = "relationship:name, or relationship:id"

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=500, **options)

    def to_internal_value(self, data: Any) -> Any:
        relationship, colon, who = str(super().to_internal_value(data)).partition(":")
        if not colon or not relationship or not who.strip():
            raise ValidationError("This names no relationship and node.", code="not_a_pair")
        return relationship, uuid.UUID(who) if _UUID.fullmatch(who) else who


class Condition(Text):
    """A property with its value, as `property:value`; or a condition as JSON, as a question to the graph takes it."""

    accepted = 'property:value, or JSON such as {"amount": {"gt": 12}}'

    def to_internal_value(self, data: Any) -> Any:
        text = str(super().to_internal_value(data))
        if text.lstrip().startswith("{"):
            return self._read(text)
        name, colon, value = text.partition(":")
        if not colon or not name:
            raise ValidationError("This names no property and value.", code="not_a_pair")
        return {name: AsTyped(value)}

    def _read(self, text: str) -> Any:
        try:
            return strict.read(text.encode())
        except DomainError as error:
            raise ValidationError("This is no JSON.", code="not_json") from error


class Conditions(Several):
    """Conditions that all hold; a single one as itself, so that its place is named without a number."""

    def to_internal_value(self, data: Any) -> Any:
        found = super().to_internal_value(data)
        return found[0] if len(found) == 1 else found


class WhatHappened(Paged):
    """What every list of episodes may be narrowed by."""

    kind = Several(child=Text(max_length=100), required=False, max_length=20, help_text="With every kind below it.")
    exact = Flag(required=False, help_text="The kinds alone.")
    participant = Several(child=Identifier(), required=False, max_length=20, help_text="Nodes: one of them took part.")
    every = Flag(required=False, help_text="All of these participants took part.")
    role = Text(required=False, max_length=100, help_text="The role in which they took part.")
    connected = Connection(
        required=False, help_text="Anyone connected so took part: worksAt:Acme, by exact name or id, up to 500."
    )
    where = Conditions(
        child=Condition(max_length=4000),
        required=False,
        max_length=10,
        help_text='Of properties, all of it: location:Porto, or {"amount": {"gt": 12}}, with any operator.',
    )
    known_at = When(required=False, help_text="As it was known then.")


def asked_for(by: Principal, given: dict[str, Any], time_zone: str | None = None) -> tuple[Asked, Circle | None]:
    """The question that these parameters ask, and who is connected when that is asked."""
    circle = connected(by, *given["connected"]) if "connected" in given else None
    if "who" in given:
        circle = found_by(by, given["who"], circle, time_zone=time_zone)
    known = {name: given[name].instant for name in ("since", "until", "known_at", "valid_at") if name in given}
    return (
        Asked(
            kinds=tuple(given.get("kind", given.get("kinds", ()))),
            exact=given.get("exact", False),
            participants=tuple(given.get("participant", given.get("participants", ()))),
            every=given.get("every", False),
            anyone=circle.nodes if circle else None,
            role=given.get("role", ""),
            where=given.get("where"),
            time_zone=time_zone,
            thread=given.get("thread"),
            history=given.get("history", False),
            **known,
        ),
        circle,
    )
