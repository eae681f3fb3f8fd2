"""What changed under an open case is told on the case."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.doors import moments
from memoryapp.doors.errors import Stale
from memoryapp.graph.services.beliefs import change_validity
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services
from memoryapp.review.models import Case
from tests.graph.telling import Memory
from tests.visiting import client_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sql]


def decide(by: Principal, case: Case, lock: int) -> Any:
    return record(by, "decide", lambda write: services.decide(write, case.pk, lock=lock, verdict="newer_replaces"))


def test_a_case_says_that_a_belief_it_is_about_has_changed_and_a_verdict_on_what_was_seen_before_is_refused(
    curator_agent: Principal, operator: Principal, administrator: Principal
) -> None:
    memory = Memory(curator_agent, operator)
    owner = memory.node("Duarte")
    weekly = memory.say("2026-03-02", "Duarte wants weekly letters", owner, topic="letters").belief
    memory.say("2026-06-01", "Duarte wants monthly letters", owner, topic="letters")
    case = Case.objects.get(state="open")
    seen = case.lock
    began, until = moments.parse("2026-03-02"), moments.parse("2026-12-31")
    weekly.refresh_from_db()
    record(
        administrator,
        "change",
        lambda write: change_validity(write, weekly, valid_from=began, valid_to=until, reason="She said until when."),
    )
    case.refresh_from_db()
    changes = list(case.changes.order_by("lock").values_list("change", "what"))
    assert (case.state, changes[1]) == (
        "open",
        ("changed", "A belief it is about has other dates, owners or readers than before, or is held again."),
    )
    with pytest.raises(Stale) as refused:
        decide(administrator, case, seen)
    (told,) = refused.value.extra["changes"]
    assert told["what"] == changes[1][1]
    page = client_of(administrator).get(f"/w/harbour/queue/{case.pk}/").content.decode()
    assert changes[1][1] in page
    decision = decide(administrator, case, case.lock)
    record(administrator, "undo", lambda write: services.undo(write, decision.pk))
    kinds = list(case.changes.order_by("lock").values_list("change", flat=True))
    assert kinds == ["opened", "changed", "decided", "undone"]
