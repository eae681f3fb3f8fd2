"""Answers about forms, as the description of the REST door gives them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

Shape = dict[str, serializers.Field[Any, Any, Any, Any]]

FORM: Shape = {
    "id": serializers.UUIDField(),
    "name": serializers.CharField(),
    "title": serializers.CharField(),
    "live_version": serializers.IntegerField(allow_null=True, help_text="Responses start under it."),
    "latest_version": serializers.IntegerField(),
    "open": serializers.IntegerField(help_text="Responses in sight that are being filled."),
    "submitted": serializers.IntegerField(),
    "accepted": serializers.IntegerField(),
}
VERSION: Shape = {
    "form_id": serializers.UUIDField(),
    "number": serializers.IntegerField(),
    "title": serializers.CharField(),
    "state": serializers.CharField(help_text="draft, live or withdrawn."),
    "digest": serializers.CharField(),
    "recorded_at": serializers.DateTimeField(),
    "published_at": serializers.DateTimeField(allow_null=True),
}
WHOLE_VERSION: Shape = VERSION | {
    "definition": serializers.DictField(help_text="The form, as `form/1`."),
    "problems": serializers.ListField(
        child=serializers.DictField(), help_text="Errors keep it from being published; warnings are worth a look."
    ),
    "report": serializers.DictField(help_text="What became of the sheet: taken, changed, not_understood."),
}
RESPONSE: Shape = {
    "id": serializers.UUIDField(),
    "form": serializers.CharField(),
    "form_id": serializers.UUIDField(),
    "title": serializers.CharField(),
    "version": serializers.IntegerField(),
    "state": serializers.CharField(help_text="draft, submitted, returned, accepted, reopened or void."),
    "commit": serializers.IntegerField(help_text="Its last commit: what a write names as `base`."),
    "submission": serializers.IntegerField(),
    "subject": serializers.DictField(allow_null=True),
    "opened_by": serializers.CharField(),
    "progress": serializers.DictField(help_text="answered, asked, needed, conflict, unconfirmed, held (by gates)."),
    "due_at": serializers.DateTimeField(allow_null=True),
    "opened_at": serializers.DateTimeField(),
    "changed_at": serializers.DateTimeField(),
}
VIEW: Shape = {
    "response": serializers.UUIDField(),
    "commit": serializers.IntegerField(help_text="What you saw: name it as `base`."),
    "state": serializers.CharField(help_text="ready or blocked while it is filled, else how it ended."),
    "line": serializers.CharField(help_text="How it stands, in one line."),
}
VERDICT: Shape = {
    "path": serializers.CharField(help_text="The field, as the form writes it."),
    "verdict": serializers.CharField(help_text="in-force, corroborated, candidate, rejected, declined and others."),
    "message": serializers.CharField(required=False),
    "accepted": serializers.ListField(child=serializers.CharField(), required=False),
    "code": serializers.CharField(required=False),
    "revision": serializers.CharField(required=False),
}
OUTCOME: Shape = {
    "submission": serializers.IntegerField(),
    "binding": serializers.CharField(),
    "row": serializers.CharField(),
    "path": serializers.CharField(),
    "revision": serializers.CharField(help_text="The answer it was written from."),
    "act": serializers.CharField(help_text="create, update, corroborate, append, supersede, retract or review."),
    "says": serializers.CharField(),
    "belief": serializers.UUIDField(allow_null=True),
    "node": serializers.UUIDField(allow_null=True),
    "episode": serializers.UUIDField(allow_null=True),
    "entry": serializers.UUIDField(allow_null=True),
    "file": serializers.UUIDField(allow_null=True),
    "source": serializers.UUIDField(allow_null=True, help_text="The answer as a source."),
    "case": serializers.UUIDField(allow_null=True, help_text="What waits for a person."),
}
PLANNED = serializers.ListField(
    child=serializers.DictField(), help_text="What is written into memory, line by line, each with its act."
)
