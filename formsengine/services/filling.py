"""Filling: a response opened, answered, filled from memory and moved to another version.

Each service locks the response, lets the engine decide on it, and stores one commit. A race that was lost is decided
anew from what is there then.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from formsengine import feeding
from formsengine.bindings import offers
from formsengine.definition.changes import Class, compare, worst
from formsengine.inputs import Answers, Opening
from formsengine.log import migrating
from formsengine.log.commits import Clock, Writer
from formsengine.log.prefill import prefill
from formsengine.log.response import WRITABLE, Response
from formsengine.log.writing import Patch, Result, values
from formsengine.log.writing import write as decide
from formsengine.models import Audience, FormReader, FormResponse, FormVersion, VersionState
from formsengine.queries import defined as form_queries
from formsengine.queries.filled import writer
from formsengine.queries.loading import loaded, ready
from formsengine.refusals import refused
from formsengine.services import evidence as said
from formsengine.services import waiting
from formsengine.services.storing import clock, held, keep
from formsengine.view.shown import counts
from memoryapp.doors import moments
from memoryapp.doors.errors import Conflict, Invalid, Stale
from memoryapp.graph.identity import resolve
from memoryapp.ledger.models import Actor, Write
from memoryapp.ledger.principal import Principal

FIRST_YEAR, LAST_YEAR = 1900, 9998
MEMORY = Writer("memory", "system")
Candidates = dict[str, dict[str, Any]]
"""What a name may mean, by the path of the field that was answered with it."""


@dataclass(frozen=True)
class Written:
    """A response after a write: its row, what it adds up to, and what became of each operation."""

    row: FormResponse
    response: Response
    verdicts: list[dict[str, Any]]
    repeated: bool = False


def open_response(write: Write, opening: Opening) -> Written:
    """Begin a response under the live version, with what memory already knows and what is said at once.

    Raises NotFound for the form or the subject, Conflict `not_live` when nothing may start under it.
    """
    write.by.require("fill_forms")
    form = form_queries.form_called(write.by, opening.form)
    version = form_queries.live(form)
    if version is None:
        raise Conflict(f"No version of {form.name} is live.", code="not_live")
    row = FormResponse.objects.create(
        workspace=write.workspace,
        form=form,
        version=version,
        started_under=version,
        subject=resolve(write, opening.subject) if opening.subject is not None else None,
        opened_by=write.by.actor,
        assigned_to=_actor(write, opening.assigned_to),
        due_at=_due(opening.due_at),
        audience=opening.audience,
        language=_language(version, opening.language),
        zone=_zone(write, opening.zone),
        launch=dict(opening.launch),
        write=write,
        recorded_at=write.recorded_at,
        changed_at=write.recorded_at,
    )
    _name_readers(write, row, opening.readers)
    response = Response(str(row.pk), ready(version))
    row.progress = counts(response)
    row.save(update_fields=["progress"])
    feeding.put(write, row, response)
    response = _from_memory(write, row, response)[0]
    verdicts: list[dict[str, Any]] = []
    if opening.values:
        result = _decided(write, row, response, Answers(values(**opening.values)))
        response, verdicts = keep(write, row, result), result.verdicts
    return Written(row, response, verdicts)


def answer(write: Write, response_id: uuid.UUID, answers: Answers) -> Written:
    """Take a patch of any fields, whenever it comes, with a verdict for each operation.

    One that names a write before it that has not come yet waits for that: its one verdict is `waits`.
    Raises Conflict for what concerns it as a whole: `key_reused`, `void`, `moved`.
    """
    write.by.require("fill_forms")
    row = held(write, response_id)
    response = _moved_along(write, row, loaded(row))
    patch, candidates = _patch(write.by, row, response, answers)
    by = writer(write.by, answers.device)
    if waiting.is_early(response, patch):
        return Written(row, response, [waiting.kept(write, row, by, patch)])
    result = _decide(write, row, response, by, patch, candidates)
    if result.repeated:
        return Written(row, response, result.verdicts, repeated=True)
    response = keep(write, row, result)
    response, later = waiting.follow(write, row, response, patch.key)
    return Written(row, response, [*result.verdicts, *later])


def foreseen(by: Principal, row: FormResponse, answers: Answers, *, at: Clock) -> Written:
    """What a patch would come to if it were sent now, with its verdicts; nothing is stored, and no key is used up."""
    by.require("fill_forms")
    response = loaded(row)
    patch, candidates = _patch(by, row, response, replace(answers, key="", after=""))
    result = _decided_at(at, response, writer(by, answers.device), patch, candidates)
    return Written(row, result.response, result.verdicts)


def refresh(write: Write, response_id: uuid.UUID) -> Written:
    """Offer again what memory knows now; nothing that anybody answered is changed by it."""
    write.by.require("fill_forms")
    row = held(write, response_id)
    response, verdicts = _from_memory(write, row, loaded(row))
    return Written(row, response, verdicts)


def move(
    write: Write,
    response_id: uuid.UUID,
    *,
    version: int,
    confirmed: bool = False,
    moved: Mapping[str, str] | None = None,
    base: int | None = None,
) -> Written:
    """The draft under another version. Raises Conflict `review` for what wants a confirmation, `breaking` for a map,
    Stale `changed` where anything was said after `base`, the commit of which the preview was seen."""
    write.by.require("fill_forms")
    row = held(write, response_id)
    if base is not None and base != row.lock:
        raise Stale("It changed after you saw it. Look at it again.", code="changed", extra={"commit": row.lock})
    to = form_queries.version(write.by, row.form_id, version)
    if to.state != VersionState.LIVE:
        raise Conflict("That version is not live.", code="not_live")
    with refused():
        result = migrating.migrate(
            loaded(row), writer(write.by), clock(write, row), ready(to), confirmed=confirmed, moved=moved
        )
    return Written(row, keep(write, row, result), result.verdicts)


def assign(
    write: Write, response_id: uuid.UUID, *, to: uuid.UUID | None, due_at: dt.datetime | None = None
) -> FormResponse:
    """Say who is to fill it, and until when."""
    write.by.require("fill_forms")
    row = held(write, response_id)
    row.assigned_to, row.due_at = _actor(write, to), _due(due_at)
    row.save(update_fields=["assigned_to", "due_at"])
    return row


def _decided(write: Write, row: FormResponse, response: Response, answers: Answers) -> Result:
    patch, candidates = _patch(write.by, row, response, answers)
    return _decide(write, row, response, writer(write.by, answers.device), patch, candidates)


def _patch(by: Principal, row: FormResponse, response: Response, answers: Answers) -> tuple[Patch, Candidates]:
    """The answers as the engine takes them, with what they name outside the form found; and what names may mean."""
    said.refuse_unreadable(answers.ops)
    ops, candidates = said.with_things(by, response, answers.ops)
    ops = said.with_attachments(row, response, ops)
    patch = Patch(
        said.with_sources(by, ops),
        base=answers.base,
        key=answers.key,
        after=answers.after,
        late=answers.late,
        language=answers.language or row.language,
        locale=answers.locale,
        evidence=said.sources_named(by, answers.evidence, "/evidence"),
        strict=answers.strict,
    )
    return patch, candidates


def _decide(
    write: Write, row: FormResponse, response: Response, by: Writer, patch: Patch, candidates: Candidates
) -> Result:
    return _decided_at(clock(write, row), response, by, patch, candidates)


def _decided_at(at: Clock, response: Response, by: Writer, patch: Patch, candidates: Candidates) -> Result:
    with refused():
        result = decide(response, by, patch, at)
    for verdict in result.verdicts if candidates else ():
        if verdict.get("code") == "entity" and verdict["path"] in candidates:
            verdict |= candidates[verdict["path"]]
    return result


def _from_memory(write: Write, row: FormResponse, response: Response) -> tuple[Response, list[dict[str, Any]]]:
    found = offers.offers(write.by, row, response, after=write.after)
    if not found:
        return response, []
    with refused():
        result = prefill(response, MEMORY, clock(write, row), found)
    if not result.commit.events:
        return response, result.verdicts
    return keep(write, row, result), result.verdicts


def _moved_along(write: Write, row: FormResponse, response: Response) -> Response:
    """The draft under the live version, when all that differs is harmless."""
    if response.state not in WRITABLE:
        return response
    live = form_queries.live(row.form)
    if live is None or live.pk == row.version_id or live.number < row.version.number:
        return response
    to = ready(live)
    if worst(compare(response.plan, to.plan)) is not Class.COMPATIBLE:
        return response
    with refused():
        result = migrating.migrate(response, Writer("system", "system"), clock(write, row), to)
    return keep(write, row, result)


def _language(version: FormVersion, asked: str) -> str:
    languages = ready(version).plan.form.languages
    if asked and asked not in languages:
        message = f"The form does not speak {asked[:40]}."
        raise Invalid.at("/language", "unknown_language", message, ", ".join(languages))
    return asked


def _zone(write: Write, asked: str) -> str:
    zone = asked or write.workspace.time_zone
    if zone not in moments.time_zones():
        raise Invalid.at(
            "/zone", "unknown_time_zone", f"There is no time zone “{zone[:64]}”.", "an IANA name, such as Europe/Lisbon"
        )
    return zone


def _due(at: dt.datetime | None) -> dt.datetime | None:
    """A time that can be told in every zone."""
    if at is not None and not FIRST_YEAR <= at.year <= LAST_YEAR:
        accepted = f"a time in the years {FIRST_YEAR} to {LAST_YEAR}"
        raise Invalid.at("/due_at", "out_of_range", "Nothing is due then.", accepted)
    return at


def _actor(write: Write, actor_id: uuid.UUID | None) -> Actor | None:
    if actor_id is None:
        return None
    found = Actor.objects.filter(workspace=write.workspace, pk=actor_id).first()
    if found is None:
        raise Invalid.at("/assigned_to", "unknown_actor", "There is no such member or agent.", "the id of one")
    return found


def _name_readers(write: Write, row: FormResponse, readers: tuple[uuid.UUID, ...]) -> None:
    if row.audience != Audience.NAMED:
        if readers:
            raise Invalid.at("/readers", "readers_not_asked", "Readers belong to the audience named.", "no readers")
        return
    known = set(Actor.objects.filter(workspace=write.workspace, pk__in=readers).values_list("pk", flat=True))
    if missing := set(readers) - known:
        raise Invalid.at(
            "/readers", "unknown_reader", f"{len(missing)} readers are not of this workspace.", "ids of its members"
        )
    FormReader.objects.bulk_create(
        FormReader(workspace=write.workspace, response=row, actor_id=one, write=write) for one in sorted(known)
    )
