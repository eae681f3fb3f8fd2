"""Beliefs over REST: remembered with what they stand on, looked up, listed, and told to whom they are for."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.graph.models import Belief
from memoryapp.ledger.models import Served
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case
from memoryapp.sources.models import Source
from tests.api.believing import INES, MONTHLY, WEEKLY, contents, note, preference, remembered
from tests.api.calling import Caller
from tests.api.telling import conversation, said

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def ines(curator: Caller) -> None:
    """She is known."""
    assert curator.post("conversations", conversation(said("Good morning.", "2026-01-02T09:00:00Z"))).status_code == 202


def test_a_belief_is_remembered_and_read_back_at_once(curator: Caller) -> None:
    answer = curator.post("beliefs", WEEKLY)
    assert answer.status_code == 201
    [told] = answer.json()["items"]
    assert told["outcome"] == "created"
    assert answer["Location"] == f"/api/v1/beliefs/{told['belief']['id']}"
    read = curator.get(answer["Location"])
    assert read.json() == told["belief"]
    assert read["ETag"] == answer["ETag"] == '"1"'
    assert read.json()["owners"]
    assert read.json()["valid_from"] == "2026-03-02T14:00:00Z"
    assert contents(curator.get("beliefs?kind=preference")) == [WEEKLY["content"]]


def test_what_is_written_is_read_at_once_a_hundred_times(curator: Caller) -> None:
    """Case 86."""
    for number in range(100):
        belief = remembered(curator, preference(f"Likes tea {number}.", "2026-03-02T09:00:00Z", topic=f"tea {number}"))
        assert curator.get(f"beliefs/{belief['id']}").json()["content"] == f"Likes tea {number}."
    assert len(contents(curator.get("beliefs?kind=preference&page_size=200"))) == 100


@pytest.mark.parametrize("other", [WEEKLY, MONTHLY])
def test_what_is_remembered_for_an_audience_one_is_not_of_is_kept_and_not_told(
    curator: Caller, other: dict[str, Any]
) -> None:
    """R6: neither does the answer tell whether it was said, or contradicted, before."""
    answers = [curator.post("beliefs", one | {"audience": "owners"}) for one in (WEEKLY, WEEKLY, other)]
    for answer in answers:
        assert (answer.status_code, "Location" in answer) == (201, False), answer.json()
        assert answer.json()["items"] == [{"outcome": "out_of_sight", "conflicts": [], "belief": None}]
    assert set(Belief.objects.filter(kind="preference").values_list("audience", flat=True)) == {"owners"}
    assert Belief.objects.filter(kind="preference").count() == len({WEEKLY["content"], other["content"]})
    assert contents(curator.get("beliefs?kind=preference&history=true")) == []


def test_said_again_is_one_more_evidence_and_read_again_is_nothing(curator: Caller) -> None:
    """C1, case 80: the answer links to what is known."""
    first = remembered(curator, WEEKLY)
    again = curator.post("beliefs", WEEKLY)
    assert (again.status_code, again.json()["items"][0]["outcome"]) == (200, "already_known")
    later = WEEKLY | {"evidence": [note("Every week, please.", "2026-04-01T09:00:00Z", "/notes/april.md")]}
    [told] = curator.post("beliefs", later).json()["items"]
    assert (told["outcome"], told["belief"]["id"]) == ("said_again", first["id"])
    assert len(curator.get(f"beliefs/{first['id']}/evidence").json()["sources"]) == 2
    assert Belief.objects.filter(kind="preference").count() == 1


def test_weekly_then_monthly_then_weekly_again_and_a_note_read_again(curator: Caller) -> None:
    """T39, C9: March's note read again in July or October changes nothing."""
    first = remembered(curator, WEEKLY)
    second = remembered(curator, MONTHLY)
    change = {"reason": "She said so.", "successor": second["id"]}
    assert curator.post(f"beliefs/{first['id']}/supersede", change, If_Match='"1"').status_code == 200
    assert curator.post("beliefs", WEEKLY).json()["items"][0]["outcome"] == "already_known"
    assert contents(curator.get("beliefs?kind=preference")) == [MONTHLY["content"]]
    third = remembered(curator, preference(WEEKLY["content"], "2026-09-01T09:00:00-05:00"))
    lock = curator.get(f"beliefs/{second['id']}")["ETag"]
    change = {"reason": "She said so.", "successor": third["id"]}
    assert curator.post(f"beliefs/{second['id']}/supersede", change, If_Match=lock).status_code == 200
    assert curator.post("beliefs", WEEKLY).json()["items"][0]["outcome"] == "already_known"
    assert [one["id"] for one in curator.get("beliefs?kind=preference").json()["items"]] == [third["id"]]
    assert len(contents(curator.get("beliefs?kind=preference&history=true"))) == 3


def test_what_contradicts_waits_and_the_older_stays_current(curator: Caller) -> None:
    """R17: both are kept, each names the other."""
    older = remembered(curator, WEEKLY)
    [answer] = curator.post("beliefs", MONTHLY).json()["items"]
    assert answer["outcome"] == "resolving"
    assert len(answer["conflicts"]) == 1
    assert contents(curator.get("beliefs?kind=preference")) == [WEEKLY["content"]]
    assert contents(curator.get("beliefs?kind=preference&status=resolving")) == [MONTHLY["content"]]
    for one, other in ((older["id"], answer["belief"]["id"]), (answer["belief"]["id"], older["id"])):
        [conflict] = curator.get(f"beliefs/{one}/why").json()["conflicts"]
        assert [claim["id"] for claim in conflict["with"]] == [other]


def test_one_bad_row_of_a_hundred_stores_none_and_every_fault_is_listed(curator: Caller) -> None:
    """T32."""
    rows = [preference(f"Likes tea {n}.", "2026-03-02T09:00:00Z", topic=f"tea {n}") for n in range(100)]
    rows[17] |= {"kind": "wish"}
    rows[42] |= {"evidence": [note("Tea.", "2026-03-02T09:00:00Z") | {"quote": "coffee"}]}
    rows[99] |= {"owners": [{"class": "person", "keys": {"email": "nobody"}}]}
    first = curator.post("beliefs", {"items": rows})
    assert first.status_code == 422
    assert [(error["row"], error["path"]) for error in first.json()["errors"]] == [(42, "/items/42/evidence/0/quote")]
    rows[42] = preference("Likes coffee.", "2026-03-02T09:00:00Z", topic="coffee")
    refused = curator.post("beliefs", {"items": rows})
    assert refused.status_code == 422
    places = [(error["row"], error["path"]) for error in refused.json()["errors"]]
    assert places[0] == (17, "/items/17/kind")
    assert places[1][0] == 99
    assert places[1][1].startswith("/items/99/owners/0")
    assert (Belief.objects.filter(kind="preference").count(), Source.objects.filter(kind="document").count()) == (0, 0)


def test_a_batch_answers_in_the_order_given(curator: Caller) -> None:
    rows = [preference(f"Likes tea {n}.", "2026-03-02T09:00:00Z", topic=f"tea {n}") for n in range(5)]
    answer = curator.post("beliefs", {"items": rows})
    assert answer.status_code == 201
    assert [item["belief"]["content"] for item in answer.json()["items"]] == [row["content"] for row in rows]


def test_a_property_is_worded_for_the_agent_and_refused_where_it_is_not_declared(curator: Caller) -> None:
    told = {"subject": INES, "predicate": "name", "value": "Ines D. Ferro", "evidence": WEEKLY["evidence"]}
    answer = curator.post("beliefs", told)
    [item] = answer.json()["items"]
    assert item["outcome"] == "resolving"
    assert "Ines D. Ferro" in item["belief"]["content"]
    refused = curator.post("beliefs", told | {"predicate": "shoe_size"})
    assert refused.status_code == 422
    [error] = refused.json()["errors"]
    assert error["path"] == "/predicate"
    assert error["accepted"]


@pytest.mark.parametrize(
    ("change", "path", "code", "status"),
    [
        ({"content": " "}, "/content", "blank", 400),
        ({"content": None}, "/content", "wrong_type", 400),
        ({"confidence": -0.1}, "/confidence", "min_value", 400),
        ({"confidence": 100.1}, "/confidence", "max_value", 400),
        ({"confidence": True}, "/confidence", "wrong_type", 400),
        ({"status": "live"}, "/status", "unknown_field", 400),
        ({"valid_from": "2026-03-02T09:00:00"}, "/valid_from", "naive_time", 400),
        ({"valid_to": "2020"}, "/valid_to", "valid_to_before_valid_from", 422),
        ({"evidence": []}, "/evidence", "nothing_to_stand_on", 422),
        ({"evidence": [{"quote": "x"}]}, "/evidence/0/source", "not_valid", 400),
        ({"audience": "everybody"}, "/audience", "not_a_choice", 400),
        ({"audience": "named"}, "/readers", "no_readers", 422),
        ({"owners": ["ines"]}, "/owners/0", "not_an_id", 400),
        ({"premises": ["01890a5d-ac96-774b-bcce-b302099a8057"]}, "/premises/0", "no_such_belief", 422),
        ({"kind": "memory"}, "/kind", "abstract_type", 422),
    ],
)
def test_what_cannot_be_remembered_names_the_place(
    curator: Caller, change: dict[str, Any], path: str, code: str, status: int
) -> None:
    """T1, T5, T7, T8, T36, T38."""
    body = WEEKLY | ({"valid_from": "2026"} if "valid_to" in change else {}) | change
    answer = curator.post("beliefs", body)
    assert answer.status_code == status, answer.json()
    [error] = answer.json()["errors"]
    assert (error["path"], error["code"]) == (path, code)
    assert error["accepted"]
    assert not Source.objects.filter(kind="document").exists()


def test_lists_ask_by_kind_owner_status_and_time(curator: Caller) -> None:
    """T2, T23, T40 through REST."""
    first = remembered(curator, WEEKLY)
    remembered(curator, preference("Reports go out on Mondays.", "2026-03-03T09:00:00Z", topic="x", kind="decision"))
    assert contents(curator.get("beliefs?kind=preference")) == [WEEKLY["content"]]
    assert contents(curator.get("beliefs?kind=memory")) == contents(curator.get("beliefs"))
    assert contents(curator.get("beliefs?kind=memory&exact=true")) == []
    assert len(contents(curator.get(f"beliefs?owner={first['owners'][0]}"))) >= 2
    assert contents(curator.get("beliefs?kind=preference&valid_at=2026-02-01T00:00:00Z")) == []
    assert contents(curator.get("beliefs?kind=preference&known_at=2020-01-01")) == []
    done = curator.post(f"beliefs/{first['id']}/retire", {"reason": "It ended.", "at": "2026-05-01"}, If_Match='"1"')
    assert done.status_code == 200, done.json()
    assert contents(curator.get("beliefs?kind=preference")) == []
    assert contents(curator.get("beliefs?kind=preference&valid_at=2026-04-01T00:00:00Z")) == [WEEKLY["content"]]
    assert contents(curator.get("beliefs?kind=preference&history=true")) == [WEEKLY["content"]]
    assert contents(curator.get("beliefs?kind=preference&status=archived")) == [WEEKLY["content"]]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("kind=wish", "kind"),
        ("kidn=preference", "kidn"),
        ("history=yes", "history"),
        ("history=true&valid_at=2026", "history"),
        ("status=live", "status"),
        ("valid_at=2026-01-01T00:00:00", "valid_at"),
        ("order=oldest", "order"),
        ("owner=ines", "owner"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_by_its_parameter(curator: Caller, query: str, path: str) -> None:
    answer = curator.get(f"beliefs?{query}")
    assert answer.status_code == 400
    [error] = answer.json()["errors"]
    assert error["path"] == path
    assert error["accepted"]


def test_commitments_are_listed_by_when_they_fall_due(curator: Caller) -> None:
    """R20: by due time whatever its offset, apart from validity, over pages."""
    dues = ["2026-05-04T09:00:00-05:00", "2026-05-04T10:00:00Z", "2026-05", "2026-05-04T23:00:00+14:00"]
    for number, due in enumerate(dues):
        told = preference(f"Sends report {number}.", f"2026-03-0{number + 1}T09:00:00Z", topic=f"report {number}")
        remembered(curator, told | {"kind": "commitment", "attributes": {"due_at": due}})
    remembered(curator, WEEKLY)
    seen: list[str] = []
    cursor = ""
    while True:
        page = curator.get(f"beliefs?order=due&page_size=3{cursor}").json()
        seen += [item["attributes"]["due_at"] for item in page["items"]]
        if not page["next"]:
            break
        cursor = f"&cursor={page['next']}"
    assert seen == ["2026-05", "2026-05-04T23:00:00+14:00", "2026-05-04T10:00:00Z", "2026-05-04T09:00:00-05:00"]


def test_pages_hold_each_belief_once_while_others_are_written(curator: Caller) -> None:
    """Case 82."""
    made = [
        remembered(curator, preference(f"Likes tea {n}.", "2026-03-02T09:00:00Z", topic=f"tea {n}"))["id"]
        for n in range(9)
    ]
    seen: list[str] = []
    cursor, number = "", 100
    while True:
        page = curator.get(f"beliefs?kind=preference&page_size=2{cursor}").json()
        seen += [item["id"] for item in page["items"]]
        remembered(curator, preference(f"Likes tea {number}.", "2026-03-02T09:00:00Z", topic=f"tea {number}"))
        number += 1
        if not page["next"]:
            break
        cursor = f"&cursor={page['next']}"
    assert seen == list(reversed(made))


def test_what_is_its_owners_alone_does_not_exist_for_others(curator: Caller, reader: Caller) -> None:
    """R6."""
    belief = remembered(curator, WEEKLY | {"audience": "named", "readers": [str(curator.agent.actor_id)]})
    for part in ("", "/why", "/history", "/evidence", "/dependants"):
        assert curator.get(f"beliefs/{belief['id']}{part}").status_code == 200
        assert reader.get(f"beliefs/{belief['id']}{part}").status_code == 404
    assert contents(curator.get("beliefs?kind=preference")) == [WEEKLY["content"]]
    assert contents(reader.get("beliefs?kind=preference&history=true")) == []


def test_a_stranger_finds_nothing_and_cannot_lean_on_what_is_not_theirs(curator: Caller, stranger: Caller) -> None:
    belief = remembered(curator, WEEKLY)
    source = Source.objects.get(kind="document")
    assert stranger.get(f"beliefs/{belief['id']}").status_code == 404
    assert stranger.post(f"beliefs/{belief['id']}/retire", {"reason": "x"}, If_Match='"1"').status_code == 404
    assert contents(stranger.get(f"beliefs?owner={belief['owners'][0]}&history=true")) == []
    body = {"kind": "insight", "content": "She is keen.", "evidence": [{"source": str(source.pk)}]}
    assert stranger.post("beliefs", body).json()["errors"][0]["code"] == "no_such_source"
    body = {"kind": "insight", "content": "She is keen.", "premises": [belief["id"]]}
    assert stranger.post("beliefs", body).json()["errors"][0]["code"] == "no_such_belief"


def test_what_is_looked_up_is_noted_with_who_asked(curator: Caller, reader: Caller) -> None:
    """Everything served is logged; what somebody looked for by its value is not kept."""
    remembered(curator, WEEKLY)
    before = Served.objects.count()
    listed = reader.get("beliefs?kind=preference")
    shown = [one["id"] for one in listed.json()["items"]]
    note = Served.objects.get(pk=listed["Commonplace-Served"])
    assert (note.form, note.channel, note.parameters) == ("current", "rest", {"kind": "preference"})
    assert [str(one) for one in note.items.order_by("rank").values_list("target_id", flat=True)] == shown
    for address, form in ((f"beliefs/{shown[0]}", "belief"), (f"beliefs/{shown[0]}/why", "why")):
        assert Served.objects.get(pk=reader.get(address)["Commonplace-Served"]).form == form
    found = reader.get("nodes?class=person&key=email:ines@ferro.example")
    assert Served.objects.get(pk=found["Commonplace-Served"]).parameters == {"class": "person"}
    assert "Commonplace-Served" not in reader.get("beliefs?kind=skill")
    assert Served.objects.count() == before + 4
    told = [one["form"] for one in curator.get(f"beliefs/{shown[0]}/why").json()["served"]]
    assert set(told) == {"current", "belief", "why"}


DESK_SAYS = {
    "speaker": "assistant",
    "by": "desk",
    "content": "You want a line every day.",
    "said_at": "2026-01-03T09:01:00Z",
}


def test_an_agent_is_told_what_waits_and_what_only_a_person_changes(curator: Caller, reviewer: Principal) -> None:
    """T43."""
    told = curator.post(
        "conversations", conversation(said("Hello.", "2026-01-03T09:00:00Z"), DESK_SAYS, external_id="daily")
    ).json()
    quoted = {"evidence": [{"source": told["turns"][-1]["id"], "quote": "a line every day"}]}
    body = {"kind": "preference", "content": "Ines wants a line every day.", "owners": [INES], **quoted}
    answer = curator.post("beliefs", {"items": [body, WEEKLY]})
    assert answer.status_code == 201
    held, made = answer.json()["items"]
    assert (held["outcome"], held["belief"], made["outcome"]) == ("held", None, "created")
    case = Case.objects.get(pk=held["conflicts"][0])
    act = lambda write: review.decide(write, case.pk, lock=case.lock, verdict="accept", edits={})  # noqa: E731
    record(reviewer, "decide", act)
    belief = Belief.objects.get(content=body["content"])
    refused = curator.post(f"beliefs/{belief.pk}/retract", {"reason": "No."}, If_Match=f'"{belief.lock}"')
    asked = Case.objects.get(kind="change_asked")
    assert (refused.status_code, refused.json()["case"]) == (202, str(asked.pk))
    assert refused["Location"] == f"/api/v1/cases/{asked.pk}"
    belief.refresh_from_db()
    assert belief.status == "activated", "a request changes nothing"
    again = curator.post(f"beliefs/{belief.pk}/retract", {"reason": "No."}, If_Match=f'"{belief.lock}"')
    assert again.json()["case"] == str(asked.pk), "one question, however often it is asked"
    assert [one.text for one in asked.remarks.all()] == ["No."]
    other = curator.post(f"beliefs/{belief.pk}/validity", {"reason": "No."}, If_Match=f'"{belief.lock}"')
    assert (other.status_code, other.json()["code"]) == (409, "confirmed_by_person")
    assert other.json()["beliefs"] == [str(belief.pk)]
