"""Asking: what narrows an answer, what it says of each hit, what it costs, and that any text may be asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.doors.budgets import tokens
from memoryapp.doors.errors import Denied, Invalid
from memoryapp.graph.models import Node, Relation
from memoryapp.graph.services import give_way, retract_relation
from memoryapp.ledger.models import Served, ServedItem, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.recall import services
from memoryapp.recall.asked import Asked
from memoryapp.recall.queries import find
from tests.api.calling import Caller
from tests.api.telling import conversation, said
from tests.graph.nodes.telling import Graph
from tests.graph.telling import Memory, at

pytestmark = pytest.mark.django_db


@pytest.fixture
def memory(operator: Principal) -> Memory:
    return Memory(operator)


@pytest.fixture
def ines(memory: Memory) -> Node:
    return memory.node("Ines Ferro")


def texts(by: Principal, question: str, **asked: Any) -> list[str]:
    return [hit.text for hit in find(by, Asked(question, **asked)).hits]


def test_an_answer_is_narrowed_by_owner_kind_subject_and_time(operator: Principal, memory: Memory, ines: Node) -> None:
    bram = memory.node("Bram Okafor")
    memory.say("2026-03-02", "Ines drinks tea", ines)
    memory.say("2026-05-02", "Bram drinks tea", bram)
    memory.say("2026-06-02", "Tea is served at ten", bram, kind="decision")
    assert set(texts(operator, "tea", owner=ines.pk)) == {"Ines drinks tea"}
    assert set(texts(operator, "tea", kinds=("decision",))) == {"Tea is served at ten"}
    assert set(texts(operator, "tea", kinds=("memory",))) == {
        "Ines drinks tea",
        "Bram drinks tea",
        "Tea is served at ten",
    }
    assert texts(operator, "tea", kinds=("memory",), exact=True) == []
    assert set(texts(operator, "tea", since=at("2026-04-01"), until=at("2026-06-01"))) == {"Bram drinks tea"}
    assert set(texts(operator, "tea", over="sources", owner=ines.pk)) == {"Ines drinks tea"}


def test_a_budget_is_never_exceeded_and_what_it_left_out_is_counted(
    operator: Principal, memory: Memory, ines: Node
) -> None:
    for number in range(12):
        memory.say("2026-03-02", f"Ines drinks tea number {number} " + "é" * 5 * number, ines)
    whole = find(operator, Asked("tea"))
    assert (len(whole.hits), whole.left_out) == (12, 0)
    for budget in (20, 60, 150, 400):
        answer = find(operator, Asked("tea", budget_tokens=budget))
        assert answer.tokens <= budget
        assert len(answer.hits) + answer.left_out == 12
        assert answer.shaped()["cut"] is (answer.left_out > 0)
    assert tokens("é" * 5) == 3


def test_every_hit_says_where_it_comes_from(operator: Principal, memory: Memory, ines: Node) -> None:
    tea = memory.say("2026-03-02", "Ines drinks tea", ines).belief
    memory.say("2026-04-02", "Ines drinks tea", ines)
    memory.conclude("Ines likes warm tea", tea)
    found = {hit.text: hit for hit in find(operator, Asked("tea")).hits}
    assert found["Ines drinks tea"].provenance.startswith("read in notes/")
    assert found["Ines drinks tea"].provenance.endswith(".txt, 2026-03-02, and 1 more source")
    assert found["Ines likes warm tea"].provenance.startswith("concluded by Operator, ")
    for hit in found.values():
        assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-5)
        assert hit.shaped()["why"] == f"/api/v1/why/{hit.id}"
        assert hit.words == ["tea"]


def test_when_nothing_answers_the_nearest_are_named_and_not_served(
    operator: Principal, memory: Memory, ines: Node
) -> None:
    tea = memory.say("2026-03-02", "Ines drinks tea", ines).belief
    answer = find(operator, Asked("tea in zanzibar quixotic flywheel gravel obelisk trumpet marzipan turbine"))
    assert answer.hits == []
    assert tea.pk in [miss.id for miss in answer.misses]
    assert "drinks" not in str(answer.shaped())
    assert answer.unknown[:2] == ["zanzibar", "quixotic"]


def test_a_node_and_what_is_its_are_found_by_the_name_it_got_later(operator: Principal) -> None:
    told = Graph(operator)
    unnamed = told.node("person", email="ines@mail.example")
    tea = told.say("Drinks green tea", unnamed)
    assert find(operator, Asked("Duarte")).hits == []
    named = told.node("person", email="ines@mail.example", name="Ines Duarte")
    assert named.pk == unnamed.pk
    found = {hit.id: hit for hit in find(operator, Asked("Duarte")).hits}
    assert found[named.pk].text == "Ines Duarte"
    assert tea.pk in found


def test_what_happened_once_is_recalled_ever_after_with_its_turn(
    workspace: Workspace, work: Callable[[], int], operator: Principal
) -> None:
    met = said("Yesterday I met Ivo at the harbour.", "2026-03-05T10:00:00Z", "m-2")
    Caller(workspace, ["curate"]).post("conversations", conversation(met))
    work()
    [belief, turn, *_] = find(operator, Asked("who was met at the harbour", "all", limit=2)).hits
    assert {belief.what, turn.what} == {"belief", "source"}
    assert all("met Ivo at the harbour" in hit.text for hit in (belief, turn))
    assert {hit.told["belief"]["valid_from"] for hit in (belief, turn) if hit.what == "belief"} == {"2026-03-04"}


def test_whoever_may_not_recall_is_refused_and_what_cannot_be_asked_is_named(
    operator: Principal, agent: Any, workspace: Workspace
) -> None:
    with pytest.raises(Denied):
        find(agent(workspace, ["curate"]), Asked("tea"))
    with pytest.raises(Invalid) as refused:
        find(operator, Asked("tea", over="dreams", limit=0, budget_tokens=1, history=True, known_at=at("2026-03-02")))
    assert [one.path for one in refused.value.violations] == ["/over", "/history", "/limit", "/budget_tokens"]
    with pytest.raises(Invalid, match="decisio"):
        find(operator, Asked("tea", kinds=("decisio",)))


def test_what_was_served_is_noted_with_question_and_rank(operator: Principal, memory: Memory, ines: Node) -> None:
    memory.say("2026-03-02", "Ines drinks tea", ines)
    memory.say("2026-03-02", "Ines drinks green tea", ines)
    answered = services.recall(operator, Asked("green tea", limit=2))
    served = Served.objects.get()
    assert served == answered.served
    assert (served.form, served.question, served.parameters) == (
        "recall",
        "green tea",
        {"over": "beliefs", "limit": 2},
    )
    noted = ServedItem.objects.filter(served=served).order_by("rank").values_list("target_id", "rank", "score")
    assert list(noted) == [(hit.id, rank, hit.score) for rank, hit in enumerate(answered.recalled.hits, 1)]
    briefed = services.brief(operator, ines.pk)
    assert briefed.served.form == "brief"
    assert briefed.served.items.count() == 2


@pytest.mark.parametrize(("over", "most"), [("beliefs", 12), ("turns", 13), ("all", 18)])
def test_a_recall_asks_the_database_the_same_number_of_times_however_much_there_is(
    operator: Principal, memory: Memory, ines: Node, over: str, most: int
) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert find(operator, Asked("ines tea", over, limit=100)).hits or over == "turns"
        return len(queries)

    for number in range(3):
        memory.say("2026-03-02", f"Ines drinks tea {number}", ines)
    few = asked()
    for number in range(20):
        memory.say("2026-03-02", f"Ines drinks tea at {number}", ines)
    assert asked() == few <= most


@settings(max_examples=60)
@given(question=st.text(max_size=200))
@pytest.mark.parametrize("over", ["all"])
def test_any_text_is_a_question(operator: Principal, question: str, over: str) -> None:
    if not Node.objects.exists():
        memory = Memory(operator)
        memory.say("2026-03-02", "Ines drinks tea", memory.node("Ines"))
    find(operator, Asked(question, over))


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"question": "tea", "ovr": "all"}, "/ovr"),
        ({"question": 5}, "/question"),
        ({}, "/question"),
        ({"question": "tea", "over": "dreams"}, "/over"),
        ({"question": "tea", "valid_at": "2026-03-02T10:00:00"}, "/valid_at"),
        ({"question": "tea", "limit": 1000}, "/limit"),
        ({"question": "tea", "limit": "ten"}, "/limit"),
        ({"question": "tea", "budget_tokens": 0}, "/budget_tokens"),
        ({"question": "tea", "owner": "Ines"}, "/owner"),
    ],
)
def test_a_question_that_cannot_be_read_is_refused_with_its_place(
    workspace: Workspace, body: dict[str, Any], path: str
) -> None:
    answer = Caller(workspace, ["recall"]).post("recall", body)
    assert answer.status_code == 400
    [error] = answer.json()["errors"]
    assert error["path"] == path
    assert error["accepted"]
    assert Served.objects.count() == 0


def test_long_and_odd_questions_are_answered_over_rest(workspace: Workspace) -> None:
    caller = Caller(workspace, ["recall"])
    for question in (
        "",
        " ",
        "'; DROP TABLE x; --",
        '"unclosed AND (',
        "word " * 5000,
        "статус писем",
        "状态邮件",
        "*:-^",
    ):
        answer = caller.post("recall", {"question": question})
        assert (answer.status_code, answer.json()["hits"]) == (200, [])
        assert answer["Commonplace-Served"]
    assert caller.get("brief?owner=01890a5d-ac96-774b-bcce-b302099a8057").status_code == 404
    assert caller.get("brief").status_code == 400


TARN = "Deliver parcels to Tarn Street"


def let_go(memory: Memory, older: Any, newer: Any) -> Any:
    return memory.do(lambda write: give_way(write, older, to=newer, reason="She said so."))


def test_a_question_in_the_words_of_what_was_superseded_finds_what_took_its_place(
    operator: Principal, memory: Memory, ines: Node
) -> None:
    """R27: what was superseded is not served by them."""
    older = memory.say("2026-03-02", TARN, ines).belief
    newer = memory.say("2026-06-01", "Quay 9 it is", ines).belief
    last = memory.say("2026-07-01", "From July on: berth four", ines).belief
    relation = let_go(memory, older, newer)
    assert texts(operator, "parcels Tarn Street") == ["Quay 9 it is"]
    let_go(memory, newer, last)
    assert texts(operator, "parcels Tarn Street") == ["From July on: berth four"]
    assert texts(operator, "parcels Tarn Street", valid_at=at("2026-04-01")) == [TARN]
    memory.do(
        lambda write: retract_relation(write, Relation.objects.get(kind="supersession", pk=relation.pk), reason="No.")
    )
    assert texts(operator, "parcels Tarn Street") == [TARN]


def test_its_own_words_weigh_more_than_those_of_what_it_superseded(
    operator: Principal, memory: Memory, ines: Node
) -> None:
    older = memory.say("2026-03-02", "Ines wants the harbour report", ines).belief
    newer = memory.say("2026-06-01", "Ines wants nothing any more", ines).belief
    memory.say("2026-06-02", "Bram wants the harbour report", ines)
    let_go(memory, older, newer)
    assert texts(operator, "harbour report") == ["Bram wants the harbour report", "Ines wants nothing any more"]


def test_words_of_another_audience_lead_nowhere(
    operator: Principal, memory: Memory, ines: Node, reviewer: Principal
) -> None:
    """R6."""
    older = memory.say("2026-03-02", TARN, ines, audience="named", readers=(reviewer.actor.pk,)).belief
    newer = memory.say("2026-06-01", "Quay 9 it is", ines).belief
    let_go(memory, older, newer)
    assert texts(operator, "parcels Tarn Street") == []
