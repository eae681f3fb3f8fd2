"""Every read of extraction."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Max, Min, Q, QuerySet

from memoryapp.doors.errors import NotFound
from memoryapp.extraction.models import Candidate
from memoryapp.graph.models import Belief
from memoryapp.ledger.models import Job, Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import Source, Thread, readable_by
from memoryapp.sources.queries import withdrawn

KIND = "extract"
"""The kind of job that reads sources."""

AGAIN = "again"
"""In a job's arguments: it reads what was read before."""

CONTEXT_TURNS = 4
"""Turns before the new ones that an extractor sees again, so that an answer is read with its question."""


def candidates(by: Principal) -> QuerySet[Candidate]:
    """Candidates in the caller's sight, newest first. What became a belief is seen by whom the belief is."""
    by.require("read_candidates")
    in_sight = Q(belief__isnull=True) | Q(Belief.objects.sighted(by))
    return (
        Candidate.objects.filter(in_sight, readable_by(by, "source__"), workspace=by.workspace)
        .select_related("source", "source__participant", "run", "belief")
        .order_by("-recorded_at", "-id")
    )


def hidden_candidates(by: Principal) -> QuerySet[Candidate, Any]:
    """Ids of the candidates about words that the caller may not be served."""
    return Candidate.objects.filter(source__in=Source.objects.hidden_from(by)).values("pk")


def hidden_subjects(by: Principal) -> list[QuerySet[Any, Any]]:
    """Ids of what jobs have read that the caller may not be served."""
    return [Source.objects.hidden_from(by).values("pk"), Thread.objects.hidden_from(by).values("pk")]


def candidates_where(
    by: Principal,
    *,
    state: str = "",
    source: uuid.UUID | None = None,
    thread: uuid.UUID | None = None,
    kind: str = "",
) -> QuerySet[Candidate]:
    """Candidates in the caller's sight that are of this state, of this source or thread, and propose this kind."""
    wanted = {"state": state, "source": source, "source__thread": thread, "kind": kind}
    return candidates(by).filter(**{name: value for name, value in wanted.items() if value})


def candidate(by: Principal, candidate_id: uuid.UUID) -> Candidate:
    """One candidate, or NotFound."""
    found = candidates(by).filter(pk=candidate_id).first()
    if found is None:
        raise NotFound("There is no such candidate.", code="no_such_candidate")
    return found


def reading_job(write: Write, thread_id: uuid.UUID) -> Job | None:
    """The job that this write asked to read the thread; else the latest that did."""
    of_thread = Job.objects.filter(workspace=write.workspace, kind=KIND, subject_id=thread_id)
    own = of_thread.filter(write=write).order_by("-created_at", "-id").first()
    return own or of_thread.order_by("-created_at", "-id").first()


def sources_to_read(job: Job) -> tuple[list[Source], list[Source]]:
    """What a job must read, in the order it was said, and the turns before it; nothing that was taken back."""
    sources, before = to_read(job.workspace_id, job.subject_id, job.arguments)
    return list(sources), list(before)


def to_read(
    workspace: uuid.UUID, subject: uuid.UUID, arguments: Mapping[str, Any]
) -> tuple[QuerySet[Source], QuerySet[Source]]:
    """The same by what a job is told, unread."""
    everything = Source.objects.filter(workspace=workspace).exclude(pk__in=withdrawn(workspace))
    everything = everything.select_related("participant", "member", "thread")
    if "sources" in arguments:
        several = everything.filter(pk__in=arguments["sources"])
        return several.order_by("said_at", "position", "pk"), everything.none()
    if "from" not in arguments:
        return everything.filter(pk=subject), everything.none()
    first, last = arguments["from"], arguments["to"]
    turns = everything.filter(thread=subject).order_by("position")
    return (
        turns.filter(position__gte=first, position__lte=last),
        turns.filter(position__gte=first - CONTEXT_TURNS, position__lt=first),
    )


def turns_to_read(workspace: uuid.UUID, thread: uuid.UUID) -> tuple[int, int]:
    """The positions of the first and the last turn of a conversation that is not taken back; of none, 0 and 0."""
    turns = Source.objects.filter(workspace=workspace, thread=thread).exclude(pk__in=withdrawn(workspace))
    found = turns.aggregate(first=Min("position"), last=Max("position"))
    return found["first"] or 0, found["last"] or 0


def pending_candidates(workspace: Workspace, sources: Sequence[Source]) -> list[Candidate]:
    """Undecided candidates of these sources, in the order their words were said."""
    return list(
        Candidate.objects.filter(
            workspace=workspace, source__in=[source.pk for source in sources], state=Candidate.State.PENDING
        )
        .select_related("source__participant", "source__write__actor", "run")
        .order_by("source__said_at", "source__position", "span_start", "id")
    )


def candidates_of_sources(by: Principal, sources: Sequence[Source]) -> QuerySet[Candidate]:
    """What was proposed from each of these sources, for the page that shows a conversation."""
    return candidates(by).filter(source__in=[source.pk for source in sources]).order_by("span_start", "id")


def candidates_of_beliefs(by: Principal, beliefs: Sequence[Belief]) -> QuerySet[Candidate]:
    """The candidates that became, or were merged into, these beliefs."""
    return candidates(by).filter(belief__in=beliefs)
