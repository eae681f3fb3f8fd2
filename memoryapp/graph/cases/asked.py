"""What an agent asks of a belief that a person confirmed: it changes nothing, a person says what becomes of it."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from memoryapp.doors import moments
from memoryapp.doors.errors import Conflict, DomainError
from memoryapp.doors.moments import Moment, Precision
from memoryapp.graph import changes
from memoryapp.graph.cases.conflicts import owner_labels
from memoryapp.graph.models import Belief
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.queries.told import quotes_of, told
from memoryapp.graph.services import conflict
from memoryapp.graph.services.beliefs import change_state, end, supersede
from memoryapp.graph.services.undoing import undo as undo_graph
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.review import registry
from memoryapp.review import services as review
from memoryapp.review.models import Case, Decision
from memoryapp.review.registry import Asks, CaseKind, Field, Subject, Verdict

Result = TypeVar("Result")

KIND = "change_asked"
CONFIRMED = "confirmed_by_person"
END, REPLACE, NEVER_RIGHT, STANDS = "end", "replace", "never_right", "stands"
ASKED = {
    "retire": "An agent says that it is over.",
    "retract": "An agent says that it never was right.",
    "supersede": "An agent says that another belief takes its place.",
}
"""What may be asked, by the verb that was refused."""


def register() -> None:
    """Let the review room know this kind of case."""
    registry.register(CHANGE_ASKED)


def or_ask(
    write: Write,
    belief: Belief,
    verb: str,
    act: Callable[[], Result],
    *,
    reason: str,
    at: Moment | None = None,
    successor: Belief | None = None,
) -> Result | Case:
    """Do it; where only a person may, ask one: the open case in place of what would have been done.

    The case is one for each belief and verb, however often it is asked. The agent's reason is kept with it.
    """
    try:
        return act()
    except Conflict as refused:
        if refused.code != CONFIRMED or str(belief.pk) not in refused.extra.get("beliefs", ()):
            raise
    subjects = [Subject("belief", "belief", belief.pk)]
    if successor is not None:
        subjects.append(Subject("successor", "belief", successor.pk))
    asked_for = at.instant.isoformat() + " " + at.precision if at else ""
    case = review.open_case(
        write,
        kind=KIND,
        key=" ".join(filter(None, (verb, str(belief.pk), str(successor.pk) if successor else "", asked_for))),
        reason=ASKED[verb],
        subjects=subjects,
        priority=60,
    )
    assert case is not None
    review.said_by_asker(write, case, reason)
    return case


def told_case(case: Case) -> dict[str, Any]:
    """What an agent is answered in place of the change."""
    return {"case": str(case.pk), "state": case.state, "reason": case.reason}


def _about(case: Case) -> dict[str, uuid.UUID]:
    return {one.role: one.subject_id for one in case.subjects.all()}


def _seen(by: Principal, case: Case) -> dict[str, Belief]:
    about = _about(case)
    found = Belief.objects.visible_to(by).in_bulk(about.values())
    if set(about.values()) - set(found):
        raise Conflict("The belief is out of your sight.", code="out_of_sight")
    return {role: found[pk] for role, pk in about.items()}


def _asked_for(case: Case) -> Moment | None:
    """The end that was asked for, kept in the key of the case."""
    parts = case.key.split()
    if "T" not in parts[-2]:
        return None
    return Moment(dt.datetime.fromisoformat(parts[-2]), Precision(parts[-1]))


def _present(by: Principal, case: Case) -> dict[str, Any]:
    """The belief with what it stands on, what would take its place, and the end that was asked for."""
    seen = _seen(by, case)
    belief, successor = seen["belief"], seen.get("successor")
    at = _asked_for(case) or (Moment(successor.valid_from) if successor and successor.valid_from else None)
    ends = at or Moment(case.opened_at)
    return {
        "belief": told(belief),
        "owners": owner_labels([belief.pk])[belief.pk],
        "sources": quotes_of(by, [belief.pk])[belief.pk],
        "successor": told(successor) if successor else None,
        "initial": {"at": moments.render(ends.instant, ends.precision)},
    }


def _headlines(by: Principal, cases: Sequence[Case]) -> Mapping[uuid.UUID, str]:
    meant = {case.pk: _about(case)["belief"] for case in cases}
    said = dict(Belief.objects.visible_to(by).filter(pk__in=meant.values()).values_list("pk", "content"))
    return {case: said[belief] for case, belief in meant.items() if belief in said}


def _blocked(by: Principal, case: Case) -> Mapping[str, str]:
    try:
        seen = _seen(by, case)
    except DomainError:
        return {}
    wrong = {} if "successor" in seen else {REPLACE: "Nothing was named that would take its place."}
    if seen["belief"].status != Status.ACTIVATED:
        over = "It is not held any more."
        return wrong | {END: over, REPLACE: over, NEVER_RIGHT: over}
    return wrong


def _decide(write: Write, case: Case, verdict: str, edits: dict[str, Any]) -> None:
    if verdict == STANDS:
        return
    seen = _seen(write.by, case)
    belief = seen["belief"]
    reason = write.rationale.strip() or "A person decided what an agent had asked."
    touched = [belief]
    if verdict == NEVER_RIGHT:
        change_state(write, belief, reason=reason, status=Status.ARCHIVED, standing=Standing.RETRACTED)
    elif verdict == REPLACE:
        supersede(write, belief, seen["successor"], reason=reason)
        touched.append(seen["successor"])
    else:
        at: Moment = edits["at"]
        end(write, belief, at.instant, reason=reason, precision=at.precision)
    changes.announce(write, [*touched, *conflict.reconsider(write, touched)])


def _undo(write: Write, decision: Decision) -> None:
    undo_graph(write, decision)


CHANGE_ASKED = CaseKind(
    name=KIND,
    title="An agent asks for a change",
    verdicts=(
        Verdict(
            END,
            "It ended",
            asks=(Field("at", "Until", Asks.MOMENT, required=True),),
            explains="It was true until then, and stays in the history.",
        ),
        Verdict(REPLACE, "Replaced", explains="What was named takes its place, from when it began."),
        Verdict(NEVER_RIGHT, "Never was right", explains="No past time serves it."),
        Verdict(STANDS, "It stands", explains="Nothing changes."),
    ),
    present=_present,
    decide=_decide,
    undo=_undo,
    blocked=_blocked,
    headlines=_headlines,
    template="graph/cases/asked.html",
    explains="A person confirmed it, so an agent may only ask.",
)
