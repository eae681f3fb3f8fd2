"""Every write of extraction: runs, candidates, and what becomes of each."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction

from memoryapp.doors.errors import Conflict, DomainError, Invalid, Violation
from memoryapp.extraction.acceptance import Considered, PolicyRule, judge, policy_of
from memoryapp.extraction.candidates import Proposed, as_statement, normal
from memoryapp.extraction.grounding import doubt
from memoryapp.extraction.models import Candidate, ExtractionRun
from memoryapp.extraction.naming import as_its_proposer_saw, resolve_names
from memoryapp.extraction.parked import park
from memoryapp.extraction.twins import merge_into_twin
from memoryapp.graph.models import ActorNode, Belief, ParticipantNode
from memoryapp.graph.services.drafts import TAKEN_BACK
from memoryapp.graph.services.ending import change_value, end_like
from memoryapp.graph.services.remembering import Remembered, record_all
from memoryapp.graph.statements import Quoted, Statement, node_named
from memoryapp.ledger.models import Actor, Job, Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology
from memoryapp.review.models import Case
from memoryapp.review.services import Subject, open_case, settle
from memoryapp.sources.models import Source, Thread
from memoryapp.sources.queries import taken_back

HELD = "held_candidate"
POLICY = "acceptance policy"


def open_run(
    write: Write, extractor: str, version: str, *, thread: Thread | None = None, job: Job | None = None
) -> ExtractionRun:
    """The run that reads on behalf of `job`, opened on its first write and found again when the job is resumed."""
    if job:
        known = ExtractionRun.objects.filter(workspace=write.workspace, job=job).first()
        if known:
            return known
    return ExtractionRun.objects.create(
        workspace=write.workspace,
        job=job,
        thread=thread,
        extractor=extractor,
        version=version,
        write=write,
        recorded_at=write.recorded_at,
    )


def propose(write: Write, run: ExtractionRun, proposals: Iterable[Proposed]) -> list[Candidate]:
    """Store proposals as pending candidates. One already stored for the same words is returned, not stored again."""
    write.by.require("tell")
    wanted = list(proposals)
    _refuse_bad_spans(wanted)
    _refuse_taken_back(wanted)
    digests = [proposed.digest() for proposed in wanted]
    known = {
        (candidate.source_id, candidate.digest): candidate
        for candidate in Candidate.objects.filter(
            workspace=write.workspace, source__in={proposed.source.pk for proposed in wanted}, digest__in=digests
        )
    }
    fresh: dict[tuple[uuid.UUID, str], Candidate] = {}
    for proposed, digest in zip(wanted, digests, strict=True):
        place = (proposed.source.pk, digest)
        if place not in known and place not in fresh:
            fresh[place] = _candidate(write, run, proposed, digest)
    Candidate.objects.bulk_create(fresh.values())
    everything = known | fresh
    return [everything[proposed.source.pk, digest] for proposed, digest in zip(wanted, digests, strict=True)]


def consider(write: Write, candidates: Sequence[Candidate]) -> None:
    """Let the workspace's policy decide each pending candidate, in the order the words were said.

    Two candidates of one span with one normalised content are one statement: the kind of higher declared precedence
    stays, the others are rejected. A candidate that the memory refuses ends rejected, or parked on a proposal when it
    only wants something declared; it stops no other.
    """
    ontology = current_ontology(write.workspace)
    rules = policy_of(write.workspace)
    winners: dict[tuple[Any, ...], Candidate] = {}
    candidates = [candidate for candidate in candidates if _is_of_a_declared_kind(write, ontology, candidate)]
    for candidate in sorted(candidates, key=lambda c: -ontology.precedence(c.kind)):
        winners.setdefault(_words(candidate), candidate)
    for candidate in candidates:
        winner = winners[_words(candidate)]
        if winner is not candidate:
            _end(candidate, Candidate.State.REJECTED, f"The same words were taken as {winner.kind.replace('_', ' ')}.")
            continue
        rule = judge(rules, considered(ontology, candidate))
        _apply(write, candidate, rule)


def accept(write: Write, candidate: Candidate, edits: Mapping[str, Any] | None = None) -> Belief:
    """Make a belief of a candidate, with a person's edits to its words or details.

    One that says something is over ends the belief it names, where there is one. Raises what remembering raises.
    """
    _require_undecided(candidate)
    proposed = resolve_names(write, edited(candidate, edits or {}))
    statement = as_statement(proposed, _other_evidence(write, proposed))
    statement = as_its_proposer_saw(write, candidate, statement, edited="owners" in (edits or {}))
    if "ends" in proposed.details.get("signals", ()):
        ended = end_like(write, statement, reason="It was said to be over.")
        if ended:
            _end(candidate, Candidate.State.MERGED, "It ended what was believed.", ended)
            return ended
    if not edits and write.by.actor.kind != Actor.Kind.PERSON:
        twin = merge_into_twin(write, candidate, statement)
        if twin is not None:
            _end(candidate, Candidate.State.MERGED, "The same words were taken so already: one more evidence.", twin)
            return twin
    changed = _changed_contact(write, candidate, proposed, statement)
    remembered = changed or record_all(write, [statement], numbered=False)[0]
    state = Candidate.State.ACCEPTED if remembered.outcome in {"created", "resolving"} else Candidate.State.MERGED
    _end(candidate, state, OUTCOME_WORDS[remembered.outcome], remembered.belief)
    return remembered.belief


def _changed_contact(write: Write, candidate: Candidate, proposed: Proposed, statement: Statement) -> Remembered | None:
    """Somebody says that their own number or address changed: a change, not a second one and no contradiction."""
    if not candidate.rule.startswith("contact.") or "replaces" not in proposed.details.get("signals", ()):
        return None
    if not proposed.details.get("predicate") or _node_of(statement) not in _speakers(candidate.source):
        return None
    instead_of = str(proposed.details.get("replaces", ""))
    return change_value(write, statement, instead_of=instead_of, reason="Its owner said that it changed.")


def _node_of(statement: Statement) -> uuid.UUID | None:
    named = node_named(statement.subject) if statement.subject is not None else None
    return named if isinstance(named, uuid.UUID) else None


def _speakers(source: Source) -> set[uuid.UUID]:
    """The nodes of whoever said it."""
    said = ParticipantNode.objects.filter(participant=source.participant_id).values_list("node", flat=True)
    stated = ActorNode.objects.filter(workspace=source.workspace_id, actor=source.member_id)
    return {
        *(said if source.participant_id else ()),
        *(stated.values_list("node", flat=True) if source.member_id else ()),
    }


def _other_evidence(write: Write, proposed: Proposed) -> tuple[Quoted, ...]:
    """What else was quoted for it, besides the words it is about."""
    named = proposed.details.get("also", ())
    found = Source.objects.filter(workspace=write.workspace).in_bulk([one["source"] for one in named])
    return tuple(Quoted(found[uuid.UUID(one["source"])], one["start"], one["end"]) for one in named)


OUTCOME_WORDS = {
    "created": "Believed.",
    "resolving": "Believed by its speaker, and against what is believed: a conflict is open.",
    "ended": "Said before, and now until when: it ends then.",
    "said_again": "Said before: one more evidence for it.",
    "already_known": "Known from this source already.",
}


def hold(write: Write, candidate: Candidate, because: str) -> Case | None:
    """Let a candidate wait for a person, as a case."""
    _end(candidate, Candidate.State.HELD, because)
    return open_case(
        write,
        kind=HELD,
        key=str(candidate.pk),
        reason=because,
        subjects=[Subject("candidate", "candidate", candidate.pk)],
        priority=40,
    )


def reject(write: Write, candidate: Candidate, because: str) -> None:
    """Turn a candidate away. It stays, with the reason."""
    _require_undecided(candidate)
    _end(candidate, Candidate.State.REJECTED, because)


def reopen(write: Write, candidate: Candidate, because: str) -> None:
    """Put a decided candidate back before a person, for the reason it was held: the undoing of a verdict on it."""
    _end(candidate, Candidate.State.HELD, because)


def edited(candidate: Candidate, edits: Mapping[str, Any]) -> Proposed:
    """The candidate as a proposal, with the edits of a person in place of its own words and details."""
    known = {"content", "kind", "valid_from", "valid_to", "topic", "owners"}
    if unknown := sorted(set(edits) - known):
        raise Invalid.at(
            f"/edits/{unknown[0]}", "unknown_field", f"{unknown[0]} cannot be edited.", ", ".join(sorted(known))
        )
    details = dict(candidate.proposal)
    details.update({name: value for name, value in edits.items() if name not in {"content", "kind"}})
    return Proposed(
        source=candidate.source,
        start=candidate.span_start,
        end=candidate.span_end,
        kind=edits.get("kind") or candidate.kind,
        content=(edits.get("content") or candidate.content).strip(),
        details=details,
        confidence=candidate.confidence,
        rule=candidate.rule,
    )


def _apply(write: Write, candidate: Candidate, rule: PolicyRule) -> None:
    outcome, because = rule.outcome, rule.because
    if outcome == "accept" and (doubtful := doubt(candidate)):
        outcome, because = "hold", doubtful
    if outcome == "accept" and "ends" in candidate.proposal.get("signals", ()):
        outcome, because = "hold", "It says that something is over; a person confirms the end."
    if outcome == "accept" and not candidate.proposal.get("owners") and not candidate.proposal.get("subject"):
        outcome, because = "hold", "It is not clear whose statement this is."
    if outcome == "hold":
        hold(write, candidate, because)
        return
    try:
        with transaction.atomic():
            case = hold(write, candidate, because)
            if case:
                settle(write, case, policy=f"{POLICY}: {rule.name}", verdict=outcome, rationale=because)
    except DomainError as refused:
        candidate.refresh_from_db()
        _refuse(write, candidate, refused)
    else:
        candidate.refresh_from_db()


def _is_of_a_declared_kind(write: Write, ontology: Ontology, candidate: Candidate) -> bool:
    """Whether its kind can be believed; when it cannot, the candidate ends here."""
    try:
        ontology.concrete_kind(candidate.kind)
    except DomainError as refused:
        _refuse(write, candidate, refused)
        return False
    return True


def _refuse(write: Write, candidate: Candidate, refused: DomainError) -> None:
    """Park what only lacks something declared on a proposal of it; turn away all else that the memory refuses."""
    because = f"Refused: {refused}"[:400]
    proposal = park(write, candidate, refused)
    if proposal is None:
        _end(candidate, Candidate.State.REJECTED, because)
    else:
        _end(candidate, Candidate.State.PARKED, f"{because} It waits on proposal {proposal.number}.")


def _candidate(write: Write, run: ExtractionRun, proposed: Proposed, digest: str) -> Candidate:
    return Candidate(
        workspace=write.workspace,
        run=run,
        source=proposed.source,
        span_start=proposed.start,
        span_end=proposed.end,
        quote=proposed.quote,
        kind=proposed.kind,
        content=proposed.content,
        proposal=proposed.details,
        confidence=proposed.confidence,
        rule=proposed.rule,
        digest=digest,
        write=write,
        recorded_at=write.recorded_at,
    )


def _end(candidate: Candidate, state: Candidate.State, reason: str, belief: Belief | None = None) -> None:
    candidate.state = state
    candidate.reason = reason
    candidate.belief = belief
    candidate.lock += 1
    candidate.save(update_fields=["state", "reason", "belief", "lock"])


def _require_undecided(candidate: Candidate) -> None:
    if candidate.state not in {Candidate.State.PENDING, Candidate.State.HELD, Candidate.State.PARKED}:
        raise Conflict(f"This candidate is already {candidate.state}.", code="already_decided")


def _words(candidate: Candidate) -> tuple[Any, ...]:
    return (candidate.source_id, candidate.span_start, candidate.span_end, normal(candidate.content))


def considered(ontology: Ontology, candidate: Candidate) -> Considered:
    """What a policy looks at of a candidate."""
    source: Source = candidate.source
    told_by = source.write.actor
    return Considered(
        kinds=ontology.kind_line(candidate.kind),
        source_kind=source.kind,
        speaker=source.speaker,
        extractor=candidate.run.extractor,
        rule=candidate.rule,
        confidence=candidate.confidence,
        agent=told_by.name if told_by.kind == Actor.Kind.AGENT else "",
    )


def _refuse_taken_back(proposals: Sequence[Proposed]) -> None:
    gone = taken_back({proposed.source.pk for proposed in proposals})
    violations = [
        Violation(f"/candidates/{row}/source", "source_withdrawn", TAKEN_BACK, "a source that stands", row)
        for row, proposed in enumerate(proposals)
        if proposed.source.pk in gone
    ]
    if violations:
        raise Invalid.all(violations)


def _refuse_bad_spans(proposals: Sequence[Proposed]) -> None:
    violations = [
        Violation(
            f"/candidates/{row}/span",
            "span_not_there",
            "The span does not lie within the source's words.",
            f"0 <= start < end <= {len(proposed.source.content)}",
            row,
        )
        for row, proposed in enumerate(proposals)
        if not 0 <= proposed.start < proposed.end <= len(proposed.source.content)
    ]
    violations += [
        Violation(f"/candidates/{row}/content", "blank", "A candidate says something.", "one sentence", row)
        for row, proposed in enumerate(proposals)
        if not proposed.content.strip()
    ]
    if violations:
        raise Invalid.all(violations)
