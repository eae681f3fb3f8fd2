"""All cases that match at once: looked at by a job, decided when told to, reported one by one, taken back as one."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from memoryapp.doors.errors import NotFound
from memoryapp.doors.pages import here, member_page, number, page
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.queries import jobs
from memoryapp.ledger.services import record
from memoryapp.review import queries, registry, services
from memoryapp.review.batching import words_of
from memoryapp.review.models import Batch, BatchItem
from memoryapp.review.pages.address import Address
from memoryapp.review.pages.shown import headlines
from memoryapp.review.services.batches import JOB, WORKING

LISTED = 50
State, Phase = BatchItem.State, Batch.Phase
SHOWN = {
    State.WILL: "To be decided",
    State.LEFT: "Left as they are",
    State.DECIDED: "Decided",
    State.FAILED: "Could not be done",
    State.UNDONE: "Taken back",
    State.KEPT: "Could not be taken back",
}
DOING = {Phase.LOOKING: "Looking at each", Phase.DECIDING: "Deciding", Phase.UNDOING: "Taking back"}


@require_POST
@member_page("decide_cases")
def look_at_many(request: HttpRequest, by: Principal) -> HttpResponseBase:
    """Have every case that matches looked at; nothing is decided."""
    address = Address.of(by, request.GET)
    kind, _, verdict = request.POST.get("verdict", "").partition("/")
    batch = record(
        by,
        "look_at_many",
        lambda write: services.look_at_many(write, kind=kind, verdict=verdict, query=address.filters_query),
        request.POST.get("rationale", "").strip()[:4000],
    )
    return _to(by, batch.pk)


@require_safe
@member_page("decide_cases")
def many(request: HttpRequest, by: Principal, batch_id: uuid.UUID) -> HttpResponseBase:
    """How far it is, how much of what, and its cases in one state, a page at a time."""
    batch = queries.batch_of(by, batch_id)
    if batch is None:
        raise NotFound("There is no such batch of yours.", code="no_such_batch")
    counts = queries.counted(batch)
    state = request.GET.get("show", "")
    if not counts.get(state):
        state = next((one for one in SHOWN if counts[one]), State.WILL)
    found = list(queries.items(by, batch, state).filter(number__gt=_after(request))[: LISTED + 1])
    job = jobs(by).filter(kind=JOB, subject_id=batch.pk).first() if by.may("read_jobs") else None
    context = _context(by, batch, counts, job) | {
        "tabs": [
            {"title": f"{words} {counts[one]:,}", "url": here(request, show=one, after=""), "here": one == state}
            for one, words in SHOWN.items()
            if counts[one]
        ],
        "lines": _lines(by, found[:LISTED]),
        "next_url": here(request, after=str(found[LISTED - 1].number)) if len(found) > LISTED else "",
        "first_url": here(request, after="") if _after(request) else "",
        "refresh_url": request.get_full_path(),
    }
    return page(request, "review/many.html", context, partial="many")


@require_POST
@member_page("decide_cases")
def decide_many(request: HttpRequest, by: Principal, batch_id: uuid.UUID) -> HttpResponseBase:
    """Decide what was looked at."""
    record(by, "carry_out", lambda write: services.carry_out(write, batch_id))
    return _to(by, batch_id)


@require_POST
@member_page("decide_cases")
def undo_many(request: HttpRequest, by: Principal, batch_id: uuid.UUID) -> HttpResponseBase:
    """Take all of it back."""
    record(by, "take_back", lambda write: services.take_back(write, batch_id))
    return _to(by, batch_id)


def _context(by: Principal, batch: Batch, counts: dict[str, int], job: Job | None) -> dict[str, Any]:
    chosen = registry.kind_named(batch.kind).verdict(batch.verdict)
    working = batch.phase in WORKING
    at_work = job is not None and job.state in (Job.State.QUEUED, Job.State.RUNNING)
    waiting, standing = counts[State.WILL], counts[State.DECIDED]
    return {
        "by": by,
        "batch": batch,
        "words": words_of(batch),
        "explains": chosen.explains if chosen else "",
        "address": Address.of(by, QueryDict(batch.query)),
        "total": sum(counts.values()),
        "counts": counts,
        "doing": DOING.get(Phase(batch.phase), ""),
        "working": working,
        "live": working and at_work,
        "stopped": working and not at_work,
        "job": job,
        "job_url": reverse("ledger:job", args=[by.workspace.slug, job.pk]) if job else "",
        "may_decide": waiting and (batch.phase == Phase.READY or (batch.phase == Phase.DECIDING and not at_work)),
        "may_undo": standing and batch.phase in (Phase.DONE, Phase.DECIDING, Phase.UNDOING) and not at_work,
    }


def _lines(by: Principal, found: list[BatchItem]) -> list[dict[str, Any]]:
    lines = headlines(by, [item.case for item in found])
    return [
        {
            "url": reverse("review:case", args=[by.workspace.slug, item.case_id]),
            "title": lines[item.case_id],
            "why_not": item.why_not,
        }
        for item in found
    ]


def _after(request: HttpRequest) -> int:
    return number(request.GET.get("after", "")) or 0


def _to(by: Principal, batch_id: uuid.UUID) -> HttpResponseBase:
    return redirect(reverse("review:many", args=[by.workspace.slug, batch_id]))
