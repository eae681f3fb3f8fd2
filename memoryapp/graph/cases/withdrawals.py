"""What taking a source back puts before a person: the taking back itself, and the questions that it leaves."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q

from memoryapp.doors.errors import Conflict
from memoryapp.graph.cases.conflicts import owner_labels
from memoryapp.graph.models import Belief, Relation
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.queries import falling, withdrawals
from memoryapp.graph.queries.told import quotes_of, told
from memoryapp.graph.services import conflict, withdrawing
from memoryapp.graph.services.editing import put_right
from memoryapp.graph.services.undoing import undo as undo_graph
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.review import registry, sight
from memoryapp.review.models import Case, Decision
from memoryapp.review.registry import CaseKind, Field, Verdict
from memoryapp.sources import withdrawing as sources
from memoryapp.sources.models import Thread, Withdrawal
from memoryapp.sources.queries import hidden as sources_hidden

CARRY_OUT, REFUSE = "carry_out", "refuse"
STILL_HOLDS, ARCHIVE, EDIT = "still_holds", "archive", "edit"
HOLD_AGAIN, STAY_ENDED = "hold_again", "stay_ended"


def register() -> None:
    """Let the review room know these kinds of case, and what they are about."""
    sight.register(sight.SubjectType("source", hidden=sources_hidden))
    sight.register(sight.SubjectType("thread", hidden=_hidden_threads))
    sight.register(sight.SubjectType("withdrawal", hidden=_hidden_withdrawals))
    for kind in (WITHDRAWAL, LOST, RETURNS):
        registry.register(kind)


def _hidden_threads(by: Principal) -> Any:
    return Thread.objects.hidden_from(by).values("pk")


def _hidden_withdrawals(by: Principal) -> Any:
    """What was taken back out of somebody's sight."""
    about = Q(source__in=sources_hidden(by)) | Q(thread__in=_hidden_threads(by))
    return Withdrawal.objects.filter(about, workspace=by.workspace).values("pk")


def _about(case: Case) -> dict[str, uuid.UUID]:
    return {one.role: one.subject_id for one in case.subjects.all()}


def _present_withdrawal(by: Principal, case: Case) -> dict[str, Any]:
    """What would fall, stand, come back and need a person; once it is carried out, what did."""
    about = _about(case)
    thing = {name: about[name] for name in ("source", "thread") if name in about}
    return withdrawals.preview(by, **thing) | {"thing": {name: str(pk) for name, pk in thing.items()}}


def _decide_withdrawal(write: Write, case: Case, verdict: str, edits: dict[str, Any]) -> None:
    if verdict == CARRY_OUT:
        about = _about(case)
        sources.withdraw(write, source=about.get("source"), thread=about.get("thread"))


def _undo_withdrawal(write: Write, decision: Decision) -> None:
    """Let the source stand again, with everything as it was."""
    withdrawal = Withdrawal.objects.filter(write=decision.write).first()
    if withdrawal is None:
        return
    sources.lift(write, withdrawal)
    undo_graph(write, decision)


WITHDRAWAL = CaseKind(
    name=withdrawing.WITHDRAWAL,
    title="Take a source back?",
    verdicts=(
        Verdict(
            CARRY_OUT,
            "Take it back",
            rationale_required=True,
            explains="Nothing stands on it any more. It stays readable, and this can be undone.",
        ),
        Verdict(REFUSE, "Leave it", rationale_required=True, explains="It stands. Nothing changes."),
    ),
    present=_present_withdrawal,
    decide=_decide_withdrawal,
    undo=_undo_withdrawal,
    template="graph/cases/withdrawal.html",
    explains="What rests on it alone falls with it; what others confirm stays.",
)


def _belief(by: Principal, case: Case) -> Belief:
    found = Belief.objects.visible_to(by).filter(pk=_about(case)["belief"]).first()
    if found is None:
        raise Conflict("The belief is out of your sight.", code="out_of_sight")
    return found


def _present_lost(by: Principal, case: Case) -> dict[str, Any]:
    """The belief with what it stood on, and what would fall with it."""
    belief = _belief(by, case)
    fall = falling.foresee(belief=belief).seen_by(by)
    return {
        "belief": told(belief),
        "owners": owner_labels([belief.pk])[belief.pk],
        "sources": quotes_of(by, [belief.pk])[belief.pk],
        "falls_with_it": [told(one) for one in fall.fallen if one.pk != belief.pk][: withdrawals.SHOWN],
        "comes_back": [told(one.older) for one in fall.restored],
        "initial": {"text": belief.content},
    }


def _headline_of_belief(role: str) -> Any:
    def headlines(by: Principal, cases: Sequence[Case]) -> Mapping[uuid.UUID, str]:
        meant = {case.pk: _about(case)[role] for case in cases}
        said = dict(Belief.objects.visible_to(by).filter(pk__in=meant.values()).values_list("pk", "content"))
        return {case: said[belief] for case, belief in meant.items() if belief in said}

    return headlines


def _decide_lost(write: Write, case: Case, verdict: str, edits: dict[str, Any]) -> None:
    belief = _belief(write.by, case)
    reason = write.rationale.strip() or "A person decided what becomes of it now that its source is taken back."
    if verdict == ARCHIVE:
        withdrawing.let_go(write, belief, reason=reason)
        return
    words = str(edits["on" if verdict == STILL_HOLDS else "text"])
    if belief.status == Status.ARCHIVED:
        withdrawing.hold(write, belief, reason=reason)
    if verdict == EDIT:
        belief = put_right(write, belief, content=words, reason=reason)
    withdrawing.stand_on(write, belief, words)


def _undo_graph(write: Write, decision: Decision) -> None:
    undo_graph(write, decision)


def _not_editable(by: Principal, case: Case) -> Mapping[str, str]:
    if _belief(by, case).shape != Belief.Shape.STATEMENT:
        return {EDIT: "Only a free statement is put right in words; say on what it holds, or let it go."}
    return {}


LOST = CaseKind(
    name=withdrawing.LOST_SUPPORT,
    title="What it stood on was taken back",
    verdicts=(
        Verdict(
            STILL_HOLDS,
            "Still holds",
            asks=(Field("on", "It holds because", required=True, help="Kept as a statement of yours, as its source."),),
            explains="It stands on what you say.",
        ),
        Verdict(ARCHIVE, "Let it go", explains="It leaves recall, with what stands on it alone."),
        Verdict(
            EDIT,
            "Put it right",
            asks=(Field("text", "In your words", required=True),),
            explains="A statement of yours takes its place.",
            edits=True,
        ),
    ),
    present=_present_lost,
    decide=_decide_lost,
    undo=_undo_graph,
    blocked=_not_editable,
    headlines=_headline_of_belief("belief"),
    template="graph/cases/lost_support.html",
    explains="Nothing that was said or concluded holds it up any more.",
)


def _return(write: Write, case: Case) -> falling.Return:
    about = _about(case)
    relation = Relation.objects.select_related("write__actor").get(workspace=write.workspace, pk=about["supersession"])
    found = falling.returning(relation)
    if found is None:
        raise Conflict("It is no longer replaced by what was taken back.", code="changed_since")
    return found


def _present_return(by: Principal, case: Case) -> dict[str, Any]:
    """The belief that had been replaced, and what had taken its place."""
    about = _about(case)
    seen = Belief.objects.visible_to(by).in_bulk([about["older"], about["successor"]])
    quoted = quotes_of(by, list(seen))
    return {
        "belief": told(seen[about["older"]]),
        "sources": quoted[about["older"]],
        "replaced_by": told(seen[about["successor"]]),
    }


def _decide_return(write: Write, case: Case, verdict: str, edits: dict[str, Any]) -> None:
    if verdict == STAY_ENDED:
        return
    reason = write.rationale.strip() or "What had taken its place was taken back; a person says it holds again."
    one = _return(write, case)
    withdrawing.hold_again(write, one, reason=reason)
    conflict.refuse_taken_slot(one.older)
    withdrawing.announce(write, one.older)


RETURNS = CaseKind(
    name=withdrawing.RETURN,
    title="Does it hold again?",
    verdicts=(
        Verdict(HOLD_AGAIN, "It holds again", explains="As it did before it was replaced."),
        Verdict(STAY_ENDED, "It stays ended", explains="Nothing changes."),
    ),
    present=_present_return,
    decide=_decide_return,
    undo=_undo_graph,
    headlines=_headline_of_belief("older"),
    template="graph/cases/return.html",
    explains="What had taken its place was taken back with its source.",
)
