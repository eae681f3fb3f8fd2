"""Proposals in the browser: what is proposed, as it is and as it would be, and everything people do with one."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Iterable
from typing import Any

import yaml
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from memoryapp.doors import moments
from memoryapp.doors.errors import Conflict, DomainError, Invalid
from memoryapp.doors.pages import address, here, member_page, number, page
from memoryapp.doors.strict import read_yaml
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import attempting, presenting, services, staging
from memoryapp.ontology.models import Proposal, ProposalMove, Status
from memoryapp.ontology.models.proposals import OPEN
from memoryapp.ontology.queries import proposals as queries
from memoryapp.ontology.queries.editions import current_ontology
from memoryapp.ontology.services import Draft
from memoryapp.ontology.services.applying import filer_may_approve

LISTED = 100
LONGEST = 200_000
EXAMPLE = """- change: add_type
  family: node_classes
  name: vessel
  declaration:
    parent: thing
    properties:
      call_sign: {type: string, maxLength: 20}
    keys: [[call_sign]]
"""


@member_page("read_ontology")
def proposals(request: HttpRequest, by: Principal) -> HttpResponse:
    """Every proposal, the newest first; `?status=` narrows."""
    status = request.GET.get("status", "")
    if status and status not in Status.values:
        raise Invalid.at("status", "not_a_choice", "There is no such status.", ", ".join(Status.values))
    found = list(queries.proposals(by, status=status)[:LISTED])
    says = queries.revisions(found)
    rows = [
        {"one": one, "title": queries.title(says.get(one.pk)), "url": address(by, "ontology:proposal", one.pk)}
        for one in found
    ]
    tabs = [
        {"title": words, "url": here(request, status=value), "here": value == status}
        for value, words in [("", "All"), *((one.value, one.value.replace("_", " ").capitalize()) for one in Status)]
    ]
    context = {
        "by": by,
        "rows": rows,
        "tabs": tabs,
        "status": status,
        "new_url": address(by, "ontology:new") if by.may("propose_schema") else "",
    }
    return page(request, "ontology/proposals.html", context)


@member_page("read_ontology")
def proposal(request: HttpRequest, by: Principal, proposal_id: uuid.UUID) -> HttpResponse:
    """One proposal with all that is needed to decide on it."""
    return _shown(request, by, queries.seen(by, proposal_id))


@require_POST
@member_page("decide_cases")
def decide(request: HttpRequest, by: Principal, proposal_id: uuid.UUID) -> HttpResponse:
    """Approve, perhaps at a time; ask back; reject."""
    reason = request.POST.get("rationale", "").strip()
    verbs: dict[str, Callable[[Write, Proposal], Any]] = {
        "approve": lambda write, one: services.approve(write, one, reason, at=_at(request)),
        "ask_back": lambda write, one: services.ask_back(write, one, reason),
        "reject": lambda write, one: services.reject(write, one, _needed(reason)),
    }
    return _act(request, by, proposal_id, verbs, {"approve": "Approved.", "ask_back": "Asked.", "reject": "Rejected."})


@require_POST
@member_page("apply_schema")
def put_in_force(request: HttpRequest, by: Principal, proposal_id: uuid.UUID) -> HttpResponse:
    """Apply it now or by a worker, rebase it, or roll it back."""
    reason = request.POST.get("rationale", "").strip()
    found = queries.seen(by, proposal_id)
    if request.POST.get("verb") == "apply" and not (found.status == Status.APPROVED and staging.is_large(found)):
        _refuse_old_page(request, found)
        try:
            attempting.apply_now(by, proposal_id)
            messages.success(request, "In force. The report says what became of what was parked.")
        except Conflict as error:
            return _shown(request, by, queries.seen(by, proposal_id), error=error, status=error.status)
        return redirect(address(by, "ontology:proposal", proposal_id))
    verbs: dict[str, Callable[[Write, Proposal], Any]] = {
        "apply": services.apply_in_a_job,
        "later": services.apply_in_a_job,
        "rebase": services.rebase,
        "roll_back": lambda write, one: services.roll_back(write, one, reason),
    }
    back = "Rolled back: a new edition equals the one before."
    if request.POST.get("verb") == "roll_back" and staging.is_large_back(found):
        verbs["roll_back"] = services.roll_back_in_a_job
        back = "Very many rows go back: a worker prepares them first; its progress is among the jobs."
    said = {
        "apply": "Very many rows follow: a worker prepares them first; its progress is among the jobs.",
        "later": "A worker applies it; its progress is among the jobs.",
        "rebase": "Drawn against the edition in force.",
        "roll_back": back,
    }
    return _act(request, by, proposal_id, verbs, said)


@require_POST
@member_page("propose_schema")
def withdraw(request: HttpRequest, by: Principal, proposal_id: uuid.UUID) -> HttpResponse:
    """The filer takes it back."""
    reason = request.POST.get("rationale", "").strip()
    verbs: dict[str, Callable[[Write, Proposal], Any]] = {
        "withdraw": lambda write, one: services.withdraw(write, one, reason)
    }
    return _act(request, by, proposal_id, verbs, {"withdraw": "Withdrawn."})


@member_page("propose_schema")
def new(request: HttpRequest, by: Principal) -> HttpResponse:
    """Propose changes, tried before they are filed."""

    def file(draft: Draft) -> Proposal:
        return record(by, "propose_schema", lambda write: services.propose(write, draft), draft.rationale)

    return _form(request, by, None, file)


@member_page("propose_schema")
def revise(request: HttpRequest, by: Principal, proposal_id: uuid.UUID) -> HttpResponse:
    """Say otherwise what is proposed."""
    found = queries.seen(by, proposal_id)

    def act(draft: Draft) -> Proposal:
        def write_it(write: Write) -> Proposal:
            one = queries.seen(by, proposal_id)
            return services.revise(write, one, draft, lock=_lock(request), reason=draft.rationale[:500])

        return record(by, "revise_proposal", write_it, draft.rationale)

    return _form(request, by, found, act)


def _form(
    request: HttpRequest, by: Principal, found: Proposal | None, act: Callable[[Draft], Proposal]
) -> HttpResponse:
    typed, error, tried = _typed(request, found), None, None
    if request.method == "POST":
        try:
            draft = _draft(typed)
            if request.POST.get("verb") == "try":
                tried = queries.outlook(by, draft.changes)
            else:
                filed = act(draft)
                messages.success(request, f"Proposal {filed.number} waits for a person.")
                return redirect(address(by, "ontology:proposal", filed.pk))
        except DomainError as refused:
            error = refused
    context = {
        "by": by,
        "proposal": found,
        "typed": typed,
        "error": error,
        "outlook": tried,
        "types": presenting.compared(tried) if tried else [],
        "edition": current_ontology(by).number,
        "back_url": address(by, "ontology:proposal", found.pk) if found else address(by, "ontology:proposals"),
    }
    return page(request, "ontology/propose.html", context, status=error.status if error else 200)


def _typed(request: HttpRequest, found: Proposal | None) -> dict[str, Any]:
    if request.method == "POST":
        names = ("changes", "rationale", "alternatives", "lock")
        return {name: request.POST.get(name, "")[:LONGEST] for name in names}
    if found is None:
        return {"changes": EXAMPLE, "rationale": "", "alternatives": "", "lock": ""}
    revision = queries.revision_of(found)
    return {
        "changes": yaml.safe_dump(revision.changes, sort_keys=False, allow_unicode=True, width=100),
        "rationale": revision.rationale,
        "alternatives": "\n".join(revision.alternatives),
        "lock": str(found.lock),
    }


def _draft(typed: dict[str, Any]) -> Draft:
    changes = read_yaml(typed["changes"], "/changes")
    alternatives = tuple(line.strip() for line in typed["alternatives"].splitlines() if line.strip())
    return Draft(changes, typed["rationale"].strip(), alternatives)


def _act(
    request: HttpRequest,
    by: Principal,
    proposal_id: uuid.UUID,
    verbs: dict[str, Callable[[Write, Proposal], Any]],
    said: dict[str, str],
) -> HttpResponse:
    queries.seen(by, proposal_id)
    verb = request.POST.get("verb", "")
    if verb not in verbs:
        raise Invalid.at("/verb", "not_a_choice", "There is no such verb.", ", ".join(verbs))
    reason = request.POST.get("rationale", "").strip()

    def act(write: Write) -> None:
        fresh = queries.seen(by, proposal_id)
        _refuse_old_page(request, fresh)
        verbs[verb](write, fresh)

    try:
        record(by, f"{verb}_proposal", act, reason)
    except DomainError as error:
        return _shown(request, by, queries.seen(by, proposal_id), error=error, status=error.status)
    messages.success(request, said[verb])
    return redirect(address(by, "ontology:proposal", proposal_id))


def _refuse_old_page(request: HttpRequest, found: Proposal) -> None:
    lock = _lock(request)
    if lock is not None and lock != found.lock:
        raise Conflict("It has changed since you looked at it. This is how it stands now.", code="proposal_changed")


def _lock(request: HttpRequest) -> int | None:
    return number(request.POST.get("lock", ""))


def _at(request: HttpRequest) -> dt.datetime | None:
    given = request.POST.get("at", "").strip()
    if not given:
        return None
    try:
        return moments.parse(given, time_zone=str(timezone.get_current_timezone())).instant
    except moments.NotAMoment as error:
        raise Invalid.at("/at", error.code, str(error), "a date and time") from error


def _needed(reason: str) -> str:
    if not reason:
        raise Invalid.at("/rationale", "rationale_missing", "A rejection needs a reason.", "a sentence")
    return reason


def _shown(
    request: HttpRequest, by: Principal, found: Proposal, *, error: DomainError | None = None, status: int = 200
) -> HttpResponse:
    view = presenting.presented(by, found)
    mine = by.actor.pk == found.filer_id
    admin, is_open = by.may("apply_schema"), found.status in OPEN
    stale = view["outlook"].stale and is_open
    approves = not mine or filer_may_approve(by.workspace)
    context = {
        "by": by,
        "view": view,
        "proposal": found,
        "error": error,
        "report": _report(view["moves"]),
        "at_work": _at_work(by, found),
        "rationale": request.POST.get("rationale", "")[:4000],
        "stale": stale,
        "may": {
            "approve": admin and found.status == Status.PROPOSED and not stale and approves,
            "look_on": not admin and found.status == Status.PROPOSED,
            "ask_back": by.may("decide_cases") and found.status == Status.PROPOSED,
            "reject": admin and is_open,
            "apply": admin and found.status in (Status.APPROVED, Status.FAILED) and not stale,
            "rebase": stale and (admin or mine),
            "roll_back": admin and found.status == Status.APPLIED,
            "revise": is_open and by.may("propose_schema") and (mine or admin),
            "withdraw": is_open and mine and by.may("propose_schema"),
        },
        "filed_it": admin and found.status == Status.PROPOSED and not approves,
        "urls": {
            "decide": address(by, "ontology:decide", found.pk),
            "force": address(by, "ontology:put-in-force", found.pk),
            "withdraw": address(by, "ontology:withdraw", found.pk),
            "revise": address(by, "ontology:revise", found.pk),
        },
    }
    return page(request, "ontology/proposal.html", context, status=status)


def _report(moves: Iterable[ProposalMove]) -> dict[str, Any]:
    """What applying did, or why it was refused; of what is applied, why rolling it back was refused besides."""
    found: dict[str, Any] = {}
    for one in moves:
        if one.report:
            found = found | one.report if one.from_status == Status.APPLIED else one.report
    return found


def _at_work(by: Principal, found: Proposal) -> dict[str, Any]:
    """What a worker is doing with it, and how far it is."""
    job = queries.job_at_work(found)
    if job is None:
        return {}
    return {
        "title": "A worker is rolling it back" if job.kind == queries.BACK else "A worker is applying it",
        "words": f"{job.done} of {job.total} rows are prepared." if job.total else "It has not begun to prepare rows.",
        "url": address(by, "ledger:job", job.pk) if by.may("read_jobs") else "",
    }
