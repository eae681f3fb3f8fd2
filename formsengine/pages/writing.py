"""Writing a form in the browser: one part at a time, saved as it is typed, tried with test answers beside it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.http import urlencode

from formsengine import queries, services
from formsengine.definition.stored import as_data, read
from formsengine.editing import acts, unread
from formsengine.editing.parts import UNREAD, WHOLE, Data, find
from formsengine.pages import trials
from formsengine.pages.drafting import Desk
from formsengine.pages.properties import TYPES, of_part
from formsengine.pages.typed import Typed
from formsengine.problems import Refused
from formsengine.queries.editing import Writing
from formsengine.refusals import refused
from formsengine.services import Edit
from memoryapp.doors.errors import Conflict, DomainError, Invalid, NotFound
from memoryapp.doors.pages import address, member_page, number, page, wants_fragment
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

CURSOR = {"undo": services.undo, "redo": services.redo}
ADDED = {*TYPES, "section", "repeat", "step", "list", "gate", "binding"}


@member_page("write_forms")
def new(request: HttpRequest, by: Principal) -> HttpResponse:
    """A form begun with a title; what programs know it by is made of it when it is not said."""
    error: DomainError | None = None
    title = request.POST.get("title", "").replace("\x00", "").strip()[:200]
    name = request.POST.get("name", "").strip()[:120]
    language = request.POST.get("language", "").strip() or "en"
    if request.method == "POST":
        called = name or acts.free_name(title, set()) if title or name else ""
        try:
            if not title:
                raise Invalid.at("title", "missing", "A form has a title.", "a few words")
            begun = record(by, "begin_form", lambda w: services.begin(w, name=called, title=title, language=language))
        except DomainError as wrong:
            error = wrong
        else:
            return redirect(f"{address(by, 'forms:edit', begun.form_id)}?part=step:questions")
    context = {"by": by, "error": error, "forms_url": address(by, "forms:forms")}
    typed = {"title": title, "name": name, "language": language}
    return page(request, "forms/new.html", context | typed, status=error.status if error else 200)


@member_page("write_forms")
def edit(request: HttpRequest, by: Principal, form_id: uuid.UUID) -> HttpResponse:
    """The form as an outline, one part of it to edit, and beside it what whoever fills it would see."""
    writing = _writing(by, form_id)
    part = request.GET.get("part", "")[:200] or _first(writing.definition)
    if request.method == "POST":
        return _save(request, by, writing)
    desk = Desk(request, by, writing, _there(writing.definition, part))
    return page(request, "forms/edit.html", desk.context(), partial="editor")


def _writing(by: Principal, form_id: uuid.UUID) -> Writing:
    writing = queries.writing(by, queries.form(by, form_id))
    if not writing.definition:
        raise NotFound("There is nothing to edit.", code="nothing")
    return writing


def _first(definition: Data) -> str:
    return f"step:{definition['steps'][0]['name']}" if definition.get("steps") else WHOLE


def _there(definition: Data, part: str) -> str:
    if part == UNREAD and definition.get("unread"):
        return part
    try:
        return find(definition, part).id if part != WHOLE else part
    except Refused:
        return _first(definition)


def _save(request: HttpRequest, by: Principal, writing: Writing) -> HttpResponse:
    """What was typed, then what the button says; a part that somebody else edited meanwhile is left as they left it."""
    posted, form = request.POST, writing.form
    lock = number(posted.get("lock", "")) or 0
    part, act = posted.get("part", WHOLE)[:200], posted.get("act", "")[:400]
    try:
        if act in CURSOR:
            move = CURSOR[act]
            done = record(by, f"{act}_form_edit", lambda write: move(write, form, lock=lock))
        else:
            edits = [*_typed_edits(writing, part, posted), *_acted(part, act, posted)]
            done = record(by, "edit_form", lambda write: services.edit(write, form, edits, lock=lock))
    except DomainError as wrong:
        return _refused(request, by, writing, part, wrong)
    there = done.part if done.edits else part
    if wants_fragment(request):
        after = _writing(by, form.pk)
        if not act and there == part and _asks_the_same(writing, after, part):
            return _saved(request, Desk(request, by, after, part))
        desk = Desk(request, by, after, _there(after.definition, there))
        response = page(request, "forms/edit.html", desk.context(), partial="editor")
        response["HX-Push-Url"] = desk.url(desk.part)
        return response
    return redirect(f"{address(by, 'forms:edit', form.pk)}?{urlencode({'part': there})}")


def _typed_edits(writing: Writing, part: str, posted: Any) -> Sequence[Edit]:
    """One edit of everything that was typed for the part. Raises Invalid where it cannot be read."""
    if part == UNREAD or not any(key.startswith("has:") for key in posted):
        return ()
    definition = writing.definition
    with refused():
        before = definition if part == WHOLE else find(definition, part).data
    languages = list(definition.get("languages") or ["en"])
    values = Typed(posted, languages).values(part, of_part(definition, part, before), before)
    with refused():
        if acts.change(definition, part, values) is None:
            return ()
    return [Edit(part, partial(acts.change, part_id=part, values=values), guarded=True)]


def _acted(part: str, act: str, posted: Any) -> Sequence[Edit]:
    """What a button does besides saving: `add`, `remove`, `move:up`, `new-list`, `drop:2`, `rewrite:2`."""
    verb, _, what = act.partition(":")
    if verb == "add":
        kind = what or posted.get("new:kind", "")
        if kind not in ADDED:
            raise Invalid.at("new:kind", "unknown_kind", "Nothing of this kind is added.", ", ".join(sorted(ADDED)))
        label = posted.get("new:label", "").replace("\x00", "")[:300]
        return [Edit(part, partial(acts.add, near=part, kind=kind, label=label))]
    if verb == "remove":
        return [Edit(part, partial(acts.remove, part_id=part), guarded=True)]
    if verb == "move":
        return [Edit(part, partial(acts.move, part_id=part, way=what))]
    if verb == "new-list":
        return [Edit(part, partial(_own_list, part_id=part))]
    if verb in ("drop", "rewrite"):
        return [Edit(UNREAD, _of_unread(verb, number(what) or 0, posted), guarded=True)]
    return ()


def _own_list(form: Data, part_id: str) -> acts.Done | None:
    """A list of its own for a field that chooses."""
    made, list_id, words = acts.add(form, WHOLE, "list", find(form, part_id).data["name"])
    changed = acts.change(made, part_id, {"choices": list_id.partition(":")[2]})
    return (changed[0], list_id, words) if changed else None


def _of_unread(verb: str, which: int, posted: Any) -> Any:
    if verb == "drop":
        return partial(unread.drop, number=which)
    item, key = posted.get(f"unread:{which}:item", ""), posted.get(f"unread:{which}:key", "")
    rule = posted.get(f"unread:{which}:rule", "").replace("\x00", "")[:4000]
    return partial(unread.rewrite, number=which, item=item, key=key, rule=rule)


def _asks_the_same(before: Writing, after: Writing, part: str) -> bool:
    """Whether the part is edited by the same fields as before, so that they may stay as they are typed."""
    if part == WHOLE:
        return bool(before.definition.get("languages") == after.definition.get("languages"))
    keys = [
        [(each.key, each.options) for each in of_part(one.definition, part, find(one.definition, part).data)]
        for one in (before, after)
    ]
    return keys[0] == keys[1]


def _saved(request: HttpRequest, desk: Desk, status: int = 200) -> HttpResponse:
    """All that stands around what is being typed: never the fields themselves."""
    words = render_to_string("forms/edit_saved.html", desk.context(), request=request)
    response = HttpResponse(words, status=status)
    response["HX-Reswap"] = "none"
    return response


def _refused(request: HttpRequest, by: Principal, writing: Writing, part: str, wrong: DomainError) -> HttpResponse:
    """The page with all that was typed. Somebody else's edit is named; saving again is then meant to replace it."""
    writing = _writing(by, writing.form.pk)
    desk = Desk(request, by, writing, _there(writing.definition, part), typed=request.POST, error=wrong)
    if wants_fragment(request) and not isinstance(wrong, Conflict) and not request.POST.get("act"):
        return _saved(request, desk, wrong.status)
    return page(request, "forms/edit.html", desk.context(), partial="editor", status=wrong.status)


@member_page("write_forms")
def rule(request: HttpRequest, by: Principal, form_id: uuid.UUID) -> HttpResponse:
    """What is wrong with a part as it is being typed, without saving it: each rule with the place and what would do."""
    writing = _writing(by, form_id)
    part, key = request.POST.get("part", WHOLE)[:200], request.POST.get("of", "")[:100]
    desk = Desk(request, by, writing, part, typed=request.POST)
    try:
        edits = _typed_edits(writing, part, request.POST)
        with refused():
            done = edits[0].run(writing.definition) if edits else None
            if done is not None:
                desk.definition, desk.part = as_data(read(done[0])), done[1]
    except DomainError as wrong:
        desk.error = wrong
    context = desk.context_of(key)
    return page(request, "forms/edit_told.html", context)


@member_page("write_forms")
def attempt(request: HttpRequest, by: Principal, form_id: uuid.UUID) -> HttpResponse:
    """A test answer given, or all of them forgotten. Nothing of it is kept but in the session of who tries."""
    writing = _writing(by, form_id)
    part = _there(writing.definition, request.GET.get("part", "")[:200])
    back = f"{address(by, 'forms:edit', form_id)}?{urlencode({'part': part})}"
    if request.method != "POST":
        return redirect(back)
    trials.take(request, writing, request.POST)
    if wants_fragment(request):
        desk = Desk(request, by, writing, part)
        return page(request, "forms/edit_preview.html", desk.context())
    return redirect(f"{back}#preview")
