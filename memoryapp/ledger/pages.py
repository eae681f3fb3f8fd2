"""How the product itself is doing (without sign-in: nothing of a workspace), and the jobs of a workspace."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from memoryapp.doors import paging
from memoryapp.doors.errors import Invalid
from memoryapp.doors.pages import address, here, member_page, page
from memoryapp.ledger import jobs as work
from memoryapp.ledger import queries
from memoryapp.ledger.models import Job, JobAttempt
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

STATES = {"queued": "Queued", "running": "Running", "succeeded": "Done", "failed": "Failed", "cancelled": "Cancelled"}
OPEN = (Job.State.QUEUED, Job.State.RUNNING)
AGAIN = (Job.State.FAILED, Job.State.CANCELLED)


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """This process answers. It asks nothing of the database, so that a slow one does not get processes killed."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def status(request: HttpRequest) -> HttpResponse:
    """A page for a browser, JSON for everything else; 503 when something that work needs is not there or jobs wait."""
    found = queries.status()
    code = 200 if found.well else 503
    if request.accepts("text/html") and "text/html" in request.headers.get("Accept", ""):
        return render(request, "ledger/status.html", {"status": found}, status=code)
    return JsonResponse(found.as_dict(), status=code)


@member_page("read_jobs")
def jobs(request: HttpRequest, by: Principal) -> HttpResponse:
    """The jobs of the workspace, newest first, and whether anybody is there to do them."""
    state, kind = request.GET.get("state", ""), request.GET.get("kind", "").replace("\x00", "")
    if state and state not in STATES:
        raise Invalid.at("state", "unknown_state", f"There is no state “{state[:40]}”.", ", ".join(STATES))
    found = paging.page(
        queries.jobs(by, state=state, kind=kind),
        order=("-created_at", "-id"),
        cursor=request.GET.get("after"),
        question=[str(by.workspace.pk), state, kind],
    )
    about = work.subjects(by, found.items)
    kinds = {name: declared.title for name, declared in work.kinds().items()}
    chosen = [("state", state, STATES.get(state, "")), ("kind", kind, kinds.get(kind, kind))]
    return page(
        request,
        "ledger/jobs.html",
        {
            "by": by,
            "rows": [_row(by, job, about.get(job.pk)) for job in found.items],
            "states": [{"title": "All", "url": here(request, state="", after=""), "here": not state}]
            + [
                {"title": words, "url": here(request, state=value, after=""), "here": value == state}
                for value, words in STATES.items()
            ],
            "filters_set": [
                {"words": words, "clear_url": here(request, after="", **{name: ""})}
                for name, value, words in chosen
                if value
            ],
            "health": queries.status(),
            "live": any(job.state in OPEN for job in found.items),
            "refresh_url": request.get_full_path(),
            "next_url": here(request, after=found.next) if found.next else "",
            "first_url": here(request, after="") if request.GET.get("after") else "",
            "clear_url": request.path,
        },
        partial="list",
    )


@member_page("read_jobs")
def job(request: HttpRequest, by: Principal, job_id: uuid.UUID) -> HttpResponse:
    """One job: how far it is, every try, what came of it, and what may be done about it."""
    found = queries.job(by, job_id)
    row = _row(by, found, work.subjects(by, [found]).get(found.pk))
    return page(
        request,
        "ledger/job.html",
        {
            "by": by,
            "job": found,
            "row": row,
            "tries": [_attempt(attempt) for attempt in queries.attempts(by, found)],
            "outcome": [(name.replace("_", " "), value) for name, value in found.outcome.items()],
            "spent": [(name.replace("_", " "), value) for name, value in work.spent(by, found).items()],
            "asked_by": {"name": found.write.actor.name, "kind": found.write.actor.kind},
            "may_retry": found.state in AGAIN and by.may("retry_jobs"),
            "may_cancel": found.state in OPEN and by.may("retry_jobs"),
            "live": found.state in OPEN,
            "refresh_url": request.get_full_path(),
        },
        partial="job",
    )


@require_POST
@member_page("retry_jobs")
def retry(request: HttpRequest, by: Principal, job_id: uuid.UUID) -> HttpResponse:
    """Queue a failed or cancelled job once more."""
    found = queries.job(by, job_id)
    record(by, "retry_job", lambda write: work.retry(write, found))
    messages.success(request, "Queued again.")
    return redirect(address(by, "ledger:job", found.pk))


@require_POST
@member_page("retry_jobs")
def cancel(request: HttpRequest, by: Principal, job_id: uuid.UUID) -> HttpResponse:
    """Give a job up; what it already did stays."""
    found = queries.job(by, job_id)
    record(by, "cancel_job", lambda write: work.cancel(write, found))
    messages.success(request, "Cancelled. What it had already done stays.")
    return redirect(address(by, "ledger:job", found.pk))


def _row(by: Principal, of: Job, about: work.Subject | None) -> dict[str, Any]:
    return {
        "url": address(by, "ledger:job", of.pk),
        "title": work.title_of(of.kind),
        "about": about,
        "state": of.state,
        "done": of.done,
        "total": of.total,
        "attempts": of.attempts,
        "created_at": of.created_at,
        "finished_at": of.finished_at,
        "error": of.error,
        "candidates": of.outcome.get("candidates"),
    }


def _attempt(attempt: JobAttempt) -> dict[str, Any]:
    seconds = (attempt.ended_at - attempt.started_at).total_seconds() if attempt.ended_at else None
    return {
        "number": attempt.number,
        "worker": attempt.worker,
        "started_at": attempt.started_at,
        "seconds": seconds,
        "ending": attempt.ending or "running",
        "error": attempt.error,
    }
