"""Responses taken out: one table over every version of a form, its columns joined by the permanent names of fields.

What was submitted is taken as it was submitted, anything else as it stands: what is held, declined or in a removed row
is no answer. Nothing is gathered: responses are read some at a time, told and let go, however many there are.
"""

from __future__ import annotations

import csv
import io
import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import groupby, islice
from typing import Any

from formsengine.bindings.things import words
from formsengine.definition.plan import Plan, Planned
from formsengine.evaluation.states import COUNTS
from formsengine.log.addresses import address
from formsengine.log.response import Response
from formsengine.log.snapshot import keys, plain
from formsengine.log.summing import summed
from formsengine.models import Form, FormCommit, FormResponse, FormVersion, ResponseState
from formsengine.queries.filled import responses
from formsengine.queries.loading import ready
from memoryapp.ledger.principal import Principal

CHUNK = 200
RUNS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a cell begins with that a spreadsheet would work out."""
FIXED = (*("id", "state", "submission", "started_under", "version", "subject", "opened_by", "opened_at", "changed_at"),)
TAKEN = (ResponseState.SUBMITTED, ResponseState.ACCEPTED)
"""States in which the last submission is what counts."""


@dataclass
class Told:
    """One response taken out. `rows` are the rows of each list in their order, by the list's permanent name.

    `answers` are by the field's permanent name and the row, which is empty outside of lists.
    """

    row: FormResponse
    answers: dict[tuple[str, str], Any] = field(default_factory=dict)
    rows: dict[str, list[str]] = field(default_factory=dict)

    def of(self, planned: Planned) -> list[Any]:
        """The answers to a field: one, or one for each row of the list that it stands in, None where there is none."""
        if not planned.rows_of:
            return [self.answers.get((planned.uid, ""))]
        return [self.answers.get((planned.uid, row)) for row in self.rows.get(planned.rows_of[-1], ())]


def as_csv(by: Principal, form: Form, **filters: Any) -> Iterator[str]:
    """A header and a line for each response, the oldest first. A cell that a spreadsheet would run is quoted."""
    columns = columns_of(form)
    yield _line([*FIXED, *(planned.name for planned in columns.values())])
    for told in each(by, form, **filters):
        yield _line([*fixed(told.row), *("\n".join(as_words(one) for one in told.of(p)) for p in columns.values())])


def as_json(by: Principal, form: Form, **filters: Any) -> Iterator[str]:
    """An object a line: the answers by their permanent names, a list of them for each field that is asked in rows."""
    columns = columns_of(form)
    for told in each(by, form, **filters):
        given = {uid: told.of(planned) for uid, planned in columns.items()}
        answers = {
            uid: found if columns[uid].rows_of else found[0]
            for uid, found in given.items()
            if any(one is not None for one in found)
        }
        fixed_part = dict(zip(FIXED, fixed(told.row), strict=True))
        yield json.dumps(fixed_part | {"rows": told.rows, "answers": answers}, ensure_ascii=False) + "\n"


def columns_of(form: Form) -> dict[str, Planned]:
    """Every field of every version by its permanent name, the latest name of each."""
    found: dict[str, Planned] = {}
    for version in sorted(form.versions.all(), key=lambda one: one.number):
        for planned in ready(version).plan.fields:
            if planned.question.type != "note":
                found[planned.uid] = planned
    return found


def each(by: Principal, form: Form, *, newest: bool = False, **filters: Any) -> Iterator[Told]:
    """Every response in sight with its answers, the oldest first or the newest; `filters` are those of `responses`."""
    versions = {version.pk: version for version in form.versions.all()}
    order = ("-recorded_at", "-pk") if newest else ("recorded_at", "pk")
    found = responses(by, form=form.pk, **filters).select_related("started_under").order_by(*order)
    rows = found.iterator(chunk_size=CHUNK)
    while chunk := list(islice(rows, CHUNK)):
        logs = _logs([row.pk for row in chunk])
        for row in chunk:
            row.form = form
            yield _told(row, versions, logs.get(row.pk, []))


def _logs(ids: list[uuid.UUID]) -> dict[uuid.UUID, list[Any]]:
    found = FormCommit.objects.filter(response__in=ids).order_by("response", "number")
    pairs = found.values_list("response", "body")
    return {key: [body for _, body in group] for key, group in groupby(pairs, key=lambda pair: pair[0])}


def _told(row: FormResponse, versions: Mapping[uuid.UUID, FormVersion], bodies: list[Any]) -> Told:
    if row.state in TAKEN and (taken := _submitted(bodies)) is not None:
        by_digest = {version.digest: version for version in versions.values()}
        version = by_digest.get(taken["definition"]["digest"], versions[row.version_id])
        return _as_submitted(row, ready(version).plan, taken)
    later = [ready(version) for version in versions.values()]
    return _as_it_stands(row, summed(str(row.pk), ready(versions[row.started_under_id]), bodies, later))


def _submitted(bodies: list[Any]) -> Any:
    """The snapshot of the last submission."""
    for body in reversed(bodies):
        for event in reversed(body["events"]):
            if event["event"] == "state" and event.get("snapshot"):
                return event["snapshot"]
    return None


def _as_submitted(row: FormResponse, plan: Plan, taken: Mapping[str, Any]) -> Told:
    told = Told(row)
    given = {**taken["values"], **{path: one["value"] for path, one in taken["computed"].items()}}
    for path, value in given.items():
        *above, name = path.split("/")
        planned = plan.by_name.get(name)
        if planned is None:
            continue
        for place, of in enumerate(planned.rows_of):
            _note(told, of, above[2 * place + 1])
        told.answers[planned.uid, above[-1] if planned.rows_of else ""] = value
    return told


def _as_it_stands(row: FormResponse, response: Response) -> Told:
    told, evaluation = Told(row), response.evaluation
    for planned, key in keys(response):
        state, answer = evaluation.states[key], response.revision(key)
        if planned.computed is not None and not planned.question.recompute_on and evaluation.values[key] is not None:
            value = plain(evaluation.values[key])
        elif answer is None or state.name not in COUNTS or answer.status != "answer":
            continue
        else:
            value = answer.kept
        if planned.rows_of:
            above = address(response.plan, response.rows, key).split("/")
            for place, of in enumerate(planned.rows_of):
                _note(told, of, above[2 * place + 1])
        told.answers[key] = value
    return told


def _note(told: Told, repeat: str, row: str) -> None:
    rows = told.rows.setdefault(repeat, [])
    if row not in rows:
        rows.append(row)


def fixed(row: FormResponse) -> list[Any]:
    """What is told of every response, in the order of `FIXED`."""
    return [
        str(row.pk),
        row.state,
        row.submission,
        row.started_under.number,
        row.version.number,
        row.subject.label if row.subject else "",
        row.opened_by.name,
        row.recorded_at.isoformat(),
        row.changed_at.isoformat(),
    ]


def as_words(kept: Any) -> str:
    """An answer as a cell holds it; a file by its name and the digest of its bytes."""
    if kept is None:
        return ""
    if isinstance(kept, Mapping) and "digest" in kept:
        return f"{kept.get('name') or 'file'} sha256:{kept['digest']}"
    return words(kept)


def number(kept: Any) -> Decimal | None:
    """An answer as the number it is; None for one that is none, as another version of its field may have taken."""
    if isinstance(kept, bool) or not isinstance(kept, int | float | str):
        return None
    try:
        found = Decimal(str(kept))
    except ArithmeticError:
        return None
    return found if found.is_finite() else None


def runs(cell: Any) -> bool:
    """Whether a spreadsheet would work this text out; a plain number it may read as one."""
    return isinstance(cell, str) and cell[:1] in RUNS and not cell[1:].replace(".", "", 1).isdigit()


def _line(cells: list[Any]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow([f"'{cell}" if runs(cell) else cell for cell in cells])
    return out.getvalue()
