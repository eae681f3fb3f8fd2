"""What agents propose themselves: from what they told to candidates that the same job and policy consider."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from memoryapp.doors.errors import Invalid, NotFound, Violation
from memoryapp.doors.moments import Moment
from memoryapp.extraction import services
from memoryapp.extraction.candidates import Proposed
from memoryapp.extraction.grounding import AGENTS
from memoryapp.extraction.models import Candidate
from memoryapp.extraction.queries import KIND
from memoryapp.graph.identity import by_id
from memoryapp.graph.models import ActorNode, ParticipantNode
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Job, Write
from memoryapp.ontology.compiled import FACT
from memoryapp.sources.models import Participant, Source, Speaker
from memoryapp.sources.quoting import locate


@dataclass(frozen=True)
class CandidateInput:
    """One proposal of an agent about words of `source`.

    A node in it is {"node": id}, {"class", "keys"}, {"class", "name"}, or {"participant": key} of the source's thread.
    Left without owners, a free statement is the speaker's own.
    """

    source: Source
    kind: str = ""
    content: str = ""
    quote: str | None = None
    start: int | None = None
    end: int | None = None
    owners: tuple[dict[str, Any], ...] = ()
    subject: dict[str, Any] | None = None
    predicate: str = ""
    value: Any = None
    object: dict[str, Any] | None = None
    qualifiers: dict[str, Any] = field(default_factory=dict)
    topic: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    confidence: float | None = None
    signals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Suggested:
    """What came of proposing: a stored candidate, and whether it was stored before."""

    candidate: Candidate
    repeated: bool


def suggest(write: Write, inputs: Sequence[CandidateInput]) -> list[Suggested]:
    """Store an agent's candidates, all or none, in the order given.

    A candidate that was stored before is answered and not stored again. Raises Invalid with every violation: its place
    within the candidate, and the candidate's row.
    """
    write.by.require("tell")
    people = _People(write, inputs)
    read = [_read(people, told, row) for row, told in enumerate(inputs)]
    wrong = [violation for one in read if isinstance(one, list) for violation in one]
    wrong += _unknown_nodes(write, inputs)
    if wrong:
        raise Invalid.all(wrong)
    proposals = [one for one in read if isinstance(one, Proposed)]
    if not proposals:
        return []
    extractor = f"{AGENTS}{write.by.actor.name}"[:100]
    run = services.open_run(write, extractor, write.by.model[:50], thread=inputs[0].source.thread)
    stored = services.propose(write, run, proposals)
    run.counts = {"candidates": sum(candidate.run_id == run.pk for candidate in stored)}
    run.save(update_fields=["counts"])
    return [Suggested(candidate, candidate.run_id != run.pk) for candidate in stored]


def ask_to_consider(write: Write, candidates: Iterable[Candidate]) -> Job | None:
    """Ask for the policy's word on candidates whose sources are not being read in this write anyway."""
    waiting = [one for one in candidates if one.state == Candidate.State.PENDING and one.source.write_id != write.pk]
    if not waiting:
        return None
    sources = sorted({str(one.source_id) for one in waiting})
    return jobs.enqueue(write, KIND, waiting[0].source.thread_id or waiting[0].source_id, {"sources": sources})


class _People:
    """The participants of the threads that candidates quote, and the nodes they are."""

    def __init__(self, write: Write, inputs: Sequence[CandidateInput]) -> None:
        threads = {told.source.thread_id for told in inputs if told.source.thread_id}
        found = Participant.objects.filter(workspace=write.workspace, thread__in=threads)
        self.by_key = {(person.thread_id, person.key): person for person in found}
        bound = ParticipantNode.objects.filter(workspace=write.workspace, participant__thread__in=threads)
        self.nodes: dict[uuid.UUID, uuid.UUID] = dict(bound.values_list("participant", "node"))
        members = {told.source.member_id for told in inputs if told.source.member_id}
        stated = ActorNode.objects.filter(workspace=write.workspace, actor__in=members) if members else None
        self.members = dict(stated.order_by("-pk").values_list("actor", "node")) if stated is not None else {}

    def reference(self, told: dict[str, Any], source: Source, path: str, row: int) -> dict[str, Any] | Violation:
        """A participant as the node they are, or by name while nobody knows who they are; anything else as it is."""
        key = told.get("participant")
        if key is None:
            return told
        person = self.by_key.get((source.thread_id, key)) if source.thread_id else None
        if person is None:
            known = [name for thread, name in self.by_key if thread == source.thread_id]
            message = f"“{key[:100]}” does not take part in this thread."
            return Violation(path, "unknown_participant", message, ", ".join(known[:20]) or "a node", row)
        node = self.nodes.get(person.pk)
        return {"node": str(node)} if node else {"class": person.node_class, "name": person.name or person.key}

    def speaker(self, source: Source) -> list[dict[str, Any]]:
        """Whose statement it is when nobody says otherwise."""
        if source.member_id in self.members:
            return [{"node": str(self.members[source.member_id])}]
        node = self.nodes.get(source.participant_id) if source.participant_id else None
        return [{"node": str(node)}] if node and source.speaker == Speaker.USER else []


def _read(people: _People, told: CandidateInput, row: int) -> Proposed | list[Violation]:
    wrong: list[Violation] = []
    span = locate(told.source, told.quote, told.start, told.end, "", row)
    if isinstance(span, Violation):
        wrong.append(span)
        span = (0, 1)
    kind = told.kind or (FACT if told.predicate else "")
    if not kind:
        wrong.append(Violation("/kind", "kind_missing", "It does not say what kind it is.", "a kind", row))
    content = told.content or (told.source.content[slice(*span)] if told.predicate else "")
    if not content.strip():
        wrong.append(Violation("/content", "blank", "A candidate says something.", "one sentence", row))
    details = _details(told)
    for place, reference in _references(told):
        found = people.reference(reference, told.source, f"/{place}", row)
        if isinstance(found, Violation):
            wrong.append(found)
        elif not place.startswith("owners"):
            details[place] = found
        elif "name" not in found:
            details.setdefault("owners", []).append(found)
    if not told.owners and not told.predicate and told.subject is None:
        details["owners"] = people.speaker(told.source)
    if wrong:
        return wrong
    kept = {name: value for name, value in details.items() if value not in (None, "", [], {})}
    return Proposed(told.source, *span, kind=kind, content=content, details=kept, confidence=told.confidence)


def _details(told: CandidateInput) -> dict[str, Any]:
    return {
        "predicate": told.predicate,
        "value": told.value,
        "qualifiers": dict(told.qualifiers),
        "topic": told.topic,
        "attributes": dict(told.attributes),
        "valid_from": str(told.valid_from) if told.valid_from else "",
        "valid_to": str(told.valid_to) if told.valid_to else "",
        "signals": list(told.signals),
    }


def _references(told: CandidateInput) -> list[tuple[str, dict[str, Any]]]:
    found = [(f"owners/{place}", owner) for place, owner in enumerate(told.owners)]
    return found + [(place, named) for place in ("subject", "object") if (named := getattr(told, place))]


def _unknown_nodes(write: Write, inputs: Sequence[CandidateInput]) -> list[Violation]:
    named = [
        (row, place, uuid.UUID(reference["node"]))
        for row, told in enumerate(inputs)
        for place, reference in _references(told)
        if "node" in reference
    ]
    seen = {node: _is_there(write, node) for node in {node for _, _, node in named}}
    return [
        Violation(f"/{place}", "no_such_node", "There is no such node.", "a node's id, or class and keys", row)
        for row, place, node in named
        if not seen[node]
    ]


def _is_there(write: Write, node: uuid.UUID) -> bool:
    try:
        by_id(write, node)
    except NotFound:
        return False
    return True
