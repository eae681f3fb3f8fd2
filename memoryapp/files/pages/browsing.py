"""Looking through the tree: a directory, a file with all that belongs to it, and what one box finds in it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from memoryapp.access.paths import ROOT, Glob, normal, parent
from memoryapp.doors import paging
from memoryapp.doors.errors import Invalid, NotFound
from memoryapp.doors.pages import address, here, member_page, number, page
from memoryapp.files import queries
from memoryapp.files.models import Entry, Form
from memoryapp.files.pages.presenting import crumbs, differing, file_url, link, row, version
from memoryapp.files.pages.rendering import rendered
from memoryapp.files.pages.tree import level, tree
from memoryapp.files.queries import Sought
from memoryapp.files.services.serving import note
from memoryapp.graph.models import Node
from memoryapp.ledger.principal import Principal

SIZE = 100
MOST_VERSIONS = 50
MOST_LINKS = 50
MOST_LINES = 2000


@require_safe
@member_page("read_files")
def files(request: HttpRequest, by: Principal) -> HttpResponse:
    """A directory or a file; where one was removed, what can be restored. `?q=` finds paths by a pattern, else lines
    and words, below it; `?removed=` lists what was removed from it."""
    path = _path(request)
    asked = request.GET.get("q", "").replace("\x00", "").strip()[:300]
    context: dict[str, Any] = {
        "by": by,
        "path": path,
        "crumbs": crumbs(by, path),
        "root_url": file_url(by),
        "asked": asked,
        "may_write": by.may("write_files"),
        "may_remove": by.may("remove_files"),
        "may_tell": by.may("write_files") and by.may("tell"),
    }
    if asked:
        regex = request.GET.get("regex") == "yes"
        found = _found(by, path, asked, regex=regex) | {"tree": tree(by, path), "regex": regex}
        return page(request, "files/found.html", context | found)
    if request.GET.get("removed"):
        return page(request, "files/removed.html", context | {"tree": tree(by, path)} | _removed(request, by, path))
    try:
        entry = queries.entry(by, path) if path != ROOT else None
    except NotFound:
        if not queries.removed(by, parent(path)).filter(path=path).exists():
            raise
        messages.info(request, f"{path} was removed. It can be restored here.")
        return redirect(file_url(by, parent(path), removed="yes"))
    context["tree"] = tree(by, path if entry is None or entry.is_directory else entry.directory)
    if entry is not None and not entry.is_directory:
        return page(request, "files/file.html", context | _file(request, by, entry))
    return page(request, "files/directory.html", context | {"entry": entry} | _directory(request, by, path))


def _directory(request: HttpRequest, by: Principal, path: str) -> dict[str, Any]:
    rows = paging.page(
        queries.ls(by, path),
        order=("path", "id"),
        size=SIZE,
        cursor=request.GET.get("after"),
        question=["files", str(by.workspace.pk), path],
    )
    return {
        "rows": [row(by, one) for one in rows.items],
        "next_url": here(request, after=rows.next) if rows.next else "",
        "first_url": here(request, after="") if request.GET.get("after") else "",
        "new_url": file_url(by, path, "files:edit", new="yes"),
        "removed_url": file_url(by, path, removed="yes"),
    }


def _removed(request: HttpRequest, by: Principal, path: str) -> dict[str, Any]:
    rows = paging.page(
        queries.removed(by, path),
        order=("-modified_at", "-id"),
        size=SIZE,
        cursor=request.GET.get("after"),
        question=["removed", str(by.workspace.pk), path],
    )
    latest = queries.latest_of([one.pk for one in rows.items])
    return {
        "url": file_url(by, path),
        "rows": [
            row(by, one) | {"why": latest[one.pk].reason, "actor": latest[one.pk].write.actor} for one in rows.items
        ],
        "next_url": here(request, after=rows.next) if rows.next else "",
        "first_url": here(request, after="") if request.GET.get("after") else "",
    }


@require_safe
@member_page("read_files")
def branch(request: HttpRequest, by: Principal) -> HttpResponse:
    """The directories within one, for the tree at the side, a page at a time: asked for as it is opened."""
    path = _path(request)
    queries.directory(by, path)
    return page(request, "files/branch.html", {"level": level(by, path, request.GET.get("after", "")[:2000])})


@require_safe
@member_page("read_files")
def difference(request: HttpRequest, by: Principal) -> HttpResponse:
    """What differs between a version of a file and a later one."""
    path = _path(request)
    entry, latest = queries.file(by, path)
    before = _number(request, "before", 1)
    after = _number(request, "after", latest.sequence)
    found = queries.diff(by, entry, before, after)
    note(by, [(entry.pk, None)], asked={"path": path, "before": before, "after": after})
    return page(
        request,
        "files/difference.html",
        {
            "by": by,
            "path": path,
            "crumbs": crumbs(by, path),
            "root_url": file_url(by),
            "url": file_url(by, path),
            "before": before,
            "after": after,
            "lines": differing(found),
            "may_write": by.may("write_files"),
            "lock": entry.lock,
        },
    )


def _path(request: HttpRequest) -> str:
    try:
        return normal(request.GET.get("path", "") or ROOT)
    except Invalid as error:
        raise NotFound("There is no such path.", code="no_such_file") from error


def _number(request: HttpRequest, name: str, usual: int) -> int:
    text = request.GET.get(name, "")
    if not text:
        return usual
    found = number(text)
    if found is None:
        raise NotFound("There is no such version.", code="no_such_version")
    return found


def _found(by: Principal, path: str, asked: str, *, regex: bool) -> dict[str, Any]:
    """Paths for a pattern that begins with a slash; for an expression the lines that match it; for anything else the
    files that answer, and the lines."""
    if not regex and asked.startswith("/") and ("*" in asked or "?" in asked):
        try:
            pattern = Glob.read(asked)
        except Invalid as error:
            return {"refused": error.detail}
        matching = queries.glob(by, pattern, limit=SIZE)
        return {"rows": [row(by, one) for one in matching.entries], "more": matching.next is not None, "globbed": True}
    try:
        grepped = queries.grep(by, Sought(asked, regex=regex, any_case=not regex, under=path, limit=SIZE))
    except Invalid as error:
        return {"refused": error.detail}
    answers = queries.search(by, asked, under=path).answers if not regex else []
    ids = [(one.entry.pk, None) for one in grepped.files] + [(one.entry.pk, one.score) for one in answers]
    note(by, list(dict(ids).items()), question=asked, asked={"under": path, "regex": regex})
    return {
        "answers": [row(by, one.entry) | {"summary": one.version.summary} for one in answers],
        "grepped": [row(by, one.entry) | {"lines": one.lines} for one in grepped.files],
        "count": grepped.count,
        "cut": grepped.cut,
    }


def _file(request: HttpRequest, by: Principal, entry: Entry) -> dict[str, Any]:
    number = _number(request, "version", entry.lock)
    latest = queries.latest(entry)
    shown = latest if number == entry.lock else queries.version(by, entry, number)
    text = queries.text_of(shown)
    below = _number(request, "below", entry.lock + 1)
    history = list(queries.versions(by, entry).filter(sequence__lt=below)[: MOST_VERSIONS + 1])
    pointing = list(queries.links_for(by, entry.path)[: MOST_LINKS + 1])
    note(by, [(entry.pk, None)], asked={"path": entry.path, "version": number})
    form = shown.body.form if shown.body else ""
    extraction = queries.extraction(shown)
    return {
        "entry": entry,
        "version": shown,
        "older": number != entry.lock,
        "html": rendered(text, shown.path, lambda path: file_url(by, path)) if form == Form.MARKDOWN else None,
        "text": _numbered(text) if form != Form.MARKDOWN else [],
        "text_cut": text.count("\n") > MOST_LINES,
        "empty": not text.strip(),
        "extraction": extraction,
        "job_url": address(by, "ledger:job", extraction.job) if extraction and extraction.job else "",
        "body": shown.body,
        "original_url": file_url(by, entry.path, "files:original"),
        "edit_url": file_url(by, entry.path, "files:edit"),
        "editable": form in (Form.TEXT, Form.MARKDOWN),
        "leads": [link(by, one) for one in queries.links_from(by, entry)],
        "pointing": [row(by, one.entry) for one in pointing[:MOST_LINKS]],
        "history": [version(by, entry, one) for one in history[:MOST_VERSIONS]],
        "older_url": here(request, below=str(history[MOST_VERSIONS - 1].sequence))
        if len(history) > MOST_VERSIONS
        else "",
        "directory": entry.directory,
        "keys": sorted(shown.properties.items()),
        "tags_typed": ", ".join(latest.tags),
    }


def _numbered(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.split("\n")[:MOST_LINES], start=1))


SECTION = 8
"""Files on the page of a node."""


def node_section(by: Principal, node: Node) -> dict[str, Any] | None:
    """Which files lead to a node, for its page. Nothing where none does."""
    if not by.may("read_files"):
        return None
    entries = {one.entry_id: one.entry for one in queries.links_to_node(by, node)[: 2 * SECTION + 1]}
    if not entries:
        return None
    shown = list(entries.values())
    return {
        "template": "files/node_section.html",
        "rows": [row(by, one) for one in shown[:SECTION]],
        "more": len(shown) > SECTION,
    }
