"""Files from a person's machine, put into a directory; and the bytes of an attachment given back."""

from __future__ import annotations

from urllib.parse import quote

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from memoryapp.access.paths import ROOT, normal
from memoryapp.doors.errors import Conflict, DomainError, Invalid, NotFound, Stale, TooLarge
from memoryapp.doors.pages import drawn_lock, member_page
from memoryapp.files import queries, services
from memoryapp.files.attachments import keeping
from memoryapp.files.inputs import FileInput
from memoryapp.files.models import Form
from memoryapp.files.pages.presenting import file_url, in_words
from memoryapp.files.services.serving import note
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

MOST = 20
"""Files of one upload."""


@require_POST
@member_page("write_files")
def upload(request: HttpRequest, by: Principal) -> HttpResponse:
    """The files that were chosen or dropped, each by itself: what is refused is named and the others are kept."""
    within = request.POST.get("within", ROOT)
    if "path" in request.POST:
        return _in_its_place(request, by, request.POST["path"])
    kept = 0
    for one in request.FILES.getlist("files")[:MOST]:
        path = f"{within.rstrip('/')}/{one.name or ''}"
        try:
            _put(by, normal(path), one)
            kept += 1
        except DomainError as error:
            messages.error(request, f"{one.name}: {in_words(error)}")
    if kept:
        messages.success(request, "Uploaded." if kept == 1 else f"{kept} uploaded.")
    elif not request.FILES:
        messages.error(request, "No file was chosen.")
    try:
        return redirect(file_url(by, normal(within)))
    except Invalid:
        return redirect(file_url(by))


def _in_its_place(request: HttpRequest, by: Principal, path: str) -> HttpResponse:
    """One file in the place of that which the page was drawn of."""
    lock, sent = drawn_lock(request), request.FILES.get("files")
    try:
        if sent is None:
            raise Invalid.at("/files", "missing", "No file was chosen.", "a file")
        _put(by, normal(path), sent, lock)
        messages.success(request, "Uploaded. What was there before is among the versions.")
    except (Invalid, Conflict, NotFound, Stale, TooLarge) as error:
        messages.error(request, error.detail)
    try:
        return redirect(file_url(by, normal(path)))
    except Invalid:
        return redirect(file_url(by))


def _put(by: Principal, path: str, sent: UploadedFile[bytes], lock: int | None = None) -> None:
    if sent.size is not None and sent.size > keeping.LARGEST:
        message = f"An attachment has at most {keeping.LARGEST // 1024 // 1024} MiB."
        raise TooLarge(message, code="attachment_too_large")
    data = sent.read()
    if not data or keeping.what_it_is(data, sent.name or path) == keeping.PLAIN:
        told = FileInput(path, data.decode("utf-8-sig"), lock=lock)
        record(by, "write_files", lambda write: services.write_file(write, told))
        return
    kept = keeping.keep(data, sent.name or path)
    try:
        done = record(by, "attach_file", lambda write: services.attach(write, path, kept, lock=lock))
    except BaseException:
        keeping.let_go(kept.stored)
        raise
    if done.repeated:
        keeping.let_go(kept.stored)


@require_safe
@member_page("read_files")
def original(request: HttpRequest, by: Principal) -> HttpResponse:
    """The bytes of an attachment, to be saved and never shown as a page of ours."""
    entry, version = queries.file(by, normal(request.GET.get("path", "")))
    if version.body is None or version.body.form != Form.ATTACHMENT:
        raise NotFound("This is no attachment.", code="no_such_file")
    try:
        data = keeping.read(version.body.stored)
    except FileNotFoundError as error:
        raise NotFound("Its bytes are not there any more.", code="bytes_gone") from error
    note(by, [(entry.pk, None)], asked={"path": entry.path, "original": True})
    response = HttpResponse(data, content_type="application/octet-stream")
    response["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(entry.name, safe='')}"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response
