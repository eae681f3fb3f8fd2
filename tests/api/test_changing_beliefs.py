"""Beliefs over REST: changed with a reason, replaced, given another owner; what rests on what."""

from __future__ import annotations

import pytest

from tests.api.believing import INES, MONTHLY, WEEKLY, contents, remembered
from tests.api.calling import Caller
from tests.api.telling import conversation, said

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def ines(curator: Caller) -> None:
    """She is known."""
    assert curator.post("conversations", conversation(said("Good morning.", "2026-01-02T09:00:00Z"))).status_code == 202


def test_a_change_names_the_state_it_was_drawn_from(curator: Caller) -> None:
    belief = remembered(curator, WEEKLY)
    address = f"beliefs/{belief['id']}/retire"
    assert curator.post(address, {"reason": "Over."}).status_code == 428
    assert curator.post(address, {"reason": "Over."}, If_Match="3").status_code == 400
    stale = curator.post(address, {"reason": "Over."}, If_Match='"7"')
    assert (stale.status_code, stale.json()["lock"]) == (412, 1)
    assert curator.post(address, {}, If_Match='"1"').status_code == 400
    done = curator.post(address, {"reason": "Over."}, If_Match='"1"')
    assert (done.status_code, done["ETag"], done.json()["status"]) == (200, '"2"', "archived")
    again = curator.post(address, {"reason": "Over."}, If_Match='"2"')
    assert (again.status_code, again.json()["code"]) == (409, "archived")


def test_every_change_is_in_the_history_with_who_and_why(curator: Caller) -> None:
    """R11, R15."""
    belief = remembered(curator, WEEKLY)
    address = f"beliefs/{belief['id']}"
    curator.post(f"{address}/retract", {"reason": "Said of somebody else."}, If_Match='"1"')
    assert contents(curator.get("beliefs?kind=preference&valid_at=2026-04")) == []
    curator.post(f"{address}/reinstate", {"reason": "It was hers."}, If_Match='"2"')
    assert contents(curator.get("beliefs?kind=preference")) == [WEEKLY["content"]]
    dated = {"reason": "The contract says so.", "valid_from": "2026-03", "valid_to": "2030"}
    done = curator.post(f"{address}/validity", dated, If_Match='"3"').json()
    assert (done["valid_from"], done["valid_to"]) == ("2026-03", "2030")
    told = curator.get(f"{address}/history").json()["items"]
    assert [change["reason"] for change in told[1:]] == ["Said of somebody else.", "It was hers.", dated["reason"]]
    assert {change["by"] for change in told} == {"Curator"}


def test_another_takes_its_place(curator: Caller) -> None:
    """R9, R14: both are kept, each direction is told, the older one answers for its time."""
    older = remembered(curator, WEEKLY)
    newer = curator.post("beliefs", MONTHLY).json()["items"][0]["belief"]
    body = {"reason": "She said so in June.", "successor": newer["id"]}
    done = curator.post(f"beliefs/{older['id']}/supersede", body, If_Match='"1"')
    assert done.status_code == 200, done.json()
    assert contents(curator.get("beliefs?kind=preference")) == [MONTHLY["content"]]
    assert contents(curator.get("beliefs?kind=preference&valid_at=2026-04")) == [WEEKLY["content"]]
    why = curator.get(f"beliefs/{older['id']}/why").json()
    assert [one["belief"]["id"] for one in why["superseded_by"]] == [newer["id"]]
    assert [one["belief"]["id"] for one in curator.get(f"beliefs/{newer['id']}/why").json()["supersedes"]] == [
        older["id"]
    ]
    lock = done["ETag"]
    again = curator.post(f"beliefs/{older['id']}/supersede", body, If_Match=lock)
    assert again.status_code == 409
    missing = body | {"successor": "01890a5d-ac96-774b-bcce-b302099a8057"}
    refused = curator.post(f"beliefs/{newer['id']}/supersede", missing, If_Match='"2"')
    assert refused.json()["errors"][0]["path"] == "/successor"


def test_what_a_conclusion_rests_on_and_what_rests_on_it(curator: Caller) -> None:
    """T25, R7."""
    first = remembered(curator, WEEKLY)
    told = {"kind": "insight", "content": "She follows the project closely.", "owners": [INES]}
    second = remembered(curator, told | {"premises": [first["id"]]})
    third = remembered(curator, told | {"content": "She will ask for more.", "premises": [second["id"]]})
    evidence = curator.get(f"beliefs/{third['id']}/evidence").json()
    assert [(one["id"], one["distance"]) for one in evidence["ancestors"]] == [(second["id"], 1), (first["id"], 2)]
    near = curator.get(f"beliefs/{third['id']}/why?depth=1").json()
    assert [one["id"] for one in near["ancestors"]] == [second["id"]]
    assert near["cut"] is True
    fall = curator.get(f"beliefs/{first['id']}/dependants").json()
    assert {one["id"] for one in fall["items"]} == {second["id"], third["id"]}
    assert (fall["count"], fall["cut"]) == (2, False)
    assert curator.get(f"beliefs/{third['id']}/why?depth=-1").status_code == 400


def test_the_same_request_twice_is_done_once(curator: Caller) -> None:
    """Case 5."""
    first = curator.post("beliefs", WEEKLY, Idempotency_Key="k")
    again = curator.post("beliefs", WEEKLY, Idempotency_Key="k")
    assert (again.status_code, again.json()) == (201, first.json())
    assert again["ETag"] == first["ETag"]
    assert curator.post("beliefs", MONTHLY, Idempotency_Key="k").status_code == 409


def test_a_belief_is_given_another_owner(curator: Caller) -> None:
    """T14."""
    belief = remembered(curator, WEEKLY)
    bram = {"class": "person", "keys": {"email": "bram@osprey.example"}}
    note_of = {
        "new_source": {"kind": "document", "path": "/b.md", "content": "Bram.", "said_at": "2026-01-02T00:00:00Z"}
    }
    made = {"class": "person", "properties": bram["keys"], "evidence": [note_of]}
    assert curator.post("nodes", made).status_code == 201
    body = {"owner": bram, "reason": "Both want it."}
    given = curator.post(f"beliefs/{belief['id']}/owners", body, If_Match=f'"{belief["lock"]}"')
    assert given.status_code == 200, given.json()
    assert len(given.json()["owners"]) == 2
