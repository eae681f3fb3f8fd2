"""A held candidate before a person: accept, accept edited, reject, reject all alike."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.db.models import Exists, OuterRef

from memoryapp.doors.errors import DomainError
from memoryapp.extraction import services
from memoryapp.extraction.acceptance import (
    BEGINNING,
    PolicyRule,
    in_force,
    in_words,
    judge,
    parts,
    policy_of,
    read_policy,
)
from memoryapp.extraction.models import Candidate
from memoryapp.extraction.queries import hidden_candidates
from memoryapp.graph.services.undoing import undo as undo_graph
from memoryapp.ledger.models import Actor, Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology
from memoryapp.review import policies
from memoryapp.review.models import Case, CaseChange, CaseSubject, Decision
from memoryapp.review.queries.counting import Bounded, Count
from memoryapp.review.registry import Asks, CaseKind, Field, Suggestion, Verdict, register
from memoryapp.review.services import void_case
from memoryapp.review.sight import SubjectType
from memoryapp.review.sight import register as register_subject
from memoryapp.sources.models import Source
from memoryapp.sources.queries import in_place

ACCEPT = Verdict("accept", "Accept", explains="It becomes a belief as it is.")
ACCEPT_EDITED = Verdict(
    "accept_edited",
    "Accept edited",
    asks=(
        Field("content", "Statement", Asks.TEXT, required=True, help="One sentence that stands by itself."),
        Field("topic", "Topic", help="What only one current statement of its owner may fill."),
        Field("valid_from", "True from", Asks.MOMENT),
        Field("valid_to", "True until", Asks.MOMENT),
    ),
    explains="It becomes a belief in your words, with the same quote as evidence.",
    edits=True,
)
REJECT = Verdict(
    "reject", "Reject", explains="It is not believed. It stays on the conversation's page, with your reason."
)
REJECT_ALIKE = Verdict(
    "reject_alike",
    "Reject all alike",
    explains="Also rejects every other waiting candidate that the same rule drew from the same kind of speaker.",
    alone=True,
)


MOST_AGENTS = 200
DOES = {"accept": "would accept", "hold": "holds", "reject": "would turn away"}


def present(by: Principal, case: Case) -> dict[str, Any]:
    """The candidate, its words inside their turn with the turn before and after, and how many wait that are alike."""
    candidate = _shown(case)
    return {
        "candidate": candidate,
        "place": in_place(by, [candidate.source_id]).get(candidate.source_id),
        "details": candidate.proposal,
        "alike": _counts(case)[Candidate.State.HELD],
        "initial": {
            "content": candidate.content,
            **{name: str(candidate.proposal.get(name) or "") for name in ("topic", "valid_from", "valid_to")},
        },
    }


def told(by: Principal, case: Case) -> dict[str, Any]:
    """What `present` shows, as plain data."""
    candidate = candidate_of(case)
    place = in_place(by, [candidate.source_id]).get(candidate.source_id)
    return {
        "candidate": {
            "id": str(candidate.pk),
            "kind": candidate.kind,
            "content": candidate.content,
            "proposal": candidate.proposal,
            "confidence": candidate.confidence,
            "extractor": candidate.run.extractor,
            "rule": candidate.rule,
            "recorded_at": candidate.recorded_at,
        },
        "source": str(candidate.source_id),
        "quote": candidate.quote,
        "span": [candidate.span_start, candidate.span_end],
        "content": candidate.source.content,
        "turn_before": place.before.content if place and place.before else None,
        "turn_after": place.after.content if place and place.after else None,
        "alike": alike(candidate).count(),
    }


def headlines(by: Principal, cases: Sequence[Case]) -> dict[uuid.UUID, str]:
    """What each candidate says."""
    keys = {case.pk: case.key for case in cases}
    said = Candidate.objects.filter(workspace=by.workspace, pk__in=keys.values()).values_list("pk", "content")
    contents = {str(pk): content for pk, content in said}
    return {case: contents[key] for case, key in keys.items() if key in contents}


def decide(write: Write, case: Case, verdict: str, edits: dict[str, Any]) -> None:
    """Carry a verdict out."""
    candidate = candidate_of(case)
    if verdict in {ACCEPT.key, ACCEPT_EDITED.key}:
        words = {name: str(value) for name, value in edits.items()}
        services.accept(write, candidate, words)
        return
    reason = write.rationale[:500] or "A person rejected it."
    services.reject(write, candidate, reason)
    if verdict == REJECT_ALIKE.key:
        for other in alike(candidate):
            services.reject(write, other, f"Alike one that was rejected: {reason}"[:500])
            waiting = Case.objects.filter(
                workspace=write.workspace, kind=services.HELD, key=str(other.pk), state=Case.State.OPEN
            ).first()
            if waiting:
                void_case(write, waiting, "Rejected together with one alike.")


def undo(write: Write, decision: Decision) -> None:
    """Take the acceptance or rejection back: what it made leaves, and the candidate waits again."""
    undo_graph(write, decision)
    candidate = candidate_of(decision.case)
    services.reopen(write, candidate, decision.case.reason)
    for closed in CaseChange.objects.filter(write=decision.write, change=CaseChange.Change.VOID).select_related("case"):
        if closed.case.kind == services.HELD:
            services.reopen(write, candidate_of(closed.case), closed.case.reason)


def suggest(by: Principal, case: Case) -> Suggestion | None:
    """A rejection that a person gave to one alike is the only thing worth repeating."""
    counts = _counts(case)
    rejected, accepted = counts[Candidate.State.REJECTED], counts[Candidate.State.ACCEPTED]
    if rejected > accepted + 2:
        return Suggestion(REJECT.key, f"{rejected} alike were rejected, {accepted} accepted.")
    return None


def _shown(case: Case) -> Candidate:
    """The candidate of a case that is being shown."""
    return case.once(candidate_of)


def _counts(case: Case) -> dict[str, Count]:
    """How many candidates are alike, by state, in one query; past the bound nobody counts on."""
    return case.once(_counted)


def _counted(case: Case) -> dict[str, Count]:
    candidate = _shown(case)
    states = (Candidate.State.HELD, Candidate.State.REJECTED, Candidate.State.ACCEPTED)
    asked: dict[str, Any] = {state.value: Bounded(alike(candidate, state)) for state in states}
    found: Any = Workspace.objects.values(**asked).get(pk=case.workspace_id)
    return {name: Count(number) for name, number in found.items()}


def candidate_of(case: Case) -> Candidate:
    """The candidate that a case is about."""
    return Candidate.objects.select_related(
        *("source__participant", "source__thread", "source__write__actor", "run", "belief")
    ).get(workspace=case.workspace_id, pk=case.key)


def alike(candidate: Candidate, state: Candidate.State = Candidate.State.HELD) -> Any:
    """Other candidates of one state by the same rule and extractor from the same kind of source and speaker."""
    return Candidate.objects.filter(
        workspace=candidate.workspace_id,
        state=state,
        rule=candidate.rule,
        run__extractor=candidate.run.extractor,
        source__kind=candidate.source.kind,
        source__speaker=candidate.source.speaker,
    ).exclude(pk=candidate.pk)


def cases_alike(by: Principal, case: Case) -> Any:
    """The cases of candidates that the same rule drew from the same kind of speaker, by their subjects."""
    candidate = _shown(case)
    like = Candidate.objects.filter(
        pk=OuterRef("subject_id"),
        rule=candidate.rule,
        run__extractor=candidate.run.extractor,
        source__kind=candidate.source.kind,
        source__speaker=candidate.source.speaker,
    )
    return CaseSubject.objects.filter(Exists(like), workspace=by.workspace, role="candidate")


def policy_now(by: Principal, case: Case) -> str:
    """What the acceptance policy would do with the candidate now."""
    candidate = _shown(case)
    rule = judge(policy_of(by.workspace), services.considered(current_ontology(by), candidate))
    return f"The rule “{rule.name}” of the acceptance policy {DOES[rule.outcome]} it: {rule.because}"


def would(by: Principal, rules: Sequence[PolicyRule], cases: Sequence[Case]) -> dict[uuid.UUID, policies.Would]:
    """What the rules would do with these candidates: accept, reject, or leave to a person."""
    ontology, found = current_ontology(by), {}
    for case, candidate in _candidates_of(by, cases):
        try:
            rule = judge(rules, services.considered(ontology, candidate))
        except DomainError:
            continue
        if rule.outcome != "hold":
            found[case] = policies.Would(rule.outcome, rule.name)
    return found


def traits(by: Principal, cases: Sequence[Case]) -> dict[uuid.UUID, dict[str, str]]:
    """Who told it, what read it, and what kind of belief it is."""
    return {
        case: {
            "agent": candidate.source.write.actor.name,
            "extractor": candidate.run.extractor,
            "kind": candidate.kind,
        }
        for case, candidate in _candidates_of(by, cases)
    }


def policy_parts(by: Principal) -> list[policies.Part]:
    """What a rule of the acceptance policy is made of, with the names of those who may have told something."""
    agents = Actor.objects.filter(workspace=by.workspace, kind=Actor.Kind.AGENT).order_by("name")
    names = list(agents.values_list("name", flat=True)[: MOST_AGENTS + 1])
    return parts(current_ontology(by), names[:MOST_AGENTS], more=len(names) > MOST_AGENTS)


def _candidates_of(by: Principal, cases: Sequence[Case]) -> list[tuple[uuid.UUID, Candidate]]:
    keys = {case.key: case.pk for case in cases}
    found = Candidate.objects.filter(workspace=by.workspace, pk__in=list(keys))
    return [(keys[str(one.pk)], one) for one in found.select_related("source__write__actor", "run")]


def _candidates(by: Principal, **those: Any) -> Any:
    return Candidate.objects.filter(workspace=by.workspace, **those).values("pk")


def register_cases() -> None:
    """Make the case kind and its subject known to the review room."""
    register_subject(
        SubjectType(
            "candidate",
            hidden=hidden_candidates,
            search=lambda by, text: _candidates(by, content__icontains=text),
            by_trait={
                "source": lambda by, one: _candidates(by, source__in=Source.objects.visible_to(by).filter(pk=one)),
                "unsure": lambda by, percent: _candidates(by, confidence__lt=percent),
            },
        )
    )
    policies.register(
        policies.Policy(
            setting="acceptance_policy",
            title="Acceptance policy",
            explains="What of the candidates is believed without a person, what waits for one, what is turned away. "
            "The first rule that fits decides.",
            case_kinds=(services.HELD,),
            parts=policy_parts,
            beginning=BEGINNING,
            read=read_policy,
            in_force=in_force,
            words=in_words,
            would=would,
        )
    )
    policies.register_traits(services.HELD, traits)
    register(
        CaseKind(
            name=services.HELD,
            title="Held candidate",
            verdicts=(ACCEPT, ACCEPT_EDITED, REJECT, REJECT_ALIKE),
            present=present,
            decide=decide,
            undo=undo,
            suggest=suggest,
            told=told,
            explains="Something was proposed that the acceptance policy does not believe by itself.",
            headlines=headlines,
            alike=cases_alike,
            policy=policy_now,
            template="extraction/cases/held_candidate.html",
        )
    )
