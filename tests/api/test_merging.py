"""Who is who over REST, as a steward keeps it."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.graph.models import Node
from memoryapp.ledger.models import Workspace
from tests.api.calling import Caller
from tests.api.test_nodes import node, upsert

pytestmark = pytest.mark.django_db

JUDE = node("person", name="Jude Okoro", email="jude@okoro.example")
J = node("person", name="J. Okoro", handle="jokoro")


def pair(caller: Caller) -> tuple[dict[str, Any], dict[str, Any]]:
    kept, folded = upsert(caller, JUDE, J)
    return kept, folded


def lock_of(caller: Caller, node_id: str) -> str:
    etag: str = caller.get(f"nodes/{node_id}")["ETag"]
    return etag


def test_a_merge_is_foreseen_done_and_taken_back(curator: Caller) -> None:
    kept, folded = pair(curator)
    foreseen = curator.get(f"nodes/{kept['id']}/merge/preview?folded={folded['id']}").json()
    assert {one["what"]: one["count"] for one in foreseen["follows"]} == {"properties": 2, "identity keys": 1}
    assert [one["waits"]["content"] for one in foreseen["conflicts"]["items"]] == ["J. Okoro is called J. Okoro"]
    assert not Node.objects.filter(state="folded").exists()
    done = curator.post(
        f"nodes/{kept['id']}/merge",
        {"folded": folded["id"], "rationale": "One hand."},
        If_Match=lock_of(curator, kept["id"]),
    )
    assert done.status_code == 200, done.content
    merged = done.json()
    assert (merged["id"], merged["folded"], len(merged["conflicts"])) == (kept["id"], folded["id"], 1)
    shown = curator.get(f"nodes/{folded['id']}")
    assert (shown.json()["id"], shown.json()["folded_from"]) == (kept["id"], folded["id"])
    assert shown["ETag"] == done["ETag"]
    back = curator.post(f"nodes/{folded['id']}/undo", {"decision": merged["decision"]})
    assert (back.status_code, back.json()["state"]) == (200, "active")
    assert curator.get(f"nodes/{folded['id']}").json()["folded_from"] is None
    again = curator.post(f"nodes/{folded['id']}/undo", {"decision": merged["decision"]})
    assert (again.status_code, again.json()["code"]) == (409, "already_undone")


def test_an_etag_of_a_folded_id_is_never_one_of_the_kept_node(curator: Caller) -> None:
    kept, folded = pair(curator)
    upsert(curator, J | {"properties": J["properties"] | {"role": "editor"}})
    before = {lock_of(curator, kept["id"]), lock_of(curator, folded["id"])}
    body = {"folded": folded["id"]}
    assert curator.post(f"nodes/{kept['id']}/merge", body).status_code == 428
    assert curator.post(f"nodes/{kept['id']}/merge", body, If_Match='"99"').status_code == 412
    done = curator.post(f"nodes/{kept['id']}/merge", body, If_Match=lock_of(curator, kept["id"]))
    assert done["ETag"] not in before
    for stale in before:
        refused = curator.post(f"nodes/{folded['id']}/retire", {"reason": "Gone."}, If_Match=stale)
        assert refused.status_code == 412


def test_a_split_moves_what_belongs_to_the_other(curator: Caller) -> None:
    [both] = upsert(curator, node("person", name="Jude Okoro", email="jude@okoro.example", handle="jokoro"))
    handle = next(one for one in both["beliefs"] if "jokoro" in curator.get(f"beliefs/{one}").json()["content"])
    done = curator.post(f"nodes/{both['id']}/split", {"beliefs": [handle]}, If_Match=lock_of(curator, both["id"]))
    assert done.status_code == 201, done.content
    assert done.json()["properties"] == {"handle": ["jokoro"]}
    assert curator.get("nodes?class=person&key=handle:jokoro").json()["items"][0]["id"] == done.json()["id"]
    refused = curator.post(f"nodes/{both['id']}/split", {"beliefs": [handle]}, If_Match=lock_of(curator, both["id"]))
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "/beliefs")


def test_a_node_is_retired_and_used_again(curator: Caller) -> None:
    kept, _ = pair(curator)
    gone = curator.post(f"nodes/{kept['id']}/retire", {"reason": "Left."}, If_Match=lock_of(curator, kept["id"]))
    assert gone.json()["state"] == "retired"
    twice = curator.post(f"nodes/{kept['id']}/retire", {"reason": "Left."}, If_Match=gone["ETag"])
    assert (twice.status_code, twice.json()["code"]) == (409, "not_in_use")
    back = curator.post(f"nodes/{kept['id']}/use", {"reason": "Back."}, If_Match=gone["ETag"])
    assert back.json()["state"] == "active"


def test_only_a_steward_merges(curator: Caller, workspace: Workspace) -> None:
    kept, folded = pair(curator)
    clerk = Caller(workspace, ["lookup", "recall", "curate"], "Keeper")
    asked = clerk.get(f"nodes/{kept['id']}/merge/preview?folded={folded['id']}")
    done = clerk.post(f"nodes/{kept['id']}/merge", {"folded": folded["id"]}, If_Match='"1"')
    assert (asked.status_code, done.status_code) == (403, 403)
