"""What is kept in mind, beside the block that agents get; and one entry to change, with all that it said."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from memoryapp.context import queries, services
from memoryapp.context.inputs import Change, EntryInput
from memoryapp.context.models import EntryRevision, State
from memoryapp.context.pages import presenting
from memoryapp.context.queries import Asked, Section
from memoryapp.context.queries.rendering import LEAST_BUDGET, MOST_BUDGET, PINNED, USUAL_BUDGET
from memoryapp.context.queries.told import expiry
from memoryapp.doors import moments
from memoryapp.doors.errors import Conflict, DomainError, Stale, Violation
from memoryapp.doors.moments import Moment
from memoryapp.doors.pages import address, drawn_lock, member_page, number, page
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology.normalise import normal_text

FIELDS = ("section", "title", "content", "expires_at", "reason")
LATEST_ACTS = 8
Typed = dict[str, Any]


@member_page("read_context")
def context(request: HttpRequest, by: Principal) -> HttpResponse:
    """Every section with its entries, expired ones too, and the block as an agent gets it; `?budget=` in tokens."""
    budget, wrong = _budget(request)
    rows = queries.revisions(by, Asked(expired=True))
    found = queries.grouped(list(rows))
    stale = set(queries.no_longer_held(by, rows).values_list("pk", flat=True)) if found else set()
    locks = queries.section_locks(by) if by.may("write_context") else {}
    block = queries.render(by, PINNED, budget)
    return page(
        request,
        "context/context.html",
        {
            "by": by,
            "sections": [_section(by, one, stale, locks) for one in found],
            "count": sum(len(one.entries) for one in found),
            "rendered": block,
            "budget": request.GET.get("budget", str(USUAL_BUDGET)),
            "wrong": wrong,
            "share": round(100 * block.tokens / budget),
            "acts": [presenting.act(by, one) for one in queries.with_revisions(list(queries.acts(by)[:LATEST_ACTS]))],
            "may_write": by.may("write_context"),
        },
    )


def _section(by: Principal, section: Section, stale: set[uuid.UUID], locks: dict[str, int]) -> dict[str, Any]:
    at = queries.now(by)
    return {
        "name": section.name,
        "lock": locks.get(section.key, 0),
        "rows": [presenting.card(by, row, at, stale) for row in section.entries],
    }


def _budget(request: HttpRequest) -> tuple[int, str]:
    asked = number(request.GET.get("budget", "").strip() or str(USUAL_BUDGET))
    if asked is not None and LEAST_BUDGET <= asked <= MOST_BUDGET:
        return asked, ""
    return USUAL_BUDGET, f"A budget is {LEAST_BUDGET} to {MOST_BUDGET} tokens."


@member_page("write_context")
def new(request: HttpRequest, by: Principal) -> HttpResponse:
    """The form of a new entry; `?section=` names where."""
    if request.method != "POST":
        typed: Typed = dict.fromkeys(FIELDS, "") | {"section": request.GET.get("section", "")[:100], "pinned": True}
        return _form(request, by, typed)
    typed = _typed(request)

    def act(write: Write) -> EntryRevision:
        told = EntryInput(
            typed["section"], typed["title"], _lines(typed["content"]), typed["pinned"], _moment(typed, write)
        )
        _refuse_taken(write, told)
        return services.set_entries(write, [told])[0].revision

    try:
        made = record(by, "set_context", act, rationale=typed["reason"].strip())
    except DomainError as error:
        return _form(request, by, typed, error)
    messages.success(request, f"“{made.title}” is kept in mind.")
    return redirect(address(by, "context:context"))


def _refuse_taken(write: Write, told: EntryInput) -> None:
    """A form for a new entry changes none that stands."""
    there = queries.revisions(write.by, Asked(sections=(told.section,), expired=True))
    if there.filter(title_key=normal_text(told.title), audience="workspace").exists():
        message = "This title stands in this section already."
        violation = Violation("/title", "title_taken", message, "another title, or a change of that entry")
        raise Conflict(message, code="title_taken", violations=(violation,))


@member_page("read_context")
def entry(request: HttpRequest, by: Principal, entry_id: uuid.UUID) -> HttpResponse:
    """One entry: what it says and everything it said; changed by the form when it is posted."""
    said = queries.history(by, entry_id)
    shown = said[0]
    if request.method != "POST":
        return _form(request, by, _as_it_is(shown.revision), said=said)
    typed = _typed(request)

    def act(write: Write) -> EntryRevision:
        change = Change(
            section=typed["section"],
            title=typed["title"],
            content=_lines(typed["content"]),
            pinned=typed["pinned"],
            expires_at=_moment(typed, write),
        )
        return services.update(write, entry_id, change, reason=typed["reason"], lock=drawn_lock(request))

    try:
        record(by, "update_context", act, rationale=typed["reason"].strip())
    except DomainError as error:
        return _form(request, by, typed, error, queries.history(by, entry_id))
    messages.success(request, "Changed. What it said before is in its history.")
    return redirect(address(by, "context:entry", entry_id))


def _form(
    request: HttpRequest,
    by: Principal,
    typed: Typed,
    error: DomainError | None = None,
    said: list[queries.Shown] | None = None,
) -> HttpResponse:
    shown = said[0] if said else None
    pairs = zip(said, [*said[1:], None], strict=True) if said else ()
    return page(
        request,
        "context/entry.html",
        {
            "by": by,
            "typed": typed,
            "error": error,
            "stale": isinstance(error, Stale),
            "wrong": {violation.path.lstrip("/"): violation for violation in error.violations} if error else {},
            "card": presenting.card(by, shown.revision, queries.now(by)) if shown else None,
            "links": [presenting.link(by, one) for one in shown.links] if shown else [],
            "revisions": [presenting.revision(by, one, before) for one, before in pairs],
            "stands": shown is None or shown.revision.state == State.SET,
            "may_write": by.may("write_context"),
            "known_sections": [one.name for one in queries.sections(by)],
        },
        status=error.status if error else 200,
    )


def _typed(request: HttpRequest) -> Typed:
    found: Typed = {name: request.POST.get(name, "") for name in FIELDS}
    return found | {"pinned": request.POST.get("pinned") == "yes"}


def _as_it_is(row: EntryRevision) -> Typed:
    return {
        "section": row.section,
        "title": row.title,
        "content": row.content,
        "pinned": row.pinned,
        "expires_at": expiry(row) or "",
        "reason": "",
    }


def _lines(text: str) -> str:
    """A browser ends lines its own way."""
    return text.replace("\r\n", "\n").strip("\n")


def _moment(typed: Typed, write: Write) -> Moment | None:
    text = typed["expires_at"].strip()
    return moments.given(text, "/expires_at", time_zone=write.workspace.time_zone) if text else None
