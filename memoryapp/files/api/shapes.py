"""How answers about files are described, and what their bodies and parameters share."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memoryapp.access.endpoints import Endpoint, described
from memoryapp.access.paths.normal import ACCEPTED
from memoryapp.doors.errors import Malformed
from memoryapp.doors.etags import etag, named_lock
from memoryapp.doors.fields import Fields, Mapped, OneOf, Several, Text
from memoryapp.files.inputs import About, LinkInput
from memoryapp.files.models import Entry, Form, Kind, Link, State, Version
from memoryapp.files.queries import extraction
from memoryapp.files.services.drafts import LONGEST_TAG, MOST_LINKS, MOST_SUMMARY, MOST_TAGS

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

ENTRY: Described = {
    "id": serializers.UUIDField(help_text="Its own, wherever it is moved."),
    "path": serializers.CharField(),
    "name": serializers.CharField(),
    "kind": serializers.ChoiceField(choices=Kind.choices),
    "form": serializers.CharField(help_text=f"Of a file: {', '.join(Form.values)}."),
    "size": serializers.IntegerField(help_text="Characters of its text; bytes of an attachment."),
    "state": serializers.ChoiceField(choices=State.choices),
    "modified_at": serializers.DateTimeField(),
    "lock": serializers.IntegerField(help_text="The number of its latest version: what a change must name."),
}
LINKED: Described = {"to": serializers.ChoiceField(choices=Link.To.choices), "target": serializers.CharField()}
VERSION: Described = {
    "version": serializers.IntegerField(),
    "action": serializers.CharField(help_text="write, edit, move, remove ..."),
    "path": serializers.CharField(help_text="Where it stood then."),
    "state": serializers.ChoiceField(choices=State.choices),
    "summary": serializers.CharField(),
    "tags": serializers.ListField(child=serializers.CharField()),
    "properties": serializers.DictField(),
    "links": described("FileLinkPutDown", LINKED, many=True),
    "form": serializers.CharField(),
    "size": serializers.IntegerField(),
    "lines": serializers.IntegerField(),
    "url": serializers.CharField(help_text="Of the form url: where its text stood."),
    "taken_at": serializers.DateTimeField(allow_null=True, help_text="Of the form url: when."),
    "media_type": serializers.CharField(help_text="Of an attachment."),
    "reason": serializers.CharField(),
    "recorded_at": serializers.DateTimeField(),
    "by": serializers.CharField(),
    "by_kind": serializers.CharField(),
    "channel": serializers.CharField(),
}
WHOLE: Described = VERSION | ENTRY
EXTRACTION = described(
    "FileExtraction",
    {
        "state": serializers.ChoiceField(
            choices=["read", "waiting", "failed", "cancelled", "none"], help_text="none: there is no text to be found."
        ),
        "why": serializers.CharField(help_text="Why it failed."),
        "job": serializers.UUIDField(allow_null=True),
    },
    allow_null=True,
    help_text="Of an attachment: how far the text in it is.",
)


class Path(Text):
    """A path in the tree."""

    accepted = ACCEPTED

    def __init__(self, **options: Any) -> None:
        options.setdefault("help_text", "An absolute path.")
        super().__init__(max_length=2000, **options)


class LinkFields(Fields):
    """Where a file leads."""

    to = OneOf(choices=Link.To.values, help_text="What it leads to.")
    target = Text(max_length=2000, help_text="A path, or an id.")


class AboutFields(Fields):
    """What is put down beside a file's text."""

    summary = Text(required=False, allow_blank=True, max_length=MOST_SUMMARY, help_text="What it is, in a sentence.")
    tags = Several(child=Text(max_length=LONGEST_TAG), required=False, max_length=MOST_TAGS)
    properties = Mapped(required=False, help_text="Free keys.")
    links = LinkFields(many=True, required=False, max_length=MOST_LINKS, help_text="In place of those before.")


def about_of(given: dict[str, Any]) -> About:
    """What a body says beside the text."""
    links = given.get("links")
    return About(
        summary=given.get("summary"),
        tags=tuple(given["tags"]) if "tags" in given else None,
        properties=given.get("properties"),
        links=tuple(LinkInput(one["to"], one["target"]) for one in links) if links is not None else None,
    )


def lock_of(endpoint: Endpoint, given: dict[str, Any]) -> int | None:
    """The lock that If-Match or the body names; both may not name different ones."""
    header = endpoint.request.headers.get("If-Match")
    said: int | None = given.get("lock")
    if header is None:
        return said
    named = named_lock(header)
    if said is not None and said != named:
        message = "If-Match names another lock."
        raise Malformed.at("/lock", "said_twice", message, "one of the two")
    return named


def told_extraction(version: Version) -> dict[str, Any] | None:
    """How it stands with the text of an attachment."""
    found = extraction(version)
    return {"state": found.state, "why": found.why, "job": found.job and str(found.job)} if found else None


def located(entry: Entry) -> dict[str, str]:
    """The headers of an answer about one entry."""
    return {"ETag": etag(entry.lock)}
