"""Conversations and what else was said or read, each with what was learned from it; and a member's own statement."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from memoryapp.doors import moments, paging
from memoryapp.doors.errors import DomainError, Invalid
from memoryapp.doors.pages import address, here, member_page, page
from memoryapp.ledger import jobs as ledger_jobs
from memoryapp.ledger import queries as ledger
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources import queries, services
from memoryapp.sources.learned import Learned, learned
from memoryapp.sources.models import Source, Thread

TURNS = 100
"""Turns on one page of a conversation."""
TURN_ORDER = ("position",)
TABS = (("", "Conversations"), ("statement", "Statements"), ("documents", "Documents"))
OPEN = (Job.State.QUEUED, Job.State.RUNNING)


@member_page("read_sources")
def threads(request: HttpRequest, by: Principal) -> HttpResponse:
    """Everything said or read: conversations, members' statements, documents and pages."""
    kind = request.GET.get("kind", "")
    if kind not in dict(TABS):
        raise Invalid.at("kind", "unknown_kind", f"There is no kind “{kind[:40]}”.", "statement, documents, or none")
    text = request.GET.get("q", "").replace("\x00", "").strip()[:200]
    rows, after = _conversations(request, by, text) if not kind else _others(request, by, kind, text)
    return page(
        request,
        "sources/threads.html",
        {
            "by": by,
            "kind": kind,
            "rows": rows,
            "search": text,
            "filters_set": [{"words": f"“{text}”", "clear_url": here(request, q="", after="")}] if text else [],
            "tabs": [
                {
                    "title": title,
                    "url": f"{request.path}?kind={value}" if value else request.path,
                    "here": value == kind,
                }
                for value, title in TABS
            ],
            "next_url": here(request, after=after) if after else "",
            "first_url": here(request, after="") if request.GET.get("after") else "",
            "clear_url": here(request, q="", after=""),
            "state_url": address(by, "sources:state") if by.may("tell") else "",
        },
    )


@member_page("read_sources")
def thread(request: HttpRequest, by: Principal, thread_id: uuid.UUID) -> HttpResponse:
    """One conversation: its turns with what was learned from each, who took part, and the jobs that read it."""
    found = queries.thread(by, thread_id)
    told = paging.page(
        queries.turns(by, thread_id),
        order=TURN_ORDER,
        size=TURNS,
        cursor=request.GET.get("after"),
        question=_question(by, thread_id),
    )
    reading = _jobs(by, thread_id)
    return page(
        request,
        "sources/thread.html",
        {
            "by": by,
            "thread": found,
            "withdrawal": queries.withdrawal_of(by, thread_id),
            "withdraw_url": address(by, "graph:withdraw-thread", thread_id) if by.may("withdraw") else "",
            "erase_url": address(by, "graph:erase-thread", thread_id) if by.may("erase") else "",
            "again_url": address(by, "extraction:thread-again", thread_id) if by.may("read_candidates") else "",
            "turns": _with_learned(by, told.items),
            "participants": list(found.participants.all()),
            **reading,
            "refresh_url": request.get_full_path(),
            "next_url": here(request, after=told.next) if told.next else "",
            "first_url": here(request, after="") if request.GET.get("after") else "",
        },
        partial="transcript",
    )


@member_page("read_sources")
def source(request: HttpRequest, by: Principal, source_id: uuid.UUID) -> HttpResponse:
    """One source by itself. A turn is shown in its conversation, on the page of it where the turn stands."""
    found = queries.source(by, source_id)
    if found.thread_id is not None:
        return redirect(_turn_address(by, found))
    return page(
        request,
        "sources/source.html",
        {
            "by": by,
            "source": found,
            "withdrawal": queries.withdrawal_of(by, source_id),
            "withdraw_url": address(by, "graph:withdraw-source", source_id) if by.may("withdraw") else "",
            "erase_url": address(by, "graph:erase-source", source_id) if by.may("erase") else "",
            "again_url": address(by, "extraction:source-again", source_id) if by.may("read_candidates") else "",
            "title": title_of(found),
            "learned": learned(by, [found.pk])[found.pk],
            "refresh_url": request.get_full_path(),
            **_jobs(by, found.pk),
        },
        partial="transcript",
    )


@member_page("tell")
def state(request: HttpRequest, by: Principal) -> HttpResponse:
    """A member writes down a statement in their own words; it is read like anything else that is said."""
    typed = {name: request.POST.get(name, "") for name in ("content", "said_at", "only_me")}
    error: DomainError | None = None
    if request.method == "POST":
        try:
            said_at = _said_at(by, typed["said_at"])
            told = record(
                by,
                "state",
                lambda write: services.state(
                    write,
                    typed["content"].strip(),
                    said_at,
                    by.workspace.time_zone,
                    readers=() if typed["only_me"] else None,
                ),
            )
        except DomainError as refused:
            error = refused
        else:
            messages.success(request, "Written down. What is learned from it appears on this page.")
            return redirect(address(by, "sources:source", told.pk))
    return page(
        request,
        "sources/state.html",
        {
            "by": by,
            "typed": typed,
            "error": error,
            "wrong": {violation.path.lstrip("/"): violation for violation in error.violations} if error else {},
            "back_url": address(by, "sources:threads") + "?kind=statement",
        },
        status=error.status if error else 200,
    )


def title_of(source: Source) -> str:
    """What a source that is no turn is called."""
    return source.title or source.path or source.url or source.content[:80] or source.kind.replace("_", " ")


def _conversations(request: HttpRequest, by: Principal, text: str) -> tuple[list[dict[str, Any]], str | None]:
    found = paging.page(
        queries.threads(by, text).prefetch_related("participants"),
        order=("-last_said", "-pk"),
        cursor=request.GET.get("after"),
        question=[str(by.workspace.pk), text],
    )
    return [_conversation(by, thread) for thread in found.items], found.next


def _conversation(by: Principal, thread: Thread) -> dict[str, Any]:
    return {
        "url": address(by, "sources:thread", thread.pk),
        "title": str(thread),
        "who": [str(participant) for participant in thread.participants.all()],
        "turns": getattr(thread, "turn_count", 0),
        "last": getattr(thread, "last_said", None),
    }


def _others(request: HttpRequest, by: Principal, kind: str, text: str) -> tuple[list[dict[str, Any]], str | None]:
    rows = queries.sources(by).filter(thread__isnull=True)
    rows = rows.filter(kind="statement") if kind == "statement" else rows.exclude(kind="statement")
    if text:
        rows = rows.filter(content__icontains=text) | rows.filter(title__icontains=text)
    found = paging.page(
        rows.select_related("member"),
        order=("-said_at", "-pk"),
        cursor=request.GET.get("after"),
        question=[str(by.workspace.pk), kind, text],
    )
    return [
        {
            "url": address(by, "sources:source", source.pk),
            "title": title_of(source),
            "who": [str(source.member)] if source.member else [source.kind.replace("_", " ")],
            "last": source.said_at,
        }
        for source in found.items
    ], found.next


def _with_learned(by: Principal, turns: Sequence[Source]) -> list[dict[str, Any]]:
    made: dict[uuid.UUID, list[Learned]] = learned(by, [turn.pk for turn in turns])
    return [
        {
            "id": turn.pk,
            "number": (turn.position or 0) + 1,
            "speaker_name": str(turn.participant) if turn.participant else turn.get_speaker_display(),
            "speaker": turn.speaker,
            "said_at": turn.said_at,
            "content": turn.content,
            "withdrawn_at": turn.withdrawn_at,  # type: ignore[attr-defined]
            "withdraw_url": address(by, "graph:withdraw-source", turn.pk) if by.may("withdraw") else "",
            "learned": made[turn.pk],
        }
        for turn in turns
    ]


def _jobs(by: Principal, subject_id: uuid.UUID) -> dict[str, Any]:
    """The jobs about something, and whether one of them is still at it."""
    if not by.may("read_jobs"):
        return {"jobs": [], "reading": False}
    found = list(ledger.jobs(by, subject_id=subject_id)[:10])
    return {
        "jobs": [
            {
                "url": address(by, "ledger:job", job.pk),
                "title": ledger_jobs.title_of(job.kind),
                "state": job.state,
                "done": job.done,
                "total": job.total,
                "at": job.finished_at or job.created_at,
                "candidates": job.outcome.get("candidates"),
            }
            for job in found
        ],
        "reading": any(job.state in OPEN for job in found),
    }


def _turn_address(by: Principal, turn: Source) -> str:
    assert turn.thread_id is not None
    base = address(by, "sources:thread", turn.thread_id)
    first = (turn.position or 0) // TURNS * TURNS
    if first:
        before = queries.turns(by, turn.thread_id).get(position=first - 1)
        after = paging.cursor_after(before, order=TURN_ORDER, question=_question(by, turn.thread_id))
        base += "?" + urlencode({"after": after})
    return f"{base}#turn-{turn.pk}"


def _question(by: Principal, thread_id: uuid.UUID) -> list[str]:
    return [str(by.workspace.pk), str(thread_id)]


def _said_at(by: Principal, text: str) -> Any:
    told = text.strip()
    return moments.given(told, "/said_at", time_zone=by.workspace.time_zone).instant if told else None
