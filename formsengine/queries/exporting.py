"""Responses taken out: one table over every version of a form, its columns joined by the permanent names of fields.

What was submitted is taken as it was submitted, anything else as it stands: what is held, declined or in a removed row
is no answer. Nothing is gathered: responses are read some at a time, told and let go, however many there are.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import Any

from formsengine.bindings.things import words
from formsengine.definition.plan import Plan, Planned
from formsengine.log.addresses import address
from formsengine.log.summing import Sum, answered, summed
from formsengine.models import Form, FormResponse, ResponseState
from formsengine.queries.filled import reader, responses
from formsengine.queries.loading import ready, texts_of
from formsengine.view.why import MASK
from memoryapp.ledger.principal import Principal

CHUNK = 200
RUNS = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""What a cell begins with that a spreadsheet would work out."""
FIXED = (*("id", "state", "submission", "started_under", "version", "subject", "opened_by", "opened_at", "changed_at"),)
TOLD_OF_ALL = (
    *("id", "form", "version", "started_under", "state", "submission", "recorded_at", "changed_at"),
    *("subject__label", "opened_by__name"),
)
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
    line = _Lines()
    yield line.of([*FIXED, *(planned.name for planned in columns.values())])
    for told in each(by, form, **filters):
        yield line.of([*fixed(told.row), *("\n".join(map(as_words, told.of(p))) for p in columns.values())])


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
    """Every response in sight with its answers, the oldest first or the newest; `filters` are those of `responses`.

    Two questions for each `CHUNK` of responses: their rows, and their logs.
    """
    versions = _Versions(form, masked=reader(by).masked)
    order = ("-recorded_at", "-pk") if newest else ("recorded_at", "pk")
    found = responses(by, form=form.pk, **filters).select_related(None).select_related("subject", "opened_by")
    found = found.only(*TOLD_OF_ALL)
    rows = found.order_by(*order).iterator(chunk_size=CHUNK)
    while chunk := list(islice(rows, CHUNK)):
        logs = texts_of([row.pk for row in chunk])
        for row in chunk:
            row.form = form
            row.version, row.started_under = versions.by_id[row.version_id], versions.by_id[row.started_under_id]
            yield versions.told(row, logs.pop(row.pk, []))


class _Versions:
    """The versions of a form, read once for all responses."""

    def __init__(self, form: Form, *, masked: bool) -> None:
        self.by_id = {version.pk: version for version in form.versions.all()}
        self.by_digest = {version.digest: version for version in self.by_id.values()}
        self.later = [ready(version) for version in self.by_id.values()]
        fields = (planned for one in self.later for planned in one.plan.fields if masked and planned.question.sensitive)
        self.hidden = frozenset(planned.uid for planned in fields)

    def told(self, row: FormResponse, texts: list[str]) -> Told:
        """The response with its answers; what was sensitive in any version is not shown to whoever is not."""
        told = self._told(row, texts)
        if self.hidden:
            told.answers = {key: MASK if key[0] in self.hidden else value for key, value in told.answers.items()}
        return told

    def _told(self, row: FormResponse, texts: list[str]) -> Told:
        if row.state in TAKEN and (taken := _submitted(texts)) is not None:
            version = self.by_digest.get(taken["definition"]["digest"], row.version)
            return _as_submitted(row, ready(version).plan, taken)
        bodies = (json.loads(text) for text in texts)
        return _as_it_stands(row, summed(ready(row.started_under), bodies, self.later))


def _submitted(texts: list[str]) -> Any:
    """The snapshot of the last submission."""
    for text in reversed(texts):
        if '"snapshot"' not in text:
            continue
        for event in reversed(json.loads(text)["events"]):
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


def _as_it_stands(row: FormResponse, response: Sum) -> Told:
    told = Told(row)
    for planned, key, value in answered(response):
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
    if type(kept) is str:
        return kept
    if type(kept) is int:
        return str(kept)
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
    return bool(cell) and isinstance(cell, str) and cell[0] in RUNS and not cell[1:].replace(".", "", 1).isdigit()


class _Lines:
    """Lines of CSV, one at a time."""

    def __init__(self) -> None:
        self.out = io.StringIO()
        self.writer = csv.writer(self.out)

    def of(self, cells: list[Any]) -> str:
        self.writer.writerow([f"'{cell}" if runs(cell) else cell for cell in cells])
        line = self.out.getvalue()
        self.out.seek(0)
        self.out.truncate()
        return line
