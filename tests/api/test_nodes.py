"""Nodes, edges and relations over REST, as an agent keeps them."""

from __future__ import annotations

import threading
import uuid
from typing import Any

import pytest
from django.db import connection

from memoryapp.graph.models import Belief, IdentityKey, Node, Relation
from memoryapp.ledger.models import Write
from memoryapp.review.models import Case
from memoryapp.sources.models import Source
from tests.api.calling import Caller

pytestmark = pytest.mark.django_db


def note(text: str = "Read in the address book.", said_at: str = "2026-03-02T09:00:00+01:00") -> list[dict[str, Any]]:
    return [{"new_source": {"kind": "system", "content": text, "said_at": said_at}}]


def node(node_class: str, said_at: str = "2026-03-02T09:00:00+01:00", **properties: Any) -> dict[str, Any]:
    return {"class": node_class, "properties": properties, "evidence": note(f"Of {properties}.", said_at)}


def upsert(caller: Caller, *nodes: dict[str, Any]) -> list[dict[str, Any]]:
    answer = caller.post("nodes", {"items": list(nodes)})
    assert answer.status_code in (200, 201), answer.content
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def ids(caller: Caller, address: str) -> list[str]:
    answer = caller.get(address)
    assert answer.status_code == 200, answer.content
    return [one["id"] for one in answer.json()["items"]]


INES = node("person", name="Ines Ferro", email="ines@ferro.example")
STUDIO = node("organization", name="Ferro Studio", domain="ferro.example")
CONNECTED = {
    "subject": {"class": "person", "keys": {"email": "ines@ferro.example"}},
    "relationship": "worksAt",
    "object": {"class": "organization", "keys": {"domain": "ferro.example"}},
}


def works_at(said_at: str = "2026-03-02T09:00:00+01:00", **more: Any) -> dict[str, Any]:
    return CONNECTED | {"evidence": note("Ines works at Ferro Studio.", said_at)} | more


def test_a_node_is_made_once_and_found_by_its_key_in_any_spelling(curator: Caller) -> None:
    first = curator.post("nodes", INES)
    again = curator.post("nodes", node("person", email="INES@Ferro.example", role="owner"))
    assert (first.status_code, again.status_code) == (201, 200)
    made, found = first.json()["items"][0], again.json()["items"][0]
    assert (made["created"], found["created"], found["id"]) == (True, False, made["id"])
    assert found["properties"]["role"] == "owner"
    assert ids(curator, "nodes?class=person&key=email:Ines@Ferro.example") == [made["id"]]
    assert ids(curator, "nodes?class=person&where=name:Ines%20Ferro") == [made["id"]]
    assert ids(curator, "nodes?label=ferro") == [made["id"]]
    assert ids(curator, "nodes?class=thing&exact=true") == []
    assert curator.get(f"nodes/{made['id']}")["ETag"] == f'"{found["lock"]}"'


def test_what_was_created_is_read_at_once_every_time(curator: Caller) -> None:
    """Reads see the caller's own writes."""
    for number in range(25):
        made = curator.post("nodes", node("project", name=f"Quay {number}")).json()["items"][0]
        assert curator.get(f"nodes/{made['id']}").json()["label"] == f"Quay {number}"
    assert len(ids(curator, "nodes?class=project&page_size=200")) == 25


def test_one_name_in_two_classes_is_two_nodes(curator: Caller) -> None:
    """C2."""
    one, other = upsert(curator, node("project", name="Mercury"), node("place", name="Mercury"))
    assert one["id"] != other["id"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("staging_eu_1", "staging_eu_2"),
        ("invoice_2024", "invoice_2025"),
        ("acme_north", "acme_south"),
        ("C++", "C"),
        ("C#", "C"),
        ("Мария", "Марина"),
        ("東京", "京都"),
        ("Ελένη", "Ελενα"),
    ],
)
def test_names_that_differ_never_meet(curator: Caller, one: str, other: str) -> None:
    """C3, C5: a typo renames and merges nothing; names of any script keep their identity and are found exactly."""
    made = upsert(curator, node("product", name=one), node("product", name=other))
    again = upsert(curator, node("product", name=one), node("product", name=other))
    assert made[0]["id"] != made[1]["id"]
    assert [two["id"] for two in again] == [two["id"] for two in made]
    assert [two["label"] for two in again] == [one, other]


def test_names_that_differ_by_punctuation_are_two_nodes_and_a_suggestion(curator: Caller) -> None:
    """C4."""
    made = upsert(curator, node("place", name="O'Neil"), node("place", name="ONeil"))
    assert made[0]["id"] != made[1]["id"]
    assert [one["kind"] for one in curator.get("cases").json()["items"]] == ["merge_suggestion"]


def test_keys_of_two_nodes_are_refused_with_both_ids_and_nothing_is_stored(curator: Caller) -> None:
    made = upsert(curator, INES, node("person", name="Tomas Vale", phone="+351 910 000 001"))
    before = Write.objects.count(), Belief.objects.count(), Source.objects.count()
    answer = curator.post("nodes", node("person", email="ines@ferro.example", phone="+351 910 000 001"))
    assert (answer.status_code, answer.json()["code"]) == (409, "identity_ambiguous")
    assert set(answer.json()["nodes"]) == {one["id"] for one in made}
    assert (Write.objects.count(), Belief.objects.count(), Source.objects.count()) == before


def test_another_value_of_a_single_valued_property_is_a_case(curator: Caller) -> None:
    upsert(curator, node("project", name="Quay", state="planned"))
    done = upsert(curator, node("project", said_at="2026-06-02T09:00:00+01:00", name="Quay", state="running"))[0]
    assert done["properties"]["state"] == "planned"
    assert done["conflicts"] == ids(curator, "cases")


def test_one_bad_row_in_a_hundred_stores_none_and_every_violation_names_its_row(curator: Caller) -> None:
    """T32."""
    rows = [node("project", name=f"Quay {number}") for number in range(100)]
    rows[17]["properties"]["state"] = "nearly"
    rows[42] = {"class": "projekt", "properties": {"name": "Quay"}, "evidence": note()}
    rows[63]["properties"] = {"state": "planned"}
    answer = curator.post("nodes", {"items": rows})
    assert answer.status_code == 422
    found = {(error["row"], error["path"], error["code"]) for error in answer.json()["errors"]}
    assert found == {
        (17, "/items/17/properties/state", "value_not_accepted"),
        (42, "/items/42/class", "undeclared_class"),
        (63, "/items/63/properties", "identity_missing"),
    }
    assert not Node.objects.exists()
    assert not Source.objects.exists()


def test_one_bad_row_among_edges_stores_none(curator: Caller) -> None:
    """T32."""
    upsert(curator, INES, STUDIO)
    wrong = [
        works_at(relationship="worksFor"),
        works_at(object={"class": "organization", "keys": {"domain": "nobody.example"}}),
        works_at(qualifiers={"rolle": "owner"}),
    ]
    answer = curator.post("edges", {"items": [works_at(), *wrong]})
    assert answer.status_code == 422
    assert [error["row"] for error in answer.json()["errors"]] == [1, 2, 3]
    assert answer.json()["errors"][0]["path"] == "/items/1/relationship"
    assert "worksAt" in answer.json()["errors"][0]["accepted"]
    assert not Belief.objects.filter(shape="edge").exists()


def test_an_edge_is_seen_from_both_ends_and_as_it_was(curator: Caller) -> None:
    ines, studio = upsert(curator, INES, STUDIO)
    done = curator.post("edges", works_at(valid_from="2024-05", qualifiers={"role": "owner"}))
    assert done.status_code == 201
    edge = done.json()["items"][0]
    assert (edge["outcome"], edge["valid_from"]) == ("created", "2024-05")
    assert edge["content"] == "Ines Ferro works at Ferro Studio as owner"
    seen = curator.get(f"nodes/{ines['id']}").json()["edges"]
    back = curator.get(f"nodes/{studio['id']}").json()["edges"]
    assert [(one["direction"], one["node"]["id"]) for one in seen] == [("out", studio["id"])]
    assert [(one["direction"], one["node"]["id"]) for one in back] == [("in", ines["id"])]
    over = curator.post(f"edges/{edge['id']}/disconnect", {"reason": "She left.", "at": "2026-06-01"}, If_Match='"1"')
    assert (over.status_code, over.json()["standing"]) == (200, "ended")
    assert over["ETag"] == curator.get(f"edges/{edge['id']}")["ETag"]
    assert curator.get(f"nodes/{ines['id']}").json()["edges"] == []
    then = curator.get(f"nodes/{ines['id']}?valid_at=2025-01-01T12:00:00Z").json()
    assert [one["id"] for one in then["edges"]] == [edge["id"]]
    assert curator.get(f"nodes/{ines['id']}?valid_at=2023").json()["edges"] == []
    unknown = curator.get(f"nodes/{ines['id']}?known_at=2020-01-01T00:00:00Z").json()
    assert (unknown["properties"], unknown["edges"]) == ({}, [])


def test_a_change_names_the_state_it_was_drawn_from(curator: Caller) -> None:
    upsert(curator, INES, STUDIO)
    edge = curator.post("edges", works_at()).json()["items"][0]
    address = f"edges/{edge['id']}/disconnect"
    told = {"reason": "She left."}
    assert curator.post(address, told).status_code == 428
    stale = curator.post(address, told, If_Match='"7"')
    assert (stale.status_code, stale.json()["lock"]) == (412, edge["lock"])
    assert curator.post(address, told, If_Match='"1"').status_code == 200
    assert curator.post(address, told, If_Match='"2"').json()["code"] == "archived"


def test_an_edge_said_anew_with_other_qualifiers_takes_the_place_of_the_old_one(curator: Caller) -> None:
    upsert(curator, INES, STUDIO)
    first = curator.post("edges", works_at(qualifiers={"role": "owner"})).json()["items"][0]
    second = curator.post("edges", works_at("2026-06-02T09:00:00+01:00", qualifiers={"role": "adviser"})).json()[
        "items"
    ][0]
    why = curator.get(f"why/{second['id']}").json()
    assert [one["belief"]["id"] for one in why["supersedes"]] == [first["id"]]


SHIPMENT: dict[str, Any] = {
    "kind": "shipment",
    "players": [
        {"role": "shipper", "node": {"class": "organization", "keys": {"domain": "ferro.example"}}},
        {"role": "carrier", "node": {"class": "organization", "keys": {"name": "Pontes Freight"}}},
        {"role": "receiver", "node": {"class": "person", "keys": {"email": "ines@ferro.example"}}},
    ],
    "attributes": {"reference": "FS-204"},
    "valid_from": "2026-03-02",
    "evidence": [
        {
            "new_source": {
                "kind": "system",
                "content": "Parcel FS-204 went out with Pontes.",
                "said_at": "2026-03-02T09:00:00Z",
            },
            "quote": "went out with Pontes",
        }
    ],
}


def test_an_n_ary_relation_is_stored_refused_without_a_role_and_read_back(curator: Caller) -> None:
    """T41."""
    made = upsert(curator, INES, STUDIO, node("organization", name="Pontes Freight"))
    answer = curator.post("relations", SHIPMENT)
    assert answer.status_code == 201
    relation = answer.json()["items"][0]
    read = curator.get(f"relations/{relation['id']}").json()
    assert {(one["role"], one["node"]) for one in read["players"]} == {
        ("shipper", made[1]["id"]),
        ("carrier", made[2]["id"]),
        ("receiver", made[0]["id"]),
    }
    assert read["attributes"] == {"reference": "FS-204"}
    assert read["valid_from"] == "2026-03-02T00:00:00Z"
    assert [one["quote"] for one in read["evidence"]] == ["went out with Pontes"]
    missing = curator.post("relations", SHIPMENT | {"players": SHIPMENT["players"][:2]})
    assert (missing.status_code, missing.json()["code"]) == (422, "role_missing")
    assert "receiver" in missing.json()["detail"]
    assert ids(curator, f"relations?player={made[0]['id']}&kind=shipment") == [relation["id"]]


def test_a_relation_is_taken_back_with_a_reason_and_stays_readable(curator: Caller) -> None:
    upsert(curator, INES, STUDIO, node("organization", name="Pontes Freight"))
    relation = curator.post("relations", SHIPMENT).json()["items"][0]
    address = f"relations/{relation['id']}/retract"
    assert curator.post(address, {"reason": "x"}, If_Match='"9"').status_code == 412
    done = curator.post(address, {"reason": "It was another parcel."}, If_Match=f'"{relation["lock"]}"')
    assert (done.status_code, done.json()["state"]) == (200, "retracted")
    assert [one["reason"] for one in done.json()["history"]][-1] == "It was another parcel."
    assert relation["id"] not in ids(curator, "relations?kind=shipment")
    assert relation["id"] in ids(curator, "relations?kind=shipment&retracted=true")


def test_wrong_players_are_named_with_their_place(curator: Caller) -> None:
    """T18."""
    upsert(curator, INES)
    person = {"class": "person", "keys": {"email": "ines@ferro.example"}}
    answer = curator.post(
        "relations",
        {
            "items": [
                {"kind": "conflict", "players": [{"role": "claim", "node": person}, {"role": "clam", "node": person}]},
                {"kind": "grouping", "players": [{"role": "member", "source": str(uuid.uuid4())}]},
                {"kind": "grouping", "players": [{"role": "member", "node": person, "quote": "x"}]},
            ]
        },
    )
    assert answer.status_code == 422
    errors = answer.json()["errors"]
    assert {error["row"] for error in errors} == {1, 2}
    assert {error["code"] for error in errors} == {"no_such_source", "only_sources_quoted"}
    answer = curator.post(
        "relations",
        {"kind": "conflict", "players": [{"role": "claim", "node": person}, {"role": "clam", "node": person}]},
    )
    found = {error["path"]: error["code"] for error in answer.json()["errors"]}
    assert found["/players/0"] == "may_not_play"
    assert found["/players/1/role"] == "undeclared_role"


def test_a_quote_must_stand_in_its_source(curator: Caller) -> None:
    wrong = INES | {"evidence": [note("Ines, Ines.")[0] | {"quote": "Ines"}, note("Other.")[0] | {"quote": "Ines"}]}
    answer = curator.post("nodes", wrong)
    assert [(error["path"], error["code"]) for error in answer.json()["errors"]] == [
        ("/evidence/0/quote", "quote_not_unique"),
        ("/evidence/1/quote", "quote_not_found"),
    ]
    assert curator.post("nodes", {"class": "person", "properties": {"email": "a@b.example"}}).status_code == 422
    assert not Source.objects.exists()


def test_nothing_of_another_workspace_can_be_read_or_used(curator: Caller, stranger: Caller) -> None:
    ines, _ = upsert(curator, INES, STUDIO)
    edge = curator.post("edges", works_at()).json()["items"][0]
    source = str(Source.objects.first().pk)  # type: ignore[union-attr]
    assert stranger.get(f"nodes/{ines['id']}").status_code == 404
    assert stranger.get(f"edges/{edge['id']}").status_code == 404
    assert stranger.post(f"edges/{edge['id']}/disconnect", {"reason": "x"}, If_Match='"1"').status_code == 404
    assert ids(stranger, "nodes") == []
    used = stranger.post("nodes", INES | {"evidence": [{"source": source}]})
    assert (used.status_code, used.json()["code"]) == (422, "no_such_source")
    upsert(stranger, STUDIO)
    joined = stranger.post("edges", works_at(subject=ines["id"]))
    assert joined.status_code in (404, 422)
    assert not Belief.objects.filter(workspace=stranger.workspace, shape="edge").exists()


def test_the_same_request_twice_is_done_once(curator: Caller) -> None:
    first = curator.post("nodes", INES, Idempotency_Key="one")
    again = curator.post("nodes", INES, Idempotency_Key="one")
    assert first.json() == again.json()
    assert again["Idempotency-Replayed"] == "true"
    assert curator.post("nodes", STUDIO, Idempotency_Key="one").status_code == 409


def test_pages_neither_repeat_nor_miss_while_others_write(curator: Caller) -> None:
    made = [upsert(curator, node("project", name=f"Quay {number}"))[0]["id"] for number in range(7)]
    seen: list[str] = []
    cursor = ""
    while True:
        page = curator.get(f"nodes?class=project&page_size=3{cursor}").json()
        seen += [one["id"] for one in page["items"]]
        upsert(curator, node("project", name=f"Later {len(seen)}"))
        if not page["next"] or len(seen) > 12:
            break
        cursor = f"&cursor={page['next']}"
    assert seen[:7] == made
    assert len(set(seen)) == len(seen)


@pytest.mark.sql
@pytest.mark.django_db(transaction=True)
def test_fifty_writers_of_one_key_make_one_node_and_none_fails(curator: Caller) -> None:
    """T30, over HTTP."""
    answers: list[Any] = []

    def write(number: int) -> None:
        try:
            told = node("person", email="ines@ferro.example", name="Ines Ferro")
            told["evidence"] = note(f"Told by writer {number}.")
            answers.append(curator.post("nodes", told))
        finally:
            connection.close()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(50)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(answer.status_code for answer in answers) == [200] * 49 + [201]
    assert len({answer.json()["items"][0]["id"] for answer in answers}) == 1
    assert IdentityKey.objects.filter(active=True).count() == 1


def test_a_reader_cannot_write(reader: Caller) -> None:
    for address, body in (("nodes", INES), ("edges", works_at()), ("relations", SHIPMENT)):
        assert reader.post(address, body).status_code == 403
    assert (Node.objects.count(), Relation.objects.count(), Case.objects.count()) == (0, 0, 0)


def test_a_filter_that_names_nothing_declared_is_refused_with_the_nearest(curator: Caller) -> None:
    assert "person" in curator.get("nodes?class=persn").json()["detail"]
    assert curator.get("nodes?class=person&where=emial:x").json()["errors"][0]["code"] == "undeclared_property"
    assert curator.get("nodes?where=email:x").json()["code"] == "class_missing"
    assert curator.get("nodes?class=person&key=email").status_code == 400
    assert curator.get("nodes?class=person&key=role:owner").json()["code"] == "identity_missing"
    assert "shipment" in curator.get("relations?kind=shipmnt").json()["detail"]
