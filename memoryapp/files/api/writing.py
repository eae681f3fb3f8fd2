"""Writing files over REST: whole, in place, beside their text; and making directories."""

from __future__ import annotations

import base64
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, items_of
from memoryapp.access.paths import normal
from memoryapp.doors import strict
from memoryapp.doors.batches import OneOrMany, named_rows
from memoryapp.doors.errors import Malformed
from memoryapp.doors.fields import Flag, Identifier, OneOf, Several, Text, Told, When, Whole
from memoryapp.files import queries, services
from memoryapp.files.api.reading import Files as ListedFiles
from memoryapp.files.api.shapes import WHOLE, AboutFields, Path, about_of, located, lock_of
from memoryapp.files.attachments import keeping
from memoryapp.files.inputs import FileInput
from memoryapp.files.models import Form
from memoryapp.files.services import Written
from memoryapp.files.services.drafts import MOST_SOURCES, MOST_TEXT
from memoryapp.files.services.telling import told_as
from memoryapp.files.services.writing import MOST
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal

WRITTEN = WHOLE | {"repeated": serializers.BooleanField(help_text="It was so already; nothing was stored.")}
FORMS = [Form.TEXT.value, Form.MARKDOWN.value, Form.URL.value]
EXAMPLE = {
    "path": "/notes/harbour/berths.md",
    "content": "# Berths\n\nPrices of next season: see [the list](/notes/harbour/prices.md).\n",
    "summary": "What was agreed about berths.",
    "tags": ["harbour", "prices"],
    "links": [{"to": "file", "target": "/projects/harbour"}],
}
PAGE = {
    "path": "/notes/harbour/tides.txt",
    "content": "High water at 04:10 and 16:35.",
    "form": "url",
    "url": "https://tides.example/today",
    "taken_at": "2026-03-02T10:00:00+01:00",
}


class FileFields(AboutFields):
    """A file, whole."""

    path = Path()
    content = Text(allow_blank=True, max_length=MOST_TEXT, help_text="All of its text.")
    form = OneOf(required=False, choices=FORMS, help_text="Read from the name of a new file unless told.")
    lock = Whole(required=False, min_value=1, help_text="The version that this replaces; none for a new file.")
    url = Text(required=False, max_length=2000, help_text="Where the text stood; it is never opened from here.")
    taken_at = When(required=False, help_text="When it stood there.")
    sources = Several(child=Identifier(), required=False, max_length=MOST_SOURCES, help_text="What it was made from.")
    tell = Flag(required=False, help_text="Tell it as a source too, to be read as a document is.")


class NewFiles(OneOrMany):
    """Files to be written."""

    item = FileFields
    most = MOST


class WriteFiles(ListedFiles):
    """What is in a directory, and files written whole."""

    needs = {"get": "read_files", "post": "write_files"}
    body = {"post": NewFiles}

    @extend_schema(
        operation_id="write_files",
        tags=["files"],
        summary="Write files",
        description="Whole, all or none; directories on the way are made. A file that is there is replaced by who "
        "names the lock of the version they saw, here or as If-Match; every version stays. An agent writes within the "
        "declared roots.",
        responses=dict.fromkeys((201, 200), items_of("FileWritten", WRITTEN)),
        examples=[
            OpenApiExample("A note", value=EXAMPLE, request_only=True),
            OpenApiExample("A page as it stood", value=PAGE, request_only=True),
        ],
    )
    def post(self, request: Request) -> Response:
        many, items = self.content["many"], self.content["items"]
        locks = [item.get("lock") if many else lock_of(self, item) for item in items]

        def act(write: Write) -> Answer:
            with named_rows(many):
                files = [file_input(item, lock) for item, lock in zip(items, locks, strict=True)]
                done = services.write_files(write, files)
            headers = {} if many else located(done[0].entry)
            new = any(not one.repeated for one in done)
            seen = queries.of_versions(self.by, [one.version for one in done])
            return Answer({"items": [told_written(self.by, one, seen) for one in done]}, 201 if new else 200, headers)

        return self.write("write_files", act)


def file_input(item: dict[str, Any], lock: int | None) -> FileInput:
    """A file as a body tells it."""
    return FileInput(
        path=item["path"],
        content=item["content"],
        form=item.get("form", ""),
        lock=lock,
        about=about_of(item),
        url=item.get("url", ""),
        taken_at=item.get("taken_at"),
        sources=tuple(item.get("sources", ())),
        tell=item.get("tell", False),
    )


def told_written(by: Principal, done: Written, seen: queries.InSight | None = None) -> dict[str, Any]:
    """An entry as it is after a write."""
    return queries.told_whole(by, done.entry, done.version, seen) | {"repeated": done.repeated}


def answer(by: Principal, done: Written) -> Answer:
    return Answer(told_written(by, done), 200, located(done.entry))


class Editing(Told):
    """A text in place of another that stands in the file exactly once."""

    path = Path()
    old = Text(max_length=MOST_TEXT, help_text="Stands there exactly once.")
    new = Text(allow_blank=True, max_length=MOST_TEXT, help_text="What stands there instead.")
    lock = Whole(required=False, min_value=1, help_text="The version that was read; also as If-Match.")


class EditFile(Endpoint):
    """A file edited in place."""

    needs = {"post": "write_files"}
    body = {"post": Editing}

    @extend_schema(
        operation_id="edit_file",
        tags=["files"],
        summary="Edit a file in place",
        description="Replaces a text that stands there exactly once. When it stands there never or more than once, the "
        "refusal names the lines.",
        responses=described("FileEdited", WRITTEN),
        examples=[
            OpenApiExample(
                "One word",
                value={"path": "/notes/harbour/berths.md", "old": "next season", "new": "the season of 2027"},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        given = self.content
        lock = lock_of(self, given)

        def act(write: Write) -> Answer:
            done = services.edit(write, given["path"], old=given["old"], new=given["new"], lock=lock)
            return answer(self.by, done)

        return self.write("edit_file", act)


class Making(Told):
    """A directory to be made."""

    path = Path()


class MakeDirectory(Endpoint):
    """A directory made."""

    needs = {"post": "write_files"}
    body = {"post": Making}

    @extend_schema(
        operation_id="make_directory",
        tags=["files"],
        summary="Make a directory",
        description="With those above it. One that is there is a repeat.",
        responses=dict.fromkeys((201, 200), described("DirectoryMade", WRITTEN)),
        examples=[OpenApiExample("A directory", value={"path": "/projects/kestrel"}, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        def act(write: Write) -> Answer:
            done = services.mkdir(write, self.content["path"])
            return Answer(told_written(self.by, done), 200 if done.repeated else 201, located(done.entry))

        return self.write("make_directory", act)


class Seen(Told):
    """A file, as it was read."""

    path = Path()
    lock = Whole(required=False, min_value=1, help_text="The version that was read; also as If-Match.")


class Describing(Seen, AboutFields):
    """What is put down beside a file's text; what is left out stays."""


class Metadata(Endpoint):
    """What is put down beside a file's text."""

    needs = {"post": "write_files"}
    body = {"post": Describing}

    @extend_schema(
        operation_id="set_file_metadata",
        tags=["files"],
        summary="Describe a file",
        description="Its summary, tags, free keys and links, each whole; what is left out stays.",
        responses=described("FileDescribed", WRITTEN),
        examples=[
            OpenApiExample(
                "Tags", value={"path": "/notes/harbour/berths.md", "tags": ["harbour", "settled"]}, request_only=True
            )
        ],
    )
    def post(self, request: Request) -> Response:
        given = self.content
        lock = lock_of(self, given)

        def act(write: Write) -> Answer:
            return answer(self.by, services.set_metadata(write, given["path"], about_of(given), lock=lock))

        return self.write("set_file_metadata", act)


class TellFile(Endpoint):
    """A file told as a source."""

    needs = {"post": "write_files"}
    body = {"post": Seen}

    @extend_schema(
        operation_id="tell_file",
        tags=["files"],
        summary="Tell a file as a source",
        description="What it says, or what was found in it, is read as a document is. The same words at the same path "
        "are one source.",
        responses=described("FileTold", WRITTEN | {"source": serializers.UUIDField(help_text="What it was told as.")}),
        examples=[OpenApiExample("A file", value={"path": "/notes/harbour/berths.md"}, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        given = self.content
        lock = lock_of(self, given)

        def act(write: Write) -> Answer:
            done = services.tell_file(write, given["path"], lock=lock)
            answered = answer(self.by, done)
            answered.body["source"] = told_as(done.version)
            return answered

        return self.write("tell_file", act)


class Attaching(Told, AboutFields):
    """A file of bytes."""

    path = Path()
    data = Text(max_length=strict.LARGEST_BODY, help_text="The bytes, as base64.")
    lock = Whole(required=False, min_value=1, help_text="The version that this replaces; also as If-Match.")


class AttachFile(Endpoint):
    """A file of bytes, kept."""

    needs = {"post": "write_files"}
    body = {"post": Attaching}

    @extend_schema(
        operation_id="attach_file",
        tags=["files"],
        summary="Attach a file of bytes",
        description="pdf, docx, xlsx, html, csv or a picture, told by what the bytes are. A job finds the text in it, "
        "which is then read, grepped and searched as any other; one that cannot be read is a failed job.",
        responses=dict.fromkeys((201, 200), described("FileAttached", WRITTEN)),
        examples=[
            OpenApiExample(
                "A table",
                value={"path": "/notes/harbour/prices.csv", "data": "YmVydGgscHJpY2UKMSw0MDAK"},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        given = self.content
        lock = lock_of(self, given)
        path = normal(given["path"])
        try:
            data = base64.b64decode(given["data"], validate=True)
        except ValueError as error:
            raise Malformed.at("/data", "not_base64", "This is not base64.", "bytes as base64") from error
        kept = keeping.keep(data, path)

        def act(write: Write) -> Answer:
            done = services.attach(write, path, kept, about=about_of(given), lock=lock)
            return Answer(told_written(self.by, done), 200 if done.repeated else 201, located(done.entry))

        try:
            answered = self.write("attach_file", act)
        except Exception:
            keeping.let_go(kept.stored)
            raise
        if answered.status_code == 200 or "Idempotency-Replayed" in answered:
            keeping.let_go(kept.stored)
        return answered


urlpatterns = [
    path("files", WriteFiles.as_view(), name="files"),
    path("files/edit", EditFile.as_view(), name="edit-file"),
    path("files/directories", MakeDirectory.as_view(), name="make-directory"),
    path("files/attachments", AttachFile.as_view(), name="attach-file"),
    path("files/tell", TellFile.as_view(), name="tell-file"),
    path("files/metadata", Metadata.as_view(), name="file-metadata"),
]
