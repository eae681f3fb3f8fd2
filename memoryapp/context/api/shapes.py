"""How the context's answers are described, and the fields that its bodies share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from memoryapp.access.endpoints import described
from memoryapp.context import queries
from memoryapp.context.inputs import EntryInput, LinkInput
from memoryapp.context.models import Audience, EntryRevision, State
from memoryapp.context.services import Done
from memoryapp.context.services.drafts import (
    LONGEST_CONTENT,
    LONGEST_REASON,
    LONGEST_SECTION,
    LONGEST_TITLE,
    MOST_LINKS,
)
from memoryapp.doors.fields import Fields, Flag, Identifier, OneOf, Several, Text, Told, When
from memoryapp.ledger.principal import Principal

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]
LINKED = ("node", "belief", "source")

LINK: Described = {"what": serializers.ChoiceField(choices=LINKED), "id": serializers.UUIDField()}
ENTRY: Described = {
    "id": serializers.UUIDField(),
    "section": serializers.CharField(),
    "title": serializers.CharField(),
    "content": serializers.CharField(help_text="Markdown, in the user's own words."),
    "pinned": serializers.BooleanField(help_text="It is in the block."),
    "expires_at": serializers.CharField(allow_null=True, help_text="From then on it is in no block."),
    "expired": serializers.BooleanField(),
    "state": serializers.ChoiceField(choices=State.choices),
    "links": described("ContextLink", LINK, many=True),
    "audience": serializers.ChoiceField(choices=Audience.choices),
    "recorded_at": serializers.DateTimeField(),
    "changed_at": serializers.DateTimeField(),
    "lock": serializers.IntegerField(),
}
SET: Described = ENTRY | {"changed": serializers.BooleanField(help_text="False when it stood so already.")}
ACT = serializers.UUIDField(help_text="What was done, by the id that undoes it.")
REVISION: Described = {
    "sequence": serializers.IntegerField(),
    **{name: ENTRY[name] for name in ("section", "title", "content", "pinned", "expires_at", "state", "links")},
    "reason": serializers.CharField(),
    "act": ACT,
    "action": serializers.CharField(),
    "recorded_at": serializers.DateTimeField(),
    "by": serializers.CharField(),
    "by_kind": serializers.CharField(),
    "channel": serializers.CharField(),
}


class EntryLinkFields(Fields):
    """What an entry is about, or says again."""

    what = OneOf(choices=LINKED)
    id = Identifier()


class ContentFields(Fields):
    """An entry within its section."""

    title = Text(max_length=LONGEST_TITLE, help_text="By what it is known in its section.")
    content = Text(
        required=False,
        default="",
        allow_blank=True,
        max_length=LONGEST_CONTENT,
        help_text="Markdown, as the user said.",
    )
    pinned = Flag(required=False, default=True, help_text="Whether it is in the block; true unless told.")
    expires_at = When(required=False, help_text="From when on it is in no block; a date lasts until it is over.")
    links = EntryLinkFields(many=True, required=False, max_length=MOST_LINKS, help_text="A belief, source or node.")
    audience = OneOf(required=False, choices=Audience.values, help_text="Whose context it is part of.")
    readers = Several(child=Identifier(), required=False, max_length=100, help_text="Actors, for the audience named.")


class EntryFields(ContentFields):
    """A standing entry. Section and title name it: set again, it is the same one said anew."""

    section = Text(max_length=LONGEST_SECTION, help_text="The heading it stands under.")


class Explained(Told):
    """A change may say why."""

    reason = Text(required=False, default="", allow_blank=True, max_length=LONGEST_REASON, help_text="Why, if need be.")


def entry_input(given: dict[str, Any], section: str) -> EntryInput:
    """An entry as a body tells it, for the services."""
    return EntryInput(
        section=section,
        title=given["title"],
        content=given["content"],
        pinned=given["pinned"],
        expires_at=given.get("expires_at"),
        links=links(given.get("links", ())),
        audience=given.get("audience", Audience.WORKSPACE),
        readers=tuple(given.get("readers", ())),
    )


def links(given: Sequence[dict[str, Any]]) -> tuple[LinkInput, ...]:
    return tuple(LinkInput(one["what"], one["id"]) for one in given)


def told_all(by: Principal, rows: Sequence[EntryRevision]) -> list[dict[str, Any]]:
    """Entries as an answer lists them."""
    at = queries.now(by)
    return [queries.told(one, at) for one in queries.with_links(by, rows)]


def told_done(by: Principal, done: Sequence[Done]) -> list[dict[str, Any]]:
    """Entries after an act, each with whether the act changed it."""
    shown = told_all(by, [one.revision for one in done])
    return [entry | {"changed": one.changed} for entry, one in zip(shown, done, strict=True)]
