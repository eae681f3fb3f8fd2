"""Several cases at once: choose a verdict, see what it will do with each, decide, read the report, take it all back."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from memoryapp.doors.errors import DomainError, Invalid, NotFound
from memoryapp.doors.pages import member_page, page
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import queries, services
from memoryapp.review.models import Case, Decision
from memoryapp.review.pages import address as addresses
from memoryapp.review.pages.address import Address
from memoryapp.review.pages.shown import actor, headlines, verdict_words
from memoryapp.review.queries.several import MOST, Outlook

REPORT = "several_report"


@require_safe
@member_page("decide_cases")
def several(request: HttpRequest, by: Principal) -> HttpResponseBase:
    """The cases that were selected, or all that match, with the verdicts they may have; with one chosen, what it does.

    Nothing is decided by looking: choosing a verdict only changes the address.
    """
    address, _ = addresses.checked(by, request.GET)
    cases = _named(by, request, address)
    kind, _, verdict = request.GET.get("verdict", "").partition("/")
    rationale = request.GET.get("rationale", "")[:4000]
    chosen = _chosen(cases, kind, verdict)
    found = queries.outlook(by, cases, kind, verdict, rationale) if chosen else [Outlook(case) for case in cases]
    lines = headlines(by, cases)
    everything, matching = request.GET.get("all") == "yes", queries.matching(by, address.sought(by))
    context = {
        "by": by,
        "address": address,
        "everything": everything,
        "matching": matching,
        "many": everything and matching > MOST,
        "many_url": f"{reverse('review:look-at-many', args=[by.workspace.slug])}?{address.filters_query}",
        "verdicts": queries.verdicts_for(cases),
        "chosen": chosen,
        "verdict": f"{kind}/{verdict}",
        "rationale": rationale,
        "cases": cases,
        "will": [_line(address, one, lines) for one in found if not one.why_not],
        "exceptions": [_line(address, one, lines) for one in found if one.why_not],
    }
    return page(request, "review/several.html", context)


@require_POST
@member_page("decide_cases")
def decide_several(request: HttpRequest, by: Principal) -> HttpResponseBase:
    """Give one verdict to each of these cases as it was seen. Each succeeds or says by itself why it did not."""
    verdict = request.POST.get("verdict", "").partition("/")[2]
    seen = [_seen(text) for text in request.POST.getlist("seen")[:MOST]]
    rationale, batch = request.POST.get("rationale", "").strip()[:4000], new_id()
    failed = {}
    for case_id, lock in seen:

        def act(write: Write, case_id: uuid.UUID = case_id, lock: int = lock) -> Decision:
            return services.decide(write, case_id, lock=lock, verdict=verdict, batch_id=batch)

        try:
            record(by, "decide", act, rationale)
        except DomainError as error:
            failed[str(case_id)] = error.detail
    request.session[REPORT] = {"batch": str(batch), "failed": failed}
    return redirect(reverse("review:batch", args=[by.workspace.slug, batch]))


@require_safe
@member_page("read_cases")
def batch(request: HttpRequest, by: Principal, batch_id: uuid.UUID) -> HttpResponseBase:
    """What was decided together: each decision, whether it still stands, and what could not be done."""
    if queries.batch_of(by, batch_id):
        return redirect(reverse("review:many", args=[by.workspace.slug, batch_id]))
    found = list(queries.batch(by, batch_id)[:MOST])
    lines = headlines(by, [decision.case for decision in found])
    address = Address(by.workspace.slug, {})
    report = request.session.get(REPORT, {})
    failed = report.get("failed", {}) if report.get("batch") == str(batch_id) else {}
    missed = queries.some(by, [uuid.UUID(one) for one in failed])
    missed_lines = headlines(by, missed)
    context = {
        "by": by,
        "address": address,
        "done": [
            {
                "url": address.case(decision.case),
                "title": lines[decision.case_id],
                "stands": not hasattr(decision, "undone_by"),
            }
            for decision in found
        ],
        "standing": sum(not hasattr(decision, "undone_by") for decision in found),
        "words": verdict_words(found[0]) if found else "",
        "decided_by": actor(found[0].decided_by) if found else None,
        "at": found[0].decided_at if found else None,
        "rationale": found[0].rationale if found else "",
        "missed": [
            {"url": address.case(case), "title": missed_lines[case.pk], "why_not": failed[str(case.pk)]}
            for case in missed
        ],
        "undo_url": reverse("review:undo-batch", args=[by.workspace.slug, batch_id]) if by.may("decide_cases") else "",
    }
    return page(request, "review/batch.html", context, status=200 if found or missed else 404)


@require_POST
@member_page("decide_cases")
def undo_batch(request: HttpRequest, by: Principal, batch_id: uuid.UUID) -> HttpResponseBase:
    """Take back everything that was decided together and still stands, the latest first, each by itself."""
    decided = list(queries.batch(by, batch_id)[:MOST])
    if not decided:
        raise NotFound("Nothing was decided together under this address.", code="no_such_batch")
    standing = [one for one in decided if not hasattr(one, "undone_by")]
    failed = {}
    for decision in reversed(standing):
        try:
            record(by, "undo", lambda write, one=decision: services.undo(write, one.pk))  # type: ignore[misc]
        except DomainError as error:
            failed[str(decision.case_id)] = error.detail
    undone = len(standing) - len(failed)
    messages.success(request, f"{undone} taken back." + (f" {len(failed)} could not be: see below." if failed else ""))
    request.session[REPORT] = {"batch": str(batch_id), "failed": failed}
    return redirect(reverse("review:batch", args=[by.workspace.slug, batch_id]))


def _named(by: Principal, request: HttpRequest, address: Address) -> list[Case]:
    """The cases that were selected; all that match, up to as many as are decided together, when that was asked."""
    if request.GET.get("all") == "yes":
        page = queries.listed(by, address.sought(by), size=MOST)
        return queries.some(by, [case.pk for case in page.cases])
    return queries.some(by, [one for one in map(addresses.identifier, request.GET.getlist("case")) if one][:MOST])


def _chosen(cases: list[Case], kind: str, verdict: str) -> Any:
    """The verdict that was chosen, if one of these cases may have it."""
    offered = {each.name: verdicts for each, verdicts in queries.verdicts_for(cases)}
    return next((one for one in offered.get(kind, ()) if one.key == verdict), None)


def _line(address: Address, one: Outlook, lines: dict[Any, str]) -> dict[str, Any]:
    return {
        "id": one.case.pk,
        "seen": f"{one.case.pk}/{one.case.lock}",
        "url": address.case(one.case),
        "title": lines[one.case.pk],
        "why_not": one.why_not,
    }


def _seen(text: str) -> tuple[uuid.UUID, int]:
    name, _, lock = text.partition("/")
    case_id = addresses.identifier(name)
    if case_id is None or not (lock.isascii() and lock.isdigit() and len(lock) < 16):
        raise Invalid.at("seen", "not_a_case", "The form does not say which cases it was drawn from.", "case/lock")
    return case_id, int(lock)
