"""What fell when a source was taken back, put before a person as one question: may it fall, or is it one's own?"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from memoryapp.graph.models import Belief, BeliefState
from memoryapp.graph.models.beliefs import Audience, Standing
from memoryapp.graph.queries.told import told
from memoryapp.graph.queries.withdrawals import SHOWN
from memoryapp.graph.services import withdrawing
from memoryapp.graph.services.undoing import undo as undo_graph
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.review import registry
from memoryapp.review import services as review
from memoryapp.review.models import Case, CaseSubject, Decision
from memoryapp.review.registry import CaseKind, Field, Verdict
from memoryapp.review.services import Opening, Subject
from memoryapp.sources.models import Withdrawal

LET_FALL, KEEP_ALL, EACH = "let_fall", "keep_all", "one_by_one"


def register() -> None:
    """Let the review room know this kind of case."""
    registry.register(FALLEN)


def _withdrawal(case: Case) -> Withdrawal:
    return Withdrawal.objects.get(pk=case.subjects.get(role="withdrawal").subject_id)


def fallen(by: Principal, found: Withdrawal) -> QuerySet[Belief]:
    """What everybody may see of what fell with it and is not asked about by itself."""
    states = BeliefState.objects.filter(write=found.write_id, standing=Standing.WITHDRAWN).values("belief")
    about = CaseSubject.objects.filter(workspace=found.workspace_id, subject_id=found.pk).values("case")
    alone = CaseSubject.objects.filter(case__in=about, case__kind=withdrawing.LOST_SUPPORT, role="belief")
    rows = Belief.objects.visible_to(by).filter(pk__in=states, standing=Standing.WITHDRAWN)
    return rows.filter(audience=Audience.WORKSPACE).exclude(pk__in=alone.values("subject_id")).order_by("pk")


def _present(by: Principal, case: Case) -> dict[str, Any]:
    """What fell: counted, and the first of it."""
    rows = fallen(by, _withdrawal(case))
    return {"count": rows.count(), "beliefs": [told(one) for one in rows[:SHOWN]], "shown": SHOWN}


def _headlines(by: Principal, cases: Sequence[Case]) -> Mapping[uuid.UUID, str]:
    return {case.pk: case.reason for case in cases}


def _decide(write: Write, case: Case, verdict: str, edits: dict[str, Any]) -> None:
    found = _withdrawal(case)
    rows = list(fallen(write.by, found)) if verdict != LET_FALL else []
    if verdict == EACH:
        about = Subject("withdrawal", "withdrawal", found.pk)
        openings = [
            Opening(str(one.pk), withdrawing.TAKEN_BACK, (Subject("belief", "belief", one.pk), about)) for one in rows
        ]
        review.open_cases(write, withdrawing.LOST_SUPPORT, openings)
        return
    reason = write.rationale.strip() or "A person says that it holds without what was taken back."
    for one in rows:
        withdrawing.hold(write, one, reason=reason)
        withdrawing.stand_on(write, one, str(edits["on"]))


def _undo(write: Write, decision: Decision) -> None:
    undo_graph(write, decision)


FALLEN = CaseKind(
    name=withdrawing.FALLEN,
    title="What fell with a source",
    verdicts=(
        Verdict(LET_FALL, "Let it fall", explains="It stays out of recall, with its history."),
        Verdict(
            KEEP_ALL,
            "Keep it all as my own",
            asks=(Field("on", "It holds because", required=True, help="Kept as a statement of yours, as its source."),),
            explains="All of it stands on what you say.",
        ),
        Verdict(EACH, "One by one", explains="A question about each."),
    ),
    present=_present,
    decide=_decide,
    undo=_undo,
    headlines=_headlines,
    template="graph/cases/fallen.html",
    explains="It stood on what was taken back and on nothing else, and left recall at once.",
)
