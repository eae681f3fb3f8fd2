"""Reading the tree over REST: what is in a directory, what a file says, its versions and what differs."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import NOTED, Endpoint, described, page_of
from memoryapp.access.paths import ROOT, normal
from memoryapp.doors import paging
from memoryapp.doors.errors import Malformed
from memoryapp.doors.fields import Flag, Paged, Parameters, When, Whole, in_query
from memoryapp.doors.paging import USUAL_SIZE
from memoryapp.files import queries
from memoryapp.files.api.shapes import ENTRY, EXTRACTION, LINKED, VERSION, WHOLE, Path, located, told_extraction
from memoryapp.files.models import Entry, Version
from memoryapp.files.queries.reading import FIRST, LAST
from memoryapp.files.services.serving import note

MOST = 1000
"""Entries on a page: a large directory is read at once."""


class ListAsked(Paged):
    page_size = Whole(required=False, default=USUAL_SIZE, min_value=1, max_value=MOST, help_text="Items on a page.")
    path = Path(required=False, default=ROOT, help_text="A directory; the root when left out.")
    recursive = Flag(required=False, help_text="Everything below it.")
    known_at = When(required=False, help_text="As it was known then.")
    removed = Flag(required=False, help_text="What was removed from it instead, the latest first.")


class Files(Endpoint):
    """What is in a directory."""

    needs = {"get": "read_files"}
    parameters = {"get": ListAsked}

    @extend_schema(
        operation_id="list_files",
        tags=["files"],
        summary="What is in a directory",
        description="By path; with `recursive` everything below it. What is out of the caller's sight is not there. "
        "With `removed` what can be restored, by its id.",
        responses=page_of("File", ENTRY),
    )
    def get(self, request: Request) -> Response:
        given = self.filters
        with in_query():
            at = normal(given["path"], "/path")
        if "known_at" in given:
            return self._as_known(at, given)
        if given.get("removed", False):
            gone = queries.removed(self.by, at, recursive=given.get("recursive", False))
            rows = gone.values_list(*queries.LISTED, named=True)
            return self.page(rows, order=("-modified_at", "-id"), shape=queries.told)
        rows = queries.ls(self.by, at, recursive=given.get("recursive", False))
        return self.page(rows.values_list(*queries.LISTED, named=True), order=("path", "id"), shape=queries.told)

    def _as_known(self, at: str, given: dict[str, Any]) -> Response:
        if given.get("removed", False):
            message = "What was there then and what was removed since are two questions."
            raise Malformed.at("removed", "two_questions", message, "known_at or removed")
        rows = queries.as_known(self.by, given["known_at"].instant, at).exclude(path=at)
        if not given.get("recursive", False):
            start = "" if at == ROOT else at
            rows = rows.exclude(path__regex=f"^.{{{len(start) + 1}}}.*/")
        return self.page(rows, order=("path", "id"), shape=_as_it_was)


def _as_it_was(version: Version) -> dict[str, Any]:
    entry: Entry = version.entry
    body = version.body
    was = {
        "path": version.path,
        "name": version.path.rpartition("/")[2],
        "state": version.state,
        "form": body.form if body else "",
        "size": body.size if body else 0,
        "modified_at": version.recorded_at.isoformat(),
        "lock": version.sequence,
    }
    return queries.told(entry) | was


class OnePath(Parameters):
    path = Path()


class ReadAsked(OnePath):
    first = Whole(required=False, min_value=1, help_text="The first line, from 1.")
    last = Whole(required=False, min_value=-1, help_text=f"The last line; {LAST} unless told, -1 for the end.")
    version = Whole(required=False, min_value=1, help_text="An earlier version.")
    known_at = When(required=False, help_text="As it was known then.")


READ = WHOLE | {
    "text": serializers.CharField(help_text="The lines, without the end of the last."),
    "first": serializers.IntegerField(),
    "last": serializers.IntegerField(),
    "total": serializers.IntegerField(help_text="Lines in all."),
    "cut": serializers.BooleanField(help_text="Less is told than was asked for."),
    "extraction": EXTRACTION,
}


class ReadFile(Endpoint):
    """What a file says."""

    needs = {"get": "read_files"}
    parameters = {"get": ReadAsked}

    @extend_schema(
        operation_id="read_file",
        tags=["files"],
        summary="Read a file",
        description="Some of its lines, of the latest version or another. The ETag is what a change must name.",
        responses=described("FileRead", READ),
    )
    def get(self, request: Request) -> Response:
        given = self.filters
        known_at = given["known_at"].instant if "known_at" in given else None
        with in_query():
            at = normal(given["path"], "/path")
            entry, version = queries.between(self.by, at, sequence=given.get("version"), known_at=known_at)
        first = given.get("first", FIRST)
        with in_query():
            lines = queries.read_lines(entry, version, first, given.get("last", max(LAST, first + LAST - FIRST)))
        served = note(self.by, [(entry.pk, None)], asked=given)
        body = queries.told_whole(self.by, entry, version) | {
            "text": lines.text,
            "first": lines.first,
            "last": lines.last,
            "total": lines.total,
            "cut": lines.cut,
            "extraction": told_extraction(version),
        }
        return Response(body, headers=located(entry) | {NOTED: str(served.pk)})


FOUND = WHOLE | {"leads_to": described("FileLeadsTo", LINKED, many=True), "extraction": EXTRACTION}


class Stat(Endpoint):
    """What is at a path."""

    needs = {"get": "read_files"}
    parameters = {"get": OnePath}

    @extend_schema(
        operation_id="stat_file",
        tags=["files"],
        summary="What is at a path",
        description="A directory or file without its text: size, tags, links, who changed it last. 404 when nothing is "
        "there.",
        responses=described("FileStat", FOUND),
    )
    def get(self, request: Request) -> Response:
        with in_query():
            entry = queries.entry(self.by, normal(self.filters["path"], "/path"))
        links = [{"to": one.target_type, "target": one.target} for one in queries.links_from(self.by, entry)]
        latest = queries.latest(entry)
        body = queries.told_whole(self.by, entry, latest)
        body |= {"leads_to": links, "extraction": told_extraction(latest)}
        return Response(body, headers=located(entry))


class Exists(Endpoint):
    """Whether there is anything at a path."""

    needs = {"get": "read_files"}
    parameters = {"get": OnePath}

    @extend_schema(
        operation_id="file_exists",
        tags=["files"],
        summary="Is there anything at a path?",
        description="What is out of the caller's sight is not there.",
        responses=described("FileExists", {"path": serializers.CharField(), "exists": serializers.BooleanField()}),
    )
    def get(self, request: Request) -> Response:
        with in_query():
            at = normal(self.filters["path"], "/path")
        return Response({"path": at, "exists": queries.exists(self.by, at)})


class VersionsAsked(Paged):
    path = Path()


class Versions(Endpoint):
    """How a file was before."""

    needs = {"get": "read_files"}
    parameters = {"get": VersionsAsked}

    @extend_schema(
        operation_id="file_versions",
        tags=["files"],
        summary="How a file was before",
        description="Every version, the latest first, wherever the file stood then.",
        responses=page_of("FileVersion", VERSION),
    )
    def get(self, request: Request) -> Response:
        with in_query():
            entry = queries.entry(self.by, normal(self.filters["path"], "/path"))
        rows = queries.versions(self.by, entry)
        found = paging.page(rows, order=("-sequence",), **self.paging_asked)
        seen = queries.of_versions(self.by, found.items)
        return Response(found.shaped(lambda one: queries.told_version(self.by, one, seen)))


class DiffAsked(OnePath):
    before = Whole(min_value=1, help_text="The version to start from.")
    after = Whole(required=False, min_value=1, help_text="The version to compare it with; the latest when left out.")


class Diff(Endpoint):
    """What differs between two versions of a file."""

    needs = {"get": "read_files"}
    parameters = {"get": DiffAsked}

    @extend_schema(
        operation_id="file_difference",
        tags=["files"],
        summary="What differs between two versions",
        description="In the unified form; empty when the text is the same. A long one is cut, and says so.",
        responses=described("FileDifference", {"path": serializers.CharField(), "difference": serializers.CharField()}),
    )
    def get(self, request: Request) -> Response:
        given = self.filters
        with in_query():
            entry, _ = queries.file(self.by, normal(given["path"], "/path"))
        found = queries.diff(self.by, entry, given["before"], given.get("after"))
        served = note(self.by, [(entry.pk, None)], asked=given)
        body = {"path": entry.path, "difference": found}
        return Response(body, headers=located(entry) | {NOTED: str(served.pk)})


urlpatterns = [
    path("files/read", ReadFile.as_view(), name="read-file"),
    path("files/stat", Stat.as_view(), name="stat-file"),
    path("files/exists", Exists.as_view(), name="file-exists"),
    path("files/versions", Versions.as_view(), name="file-versions"),
    path("files/difference", Diff.as_view(), name="file-difference"),
]
