"""Candidates that want what is not declared: they wait on a proposal that would declare it, counted with everything
else that was refused for want of it, and the policy considers them again once it is declared."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from memoryapp.doors.errors import DomainError, Invalid, NotFound
from memoryapp.extraction.models import Candidate
from memoryapp.graph.models import Node
from memoryapp.ledger.models import Write
from memoryapp.ontology import parking
from memoryapp.ontology.compiled.declared import Gap
from memoryapp.ontology.inferring import can_be_declared
from memoryapp.ontology.models import Proposal
from memoryapp.ontology.services import Met, meet

ACTION = "consider_candidate"
SAID = ("owners", "subject", "predicate", "value", "object", "qualifiers", "topic", "attributes")


def register() -> None:
    """Let candidates be parked like any write."""
    parking.register(ACTION, body=None, needs="remember", store=consider_again)


def park(write: Write, candidate: Candidate, refused: DomainError) -> Proposal | None:
    """Count a refusal on the proposal that would declare what the candidate wants, which is filed if there is none.
    None when that is not all that is wrong with it, or when it cannot be declared."""
    gaps = [one.gap for one in refused.violations] if isinstance(refused, Invalid) else []
    if not gaps or not all(isinstance(gap, Gap) and can_be_declared(gap) for gap in gaps):
        return None
    payload = told(candidate)
    try:
        with transaction.atomic():
            met = [
                Met(gap, ACTION, payload, [one for one in refused.violations if one.gap == gap])
                for gap in dict.fromkeys(gaps)
                if isinstance(gap, Gap)
            ]
            proposals = [meet(write, one, park=True).proposal for one in met]
    except DomainError:
        return None
    return proposals[0]


def told(candidate: Candidate) -> dict[str, Any]:
    """A candidate as a row that was refused: what a definition is drawn from, and what it stands on."""
    details = candidate.proposal
    said = {name: details[name] for name in SAID if details.get(name)}
    classes = _classes(said)
    for place in ("subject", "object"):
        if place in said and (node := classes.get(str(said[place].get("node", "")))):
            said[place] = said[place] | {"class": node}
    if "object" in said:
        said["relationship"] = said.get("predicate", "")
    here = {"candidate": str(candidate.pk), "source": str(candidate.source_id)}
    return {"kind": candidate.kind, "content": candidate.content} | said | here


def _classes(said: Mapping[str, Any]) -> dict[str, str]:
    ids = {str(said[place]["node"]) for place in ("subject", "object") if place in said and "node" in said[place]}
    return {str(pk): node_class for pk, node_class in Node.objects.filter(pk__in=ids).values_list("pk", "node_class")}


def consider_again(write: Write, rows: list[dict[str, Any]]) -> None:
    """Let the policy decide what was parked. Raises NotFound when it was decided or taken back meanwhile."""
    from memoryapp.extraction.services import consider

    ids = [uuid.UUID(row["candidate"]) for row in rows]
    waiting = Candidate.objects.filter(workspace=write.workspace, pk__in=ids, state=Candidate.State.PARKED)
    found = list(waiting.select_related("run", "source"))
    if not found:
        raise NotFound("The candidate is not parked any more.", code="no_such_candidate")
    consider(write, found)
