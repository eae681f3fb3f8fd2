"""A write that was refused for want of something declared is told what would declare it, and parked when it asks.

Of a refused batch only rows with nothing else wrong are parked. The draft is what `proposals` takes as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from memoryapp.access import refusals
from memoryapp.access.endpoints import Endpoint
from memoryapp.doors.errors import DomainError, Invalid, Violation
from memoryapp.doors.fields import Flag, Parameters
from memoryapp.ledger.models import Write
from memoryapp.ledger.services import record
from memoryapp.ontology import parking, services
from memoryapp.ontology.changeset import as_data, title_of
from memoryapp.ontology.compiled.declared import Gap
from memoryapp.ontology.inferring import can_be_declared, definition
from memoryapp.ontology.queries.editions import current_ontology
from memoryapp.ontology.services.proposing import Met

MOST_DRAFTS = 20
ROW = re.compile(r"/items/(\d+)(/|$)")
OF_THE_CALLER = ("run", "model", "time_zone")


class Parks(Parameters):
    """What a write takes that may be parked."""

    park = Flag(required=False, help_text="Keep what only wants a declared type.")


def register() -> None:
    refusals.register(refused)


def refused(endpoint: Endpoint, action: str, error: DomainError) -> None:
    """Add drafts of what would have to be declared, and park what may be, when it is asked."""
    if not isinstance(error, Invalid):
        return
    rows = _rows(endpoint, error)
    gaps = list(dict.fromkeys(gap for gap, _ in _gaps(rows)))
    if not gaps:
        return
    error.extra["drafts"] = [draft for gap in gaps[:MOST_DRAFTS] if (draft := _draft(endpoint, gap, rows))]
    if getattr(endpoint, "asked", {}).get("park") and parking.parkable(action) is not None:
        met = list(_to_be_parked(action, rows))
        if met:
            error.extra["parked"] = record(endpoint.by, "park", lambda write: _park(write, met))


class _Row:
    """One row of a refused request: as it was sent, and what is wrong with it."""

    def __init__(self, number: int, payload: Any) -> None:
        self.number, self.payload = number, payload
        self.violations: list[Violation] = []


def _rows(endpoint: Endpoint, error: Invalid) -> list[_Row]:
    raw = getattr(endpoint, "_raw", None)
    if not isinstance(raw, dict):
        return []
    items = raw["items"] if isinstance(raw.get("items"), list) else [raw]
    shared = {name: raw[name] for name in OF_THE_CALLER if "items" in raw and name in raw}
    found: dict[int, _Row] = {}
    for violation in error.violations:
        named = ROW.match(violation.path)
        number = violation.row if violation.row is not None else int(named.group(1)) if named else 0
        if number < len(items):
            payload = items[number] | shared if isinstance(items[number], dict) else items[number]
            found.setdefault(number, _Row(number, payload)).violations.append(violation)
    return list(found.values())


def _gaps(rows: list[_Row]) -> Iterator[tuple[Gap, _Row]]:
    for row in rows:
        for violation in row.violations:
            if isinstance(violation.gap, Gap) and can_be_declared(violation.gap):
                yield violation.gap, row


def _draft(endpoint: Endpoint, gap: Gap, rows: list[_Row]) -> dict[str, Any] | None:
    ontology = current_ontology(endpoint.by)
    payloads = [row.payload for one, row in _gaps(rows) if one == gap]
    try:
        changes = definition(ontology, gap, payloads)
    except DomainError:
        return None
    return {
        "title": title_of(changes),
        "base_edition": ontology.number,
        "changes": as_data(changes),
        "rationale": "A write was refused for want of it.",
    }


def _to_be_parked(action: str, rows: list[_Row]) -> Iterator[tuple[int, Met]]:
    for row in rows:
        gaps = [one.gap for one in row.violations]
        if all(isinstance(gap, Gap) and can_be_declared(gap) for gap in gaps):
            for gap in dict.fromkeys(gaps):
                yield row.number, Met(gap, action, row.payload, [one for one in row.violations if one.gap == gap])


def _park(write: Write, met: list[tuple[int, Met]]) -> list[dict[str, Any]]:
    parked = []
    for row, one in met:
        occurrence = services.meet(write, one, park=True)
        proposal = occurrence.proposal
        parked.append(
            {
                "row": row,
                "occurrence": str(occurrence.pk),
                "state": occurrence.state,
                "proposal": str(proposal.pk),
                "number": proposal.number,
                "occurrences": proposal.occurrences,
            }
        )
    return parked
