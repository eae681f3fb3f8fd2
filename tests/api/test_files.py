"""Files, over REST and as tools: written whole or in place, found, moved, taken away, each refusal with its place."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.access import services as access
from memoryapp.ledger.models import ServedItem
from memoryapp.ledger.services import record
from memoryapp.mcp import server
from tests.api.calling import Caller

pytestmark = pytest.mark.django_db

BERTHS = {"path": "/notes/berths.md", "content": "# Berths\n\nSee [prices](prices.md).\n", "tags": ["harbour"]}


def items(answer: Any) -> list[dict[str, Any]]:
    assert answer.status_code in (200, 201), answer.content
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def test_where_are_my_notes_on_the_contract(curator: Caller) -> None:
    """E1: each question has its exact answer from one call."""
    items(curator.post("files", {"items": [BERTHS, BERTHS | {"path": "/notes/law.md", "content": "The contract."}]}))
    found = items(curator.post("files/search", {"question": "Where are my notes on the contract?"}))
    assert [one["path"] for one in found] == ["/notes/law.md"]
    assert ServedItem.objects.filter(target_type="file", target_id=found[0]["id"], served__form="files").exists()


def test_a_file_is_written_read_edited_moved_removed_and_restored(curator: Caller) -> None:
    """F2, F3"""
    made = curator.post("files", BERTHS)
    assert (made.status_code, made["ETag"]) == (201, '"1"')
    assert curator.post("files", BERTHS).status_code == 200
    read = curator.get("files/read?path=/notes/berths.md&first=3")
    assert (read.json()["text"], read.json()["total"], read["ETag"]) == ("See [prices](prices.md).", 3, '"1"')
    edited = curator.post("files/edit", {"path": "/notes/berths.md", "old": "See", "new": "Look at"})
    assert edited.json()["lock"] == 2
    stale = curator.post("files", BERTHS | {"content": "Other."}, If_Match='"1"')
    assert stale.status_code == 412
    assert "+Look at [prices](prices.md)." in stale.json()["difference"]
    twice = curator.post("files/edit", {"path": "/notes/berths.md", "old": "e", "new": "x"})
    assert (twice.status_code, twice.json()["code"]) == (422, "there_more_than_once")
    moved = curator.post("files/move", {"source": "/notes/berths.md", "target": "/projects/berths.md"})
    assert (moved.json()["path"], moved.json()["count"]) == ("/projects/berths.md", 1)
    removed = curator.post("files/remove", {"path": "/projects/berths.md", "reason": "Done."})
    assert removed.json()["state"] == "removed"
    assert curator.get("files/read?path=/projects/berths.md").status_code == 404
    assert curator.get("files/exists?path=/projects/berths.md").json()["exists"] is False
    [gone] = items(curator.get("files?path=/projects&removed=true"))
    assert (gone["path"], gone["state"]) == ("/projects/berths.md", "removed")
    both = curator.get("files?removed=true&known_at=2026-03-02T10:00:00Z")
    assert (both.status_code, both.json()["code"]) == (400, "two_questions")
    back = curator.post("files/restore", {"file": gone["id"]})
    assert back.json()["state"] == "current"
    first = curator.post("files/restore", {"path": "/projects/berths.md", "version": 1})
    assert first.json()["lock"] == 6
    history = items(curator.get("files/versions?path=/projects/berths.md"))
    assert [one["action"] for one in history] == ["restore", "restore", "remove", "move", "edit", "write"]
    differs = curator.get("files/difference?path=/projects/berths.md&before=2&after=1").json()["difference"]
    assert "+See [prices](/notes/prices.md)." in differs or "+See [prices](prices.md)." in differs


def test_the_tree_is_listed_matched_and_grepped(curator: Caller) -> None:
    items(curator.post("files", {"items": [BERTHS, BERTHS | {"path": "/notes/k/a.txt", "content": "x\nberths\n"}]}))
    curator.post("files/directories", {"path": "/people/ines"})
    assert [one["path"] for one in items(curator.get("files"))] == ["/notes", "/people"]
    below = items(curator.get("files?path=/notes&recursive=true&page_size=2"))
    assert [one["path"] for one in below] == ["/notes/berths.md", "/notes/k"]
    assert [one["path"] for one in items(curator.get("files/glob?pattern=/notes/**/*.txt"))] == ["/notes/k/a.txt"]
    found = curator.get("files/grep?pattern=(?i)^.*BERTHS&regex=true&context=1").json()
    assert [(one["path"], [line["number"] for line in one["lines"]]) for one in found["files"]] == [
        ("/notes/berths.md", [1]),
        ("/notes/k/a.txt", [2]),
    ]
    assert [one["path"] for one in items(curator.get("files/links?target=/notes/prices.md"))] == ["/notes/berths.md"]
    stat = curator.get("files/stat?path=/notes/berths.md").json()
    assert (stat["tags"], stat["leads_to"]) == (["harbour"], [{"to": "file", "target": "/notes/prices.md"}])
    described = curator.post("files/metadata", {"path": "/notes/berths.md", "tags": ["settled"], "lock": 1})
    assert (described.json()["tags"], described.json()["lock"]) == (["settled"], 2)
    keys = {"berth": 4, "since": {"year": 2031, "sure": False}}
    curator.post("files/metadata", {"path": "/notes/berths.md", "properties": keys, "summary": "Where we lie."})
    stat = curator.get("files/stat?path=/notes/berths.md").json()
    assert (stat["properties"], stat["summary"], stat["tags"]) == (keys, "Where we lie.", ["settled"])
    long = curator.post("files/metadata", {"path": "/notes/berths.md", "properties": {"x": "y" * 10_001}})
    assert (long.status_code, long.json()["errors"][0]["path"]) == (422, "/properties")


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("files?path=notes", "not_absolute"),
        ("files/read?path=/notes/../x", "relative_path"),
        ("files/stat?path=/", "is_the_root"),
        ("files/read?path=/notes/berths.md&first=0", "min_value"),
        ("files/read?path=/notes/berths.md&first=9", "no_such_line"),
        ("files/glob?pattern=notes/*", "not_absolute"),
        ("files/glob?pattern=/" + "*/" * 40, "pattern_too_long"),
        ("files/grep?pattern=(&regex=true", "not_an_expression"),
        ("files/grep?pattern=x&under=x", "not_absolute"),
        ("files/links?target=/a/../b", "relative_path"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_its_parameter(curator: Caller, address: str, code: str) -> None:
    curator.post("files", BERTHS)
    answer = curator.get(address)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert answer.json()["errors"][0]["path"] in address


def test_one_wrong_file_of_many_stores_none_and_is_named(curator: Caller) -> None:
    """T32"""
    wrong = curator.post("files", {"items": [BERTHS, BERTHS | {"path": "x"}, BERTHS | {"path": "/a/.."}]})
    assert wrong.status_code == 422
    assert [one["path"] for one in wrong.json()["errors"]] == ["/items/1/path", "/items/2/path"]
    outside = curator.post("files", {"items": [BERTHS, BERTHS | {"path": "/etc/hosts"}]})
    assert (outside.status_code, outside.json()["code"]) == (403, "outside_roots")
    assert outside.json()["errors"][0]["path"] == "/items/1/path"
    assert items(curator.get("files")) == []


def test_what_an_agent_is_ruled_not_to_see_is_absent_by_rest_and_as_tools(curator: Caller) -> None:
    """L1: the policy is enforced however the call arrives, and told in the tool's words."""
    items(curator.post("files", {"items": [BERTHS, BERTHS | {"path": "/people/ines/pay.md", "content": "marlin"}]}))
    hidden = items(curator.get("files?path=/people/ines"))[0]["id"]
    record(
        curator.operator,
        "rule_paths",
        lambda write: access.rule_paths(write, of=curator.agent, rules=[("/people", "none"), ("/notes", "read")]),
    )
    assert [one["path"] for one in items(curator.get("files?recursive=true"))] == ["/notes", "/notes/berths.md"]
    assert items(curator.get("files/glob?pattern=/**")) == items(curator.get("files?recursive=true"))
    assert curator.get("files/grep?pattern=marlin").json()["count"] == 0
    assert items(curator.post("files/search", {"question": "marlin"})) == []
    assert curator.get("files/exists?path=/people/ines/pay.md").json()["exists"] is False
    assert curator.get("files/read?path=/people/ines/pay.md").status_code == 404
    assert curator.get(f"why/{hidden}").status_code == 404
    assert curator.post("files/edit", {"path": "/notes/berths.md", "old": "See", "new": "x"}).status_code == 403
    headers = {"authorization": f"Bearer {curator.key}", "x-request-id": "trace-of-the-test"}
    tools = {tool.name: tool.description for tool in server.shown(headers)}
    assert "/people and all below it does not exist for it." in (tools["files_ls"] or "")
    assert "Roots: /notes, /people, /projects." in (tools["files_write"] or "")
    seen = server.result("files_grep", {"pattern": "marlin"}, headers).structured_content
    assert seen is not None
    assert seen["count"] == 0
