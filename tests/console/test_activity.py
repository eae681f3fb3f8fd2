"""What an agent did, day by day: what it wrote, asked and was served, and what it was refused."""

from __future__ import annotations

import pytest
from django.db import OperationalError

from memoryapp.access.models import Agent, Refusal
from memoryapp.access.noting import note
from memoryapp.doors.errors import Invalid, Unavailable
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import serve
from tests.graph.telling import Memory
from tests.visiting import client_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sql]


@pytest.fixture
def address(curator_agent: Principal) -> str:
    return f"/w/harbour/agents/{Agent.objects.get(actor=curator_agent.actor).pk}/activity/"


def test_a_day_says_what_an_agent_wrote_and_asked(
    curator_agent: Principal, operator: Principal, administrator: Principal, address: str
) -> None:
    memory = Memory(curator_agent, operator)
    said = memory.say("2026-03-02", "Ines reads mail on Mondays", memory.node("Ines")).belief
    serve(curator_agent, "recall", [("belief", said.pk, 1.0)], question="When does Ines read?", parameters={})
    page = client_of(administrator).get(address).content.decode()
    assert "“When does Ines read?”" in page
    assert "Recall: 1 thing" in page
    assert "Test" in page
    assert "Was refused" in page
    assert client_of(administrator).get(f"{address}?day=nonsense").status_code == 200


def test_a_question_about_what_is_out_of_sight_is_not_repeated(
    curator_agent: Principal, operator: Principal, administrator: Principal, address: str
) -> None:
    memory = Memory(curator_agent, operator)
    owner = memory.node("Ines")
    secret = memory.say("2026-03-02", "Ines dislikes boats", owner, audience="owners").belief
    serve(curator_agent, "recall", [("belief", secret.pk, 1.0)], question="Who dislikes boats?", parameters={})
    page = client_of(administrator).get(address).content.decode()
    assert "boats" not in page
    assert "partly out of your sight" in page
    assert "1 thing" not in page


def test_what_is_refused_is_counted_by_day_without_what_was_sent(
    curator_agent: Principal, operator: Principal, administrator: Principal, address: str, client: object
) -> None:
    class Asked:
        by = curator_agent

    for _ in range(3):
        note(Asked(), "remember", Invalid.at("/kind", "undeclared_kind", "There is no kind “hobby”."))  # type: ignore[arg-type]
    Asked.by = administrator
    note(Asked(), "remember", Invalid.at("/kind", "undeclared_kind", "There is no kind “hobby”."))  # type: ignore[arg-type]
    refusal = Refusal.objects.get()
    assert (refusal.action, refusal.times) == ("remember", 3)
    page = client_of(administrator).get(address).content.decode()
    assert "3 ×" in page
    assert "hobby" not in page


def test_an_answer_is_not_lost_with_its_count_and_what_failed_here_is_not_counted(
    curator_agent: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Asked:
        by = curator_agent

    note(Asked(), "remember", Unavailable("The memory is busy.", code="busy"))  # type: ignore[arg-type]

    def gone(**named: object) -> None:
        raise OperationalError("disk I/O error")

    monkeypatch.setattr(Refusal.objects, "get_or_create", gone)
    note(Asked(), "remember", Invalid.at("/kind", "undeclared_kind", "There is no kind “hobby”."))  # type: ignore[arg-type]
    assert not Refusal.objects.exists()


def test_an_agent_that_did_nothing_has_a_page_that_says_so_to_who_manages_agents(
    curator_agent: Principal, administrator: Principal, reviewer: Principal, address: str
) -> None:
    assert "It did nothing in the last two weeks" in client_of(administrator).get(address).content.decode()
    assert client_of(reviewer).get(address).status_code == 403
