"""Telling conversations over REST: kept before the answer, once, and read afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.sources.models import Source, Thread
from tests.api.calling import Caller
from tests.api.telling import MONTHLY, WEEKLY, conversation, said

pytestmark = pytest.mark.django_db


def test_turns_are_kept_before_the_answer_and_read_by_the_job_it_names(curator: Caller, work: Any) -> None:
    answer = curator.post("conversations", conversation(WEEKLY))
    assert answer.status_code == 202
    told = answer.json()
    assert answer["Location"] == f"/api/v1/jobs/{told['job']}"
    assert told["counts"] == {
        "turns": 1,
        "turns_new": 1,
        "turns_repeated": 0,
        "candidates": 0,
        "candidates_new": 0,
    }
    [turn] = curator.get(f"threads/{told['thread']}/turns").json()["items"]
    assert turn["id"] == told["turns"][0]["id"]
    assert (turn["content"], turn["said_at"]) == (WEEKLY["content"], WEEKLY["said_at"])
    assert curator.get(f"jobs/{told['job']}").json()["state"] == "queued"
    work()
    assert curator.get(f"jobs/{told['job']}").json()["state"] == "succeeded"


def test_what_was_told_before_is_not_stored_again_and_what_is_new_is_added(curator: Caller, work: Any) -> None:
    first = curator.post("conversations", conversation(WEEKLY)).json()
    again = curator.post("conversations", conversation(WEEKLY))
    assert again.status_code == 202
    assert again.json()["job"] == first["job"]
    assert [turn["repeated"] for turn in again.json()["turns"]] == [True]
    work()
    assert curator.post("conversations", conversation(WEEKLY)).status_code == 200
    more = curator.post("conversations", conversation(WEEKLY, MONTHLY)).json()
    assert [(turn["position"], turn["repeated"]) for turn in more["turns"]] == [(0, True), (1, False)]
    assert (Thread.objects.count(), Source.objects.count()) == (1, 2)


def test_a_repeat_with_the_same_idempotency_key_gets_the_first_answer(curator: Caller) -> None:
    """Case 5."""
    body = conversation(WEEKLY, external_id="")
    first = curator.post("conversations", body, Idempotency_Key="one")
    again = curator.post("conversations", body, Idempotency_Key="one")
    assert again["Idempotency-Replayed"] == "true"
    assert again.json() == first.json()
    assert again["Location"] == first["Location"]
    assert curator.post("conversations", conversation(MONTHLY), Idempotency_Key="one").status_code == 409
    assert Thread.objects.count() == 1


def test_an_agents_own_candidates_are_considered_with_the_rest(curator: Caller, work: Any) -> None:
    """Case 58."""
    own = {
        "message_id": "m-1",
        "quote": "status emails every week",
        "kind": "preference",
        "topic": "status emails",
        "content": "Wants status emails every week.",
    }
    named_twice = curator.post("conversations", conversation(WEEKLY, candidates=[own | {"row": 0}]))
    assert named_twice.json()["errors"][0]["path"] == "/candidates/0/message_id"
    told = curator.post("conversations", conversation(WEEKLY, candidates=[own])).json()
    assert told["counts"]["candidates_new"] == 1
    [candidate] = told["candidates"]
    assert curator.get(f"candidates/{candidate['id']}").json()["state"] == "pending"
    work()
    after = curator.get(f"candidates/{candidate['id']}").json()
    assert after["state"] in ("accepted", "merged"), after
    assert after["extractor"] == "agent:Curator"
    assert after["quote"] == "status emails every week"
    again = curator.post("conversations", conversation(WEEKLY, candidates=[own])).json()
    assert again["candidates"] == [{"id": candidate["id"], "state": after["state"], "repeated": True}]


@pytest.mark.parametrize(
    ("turn", "path", "code"),
    [
        (said("Hello.", "2026-03-02T09:15:00"), "/turns/1/said_at", "naive_time"),
        (said("Hello.", "2026-03-02"), "/turns/1/said_at", "not_exact"),
        (said("Hello.", "yesterday"), "/turns/1/said_at", "not_a_time"),
        (said(" ", "2026-03-02T09:15:00Z"), "/turns/1/content", "blank"),
        (said("Hello.", "2026-03-02T09:15:00Z", by="nobody"), "/turns/1/by", "unknown_participant"),
        (said("Hello.", "2026-03-02T09:15:00Z", speaker="robot"), "/turns/1/speaker", "not_a_choice"),
        (said("Hello.", "2026-03-02T09:15:00Z", mood="good"), "/turns/1/mood", "unknown_field"),
    ],
)
def test_one_bad_turn_stores_none_and_is_named(curator: Caller, turn: Any, path: str, code: str) -> None:
    """T32, T36."""
    answer = curator.post("conversations", conversation(WEEKLY, turn))
    assert answer.status_code in (400, 422)
    [error] = answer.json()["errors"]
    assert (error["path"], error["code"]) == (path, code)
    assert error["accepted"]
    assert Source.objects.count() == 0


def test_a_time_without_offset_is_read_in_the_zone_that_is_named(curator: Caller) -> None:
    """T36: the same instant reads back; 23:30 at UTC-5 is that day there."""
    late = said("Good night.", "2026-03-02T23:30:00", "m-1")
    for number, body in enumerate(
        [
            conversation(late, external_id="a") | {"time_zone": "America/Bogota"},
            conversation(late, external_id="b") | {"thread": {"external_id": "b", "time_zone": "America/Bogota"}},
        ]
    ):
        told = curator.post("conversations", body)
        assert told.status_code == 202, (number, told.json())
        source = curator.get(f"sources/{told.json()['turns'][0]['id']}").json()
        assert source["said_at"] == "2026-03-02T23:30:00-05:00"


@pytest.mark.parametrize(
    ("candidate", "path", "code"),
    [
        ({"message_id": "m-2"}, "/candidates/0/message_id", "unknown_turn"),
        ({"row": 5}, "/candidates/0/row", "unknown_turn"),
        ({"row": 0, "quote": "every year"}, "/candidates/0/quote", "quote_not_found"),
        ({"row": 0, "quote": "e"}, "/candidates/0/quote", "quote_not_unique"),
        ({"row": 0, "quote": "week", "start": 3}, "/candidates/0/start", "quote_not_there"),
        ({"row": 0, "start": 3, "end": 4000, "quote": None}, "/candidates/0/start", "span_not_there"),
        ({"row": 0, "owners": [{"participant": "bo"}]}, "/candidates/0/owners/0", "unknown_participant"),
        (
            {"row": 0, "subject": "01890a5d-ac96-774b-bcce-b302099a8057"},
            "/candidates/0/subject",
            "no_such_node",
        ),
    ],
)
def test_a_candidate_must_stand_on_words_that_were_said(curator: Caller, candidate: Any, path: str, code: str) -> None:
    told = {"quote": "every week", "kind": "preference", "content": "Wants status emails every week."} | candidate
    told = {name: value for name, value in told.items() if value is not None}
    answer = curator.post("conversations", conversation(WEEKLY, candidates=[told]))
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert (error["path"], error["code"], error["row"]) == (path, code, 0)
    assert Source.objects.count() == 0


def test_a_candidate_of_an_undeclared_kind_is_parked_and_stops_no_other(curator: Caller, work: Any) -> None:
    told = {"row": 0, "quote": "every week", "kind": "wish", "content": "Wishes for an email every week."}
    answer = curator.post("conversations", conversation(WEEKLY, candidates=[told])).json()
    work()
    assert curator.get(f"jobs/{answer['job']}").json()["state"] == "succeeded"
    assert curator.get(f"candidates/{answer['candidates'][0]['id']}").json()["state"] == "parked"


def test_any_script_and_a_long_conversation_are_kept(curator: Caller) -> None:
    words = ["Меня зовут Инес", "我叫伊内斯", "اسمي إيناس", "नमस्ते 👩‍👩‍👧", "e\u0301cole"]
    turns = [said(f"{words[n % 5]} {n}", "2026-03-02T09:15:00Z") for n in range(600)]
    told = curator.post("conversations", conversation(*turns)).json()
    assert told["counts"]["turns_new"] == 600
    seen: list[str] = []
    cursor = ""
    while True:
        page = curator.get(f"threads/{told['thread']}/turns?page_size=200{cursor}").json()
        seen += [turn["content"] for turn in page["items"]]
        if not page["next"]:
            break
        cursor = f"&cursor={page['next']}"
    assert seen == [turn["content"] for turn in turns]


@pytest.mark.parametrize(
    "turns", ["Please send me status emails.", {"content": "Hello."}, ["Hello."], [["Hello."]], None, []]
)
def test_words_that_are_not_turns_are_refused_by_place(curator: Caller, turns: Any) -> None:
    """Case 65: nothing is taken and then not stored."""
    answer = curator.post("conversations", conversation() | {"turns": turns})
    assert answer.status_code in (400, 422)
    assert answer.json()["errors"][0]["path"].startswith("/turns")
    assert not Thread.objects.exists()


def test_a_stranger_sees_nothing_of_it(curator: Caller, stranger: Caller) -> None:
    told = curator.post("conversations", conversation(WEEKLY)).json()
    for address in (
        f"threads/{told['thread']}",
        f"threads/{told['thread']}/turns",
        f"sources/{told['turns'][0]['id']}",
    ):
        assert curator.get(address).status_code == 200
        assert stranger.get(address).status_code == 404
    assert stranger.get("threads").json()["items"] == []
    assert stranger.get("sources").json()["items"] == []
    assert [thread["turns"] for thread in curator.get("threads").json()["items"]] == [1]
