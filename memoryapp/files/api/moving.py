"""Moving files over REST, taking them away and bringing them back."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described
from memoryapp.doors.errors import Malformed
from memoryapp.doors.fields import Flag, Identifier, Text, Told, Whole
from memoryapp.files import queries, services
from memoryapp.files.api.shapes import WHOLE, Path, located, lock_of
from memoryapp.files.api.writing import answer
from memoryapp.files.services import Removed
from memoryapp.files.services.removing import LONGEST_REASON
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal

MANY = WHOLE | {"count": serializers.IntegerField(help_text="Entries in all.")}


class Moving(Told):
    """From where to where."""

    source = Path(help_text="What is moved.")
    target = Path(help_text="Where nothing is yet.")
    lock = Whole(required=False, min_value=1, help_text="The version that was seen; also as If-Match.")


class MoveFile(Endpoint):
    """A file or directory moved."""

    needs = {"post": "write_files"}
    body = {"post": Moving}

    @extend_schema(
        operation_id="move_file",
        tags=["files"],
        summary="Move a file or directory",
        description="It keeps its id and history, and links that pointed at it are written anew. Refused whole when "
        "anything of it may not be written.",
        responses=described(
            "FileMoved",
            MANY
            | {
                "relinked": serializers.ListField(child=serializers.CharField(), help_text="Files with links anew."),
                "links_left": serializers.ListField(
                    child=serializers.CharField(), help_text="Files whose links lead nowhere: not yours to write."
                ),
            },
        ),
        examples=[
            OpenApiExample(
                "Into another directory",
                value={"source": "/notes/harbour/berths.md", "target": "/projects/harbour/berths.md"},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        given = self.content
        lock = lock_of(self, given)

        def act(write: Write) -> Answer:
            done = services.move(write, given["source"], given["target"], lock=lock)
            body = queries.told_whole(self.by, done.entry, done.version)
            body |= {"count": done.count, "relinked": done.relinked, "links_left": done.links_left}
            return Answer(body, 200, located(done.entry))

        return self.write("move_file", act)


class Removing(Told):
    """What is taken away."""

    path = Path()
    recursive = Flag(required=False, help_text="A directory with everything below it.")
    reason = Text(required=False, allow_blank=True, max_length=LONGEST_REASON, help_text="Why, in a sentence.")
    lock = Whole(required=False, min_value=1, help_text="The version that was seen; also as If-Match.")


class RemoveFile(Endpoint):
    """A file or directory taken away."""

    needs = {"post": "remove_files"}
    body = {"post": Removing}

    @extend_schema(
        operation_id="remove_file",
        tags=["files"],
        summary="Remove a file or directory",
        description="A tombstone stays, and it can be restored. Refused whole when anything of it may not be written.",
        responses=described("FileRemoved", MANY),
        examples=[
            OpenApiExample(
                "A file",
                value={"path": "/notes/harbour/berths.md", "reason": "It is in the contract now."},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        given = self.content
        lock = lock_of(self, given)

        def act(write: Write) -> Answer:
            done = services.remove(
                write,
                given["path"],
                recursive=given.get("recursive", False),
                reason=given.get("reason", ""),
                lock=lock,
            )
            return _many(self.by, done)

        return self.write("remove_file", act)


class Restoring(Told):
    """What is brought back: what was removed last at a path, the file of an id, or a version of what is there."""

    path = Path(required=False)
    file = Identifier(required=False, help_text="The id of what was removed, in place of its path.")
    version = Whole(required=False, min_value=1, help_text="A version of the file at the path.")
    lock = Whole(required=False, min_value=1, help_text="With a version: the one that is there; also as If-Match.")


class RestoreFile(Endpoint):
    """A file brought back."""

    needs = {"post": "write_files"}
    body = {"post": Restoring}

    @extend_schema(
        operation_id="restore_file",
        tags=["files"],
        summary="Restore a file",
        description="What was removed, with all that was removed with it; or, with `version`, what a file said before, "
        "as a new version.",
        responses=described("FileRestored", MANY | {"repeated": serializers.BooleanField(required=False)}),
        examples=[
            OpenApiExample("What was removed", value={"path": "/notes/harbour/berths.md"}, request_only=True),
            OpenApiExample("A version", value={"path": "/notes/harbour/berths.md", "version": 1}, request_only=True),
        ],
    )
    def post(self, request: Request) -> Response:
        given = self.content
        lock = lock_of(self, given)
        if ("path" in given) == ("file" in given):
            raise Malformed.at("/path", "missing", "Say what is restored.", "a path, or the id of a file")
        if "version" in given and "file" in given:
            raise Malformed.at("/version", "not_taken", "A version is of the file at a path.", "a path")

        def act(write: Write) -> Answer:
            if "version" in given:
                done = answer(self.by, services.restore_version(write, given["path"], given["version"], lock=lock))
                done.body["count"] = 1
                return done
            return _many(self.by, services.restore(write, given.get("path", ""), entry_id=given.get("file")))

        return self.write("restore_file", act)


def _many(by: Principal, done: Removed) -> Answer:
    body: dict[str, Any] = queries.told_whole(by, done.entry, done.version) | {"count": done.count}
    return Answer(body, 200, located(done.entry))


urlpatterns = [
    path("files/move", MoveFile.as_view(), name="move-file"),
    path("files/remove", RemoveFile.as_view(), name="remove-file"),
    path("files/restore", RestoreFile.as_view(), name="restore-file"),
]
