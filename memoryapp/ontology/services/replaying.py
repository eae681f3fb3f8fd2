"""What was parked is written once what it wanted is declared: as whoever sent it, and naming who approved."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from django.db import transaction

from memoryapp.access.services import principal_of_actor
from memoryapp.doors.errors import DomainError
from memoryapp.doors.fields import read_body
from memoryapp.ledger.models import Write
from memoryapp.ledger.services import begin
from memoryapp.ontology import parking
from memoryapp.ontology.models import Occurrence, Proposal

State = Occurrence.State
CHANNEL = "replay"


def replay(write: Write, proposal: Proposal) -> dict[str, Any]:
    """Write every row that is parked on a proposal, each by itself. One that is refused says why and is not tried
    again. Returns how many were written and how many were not, with their numbers."""
    counts: Counter[str] = Counter()
    refused: list[int] = []
    waiting = Occurrence.objects.filter(proposal=proposal, state=State.PARKED).select_related("actor")
    for occurrence in waiting.order_by("sequence"):
        if Occurrence.objects.filter(pk=occurrence.pk).exclude(state=State.PARKED).exists():
            counts["replayed"] += 1
            continue
        try:
            with transaction.atomic():
                _store(write, proposal, occurrence)
            counts["replayed"] += 1
        except DomainError as error:
            counts["refused"] += 1
            refused.append(occurrence.sequence)
            _end(occurrence, State.REFUSED, {"code": error.code, "errors": [v.as_dict() for v in error.violations]})
    return {"replayed": counts["replayed"], "refused": counts["refused"], "refused_occurrences": refused}


def _store(write: Write, proposal: Proposal, occurrence: Occurrence) -> None:
    stored = parking.parkable(occurrence.action)
    if stored is None:
        raise DomainError("There is no such action any more.", code="no_such_action")
    by = principal_of_actor(occurrence.actor, channel=CHANNEL, trace_id=write.by.trace_id)
    by.require(stored.needs)
    zones = {"zones": {"workspace": by.workspace.time_zone}}
    read = read_body(stored.body, occurrence.payload, zones) if stored.body else {"items": [occurrence.payload]}
    by = replace(by, run=str(read.get("run", "")), model=str(read.get("model", "")))
    approver = write.by.actor.name
    said = f"Replayed: proposal {proposal.number} was approved by {approver}."
    own = begin(by, occurrence.action, said)
    stored.store(own, read["items"])
    same = Occurrence.objects.filter(workspace=write.workspace, state=State.PARKED)
    for one in same.filter(digest=occurrence.digest) if occurrence.digest else [occurrence]:
        _end(one, State.REPLAYED, {}, own)


def _end(occurrence: Occurrence, state: Occurrence.State, outcome: dict[str, Any], by: Write | None = None) -> None:
    occurrence.state, occurrence.outcome, occurrence.replayed = state, outcome, by
    occurrence.save(update_fields=["state", "outcome", "replayed"])
