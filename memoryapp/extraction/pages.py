"""What extraction adds to the pages of lower rooms: proposals beside turns and behind beliefs, and what a job read. And
the page on which something is read again."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from memoryapp.doors.pages import address, member_page, page
from memoryapp.extraction import rereading
from memoryapp.extraction.models import Candidate
from memoryapp.extraction.queries import candidates_of_beliefs, candidates_of_sources
from memoryapp.extraction.services import HELD
from memoryapp.graph.models import Belief
from memoryapp.graph.origins import Origin
from memoryapp.graph.pages.presenting import state_of
from memoryapp.ledger.jobs import Subject
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review.models import Case
from memoryapp.sources.learned import Learned
from memoryapp.sources.models import Source, Thread
from memoryapp.sources.pages import title_of

MOST_SHOWN = 200
"""Proposals on the page of reading again."""


def learned_from(by: Principal, source_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[Learned]]:
    """The proposals from each source. One that became a belief speaks of that belief; one out of sight is left out."""
    if not by.may("read_candidates"):
        return {}
    sources = [Source(pk=source_id) for source_id in source_ids]
    proposed = list(candidates_of_sources(by, sources))
    in_sight = set(
        Belief.objects.visible_to(by).filter(pk__in=[one.belief_id for one in proposed]).values_list("pk", flat=True)
    )
    cases = _open_cases(by, proposed)
    found: dict[uuid.UUID, list[Learned]] = {}
    for one in proposed:
        if one.belief_id is not None and one.belief_id not in in_sight:
            continue
        found.setdefault(one.source_id, []).append(_learned(by, one, cases))
    return found


def origins(by: Principal, belief_id: uuid.UUID) -> list[Origin]:
    """The proposals that became a belief or were merged into it, oldest first."""
    found = candidates_of_beliefs(by, [Belief(pk=belief_id)]).order_by("recorded_at", "pk")
    return [
        Origin(
            words=one.content,
            quote=one.quote,
            state=one.state,
            note=one.reason,
            proposed_by=f"{one.run.extractor.capitalize()} {one.run.version}" + (f", {one.rule}" if one.rule else ""),
            at=one.recorded_at,
            confidence=one.confidence,
            source_url=address(by, "sources:source", one.source_id) if by.may("read_sources") else "",
        )
        for one in found
    ]


def subjects(by: Principal, of: list[Job]) -> dict[uuid.UUID, Subject]:
    """What each job read: a conversation by its title, anything else by its own."""
    ids = [job.subject_id for job in of]
    threads = {thread.pk: thread for thread in Thread.objects.visible_to(by).filter(pk__in=ids)}
    sources = {
        source.pk: source
        for source in Source.objects.visible_to(by).filter(pk__in=[one for one in ids if one not in threads])
    }
    found: dict[uuid.UUID, Subject] = {}
    for job in of:
        if thread := threads.get(job.subject_id):
            found[job.pk] = Subject(str(thread), address(by, "sources:thread", thread.pk))
        elif source := sources.get(job.subject_id):
            found[job.pk] = Subject(
                source.title or source.path or source.url or source.content[:80],
                address(by, "sources:source", source.pk),
            )
    return found


@member_page("read_candidates")
def again(
    request: HttpRequest, by: Principal, source_id: uuid.UUID | None = None, thread_id: uuid.UUID | None = None
) -> HttpResponse:
    """What reading a source or a conversation again would change, and the button that has it done."""
    of = rereading.what(by, source_id=source_id, thread_id=thread_id)
    back_url = address(by, "sources:source", source_id) if source_id else address(by, "sources:thread", thread_id)
    if request.method == "POST":
        record(by, "read_again", lambda write: rereading.read_again(write, of), request.POST.get("rationale", ""))
        messages.success(request, "It is being read again. What is new appears on this page.")
        return redirect(back_url)
    found = rereading.difference(by, of)
    return page(
        request,
        "extraction/again.html",
        {
            "by": by,
            "what": "source" if source_id else "thread",
            "title": title_of(of.called) if isinstance(of.called, Source) else str(of.called),
            "found": found,
            "new": found.new[:MOST_SHOWN],
            "gone": found.gone[:MOST_SHOWN],
            "new_more": max(0, len(found.new) - MOST_SHOWN),
            "gone_more": max(0, len(found.gone) - MOST_SHOWN),
            "back_url": back_url,
            "may_ask": by.may("tell"),
        },
    )


def _learned(by: Principal, one: Candidate, cases: dict[str, uuid.UUID]) -> Learned:
    belief = one.belief
    case = cases.get(str(one.pk))
    return Learned(
        key=belief.pk if belief else one.pk,
        words=belief.content if belief else one.content,
        kind=one.kind,
        state=state_of(belief.status, belief.standing, belief.valid_from, belief.valid_to) if belief else one.state,
        url=address(by, "graph:belief", belief.pk) if belief else "",
        note=one.reason,
        case_url=address(by, "review:case", case) if case else "",
        start=one.span_start,
    )


def _open_cases(by: Principal, proposed: Sequence[Candidate]) -> dict[str, uuid.UUID]:
    held = [str(one.pk) for one in proposed if one.state == Candidate.State.HELD]
    if not held or not by.may("read_cases"):
        return {}
    waiting = Case.objects.visible_to(by).filter(kind=HELD, key__in=held, state=Case.State.OPEN)
    return dict(waiting.values_list("key", "pk"))
