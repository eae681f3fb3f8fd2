"""Reading forms and their versions."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from formsengine.definition.changes import compare, worst
from formsengine.definition.publish import check
from formsengine.definition.stored import read
from formsengine.evaluation.evaluate import Prepared
from formsengine.log.commits import Clock
from formsengine.log.migrating import preview
from formsengine.models import OPEN, Form, FormResponse, FormVersion, VersionState
from formsengine.problems import Problem
from formsengine.queries.loading import loaded, ready
from memoryapp.doors.errors import NotFound
from memoryapp.doors.nearest import nearest
from memoryapp.ledger import prepared
from memoryapp.ledger.principal import Principal

MOST_PREVIEWED = 200
"""Drafts, the last changed first, that the preview of a version looks into."""


def forms(by: Principal, text: str = "") -> QuerySet[Form]:
    """Forms of the workspace, by name. `text` keeps those whose name or title holds it."""
    found = _forms(by)
    if text:
        titled = FormVersion.objects.filter(form=OuterRef("pk"), title__icontains=text)
        unpublished = [one.pk for one in found.filter(lock=0) if text.casefold() in title_of(one).casefold()]
        found = found.filter(Q(name__icontains=text) | Exists(titled) | Q(pk__in=unpublished))
    return found.order_by("name", "pk")


def _forms(by: Principal) -> QuerySet[Form]:
    """Forms of the workspace, each with what its newest version and its draft are called."""
    newest = FormVersion.objects.filter(form=OuterRef("pk")).order_by("-number").values("title")[:1]
    return Form.objects.filter(workspace=by.workspace).annotate(
        titled=Subquery(newest), drafted=F("draft__definition__title")
    )


def title_of(one: Form) -> str:
    """What a form that was read here is called: by its newest version, else by its draft, else as programs know it."""
    drafted = getattr(one, "drafted", None) or {}
    return getattr(one, "titled", "") or next((words for words in drafted.values() if words), "") or one.name


def form(by: Principal, form_id: uuid.UUID) -> Form:
    """The form with this id. Raises NotFound."""
    found = _forms(by).filter(pk=form_id).first()
    if found is None:
        raise NotFound("There is no such form.", code="no_such_form", extra={"id": str(form_id)})
    return found


def form_called(by: Principal, name: str) -> Form:
    """The form of this name or id. Raises NotFound with the nearest name."""
    try:
        return form(by, uuid.UUID(name))
    except ValueError:
        pass
    found = Form.objects.filter(workspace=by.workspace, name=name).first()
    if found is None:
        known = list(Form.objects.filter(workspace=by.workspace).values_list("name", flat=True))
        close = nearest(name, known)
        hint = f" Did you mean “{close}”?" if close else ""
        raise NotFound(f"There is no form “{name[:100]}”.{hint}", code="no_such_form", extra={"accepted": known[:20]})
    return found


def version(by: Principal, form_id: uuid.UUID, number: int) -> FormVersion:
    """A version of a form. Raises NotFound."""
    found = FormVersion.objects.filter(workspace=by.workspace, form=form_id, number=number).first()
    if found is None:
        raise NotFound("There is no such version.", code="no_such_version", extra={"number": number})
    return found


def live(of: Form) -> FormVersion | None:
    """The version under which responses start: the latest that is live."""
    return prepared.first(_live, of=of)


def _live(of: Form) -> QuerySet[FormVersion]:
    found = FormVersion.objects.filter(form=of, state=VersionState.LIVE).order_by("-number")
    return found.defer("definition", "report")[:1]


def lives(of: Sequence[Form]) -> dict[uuid.UUID, FormVersion]:
    """The live version of each of these forms that has one, in one query."""
    found: dict[uuid.UUID, FormVersion] = {}
    for one in FormVersion.objects.filter(form__in=of, state=VersionState.LIVE).order_by("number").defer("report"):
        found[one.form_id] = one
    return found


def latest(of: Sequence[Form]) -> dict[uuid.UUID, FormVersion]:
    """The newest version of each of these forms, whatever its state, without its contents."""
    found: dict[uuid.UUID, FormVersion] = {}
    for one in FormVersion.objects.filter(form__in=of).order_by("number").defer("definition", "report"):
        found[one.form_id] = one
    return found


def titles(of: Sequence[Form]) -> dict[uuid.UUID, str]:
    """What each of these forms is called by its newest version."""
    rows = FormVersion.objects.filter(form__in=of).order_by("number").values_list("form", "title")
    return {form: title for form, title in rows if title}


def open_counts(by: Principal, of: Sequence[Form]) -> dict[uuid.UUID, dict[str, int]]:
    """How many responses in sight each form has, by state."""
    found: dict[uuid.UUID, dict[str, int]] = {}
    rows = FormResponse.objects.visible_to(by).filter(form__in=of).order_by().values("form", "state")
    for row in rows.annotate(count=Count("pk")):
        found.setdefault(row["form"], {})[row["state"]] = row["count"]
    return found


def told(one: Form, version: FormVersion | None, newest: FormVersion | None, counts: dict[str, int]) -> dict[str, Any]:
    """A form as lists give it."""
    shown = version or newest
    return {
        "id": str(one.pk),
        "name": one.name,
        "title": shown.title if shown else title_of(one),
        "live_version": version.number if version else None,
        "latest_version": one.lock,
        "open": sum(counts.get(state, 0) for state in OPEN),
        "submitted": counts.get("submitted", 0),
        "accepted": counts.get("accepted", 0),
    }


def told_version(one: FormVersion, *, whole: bool = True, problems: Sequence[Problem] | None = None) -> dict[str, Any]:
    """A version: what it asks, what keeps it from being published, and the report of its import.

    `problems` are those of its definition where they were worked out before: of a large form that takes seconds.
    """
    told: dict[str, Any] = {
        "form_id": str(one.form_id),
        "number": one.number,
        "title": one.title,
        "state": one.state,
        "digest": one.digest,
        "recorded_at": one.recorded_at.isoformat(),
        "published_at": one.published_at.isoformat() if one.published_at else None,
    }
    if whole:
        found = check(read(one.definition))[1] if problems is None else problems
        told |= {"definition": one.definition, "problems": [each.as_data() for each in found], "report": one.report}
    return told


def impact(by: Principal, to: FormVersion) -> dict[str, Any]:
    """What publishing this version means: each difference from the live one, and which drafts would stand otherwise."""
    now = live(to.form)
    if now is not None and now.pk == to.pk:
        return _told_impact(now.number, to.number)
    drafts = FormResponse.objects.filter(form=to.form, state__in=OPEN).exclude(version=to)
    return impact_of(ready(to), to.number, now, drafts) if now is not None else _told_impact(None, to.number)


def _told_impact(from_: int | None, to: int) -> dict[str, Any]:
    told: dict[str, Any] = {"from": from_, "to": to, "class": "compatible", "changes": []}
    return told | {"drafts": 0, "drafts_that_change": 0, "fields": {}, "cut": False}


def impact_of(to: Prepared, number: int, now: FormVersion, drafts: QuerySet[FormResponse]) -> dict[str, Any]:
    """The same of what is no version yet, for these responses."""
    told = _told_impact(now.number, number)
    changes = compare(ready(now).plan, to.plan)
    drafts = drafts.order_by("-changed_at", "pk")
    changing, fields = 0, Counter[str]()
    for row in drafts.select_related("form", "version", "started_under")[:MOST_PREVIEWED]:
        states = preview(loaded(row), to, Clock(timezone.now(), row.zone))["states"]
        changing += bool(states)
        fields.update(f"{path}: {state['before']} to {state['after']}" for path, state in states.items())
    count = drafts.count()
    return told | {
        "class": worst(changes).name.lower(),
        "changes": [each.as_data() for each in changes],
        "drafts": count,
        "drafts_that_change": changing,
        "fields": dict(fields.most_common(50)),
        "cut": count > MOST_PREVIEWED,
    }
