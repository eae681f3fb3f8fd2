"""What is kept in mind, over REST: set, rendered with an ETag, changed with its lock, undone as a whole."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.context.models import EntryRevision
from memoryapp.ledger.models import Served, ServedItem, Workspace
from tests.api.calling import Caller

pytestmark = pytest.mark.django_db

TONE = {"section": "Writing", "title": "Tone", "content": "Short sentences."}


@pytest.fixture
def keeper(workspace: Workspace) -> Caller:
    """An agent that reads, and keeps in mind what its user says."""
    return Caller(workspace, ["lookup", "recall", "context"], "Keeper")


def titles(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [one["title"] for one in answer.json()["items"]]


def test_an_entry_is_set_read_changed_unset_and_restored(keeper: Caller) -> None:
    made = keeper.post("context/entries", TONE | {"expires_at": "2040-06"})
    assert made.status_code == 201
    [entry] = made.json()["items"]
    address = made["Location"].removeprefix("/api/v1/")
    assert (entry["expires_at"], entry["pinned"], entry["changed"], made["ETag"]) == ("2040-06", True, True, '"1"')
    assert keeper.post("context/entries", TONE | {"expires_at": "2040-06"}).status_code == 200
    told = {"content": "Shorter.", "expires_at": None, "reason": "Less is enough."}
    over = {"reason": "It is over."}
    assert keeper.post(f"{address}/update", told).status_code == 428
    changed = keeper.post(f"{address}/update", told, If_Match='"1"')
    assert (changed.status_code, changed.json()["expires_at"], changed["ETag"]) == (200, None, '"2"')
    assert keeper.post(f"{address}/update", told, If_Match='"1"').status_code == 412
    assert keeper.post(f"{address}/unset", over, If_Match='"2"').json()["state"] == "unset"
    assert titles(keeper.get("context/entries")) == []
    assert titles(keeper.get("context/entries?history=true")) == ["Tone"]
    restored = keeper.post(f"{address}/restore", {"sequence": 1}, If_Match='"3"')
    assert restored.json()["content"] == "Short sentences."
    history = keeper.get(f"{address}/history").json()["items"]
    assert [(one["content"], one["reason"], one["by"]) for one in history] == [
        ("Short sentences.", "", "Keeper"),
        ("", "It is over.", "Keeper"),
        ("Shorter.", "Less is enough.", "Keeper"),
        ("Short sentences.", "", "Keeper"),
    ]
    assert keeper.get(address).json()["recorded"]["by"] == "Keeper"


def test_the_etag_changes_when_the_block_does_and_not_otherwise(keeper: Caller) -> None:
    """X1: 304 while the block is the same; what is not pinned does not touch it."""
    keeper.post("context/entries", TONE)
    first = keeper.get("context/render")
    assert (first.status_code, first["Cache-Control"]) == (200, "private, no-cache")
    assert first.json()["text"].splitlines()[3:5] == ["## Writing", "- **Tone**: Short sentences."]
    keeper.post("context/entries", TONE | {"title": "Hobby", "pinned": False})
    for named in (first["ETag"], f'"other", W/{first["ETag"]}', "*"):
        same = keeper.get("context/render", If_None_Match=named)
        assert (same.status_code, same.content, same["ETag"]) == (304, b"", first["ETag"])
    keeper.post("context/entries", TONE | {"content": "Long sentences."})
    changed = keeper.get("context/render", If_None_Match=first["ETag"])
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]
    keeper.post("context/entries", TONE)
    assert keeper.get("context/render")["ETag"] == first["ETag"]
    assert keeper.get("context/render?budget_tokens=10").status_code == 400


def test_rendering_costs_three_queries_and_is_noted_when_it_was_given(keeper: Caller) -> None:
    for number in range(20):
        keeper.post("context/entries", TONE | {"title": f"Rule {number}", "section": f"Section {number % 4}"})
    with CaptureQueriesContext(connection) as queries:
        first = keeper.get("context/render")
    own = [one["sql"] for one in queries if "SAVEPOINT" not in one["sql"] and "access_" not in one["sql"]]
    assert len(own) <= 3, own
    assert Served.objects.get(pk=first["Commonplace-Served"]).form == "context"
    assert ServedItem.objects.count() == 20
    keeper.get("context/render", If_None_Match=first["ETag"])
    assert Served.objects.count() == 1


def test_a_section_is_set_whole_with_its_lock_and_undone_at_once(keeper: Caller) -> None:
    """X2."""
    told = {"section": "Writing", "entries": [{"title": "Tone"}, {"title": "Length", "content": "Half a page."}]}
    assert keeper.post("context/sections/set", told).status_code == 428
    assert keeper.post("context/sections/set", told, If_Match='"0"').status_code == 200
    [section] = keeper.get("context/sections").json()["items"]
    lock = f'"{section["lock"]}"'
    done = keeper.post("context/sections/set", told | {"entries": [{"title": "Voice"}]}, If_Match=lock)
    assert titles(keeper.get("context/entries?section=writing")) == ["Voice"]
    assert keeper.post("context/sections/set", told, If_Match=lock).status_code == 412
    undone = keeper.post(f"context/acts/{done.json()['act']}/undo", {"reason": "By mistake."})
    assert titles(keeper.get("context/entries")) == ["Tone", "Length"]
    again = keeper.post(f"context/acts/{done.json()['act']}/undo", {"reason": "By mistake."})
    assert (again.status_code, again.json()["code"]) == (409, "changed_since")
    acts = keeper.get("context/acts?page_size=2").json()
    assert [(one["act"], one["changed_since"]) for one in acts["items"]] == [
        (undone.json()["act"], False),
        (done.json()["act"], True),
    ]
    assert len(keeper.get(f"context/acts?page_size=2&cursor={acts['next']}").json()["items"]) == 1
    moved = keeper.post("context/arrange", {"section": "Writing", "entries": [section["entries"][1]]})
    assert moved.status_code == 200
    assert titles(keeper.get("context/entries")) == ["Length", "Tone"]
    for wrong in ({"sections": ["Writing"], "section": "Writing"}, {"entries": section["entries"]}, {}):
        assert keeper.post("context/arrange", wrong).status_code in (400, 422)


def test_what_is_kept_in_mind_pages_and_is_done_once_for_a_key(keeper: Caller) -> None:
    items = [TONE | {"title": f"Rule {number:02d}"} for number in range(7)]
    first = keeper.post("context/entries", {"items": items}, Idempotency_Key="one")
    assert keeper.post("context/entries", {"items": items}, Idempotency_Key="one").content == first.content
    assert EntryRevision.objects.count() == 7
    found, cursor = [], ""
    while True:
        page = keeper.get(f"context/entries?page_size=3{cursor}").json()
        found += [one["title"] for one in page["items"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert found == [one["title"] for one in items]
    wrong = keeper.post("context/entries", {"items": [TONE, TONE | {"title": " "}]})
    assert (wrong.status_code, wrong.json()["errors"][0]["path"]) == (400, "/items/1/title")
