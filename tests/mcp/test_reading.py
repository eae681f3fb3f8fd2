"""Resources and prompts: for whom they are, what they hold, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from memoryapp.ledger.models import Workspace
from memoryapp.mcp import offered, reading, server
from tests.api.calling import Caller
from tests.mcp.test_tools import headers

pytestmark = pytest.mark.django_db

ALL = ["lookup", "recall", "context", "curate", "find-notes"]
LENGTH = 2_000
"""Characters of the longest prompt without its arguments."""


def test_a_resource_is_what_its_tool_answers_to_whoever_is_granted_it(workspace: Workspace) -> None:
    everything = Caller(workspace, ALL, "Everything")
    listed = reading.resources(server.caller(headers(everything)))
    assert {str(one.uri) for one in listed} == {one.uri for one in reading.RESOURCES}
    for one in listed:
        answered = reading.read(str(one.uri), headers(everything)).contents[0]
        assert json.loads(answered.text)["workspace"]  # type: ignore[union-attr]


def test_a_file_is_read_by_its_address_and_a_directory_listed(workspace: Workspace) -> None:
    """F5: an address that leads out of the tree is none."""
    desk = Caller(workspace, ALL, "Desk")
    assert desk.post("files", {"path": "/notes/a plan.md", "content": "one\n" * 60}).status_code == 201
    [template] = reading.templates(server.caller(headers(desk)))
    assert template.uri_template == "commonplace://files/{+path}"
    assert reading.templates(server.caller(headers(Caller(workspace, ["lookup"], "Few")))) == []

    def answered(path: str) -> dict[str, Any]:
        text = reading.read(f"commonplace://files/{path}", headers(desk)).contents[0].text  # type: ignore[union-attr]
        told: dict[str, Any] = json.loads(text)
        return told

    assert answered("notes/a%20plan.md")["text"].count("one") == 60
    assert [one["path"] for one in answered("notes")["items"]] == ["/notes/a plan.md"]
    assert "/notes" in [one["path"] for one in answered("")["items"]]
    for wrong in ("notes/none.md", "..%2Fetc/hosts", "notes/%00"):
        with pytest.raises(MCPError):
            answered(wrong)


def test_l3_and_c12_what_is_not_granted_is_not_listed_and_is_refused(workspace: Workspace) -> None:
    """L3 and C12."""
    few = Caller(workspace, ["recall"], "Few")
    assert reading.resources(server.caller(headers(few))) == []
    assert reading.prompts(server.caller(headers(few))) == []
    for one in reading.RESOURCES:
        with pytest.raises(MCPError):
            reading.read(one.uri, headers(few))
    with pytest.raises(MCPError, match="no prompt"):
        reading.prompt("keep_what_was_said", {"conversation": "x"}, server.caller(headers(few)))
    with pytest.raises(MCPError):
        server.caller({"authorization": "Bearer nonsense"})


def test_a_prompt_holds_what_was_given_and_names_what_is_missing(workspace: Workspace) -> None:
    by = server.caller(headers(Caller(workspace, ALL, "Everything")))
    assert [one.name for one in reading.prompts(by)] == [one.name for one in reading.PROMPTS]
    made = reading.prompt("look_for_what_is_stale", {"about": "{Ines}"}, by)
    assert "about {Ines}." in made.messages[0].content.text  # type: ignore[union-attr]
    with pytest.raises(MCPError, match="is missing"):
        reading.prompt("look_for_what_is_stale", {}, by)
    with pytest.raises(MCPError, match="Did you mean"):
        reading.read("commonplace://ontolgy", headers(Caller(workspace, ALL, "Other")))


def test_prompts_name_tools_that_there_are_and_are_short() -> None:
    for one in reading.PROMPTS:
        assert set(one.tools) <= offered.tools().keys()
        assert len(one.words) < LENGTH
    assert {one.tool for one in reading.RESOURCES} <= offered.tools().keys()
