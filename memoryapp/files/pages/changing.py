"""Changing the tree in the browser: an editor that shows before it keeps, and forms that move, describe and remove."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from memoryapp.access.paths import ROOT, normal, parent
from memoryapp.doors.errors import Conflict, DomainError, Invalid, Stale
from memoryapp.doors.pages import drawn_lock, member_page, number, page
from memoryapp.files import queries, services
from memoryapp.files.inputs import About, FileInput
from memoryapp.files.lines import difference
from memoryapp.files.models import Form
from memoryapp.files.pages.presenting import crumbs, differing, file_url, in_words
from memoryapp.files.pages.rendering import rendered
from memoryapp.files.services.drafts import MARKDOWN
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record


@require_http_methods(["GET", "HEAD", "POST"])
@member_page("write_files")
def edit(request: HttpRequest, by: Principal) -> HttpResponse:
    """A file's text in an editor. What is kept names the version it was drawn from; what was typed is never lost."""
    if request.method == "POST":
        return _edited(request, by)
    path = normal(request.GET.get("path", "") or ROOT)
    if request.GET.get("new"):
        start = "" if path == ROOT else path
        return _editor(request, by, {"path": f"{start}/", "content": "", "lock": "", "new": True})
    entry, version = queries.file(by, path)
    if entry.form not in (Form.TEXT, Form.MARKDOWN):
        raise Conflict("Only text and markdown are edited here.", code="not_editable")
    return _editor(request, by, {"path": path, "content": queries.text_of(version), "lock": entry.lock, "new": False})


def _edited(request: HttpRequest, by: Principal) -> HttpResponse:
    typed: dict[str, Any] = {
        "path": request.POST.get("path", ""),
        "content": request.POST.get("content", "").replace("\r\n", "\n"),
        "lock": request.POST.get("lock", ""),
        "new": request.POST.get("new") == "yes",
    }
    lock = number(typed["lock"])
    if "preview" in request.POST:
        return _editor(request, by, typed, preview=True)
    told = FileInput(typed["path"], typed["content"], lock=lock)
    try:
        done = record(by, "write_files", lambda write: services.write_file(write, told))
    except (Stale, Conflict, Invalid) as error:
        return _editor(request, by, typed, error=error)
    messages.success(request, "Kept." if not done.repeated else "Nothing changed.")
    return redirect(file_url(by, done.entry.path))


def _editor(
    request: HttpRequest,
    by: Principal,
    typed: dict[str, Any],
    *,
    preview: bool = False,
    error: DomainError | None = None,
) -> HttpResponse:
    path = typed["path"]
    now, lock = "", None
    if isinstance(error, Stale):
        entry, version = queries.file(by, normal(path))
        now = difference(typed["content"], queries.text_of(version), ("what you typed", f"version {entry.lock}"))
        lock = entry.lock
    markdown = path.lower().endswith(MARKDOWN)
    shown = preview and markdown
    return page(
        request,
        "files/edit.html",
        {
            "by": by,
            "typed": typed,
            "crumbs": crumbs(by, path) if path.startswith("/") and not typed["new"] else [],
            "root_url": file_url(by),
            "back_url": file_url(by, path) if not typed["new"] else file_url(by),
            "preview": rendered(typed["content"], path, lambda one: file_url(by, one)) if shown else None,
            "previewed": preview,
            "error": error,
            "said": in_words(error) if error else "",
            "now": differing(now),
            "newer_lock": lock,
        },
        status=error.status if error else 200,
    )


@require_POST
@member_page("write_files")
def make(request: HttpRequest, by: Principal) -> HttpResponse:
    """A new directory."""
    within = request.POST.get("within", ROOT)
    path = f"{within.rstrip('/')}/{request.POST.get('name', '').strip('/')}"
    return _act(request, by, "make_directory", within, lambda write: services.mkdir(write, path), "Made.")


@require_POST
@member_page("write_files")
def move(request: HttpRequest, by: Principal) -> HttpResponse:
    """A file or directory moved, or several into one directory."""
    target = request.POST.get("target", "").strip()
    chosen = request.POST.getlist("chosen")
    if chosen and not target and request.POST.get("tags", "").strip():
        return _tag(request, by, chosen)
    if chosen:
        back = request.POST.get("within", ROOT)

        def several(write: Write) -> None:
            if not target:
                raise Invalid.at("/target", "blank", "Say which directory they are moved to.", "an absolute path")
            for one in chosen[:200]:
                services.move(write, one, f"{target.rstrip('/')}/{one.rpartition('/')[2]}")

        return _act(request, by, "move_file", back, several, f"{len(chosen)} moved to {target}.")
    if "within" in request.POST:
        return _nothing_chosen(request, by)
    source = request.POST.get("path", "")
    return _act(
        request, by, "move_file", source, lambda write: services.move(write, source, target), "Moved.", then=target
    )


@require_POST
@member_page("write_files")
def describe(request: HttpRequest, by: Principal) -> HttpResponse:
    """Summary and tags; of several, tags that are added to theirs."""
    chosen = request.POST.getlist("chosen")
    if chosen:
        return _tag(request, by, chosen)
    if "within" in request.POST:
        return _nothing_chosen(request, by)
    path = request.POST.get("path", "")
    about = About(summary=request.POST.get("summary", "").strip(), tags=_tags(request))
    return _act(
        request, by, "set_file_metadata", path, lambda write: services.set_metadata(write, path, about), "Kept."
    )


def _tags(request: HttpRequest) -> tuple[str, ...]:
    return tuple(one.strip() for one in request.POST.get("tags", "").split(",") if one.strip())


def _tag(request: HttpRequest, by: Principal, chosen: list[str]) -> HttpResponse:
    """Tags that are added to those of several files."""
    tags = _tags(request)

    def several(write: Write) -> None:
        for one in chosen[:200]:
            before = queries.latest(queries.entry(write.by, normal(one)))
            services.set_metadata(write, one, About(tags=(*before.tags, *tags)))

    back = request.POST.get("within", ROOT)
    return _act(request, by, "set_file_metadata", back, several, f"{len(chosen)} tagged.")


def _nothing_chosen(request: HttpRequest, by: Principal) -> HttpResponse:
    def nothing(write: Write) -> None:
        raise Invalid.at("/chosen", "nothing_chosen", "Nothing was chosen.", "files of this directory")

    return _act(request, by, "move_file", request.POST.get("within", ROOT), nothing, "")


@require_POST
@member_page("write_files")
def tell(request: HttpRequest, by: Principal) -> HttpResponse:
    """A file told as a source, to be read as a document is."""
    path = request.POST.get("path", "")
    lock, done = drawn_lock(request), "It is a source now, and is read as one."
    return _act(request, by, "tell_file", path, lambda write: services.tell_file(write, path, lock=lock), done)


@require_POST
@member_page("remove_files")
def remove(request: HttpRequest, by: Principal) -> HttpResponse:
    """A file or directory taken away, with everything in it."""
    path = request.POST.get("path", "")
    recursive = request.POST.get("recursive") == "yes"
    return _act(
        request,
        by,
        "remove_file",
        path,
        lambda write: services.remove(write, path, recursive=recursive, reason=request.POST.get("reason", "")),
        f"{path} is removed. It can be restored.",
        then=parent(path) if path.startswith("/") else ROOT,
    )


@require_POST
@member_page("write_files")
def restore(request: HttpRequest, by: Principal) -> HttpResponse:
    """What was removed last at a path, or by its id; or what a version of a file said."""
    path, version = request.POST.get("path", ""), request.POST.get("version", "")
    entry_id = _identifier(request.POST.get("file", ""))
    sequence = number(version)
    if version and sequence is None:
        raise Invalid.at("/version", "not_a_number", "The page did not say which version.", "the number of a version")

    def act(write: Write) -> None:
        if sequence is not None:
            services.restore_version(write, path, sequence)
        else:
            services.restore(write, path, entry_id=entry_id)

    return _act(request, by, "restore_file", path, act, "Restored.")


def _identifier(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text) if text else None
    except ValueError as error:
        raise Invalid.at("/file", "not_an_id", "The page did not say which file.", "the id of a file") from error


def _act(
    request: HttpRequest,
    by: Principal,
    action: str,
    path: str,
    act: Callable[[Write], object],
    done: str,
    *,
    then: str = "",
) -> HttpResponse:
    """Do it and go to where it can be seen; a refusal is told on the page one came from."""
    try:
        record(by, action, act)
    except (Invalid, Conflict, Stale) as error:
        messages.error(request, error.detail)
        then = path
    else:
        messages.success(request, done)
    try:
        return redirect(file_url(by, normal(then or path)))
    except Invalid:
        return redirect(file_url(by))
