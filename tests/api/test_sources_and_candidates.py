"""Things read, and what agents propose about words that were said, over REST."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.extraction.models import Candidate
from memoryapp.sources.models import Source
from tests.api.calling import Caller
from tests.api.telling import WEEKLY, conversation

pytestmark = pytest.mark.django_db

PRICES = {
    "kind": "web",
    "url": "https://ferro.example/prices",
    "content": "From May on a berth costs 40 euros a night.",
    "said_at": "2026-04-20T09:00:00+02:00",
}
MINUTES = {
    "kind": "document",
    "path": "/minutes/april.md",
    "content": "We decided to paint the pier.",
    "said_at": "2026-04-21T09:00:00Z",
}


def test_what_was_read_is_kept_once_and_read_by_a_job(curator: Caller, work: Any) -> None:
    """C1."""
    answer = curator.post("sources", PRICES)
    assert answer.status_code == 202
    [item] = answer.json()["items"]
    assert curator.get(f"jobs/{item['job']}").json()["subject_id"] == item["id"]
    read = curator.get(f"sources/{item['id']}").json()
    assert {name: read[name] for name in PRICES} == PRICES
    again = curator.post("sources", PRICES)
    assert (again.status_code, again.json()["items"]) == (200, [{"id": item["id"], "repeated": True, "job": None}])
    work()
    assert curator.get(f"jobs/{item['job']}").json()["state"] == "succeeded"


def test_many_are_kept_in_the_order_given_and_listed_latest_first(curator: Caller) -> None:
    answer = curator.post("sources", {"items": [PRICES, MINUTES, PRICES]})
    items = answer.json()["items"]
    assert [item["repeated"] for item in items] == [False, False, True]
    assert items[0]["id"] == items[2]["id"]
    listed = curator.get("sources").json()["items"]
    assert [source["id"] for source in listed] == [items[1]["id"], items[0]["id"]]
    assert [source["kind"] for source in curator.get("sources?kind=web").json()["items"]] == ["web"]


@pytest.mark.parametrize(
    ("change", "path", "code"),
    [
        ({"url": ""}, "url", "url_missing"),
        ({"path": "/x"}, "path", "not_of_this_kind"),
        ({"url": "file:///etc/passwd"}, "url", "not_a_web_address"),
        ({"kind": "chat_turn"}, "kind", "not_a_choice"),
        ({"speaker": "user"}, "speaker", "unknown_field"),
        ({"content": ""}, "content", "blank"),
        ({"said_at": "2026-04-20"}, "said_at", "not_exact"),
    ],
)
def test_a_source_without_what_its_kind_needs_is_refused(
    curator: Caller, change: dict[str, str], path: str, code: str
) -> None:
    """T10, singly and within a batch."""
    for body, place in ((PRICES | change, f"/{path}"), ({"items": [MINUTES, PRICES | change]}, f"/items/1/{path}")):
        answer = curator.post("sources", body)
        assert answer.status_code in (400, 422)
        [error] = answer.json()["errors"]
        assert (error["path"], error["code"]) == (place, code)
        assert error.get("row") == (1 if "items" in body else None)
    assert not Source.objects.exists()


def proposal(**more: Any) -> dict[str, Any]:
    told = {"kind": "preference", "topic": "status emails", "content": "Wants status emails every week."}
    return told | {"quote": "every week"} | more


def test_a_candidate_about_an_old_turn_is_considered_by_a_job_of_its_own(curator: Caller, work: Any) -> None:
    told = curator.post("conversations", conversation(WEEKLY)).json()
    work()
    before = Candidate.objects.count()
    by_message = proposal(thread=told["thread"], message_id="m-1")
    answer = curator.post("candidates", by_message)
    assert answer.status_code == 202
    [item] = answer.json()["items"]
    assert (item["state"], item["source"]) == ("pending", told["turns"][0]["id"])
    assert answer["Location"] == f"/api/v1/jobs/{item['job']}"
    work()
    assert curator.get(f"jobs/{item['job']}").json()["state"] == "succeeded"
    after = curator.get(f"candidates/{item['id']}").json()
    assert after["state"] in ("accepted", "merged", "held")
    again = curator.post("candidates", {"items": [by_message, proposal(source=item["source"])]})
    assert again.status_code == 200
    assert {one["id"] for one in again.json()["items"]} == {item["id"]}
    assert Candidate.objects.count() == before + 1


def test_a_candidate_is_never_a_belief_until_it_is_accepted(curator: Caller, work: Any) -> None:
    """T43: what came from the web waits for a person."""
    [source] = curator.post("sources", PRICES).json()["items"]
    told = {"source": source["id"], "quote": "a berth costs 40 euros", "kind": "insight", "content": "Berths cost 40."}
    [item] = curator.post("candidates", told).json()["items"]
    assert curator.get("beliefs?history=true").json()["items"] == []
    work()
    assert curator.get(f"candidates/{item['id']}").json()["state"] == "held"
    assert curator.get("beliefs?history=true").json()["items"] == []
    held = curator.get("candidates?state=held").json()["items"]
    assert [one["id"] for one in held] == [item["id"]]
    assert curator.get(f"candidates?source={source['id']}&state=rejected").json()["items"] == []


@pytest.mark.parametrize(
    ("change", "path", "code"),
    [
        ({"source": "01890a5d-ac96-774b-bcce-b302099a8057"}, "source", "no_such_source"),
        ({"quote": "every day"}, "quote", "quote_not_found"),
        ({"quote": "e"}, "quote", "quote_not_unique"),
        ({"quote": None}, "quote", "wrong_type"),
        ({"kind": ""}, "kind", "blank"),
        ({"thread": "01890a5d-ac96-774b-bcce-b302099a8057"}, "source", "not_valid"),
        ({"subject": {"class": "person"}}, "subject", "not_a_node"),
        ({"owners": [{"participant": "bo"}]}, "owners/0", "unknown_participant"),
    ],
)
def test_a_candidate_that_stands_on_nothing_is_refused_with_all_of_its_batch(
    curator: Caller, change: dict[str, Any], path: str, code: str
) -> None:
    """T32."""
    turn = curator.post("conversations", conversation(WEEKLY)).json()["turns"][0]
    good = proposal(source=turn["id"])
    for body, place in ((good | change, f"/{path}"), ({"items": [good, good | change]}, f"/items/1/{path}")):
        answer = curator.post("candidates", body)
        assert answer.status_code in (400, 422)
        [error] = answer.json()["errors"]
        assert (error["path"], error["code"]) == (place, code)
        assert error["accepted"]
    assert not Candidate.objects.exists()


def test_a_quote_said_twice_is_placed_by_where_it_starts(curator: Caller) -> None:
    turn = curator.post("conversations", conversation(WEEKLY)).json()["turns"][0]
    start = WEEKLY["content"].rindex("e")
    [item] = curator.post("candidates", proposal(source=turn["id"], quote="e", start=start)).json()["items"]
    assert (item["start"], item["end"], item["quote"]) == (start, start + 1, "e")
    span = proposal(source=turn["id"], start=0, end=6)
    del span["quote"]
    assert curator.post("candidates", span).json()["items"][0]["quote"] == "Please"


def test_a_stranger_can_neither_see_nor_quote_it(curator: Caller, stranger: Caller) -> None:
    turn = curator.post("conversations", conversation(WEEKLY)).json()["turns"][0]
    [item] = curator.post("candidates", proposal(source=turn["id"])).json()["items"]
    assert stranger.get(f"candidates/{item['id']}").status_code == 404
    assert stranger.get("candidates").json()["items"] == []
    refused = stranger.post("candidates", proposal(source=turn["id"]))
    assert refused.json()["errors"][0]["code"] == "no_such_source"


def test_a_candidate_is_seen_by_whom_its_belief_is(curator: Caller, work: Any) -> None:
    """R6: what was kept from others later is kept from them as a candidate, too."""
    from memoryapp.graph.models import Belief
    from memoryapp.graph.services import change_audience
    from memoryapp.ledger.services import record

    clerk = Caller(curator.workspace, ["curate"], "Clerk")
    told = curator.post("conversations", conversation(WEEKLY, candidates=[proposal(row=0)])).json()
    work()
    address = f"candidates/{told['candidates'][0]['id']}"
    belief = Belief.objects.get(pk=clerk.get(address).json()["belief"])
    readers = [curator.agent.actor_id]
    record(
        curator.operator,
        "a",
        lambda write: change_audience(write, belief, audience="named", readers=readers, reason="Private."),
    )
    assert curator.get(address).status_code == 200
    assert clerk.get(address).status_code == 404
    assert str(belief.pk) not in [one["belief"] for one in clerk.get("candidates").json()["items"]]
