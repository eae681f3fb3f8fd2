"""What a page of a step sends: saved field by field where scripts run, whole where they do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from formsengine import queries, services
from formsengine.inputs import Answers
from formsengine.log.response import Response
from formsengine.models import FormResponse
from formsengine.pages import asked, notation
from formsengine.pages.step import changed, drawn, language_of, onwards, step_named
from memoryapp.doors.errors import DomainError, Invalid, TooLarge
from memoryapp.doors.pages import address, number, wants_fragment
from memoryapp.files.attachments import keeping
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

TROUBLED = {"rejected", "candidate", "waits"}
LONGEST_KEY = 64
MOST_FILES = 20
MOST_TROUBLED = 200


class _Sending:
    """One page sent: what was saved of it, one commit after the other, and what could not be."""

    def __init__(self, by: Principal, row: FormResponse, response: Response, request: HttpRequest) -> None:
        self.by, self.row, self.response, self.posted = by, row, response, request.POST
        self.language, self.locale = language_of(request, row, response), notation.declared(request)
        self.verdicts: list[dict[str, Any]] = []

    def say(self, posted: QueryDict, base: int) -> set[str]:
        """The fields that differ from what the page showed; not the one that a button answers in place of its words."""
        chosen = asked.act(posted.get("act", "")) or {}
        replaced = chosen.get("field") if chosen.get("op") == "set" else None
        ops = [op for op in asked.operations(self.response, posted, base) if op["field"] != replaced]
        if ops:
            self._answer(self._from_device(ops, base, key=self._sent("key"), after=self._sent("after")))
        return {str(op["field"]) for op in ops}

    def act(self, text: str, base: int) -> None:
        """What a button says besides saving. Going back concerns everybody: only of what the page showed."""
        op = asked.act(text) if text else None
        if op is not None:
            self._answer(self._from_device([op], base if op["op"] == "revert" else self.row.lock))

    def attach(self, path: str, sent: UploadedFile[bytes], base: int) -> None:
        """A file as the answer of a field; what is wrong with it is said at the field."""
        try:
            self._take(_attached(self.by, self.row, path, sent, self._from_device([], base)))
        except DomainError as refused:
            first = refused.violations[0] if refused.violations else None
            message = first.message if first else refused.detail
            accepted = [first.accepted] if first and first.accepted else []
            self.verdicts.append({"path": path, "verdict": "rejected", "message": message, "accepted": accepted})

    def _sent(self, name: str) -> str:
        return self.posted.get(name, "")[:LONGEST_KEY]

    def _from_device(self, ops: list[dict[str, Any]], base: int, **named: str) -> Answers:
        """These operations, as the device that the page is open on says them."""
        device = self._sent("device")
        answers = Answers(ops, base=base, language=self.language, locale=self.locale, device=device)
        return replace(answers, key=named.get("key", ""), after=named.get("after", ""))

    def _answer(self, answers: Answers) -> None:
        self._take(record(self.by, "write_response", lambda w: services.answer(w, self.row.pk, answers)))

    def _take(self, done: services.Written) -> None:
        self.verdicts += done.verdicts
        self.row, self.response = done.row, done.response


def save(request: HttpRequest, by: Principal, row: FormResponse, before: Response) -> HttpResponse:
    """Save what differs from what the page showed, do what the button says, and go where it leads."""
    posted = request.POST
    base = base_of(posted)
    if base > row.lock:
        raise Invalid.at("base", "base", f"There is no commit {base}.", f"0 to {row.lock}")
    step = step_named(before, posted.get("step", ""))
    sending = _Sending(by, row, before, request)
    mine = sending.say(posted, base)
    for path, sent in _files(request):
        sending.attach(path, sent, base)
    sending.act(posted.get("act", ""), base)
    row = sending.row
    response = sending.response if sending.verdicts else queries.loaded(queries.response(by, row.pk))
    typed = {
        verdict["path"]: ", ".join(posted.getlist(f"f:{verdict['path']}"))
        for verdict in sending.verdicts
        if verdict["verdict"] == "rejected"
    }
    troubles = {
        verdict["path"]: _with_candidates(by, verdict) for verdict in sending.verdicts if verdict["verdict"] in TROUBLED
    }
    if wants_fragment(request):
        key = posted.get("key", "")
        troubled = frozenset(posted.getlist("troubled")[:MOST_TROUBLED])
        return changed(request, by, row, response, step, base, frozenset(mine), typed, troubles, key, troubled)
    if any(each["verdict"] == "rejected" for each in troubles.values()):
        return drawn(request, by, row, response, step, typed, troubles, status=422)
    return redirect(onwards(by, row, response, step, posted.get("go", "")))


def _with_candidates(by: Principal, verdict: dict[str, Any]) -> dict[str, Any]:
    """Where a name means several nodes, each of them to look at and to choose."""
    if verdict.get("code") != "entity":
        return verdict
    parted = [one.partition(" (") for one in verdict.get("accepted", ()) if one.endswith(")")]
    found = [{"id": pk, "words": words[:-1], "url": address(by, "graph:node", pk)} for pk, _, words in parted]
    return verdict | {"candidates": found} | ({"accepted": []} if found else {})


def _files(request: HttpRequest) -> Iterator[tuple[str, UploadedFile[bytes]]]:
    for name in list(request.FILES)[:MOST_FILES]:
        sent = request.FILES[name]
        if str(name).startswith("u:") and not isinstance(sent, list):
            yield str(name)[2:], sent


def _attached(
    by: Principal, row: FormResponse, path: str, sent: UploadedFile[bytes], answers: Answers
) -> services.Written:
    if (sent.size or 0) > keeping.LARGEST:
        message = f"A file has at most {keeping.LARGEST // 1024 // 1024} MiB."
        raise TooLarge(message, code="attachment_too_large")
    kept = services.received(sent.read(), sent.name or "")
    try:
        done, stored = record(
            by,
            "attach_to_response",
            lambda w: services.attach(w, row.pk, field=path, name=sent.name or "", kept=kept, answers=answers),
        )
    except BaseException:
        keeping.let_go(kept.stored)
        raise
    if stored is None:
        keeping.let_go(kept.stored)
    return done


def base_of(posted: QueryDict) -> int:
    """The commit that the page showed."""
    found = number(posted.get("base", ""))
    if found is None:
        raise Invalid.at("base", "wrong_type", "The page does not say what it showed.", "reload it")
    return found
