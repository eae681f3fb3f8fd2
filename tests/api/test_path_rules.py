"""Rules of paths say the same at every door: over REST, as tools, on pages, in searches and recall."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from memoryapp.access import services as access
from memoryapp.access.paths import above
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.mcp import server
from tests.api.calling import Caller
from tests.files.test_path_policies import naive_level
from tests.visiting import client_of

pytestmark = pytest.mark.django_db

FILES = ["/notes/a/x.md", "/notes/a/y.md", "/notes/b.md", "/people/x.md"]
EVERY = sorted({one for path in FILES for one in (path, *above(path))})
RULES = [
    [("/", "none"), ("/notes/a", "read"), ("/**/x.md", "none")],
    [("/notes", "none"), ("/notes/b.md", "read"), ("/people/?.md", "write")],
    [("/*/x.md", "none")],
]
"""Of one on another, of a file below what is hidden, of many by a pattern. Any rules are tried where they are read."""


@pytest.fixture
def desk(curator: Caller) -> Caller:
    told = [
        {"path": path, "content": f"marlin in {path}", "tell": True, "links": [{"to": "file", "target": FILES[0]}]}
        for path in FILES
    ]
    assert curator.post("files", {"items": told}).status_code == 201
    return curator


def test_every_door_agrees_with_a_naive_reading_of_the_rules(desk: Caller, administrator: Principal) -> None:
    """L1, L2: for an agent over REST and MCP, and for a member on the pages."""
    for told in RULES:
        _every_door_agrees(desk, administrator, told)


def _every_door_agrees(desk: Caller, administrator: Principal, told: list[tuple[str, str]]) -> None:
    ruled: Any
    for ruled in (desk.agent, administrator.actor.membership):
        record(desk.operator, "rule", lambda write, of=ruled: access.rule_paths(write, of=of, rules=told))  # type: ignore[misc]
    readable = [path for path in EVERY if naive_level(told, "write", path) != "none"]
    seen = [path for path in EVERY if path in readable or any(path in above(one) for one in readable)]
    files = [path for path in readable if path in FILES]

    def listed(address: str) -> list[str]:
        return [one["path"] for one in desk.get(address).json()["items"]]

    assert listed("files?recursive=true") == listed("files/glob?pattern=/**") == seen
    assert [one["path"] for one in desk.get("files/grep?pattern=marlin").json()["files"]] == files
    assert listed(f"files/links?target={FILES[0]}") == (files if FILES[0] in files else [])
    for over in ("files", "sources"):
        hits = desk.post("recall", {"question": "marlin", "over": over}).json()["hits"]
        assert sorted(hit["text"].removeprefix("marlin in ") for hit in hits) == files
    tool = server.result(
        "files_grep", {"pattern": "marlin"}, {"authorization": f"Bearer {desk.key}", "x-request-id": "t"}
    )
    assert [one["path"] for one in (tool.structured_content or {})["files"]] == files
    page = _page(client_of(administrator))
    assert {path for path in EVERY if f"path={path}&" in page or f'path={path}"' in page} >= set(files)
    assert not [path for path in FILES if path not in files and re.search(rf"{path}\b", page)]


def _page(client: Client) -> str:
    return client.get("/w/harbour/files/?q=/**").content.decode().replace("%2F", "/")
