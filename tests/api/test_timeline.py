"""What happened, over REST: recorded once, asked for in one call, amended beside what was said."""

from __future__ import annotations

from typing import Any

import pytest
from django.db.models import F

from memoryapp.index.models import Embedding, IndexEntry, VectorModel
from memoryapp.ledger.models import ServedItem
from memoryapp.timeline.models import Episode
from tests.api.calling import Caller
from tests.api.telling import conversation, said
from tests.graph.nodes.telling import Graph

pytestmark = pytest.mark.django_db

MEETING = {
    "kind": "meeting",
    "content": "Talked about the prices of next season's berths.",
    "occurred_from": "2026-03-02T10:00:00+01:00",
    "occurred_to": "2026-03-02T11:30:00+01:00",
}


@pytest.fixture
def graph(curator: Caller) -> Graph:
    return Graph(curator.operator)


def taking(node: Any, role: str = "participant") -> dict[str, str]:
    return {"node": str(node.pk), "role": role}


def contents(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [one["content"] for one in answer.json()["items"]]


def test_whom_did_we_meet_from_acme_and_what_did_we_discuss_about_pricing(curator: Caller, graph: Graph) -> None:
    """E1: each question has its exact answer from one call."""
    acme, ines, noor = graph.node("organization", name="Acme"), graph.person("Ines Ferro"), graph.person("Noor Vasht")
    mira, other = graph.person("Mira Oduya"), graph.node("organization", name="Quay Ltd")
    for person, company in ((ines, acme), (noor, acme), (mira, other)):
        graph.connect(person, "worksAt", company)
    told = [
        MEETING | {"participants": [taking(ines), taking(mira)]},
        MEETING | {"content": "Talked about ropes.", "participants": [taking(mira)]},
        MEETING | {"kind": "event", "content": "A storm came up.", "participants": [taking(noor)]},
    ]
    assert curator.post("episodes", {"items": told}).status_code == 201
    met = curator.get("episodes?kind=meeting&connected=worksAt:Acme")
    assert contents(met) == [MEETING["content"]]
    assert [one["label"] for one in met.json()["connected"]] == ["Ines Ferro"]
    assert curator.get(f"episodes?kind=meeting&connected=worksAt:{acme.pk}").json()["items"] == met.json()["items"]
    discussed = curator.post("episodes/search", {"question": "What did we discuss about prices?", "kinds": ["meeting"]})
    assert contents(discussed) == [MEETING["content"]]
    assert discussed.json()["items"][0]["words"] == ["prices"]


def test_what_was_said_in_a_conversation_finds_the_episode_that_it_is(curator: Caller) -> None:
    turn = said("Pricing of the berths is forty euros a night.", "2026-03-02T09:15:00-05:00", "m-1")
    curator.post("conversations", conversation(turn))
    found = curator.post("episodes/search", {"question": "pricing", "kinds": ["conversation"]}).json()["items"]
    assert [one["kind"] for one in found] == ["conversation"]
    assert len(found[0]["turns"]) == 1
    assert found[0]["content"] == ""
    assert [one["node"]["label"] for one in found[0]["participants"]] == ["Ines Duarte"]


def test_recency_is_a_part_of_the_score_and_both_parts_are_shown(curator: Caller) -> None:
    now = "2030-01-31T00:00:00Z"
    curator.post(
        "episodes",
        {
            "items": [
                {"kind": "event", "content": "The pump broke at the old pier.", "occurred_at": "2020-01-01T00:00:00Z"},
                {"kind": "event", "content": "The pump broke.", "occurred_at": now},
            ]
        },
    )
    found = curator.post("episodes/search", {"question": "pump old pier"}).json()["items"]
    assert [one["content"] for one in found] == ["The pump broke at the old pier.", "The pump broke."]
    assert all(one["score"] == pytest.approx(0.8 * one["relevance"] + 0.2 * one["recency"]) for one in found)
    newest = curator.post("episodes/search", {"question": "pump old pier", "recency_weight": 1}).json()["items"]
    assert [one["content"] for one in newest] == ["The pump broke.", "The pump broke at the old pier."]


def test_the_same_external_id_or_key_twice_is_one_episode_and_another_body_is_refused(curator: Caller) -> None:
    """E5, case 5."""
    told = MEETING | {"external_id": "calendar-8812"}
    first, again = curator.post("episodes", told), curator.post("episodes", told)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json()["items"][0] == first.json()["items"][0] | {"repeated": True}
    other = curator.post("episodes", told | {"content": "Talked about nothing."})
    assert (other.status_code, other.json()["code"]) == (409, "episode_changed")
    for expected in (201, 201):
        assert curator.post("episodes", MEETING, Idempotency_Key="one").status_code == expected
    reused = curator.post("episodes", MEETING | {"content": "Another."}, Idempotency_Key="one")
    assert (reused.status_code, reused.json()["code"]) == (409, "idempotency_key_reused")
    assert Episode.objects.count() == 2


def test_an_amendment_names_the_lock_and_the_history_keeps_what_was_said(curator: Caller) -> None:
    """E2."""
    made = curator.post("episodes", MEETING)
    address = made["Location"].removeprefix("/api/v1/")
    told = {"reason": "It went on until noon.", "occurred_to": "2026-03-02T12:00:00+01:00"}
    assert curator.post(f"{address}/amend", told).status_code == 428
    amended = curator.post(f"{address}/amend", told, If_Match=made["ETag"])
    assert amended.json()["occurred_to"] == "2026-03-02T12:00:00+01:00"
    assert curator.post(f"{address}/amend", told, If_Match=made["ETag"]).status_code == 412
    said = curator.get(f"{address}/history").json()["items"]
    assert [(one["occurred_to"], one["reason"]) for one in said] == [
        ("2026-03-02T12:00:00+01:00", "It went on until noon."),
        ("2026-03-02T11:30:00+01:00", ""),
    ]
    gone = curator.post(f"{address}/retract", {"reason": "It never was."}, If_Match=amended["ETag"])
    assert (gone.json()["state"], gone.json()["content"]) == ("retracted", "")
    assert contents(curator.get("episodes")) == []
    assert contents(curator.get(f"episodes?known_at={amended.json()['amended_at']}")) == [MEETING["content"]]
    back = curator.post(f"{address}/reinstate", {"reason": "It was."}, If_Match=gone["ETag"])
    assert back.json()["content"] == MEETING["content"]


def test_between_is_in_the_order_in_which_it_happened_page_by_page(curator: Caller) -> None:
    days = [{"kind": "event", "content": f"Day {day}", "occurred_at": f"2026-03-{day:02d}"} for day in (4, 2, 3, 1, 5)]
    curator.post("episodes", {"items": days})
    seen: list[str] = []
    address = "timeline?start=2026-03-02&end=2026-03-05&page_size=2"
    cursor = ""
    while True:
        answer = curator.get(f"{address}&cursor={cursor}" if cursor else address)
        seen += contents(answer)
        cursor = answer.json()["next"]
        if not cursor:
            break
    assert seen == ["Day 2", "Day 3", "Day 4"]


def test_the_timeline_of_a_node_and_what_was_learned_from_an_episode(curator: Caller, graph: Graph) -> None:
    ines = graph.person("Ines Ferro")
    belief = graph.say("Ines likes low prices", ines)
    made = curator.post("episodes", MEETING | {"participants": [taking(ines)], "beliefs": [str(belief.pk)]}).json()
    episode = made["items"][0]["id"]
    assert [one["id"] for one in curator.get(f"nodes/{ines.pk}/timeline").json()["items"]] == [episode]
    assert contents(curator.get(f"episodes/{episode}/learned")) == ["Ines likes low prices"]
    assert curator.post(f"episodes/{episode}/learned", {"beliefs": [str(belief.pk)]}).json() == {"linked": 0}
    wrong = curator.post(f"episodes/{episode}/learned", {"beliefs": [str(ines.pk)]})
    assert (wrong.status_code, wrong.json()["errors"][0]["path"]) == (422, "/beliefs/0")


def test_episodes_are_asked_for_by_their_properties_with_every_operator(curator: Caller) -> None:
    """E3: in lists, in a node's timeline and in a search alike; a value in an address is read as it is declared."""
    at = {"kind": "purchase", "occurred_at": "2026-03-02"}
    told = [("Ropes.", {"amount": 40, "currency": "EUR"}), ("Sails.", {"amount": 900, "currency": "EUR"}), ("Tar.", {})]
    curator.post("episodes", {"items": [at | {"content": what, "properties": has} for what, has in told]})
    curator.post("episodes", MEETING | {"properties": {"location": "12"}})
    for query, found in (
        ("where=amount:40", ["Ropes."]),
        ("where=location:12", [MEETING["content"]]),
        ('where={"amount": {"gt": 40}}', ["Sails."]),
        ('kind=purchase&where={"amount": {"exists": false}}', ["Tar."]),
        ('where={"amount": {"lt": 1000}}&where={"not": {"amount": 40}}', ["Sails."]),
        ('where={"or": [{"currency": {"starts_with": "E"}}, {"location": "12"}]}&where=amount:900', ["Sails."]),
    ):
        for door in ("episodes?", "timeline?start=2026-01-01&end=2027-01-01&"):
            answer = curator.get(door + query)
            assert [one["content"] for one in answer.json()["items"]] == found, answer.content
    assert curator.get(f"episodes?where=amount:{'9' * 400}").status_code == 400
    question = {"question": "", "kinds": ["purchase"], "where": [{"amount": {"between": [41, 900]}}]}
    assert [one["content"] for one in curator.post("episodes/search", question).json()["items"]] == ["Sails."]
    assert len(curator.post("episodes/search", question | {"where": {}}).json()["items"]) == 3
    for where, place in (([{"amount": {"gt": "much"}}], "/where/0/amount/gt"), (0, "/where"), (False, "/where")):
        refused = curator.post("episodes/search", question | {"where": where})
        assert (refused.status_code, refused.json()["errors"][0]["path"]) == (400, place)


def test_an_episode_says_how_it_stands_in_the_index(curator: Caller) -> None:
    made = curator.post("episodes", MEETING).json()["items"][0]["id"]
    entries = IndexEntry.objects.filter(target_id=made)

    def indexed() -> str:
        found: str = curator.get(f"episodes/{made}").json()["indexed"]
        return found

    assert indexed() == "words"
    entries.update(wanted_sequence=F("built_sequence") + 1)
    assert indexed() == "waiting"
    entries.update(built_sequence=F("wanted_sequence"))
    model = VectorModel.objects.create(workspace=entries[0].workspace, name="tiny", dimensions=1)
    Embedding.objects.create(workspace=model.workspace, entry=entries[0], model=model, vector=b"\x00\x00\x80\x3f")
    assert indexed() == "meaning"
    lock = curator.get(f"episodes/{made}")["ETag"]
    curator.post(f"episodes/{made}/retract", {"reason": "It never was."}, If_Match=lock)
    assert indexed() == "none"


def test_what_is_served_of_the_timeline_is_noted(curator: Caller) -> None:
    made = curator.post("episodes", MEETING).json()["items"][0]["id"]
    curator.get("episodes")
    curator.get(f"episodes/{made}")
    curator.post("episodes/search", {"question": "prices"})
    noted = ServedItem.objects.filter(target_id=made, served__form="timeline")
    assert [(item.target_type, item.served.question) for item in noted.order_by("served__served_at")] == [
        ("episode", ""),
        ("episode", ""),
        ("episode", "prices"),
    ]


WRONG = [
    ({"kind": "meetin"}, 422, "/kind", "undeclared_kind"),
    ({"occurred_at": "2026-03-02T10:00:00"}, 400, "/occurred_at", "naive_time"),
    ({"occurred_at": "2026-03-02"}, 422, "/occurred_at", "moment_and_interval"),
    ({"participants": [{"node": "01890a5d-ac96-774b-bcce-b302099a8057"}]}, 422, "/participants/0/node", "no_such_node"),
    ({"properties": {"colour": 1}}, 422, "/properties/colour", "undeclared_property"),
    ({"thread": "01890a5d-ac96-774b-bcce-b302099a8057"}, 422, "/thread", "not_a_conversation"),
    ({"readers": ["01890a5d-ac96-774b-bcce-b302099a8057"]}, 422, "/readers", "not_named"),
]


@pytest.mark.parametrize(("change", "status", "place", "code"), WRONG)
def test_what_cannot_be_recorded_is_refused_with_its_place(
    curator: Caller, change: dict[str, Any], status: int, place: str, code: str
) -> None:
    answer = curator.post("episodes", MEETING | change)
    assert answer.status_code == status
    assert (place, code) in {(one["path"], one["code"]) for one in answer.json()["errors"]}
    in_batch = curator.post("episodes", {"items": [MEETING, MEETING | change]})
    assert f"/items/1{place}" in {one["path"] for one in in_batch.json()["errors"]}
    assert Episode.objects.count() == 0


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("kind=meetin", "kind"),
        ("connected=worksAt", "connected"),
        ("connected=worksFor:Acme", "connected"),
        ("connected=worksAt:Nobody", "connected"),
        ("where=colour:red", "where/colour"),
        ("where=colour", "where/0"),
        ('where={"location": {"gt": 3}}', "where/location/gt"),
        ("where={}}", "where/0"),
        ("since=2026-03-02&until=2026-03-01", "until"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_parameter(curator: Caller, query: str, place: str) -> None:
    answer = curator.get(f"episodes?{query}")
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, place)


def test_episodes_are_recalled_and_say_why_they_are_there(curator: Caller, graph: Graph) -> None:
    ines, mira = graph.person("Ines Ferro"), graph.person("Mira Oduya")
    made = curator.post("episodes", {"items": [MEETING | {"participants": [taking(ines)]}]})
    episode = made.json()["items"][0]
    asked = {"question": "prices of the berths", "over": "episodes"}
    for over in ("episodes", "all"):
        hits = curator.post("recall", asked | {"over": over}).json()["hits"]
        assert [(one["what"], one["id"], one["text"]) for one in hits] == [
            ("episode", episode["id"], MEETING["content"])
        ]
        assert hits[0]["provenance"] == "meeting, 2026-03-02, with Ines Ferro"
    assert curator.post("recall", {"question": "prices of the berths"}).json()["hits"] == []
    for narrowed, found in (({"owner": str(ines.pk)}, 1), ({"owner": str(mira.pk)}, 0), ({"valid_at": "2026-01"}, 0)):
        assert len(curator.post("recall", asked | narrowed).json()["hits"]) == found
    assert curator.post("recall", asked | {"known_at": "2026-01-01"}).json()["hits"] == []
    told = curator.get(hits[0]["why"]).json()
    assert (told["what"], told["episode"]["content"]) == ("episode", MEETING["content"])
    assert [one["form"] for one in told["served"]].count("recall") == 3
    lock = curator.get(f"episodes/{episode['id']}")["ETag"]
    curator.post(f"episodes/{episode['id']}/retract", {"reason": "It never was."}, If_Match=lock)
    assert curator.post("recall", asked).json()["hits"] == []
