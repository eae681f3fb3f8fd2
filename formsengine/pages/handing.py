"""A form handed out: to whom, about whom, until when; and the one address under which it is filled about one thing."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import urlencode

from formsengine import queries, services
from formsengine.bindings.offers import look_ahead
from formsengine.inputs import Opening
from formsengine.models import OPEN
from formsengine.pages.due import until
from formsengine.pages.sending import once, opened, page_key
from memoryapp.access.queries import members
from memoryapp.doors.errors import DomainError, Invalid, NotFound
from memoryapp.doors.pages import address, member_page, page
from memoryapp.graph.models import Node
from memoryapp.graph.queries.nodes import called
from memoryapp.ledger.principal import Principal

MOST_NAMES = 50
MOST_FOUND = 20


@member_page("fill_forms")
def hand_out(request: HttpRequest, by: Principal, form_id: uuid.UUID) -> HttpResponse:
    """Give the form to members, a response each, about whom one names a line each, until a time."""
    form, error = queries.form(by, form_id), None
    typed = {name: request.POST.get(name, "").replace("\x00", "")[:4000] for name in ("about", "due")}
    chosen = request.POST.getlist("to")[:200]
    if request.method == "POST":
        try:
            to = [_id(text) for text in chosen]
            about, due = _named(by, typed["about"]), until(by, typed["due"])
            if about:
                look_ahead(by, Opening(str(form.pk), about[0]))
            given = once(
                request,
                by,
                "hand_out_form",
                lambda write: len(services.hand_out(write, form, to=to, about=about, due_at=due)),
            )
            count = int(given.body)
        except DomainError as refused:
            error = refused
        else:
            messages.success(request, f"{count} response{'s' if count > 1 else ''} given.")
            return redirect(f"{address(by, 'forms:responses')}?{urlencode({'form': str(form.pk)})}")
    live = queries.live(form)
    present = [one for one in members(by).filter(ended_at=None)]
    context = {
        "by": by,
        "form": form,
        "title": live.title if live else queries.title_of(form),
        "live": live,
        "members": [{"id": str(one.actor_id), "name": one.actor.name, "role": one.role} for one in present],
        "chosen": chosen,
        "page_key": page_key(),
        "error": error,
        "form_url": address(by, "forms:form", form.pk),
        "forms_url": address(by, "forms:forms"),
    }
    return page(request, "forms/hand_out.html", context | typed, status=error.status if error else 200)


@member_page("fill_forms")
def about(request: HttpRequest, by: Principal, form_id: uuid.UUID, node_id: uuid.UUID) -> HttpResponse:
    """The link to send: the form about one thing, to be begun, or gone on with where one has begun it already."""
    form = queries.form(by, form_id)
    node = Node.objects.visible_to(by).filter(pk=node_id).first()
    if node is None:
        raise NotFound("There is no such node.", code="no_such_node")
    if request.method == "POST":
        return redirect(address(by, "forms:fill", opened(request, by, Opening(str(form.pk), node.pk))))
    begun = queries.responses(by, form=form.pk, states=OPEN, subject=node.pk, mine=True).order_by("-changed_at", "-pk")
    live = queries.live(form)
    context = {
        "by": by,
        "form": form,
        "title": live.title if live else queries.title_of(form),
        "live": live,
        "node": node,
        "begun": [
            {"url": address(by, "forms:fill", one.pk), "changed": one.changed_at, "due": one.due_at, "row": one}
            for one in begun[:MOST_FOUND]
        ],
        "page_key": page_key(),
        "link": request.build_absolute_uri(request.path),
        "form_url": address(by, "forms:form", form.pk),
        "forms_url": address(by, "forms:forms"),
        "node_url": address(by, "graph:node", node.pk),
    }
    return page(request, "forms/about.html", context)


def _id(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError as wrong:
        raise Invalid.at("to", "not_an_id", "This is no member.", "a member of the list") from wrong


def _named(by: Principal, text: str) -> list[uuid.UUID]:
    """The things named, a line each, by name or id. Raises Invalid for what is no one thing in sight."""
    found = []
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_NAMES:
        raise Invalid.at("about", "too_many", f"These are {len(lines)}.", f"at most {MOST_NAMES}")
    for line in lines:
        nodes = list(_by_id(by, line) or called(by, line)[:2])
        if len(nodes) != 1:
            what = "More than one thing is" if nodes else "Nothing in sight is"
            raise Invalid.at("about", "not_one", f"{what} called “{line[:80]}”.", "a whole name, or an id")
        found.append(nodes[0].pk)
    return found


def _by_id(by: Principal, text: str) -> list[Node]:
    try:
        return list(Node.objects.visible_to(by).filter(pk=uuid.UUID(text)))
    except ValueError:
        return []
