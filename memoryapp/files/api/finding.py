"""Finding files over REST: by a pattern of paths, by lines, by words, and by what they lead to."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import NOTED, Endpoint, described, page_of
from memoryapp.access.paths import ROOT, Glob, normal
from memoryapp.doors.fields import Body, Flag, Paged, Parameters, Text, Whole, in_query
from memoryapp.files import queries
from memoryapp.files.api.shapes import ENTRY, LINKED, WHOLE, Path
from memoryapp.files.queries.globbing import MOST as MOST_GLOBBED
from memoryapp.files.queries.globbing import USUAL
from memoryapp.files.queries.grepping import LONGEST_PATTERN, MOST, MOST_CONTEXT, USUAL_LIMIT, Grepped, Sought
from memoryapp.files.queries.searching import MOST as MOST_SEARCHED
from memoryapp.files.queries.searching import USUAL_LIMIT as USUAL_SEARCHED
from memoryapp.files.services.serving import note


class GlobAsked(Parameters):
    pattern = Text(max_length=1024, help_text="? one character, * any within a name, ** any number of names.")
    after = Path(required=False, help_text="`next` of the answer before.")
    limit = Whole(required=False, min_value=1, max_value=MOST_GLOBBED, help_text=f"{USUAL} unless told.")


class GlobFiles(Endpoint):
    """Paths by a pattern."""

    needs = {"get": "read_files"}
    parameters = {"get": GlobAsked}

    @extend_schema(
        operation_id="glob_files",
        tags=["files"],
        summary="Find paths by a pattern",
        description="Directories and files whose whole path matches, by path: `/notes/**/*.md`.",
        responses=described(
            "FilesGlobbed",
            {"items": described("FileGlobbed", ENTRY, many=True), "next": serializers.CharField(allow_null=True)},
        ),
    )
    def get(self, request: Request) -> Response:
        given = self.filters
        with in_query():
            pattern = Glob.read(given["pattern"])
            after = normal(given["after"], "/after") if "after" in given else ""
        found = queries.glob(self.by, pattern, after=after, limit=given.get("limit", USUAL))
        return Response({"items": [queries.told(one) for one in found.entries], "next": found.next})


LINE = {
    "number": serializers.IntegerField(),
    "text": serializers.CharField(),
    "before": serializers.ListField(child=serializers.CharField()),
    "after": serializers.ListField(child=serializers.CharField()),
}
IN_FILE = {
    "id": serializers.UUIDField(),
    "path": serializers.CharField(),
    "lines": described("LineGrepped", LINE, many=True),
}


class GrepAsked(Parameters):
    pattern = Text(max_length=LONGEST_PATTERN, help_text="A text, or with `regex` an expression of RE2.")
    regex = Flag(required=False, help_text="The pattern is an expression.")
    any_case = Flag(required=False, help_text="Upper and lower case are the same.")
    under = Path(required=False, default=ROOT, help_text="Only what is below it.")
    only = Text(required=False, max_length=1024, help_text="Only paths that match this pattern: /notes/**/*.md")
    context = Whole(required=False, min_value=0, max_value=MOST_CONTEXT, help_text="Lines around each, 0 unless told.")
    limit = Whole(required=False, min_value=1, max_value=MOST, help_text=f"Lines found; {USUAL_LIMIT} unless told.")


class Grep(Endpoint):
    """Lines that hold a text."""

    needs = {"get": "read_files"}
    parameters = {"get": GrepAsked}

    @extend_schema(
        operation_id="grep_files",
        tags=["files"],
        summary="Find lines by a text or an expression",
        description="By path and line. `cut` says why not everything was looked for, when it was not.",
        responses=described(
            "FilesGrepped",
            {
                "files": described("FileGrepped", IN_FILE, many=True),
                "count": serializers.IntegerField(help_text="Lines found."),
                "looked_at": serializers.IntegerField(help_text="Files looked through."),
                "cut": serializers.CharField(help_text="limit or characters; empty when nothing was left out."),
            },
        ),
    )
    def get(self, request: Request) -> Response:
        given = self.filters
        with in_query():
            only = Glob.read(given["only"], "/only") if "only" in given else None
            under = normal(given["under"], "/under")
            sought = Sought(
                given["pattern"],
                regex=given.get("regex", False),
                any_case=given.get("any_case", False),
                under=under,
                only=only,
                context=given.get("context", 0),
                limit=given.get("limit", USUAL_LIMIT),
            )
            found = queries.grep(self.by, sought)
        ids = [(one.entry.pk, None) for one in found.files]
        others = {name: value for name, value in given.items() if name != "pattern"}
        served = note(self.by, ids, question=given["pattern"], asked=others)
        return Response(told_grepped(found), headers={NOTED: str(served.pk)})


def told_grepped(found: Grepped) -> dict[str, Any]:
    """What was found, as every door tells it."""
    return {
        "files": [
            {
                "id": str(one.entry.pk),
                "path": one.entry.path,
                "lines": [
                    {"number": line.number, "text": line.text, "before": line.before, "after": line.after}
                    for line in one.lines
                ],
            }
            for one in found.files
        ],
        "count": found.count,
        "looked_at": found.looked_at,
        "cut": found.cut,
    }


class FileQuestion(Body):
    """A question in words."""

    question = Text(allow_blank=True, max_length=10_000, help_text="Any text, in any script.")
    under = Path(required=False, default=ROOT, help_text="Only what is below it.")
    limit = Whole(required=False, min_value=1, max_value=MOST_SEARCHED, help_text=f"{USUAL_SEARCHED} unless told.")
    run = Text(required=False, allow_blank=True, max_length=200, help_text="The agent's run this belongs to.")
    model = Text(required=False, allow_blank=True, max_length=200, help_text="The model that asks.")


class SearchFiles(Endpoint):
    """Files by the words they hold."""

    needs = {"post": "read_files"}
    body = {"post": FileQuestion}
    reads_by_post = True

    @extend_schema(
        operation_id="search_files",
        tags=["files"],
        summary="Search files by words",
        description="What answers the question, best first, among files below the roots that are indexed. That it was "
        "served is noted.",
        responses=described(
            "FilesSearched",
            {
                "items": described(
                    "FileFound",
                    WHOLE
                    | {
                        "score": serializers.FloatField(),
                        "words": serializers.ListField(child=serializers.CharField()),
                    },
                    many=True,
                ),
                "unknown_words": serializers.ListField(child=serializers.CharField()),
                "near_words": serializers.DictField(help_text="Words taken for one that nobody used."),
            },
        ),
        examples=[OpenApiExample("Where are my notes on the contract?", {"question": "contract", "under": "/notes"})],
    )
    def post(self, request: Request) -> Response:
        given = self.content
        under = normal(given["under"], "/under")
        found = queries.search(self.by, given["question"], under=under, limit=given.get("limit", USUAL_SEARCHED))
        seen = queries.of_versions(self.by, [one.version for one in found.answers])
        items = [
            queries.told_whole(self.by, one.entry, one.version, seen) | {"score": one.score, "words": one.words}
            for one in found.answers
        ]
        ids = [(one.entry.pk, one.score) for one in found.answers]
        served = note(self.by, ids, question=given["question"], asked={"under": under})
        body = {"items": items, "unknown_words": found.unknown, "near_words": found.expanded}
        return Response(body, headers={NOTED: str(served.pk)})


class LinksAsked(Paged):
    target = Text(max_length=2000, help_text="A path, or the id of a node, belief, episode or source.")


class LinksFor(Endpoint):
    """Files that lead to something."""

    needs = {"get": "read_files"}
    parameters = {"get": LinksAsked}

    @extend_schema(
        operation_id="links_for",
        tags=["files"],
        summary="Which files lead to it?",
        description="Links put down beside a file's text, and links within markdown, to a path or an id.",
        responses=page_of(
            "LinkOfFile",
            LINKED
            | {
                "path": serializers.CharField(help_text="The file that leads there."),
                "file": serializers.UUIDField(),
                "written": serializers.BooleanField(help_text="It stands within the text."),
            },
        ),
    )
    def get(self, request: Request) -> Response:
        target = self.filters["target"]
        with in_query():
            target = normal(target, "/target") if target.startswith("/") else target.lower()
        return self.page(queries.links_for(self.by, target), order=("entry__path", "id"), shape=_told)


def _told(link: Any) -> dict[str, Any]:
    return {
        "path": link.entry.path,
        "file": str(link.entry_id),
        "to": link.target_type,
        "target": link.target,
        "written": link.written,
    }


urlpatterns = [
    path("files/glob", GlobFiles.as_view(), name="glob-files"),
    path("files/grep", Grep.as_view(), name="grep-files"),
    path("files/search", SearchFiles.as_view(), name="search-files"),
    path("files/links", LinksFor.as_view(), name="links-for"),
]
