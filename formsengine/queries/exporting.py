"""Responses taken out: one table over every version of a form, its columns joined by the permanent names of fields.

Rows of a list stand in one column, a line for each row of the list. Nothing is gathered: a response is read, told and
let go, however many there are.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from django.db.models import prefetch_related_objects

from formsengine.bindings.things import words
from formsengine.definition.plan import Planned
from formsengine.log.response import Response
from formsengine.models import Form, FormResponse
from formsengine.queries.filled import responses
from formsengine.queries.loading import ready, replayed
from memoryapp.ledger.principal import Principal

CHUNK = 200
RUNS = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that a spreadsheet would work out."""
FIXED = ("id", "state", "submission", "started_under", "version", "subject", "opened_by", "opened_at", "changed_at")


def as_csv(by: Principal, form: Form) -> Iterator[str]:
    """A header and a line for each response, the oldest first. A cell that a spreadsheet would run is quoted."""
    columns = _columns(form)
    yield _line([*FIXED, *(planned.name for planned in columns.values())])
    for row, response in _each(by, form):
        answers = _answers(response)
        yield _line([*_fixed(row), *("\n".join(words(each) for each in answers.get(uid, [])) for uid in columns)])


def as_json(by: Principal, form: Form) -> Iterator[str]:
    """An object a line: the answers by their permanent names, those whose field is gone included."""
    for row, response in _each(by, form):
        told = dict(zip(FIXED, _fixed(row), strict=True))
        answers = {uid: given[0] if len(given) == 1 else given for uid, given in _answers(response).items()}
        yield json.dumps(told | {"answers": answers}, ensure_ascii=False) + "\n"


def _columns(form: Form) -> dict[str, Planned]:
    """Every field of every version by its permanent name, the latest name of each."""
    found: dict[str, Planned] = {}
    for version in form.versions.order_by("number"):
        for planned in ready(version).plan.fields:
            if planned.question.type != "note":
                found[planned.uid] = planned
    return found


def _each(by: Principal, form: Form) -> Iterator[tuple[FormResponse, Response]]:
    prefetch_related_objects([form], "versions")
    rows = responses(by, form=form.pk).select_related("started_under").order_by("recorded_at", "pk")
    for row in rows.iterator(chunk_size=CHUNK):
        row.form = form
        yield row, replayed(row)


def _answers(response: Response) -> dict[str, list[Any]]:
    """What is in force by the field's permanent name, a value for each row; what was worked out included."""
    found: dict[str, list[Any]] = {}
    for (uid, _), head in response.heads.items():
        if head and (revision := response.revisions[head]).status == "answer":
            found.setdefault(uid, []).append(revision.kept)
    taken = response.snapshots.get(response.submission)
    for path, told in (taken or {"computed": {}})["computed"].items():
        planned = response.plan.by_name.get(path.rpartition("/")[2])
        if planned is not None:
            found.setdefault(planned.uid, []).append(told["value"])
    return found


def _fixed(row: FormResponse) -> list[Any]:
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


def _line(cells: list[Any]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow([_harmless(cell) for cell in cells])
    return out.getvalue()


def _harmless(cell: Any) -> Any:
    """Told to a spreadsheet as a text, never as something to work out."""
    if not isinstance(cell, str) or cell[:1] not in RUNS or cell[1:].replace(".", "").isdigit():
        return cell
    return f"'{cell}"
