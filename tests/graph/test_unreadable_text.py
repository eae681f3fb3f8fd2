"""Text that cannot be stored (a NUL, half of a surrogate pair) is refused with its place by every verb."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.doors.errors import Invalid
from memoryapp.graph import services as graph
from memoryapp.graph.models import Belief, Relation
from memoryapp.graph.services import give_owner
from memoryapp.graph.statements import Player
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case, Decision
from tests.graph.telling import Memory

pytestmark = pytest.mark.django_db

Act = Callable[[Write, dict[str, Any], str], Any]

VERBS: dict[str, tuple[str, Act]] = {
    "supersede": ("/reason", lambda write, of, text: graph.give_way(write, of["held"], to=of["other"], reason=text)),
    "retire": ("/reason", lambda write, of, text: graph.retire(write, of["held"], reason=text)),
    "retract": ("/reason", lambda write, of, text: graph.retract(write, of["held"], reason=text)),
    "give owner": ("/reason", lambda write, of, text: give_owner(write, of["held"], owner=of["bram"].pk, reason=text)),
    "validity": (
        "/reason",
        lambda write, of, text: graph.change_validity(write, of["held"], valid_from=None, valid_to=None, reason=text),
    ),
    "edit": ("/content", lambda write, of, text: graph.edit(write, of["held"], content=text, reason="Better.")),
    "take back": ("/reason", lambda write, of, text: graph.retract_relation(write, of["cause"], reason=text)),
}


@pytest.fixture
def of(operator: Principal) -> dict[str, Any]:
    memory = Memory(operator)
    ines, bram = memory.node("Ines"), memory.node("Bram")
    held, other = memory.say("2026-03-02", "Tea", ines).belief, memory.say("2026-04-02", "Coffee", ines).belief
    players = [Player("cause", belief=held.pk), Player("effect", belief=other.pk)]
    cause = memory.do(lambda write: graph.relate(write, "causation", players))
    return {"memory": memory, "ines": ines, "bram": bram, "held": held, "other": other, "cause": cause}


@pytest.mark.parametrize("text", ["so\x00so", "so \ud800"], ids=["nul", "surrogate"])
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_refuses_it_with_its_place_and_changes_nothing(of: dict[str, Any], verb: str, text: str) -> None:
    path, act = VERBS[verb]
    with pytest.raises(Invalid) as refused:
        of["memory"].do(lambda write: act(write, of, text))
    assert [(one.path, one.code) for one in refused.value.violations] == [(path, "unreadable_text")]
    assert all(one.accepted for one in refused.value.violations)
    assert set(Belief.objects.values_list("status", "lock")) == {("activated", 1)}
    assert Relation.objects.get(pk=of["cause"].pk).state == "activated"


@pytest.mark.parametrize("text", ["so\x00so", "so \ud800"], ids=["nul", "surrogate"])
def test_a_verdict_refuses_it_in_its_rationale_and_in_its_edits(
    of: dict[str, Any], reviewer: Principal, text: str
) -> None:
    memory, ines = of["memory"], of["ines"]
    memory.say("2026-03-02", "Weekly", ines, topic="cadence")
    case = memory.say("2026-06-02", "Monthly", ines, topic="cadence").conflicts[0]

    def decide(rationale: str, **edits: Any) -> Any:
        act = lambda write: review.decide(write, case.pk, lock=case.lock, verdict="older_stands", edits=edits)  # noqa: E731
        return record(reviewer, "decide", act, rationale)

    for rationale, edits, path in ((text, {}, "/rationale"), ("Yes.", {"newcomer_text": text}, "/edits/newcomer_text")):
        with pytest.raises(Invalid) as refused:
            decide(rationale, **edits)
        assert [one.path for one in refused.value.violations] == [path]
    assert not Decision.objects.exists()
    assert Case.objects.get(pk=case.pk).state == "open"
