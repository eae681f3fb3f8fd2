"""Statements that an agent drew from nothing but a machine's words: kept as candidates that a person decides on."""

from __future__ import annotations

from typing import Any

from memoryapp.doors.errors import Conflict
from memoryapp.extraction import services
from memoryapp.extraction.candidates import Proposed
from memoryapp.extraction.grounding import AGENTS, OTHERS_WORDS
from memoryapp.extraction.models import Candidate
from memoryapp.graph.statements import Moment, NodeKeys, NodeReference, Statement, node_named
from memoryapp.ledger.models import Write
from memoryapp.ontology.compiled import FACT
from memoryapp.review.models import Case


def keep(write: Write, statement: Statement) -> Case:
    """Put the statement before a person as a held candidate about its first quote; the other quotes go along.

    The same again is the same case while it is open. Raises Conflict `turned_away` when a person rejected it before.
    """
    proposed = _proposed(statement)
    known = Candidate.objects.filter(
        workspace=write.workspace, source=proposed.source, digest=proposed.digest()
    ).first()
    if known is None:
        run = services.open_run(
            write, f"{AGENTS}{write.by.actor.name}"[:100], write.by.model[:50], thread=proposed.source.thread
        )
        [known] = services.propose(write, run, [proposed])
    if known.state == Candidate.State.PENDING:
        services.hold(write, known, OTHERS_WORDS)
    case = Case.objects.filter(
        workspace=write.workspace, kind=services.HELD, key=str(known.pk), state=Case.State.OPEN
    ).first()
    if case is None:
        raise Conflict("A person turned this away before.", code="turned_away", extra={"candidate": str(known.pk)})
    return case


def _proposed(statement: Statement) -> Proposed:
    first, *others = statement.evidence
    details: dict[str, Any] = {
        "owners": [_node(owner) for owner in statement.owners],
        "subject": _node(statement.subject) if statement.subject is not None else None,
        "predicate": statement.predicate,
        "value": statement.value,
        "object": _node(statement.object) if statement.object is not None else None,
        "qualifiers": dict(statement.qualifiers),
        "topic": statement.topic,
        "attributes": dict(statement.attributes),
        "valid_from": _moment(statement.valid_from),
        "valid_to": _moment(statement.valid_to),
        "also": [{"source": str(one.source.pk), "start": one.start, "end": one.end} for one in others],
    }
    return Proposed(
        source=first.source,
        start=first.start or 0,
        end=first.end if first.end is not None else len(first.source.content),
        kind=statement.kind or FACT,
        content=statement.content or first.source.content[first.start : first.end],
        details={name: value for name, value in details.items() if value not in (None, "", [], {})},
        confidence=statement.confidence,
    )


def _node(reference: NodeReference) -> dict[str, Any]:
    named = node_named(reference)
    if isinstance(named, NodeKeys):
        return {"class": named.node_class, "keys": dict(named.keys)}
    return {"node": str(named)}


def _moment(moment: Moment | None) -> str:
    return str(moment) if moment else ""
