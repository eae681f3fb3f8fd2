"""Applying as a door does it: whole, or not at all with a note of why."""

from __future__ import annotations

import uuid

from memoryapp.doors.errors import Conflict, Stale
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import services
from memoryapp.ontology.models import Proposal
from memoryapp.ontology.queries import proposals as queries


def apply_now(by: Principal, proposal_id: uuid.UUID, *, edition: int | None = None) -> Proposal:
    """Apply an approved proposal. When rows or mentions stand in the way it is noted as failed, and raised."""

    def act(write: Write) -> Proposal:
        return services.apply_proposal(write, queries.seen(by, proposal_id), edition=edition)

    try:
        return record(by, "apply_proposal", act)
    except Stale:
        raise
    except Conflict as error:
        refused = error
        record(by, "apply_proposal", lambda write: services.note_failure(write, queries.seen(by, proposal_id), refused))
        raise
