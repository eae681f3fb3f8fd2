"""Every tool, for every kind of key: shown to whom it is granted, refused to everybody else, and wrong input named."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from mcp.shared.exceptions import MCPError

from memoryapp.access import capabilities
from memoryapp.access.endpoints import Endpoint
from memoryapp.doors.batches import OneOrMany
from memoryapp.ledger.models import Write
from memoryapp.mcp import offered, schemas, server
from memoryapp.ontology.compiled.declared import FAMILIES
from memoryapp.ontology.services.declaring import DEFINITIONS
from tests.api.calling import Caller
from tests.api.conftest import Things
from tests.house.running import ROOT

TOOLS = offered.tools()
OF_A_READER = 4_200
OF_EVERYTHING = 21_000
"""Tokens, a quarter of the characters, of what a model is shown of its tools."""

NOTE = {
    "kind": "document",
    "path": "/minutes/may.md",
    "said_at": "2026-05-04T09:00:00Z",
    "content": "Ines wants the pier painted grey.",
}
GREY = {
    "kind": "preference",
    "content": "Wants the pier painted grey.",
    "owners": [{"class": "person", "keys": {"email": "ines@ferro.example"}}],
    "evidence": [{"new_source": NOTE, "quote": "wants the pier painted grey"}],
}


NAMES_A_THING = {
    "thing_id",
    "node_id",
    "edge_id",
    "source_id",
    "episode_id",
    "entry_id",
    "act_id",
    "owner",
    "response_id",
    "form",
}

OF_FILES: dict[str, dict[str, Any]] = {
    "files_read": {"path": "/notes/berths.md"},
    "files_stat": {"path": "/notes/berths.md"},
    "files_grep": {"pattern": "emails"},
    "files_glob": {"pattern": "/notes/**"},
    "files_search": {"question": "status emails"},
    "files_links_for": {"target": "/notes/berths.md"},
}
"""What asks of the file that is among the things."""


def headers(caller: Caller | None, **more: str) -> dict[str, str]:
    said = {"authorization": f"Bearer {caller.key}"} if caller else {}
    return said | {"x-request-id": "trace-of-the-test"} | more


def ask(caller: Caller | None, name: str, **arguments: Any) -> tuple[bool, Any]:
    """Whether the tool refused, and what it answered."""
    came = server.result(name, arguments, headers(caller))
    assert came.content[0].text  # type: ignore[union-attr]
    return came.is_error, came.structured_content


def sample(name: str, things: Things) -> dict[str, Any]:
    """Arguments of a tool that name what is there and say nothing else."""
    given: dict[str, Any] = {}
    for place in schemas.names(TOOLS[name])["path"]:
        given[place] = str(things[place][0])
    if {"edge_id", "episode_id"} & given.keys():
        given |= {"reason": "It is over.", "lock": 1}
    if "source_id" in given:
        given["rationale"] = "It was said of another project."
    if name == "graph_merge":
        given |= {"folded": str(things["node_id"][-1]), "lock": 99}
    if name == "forms_open":
        given["form"] = "patient"
    if name == "forms_write":
        given["ops"] = [{"op": "set", "field": "name", "value": "Ines"}]
    if name == "forms_submit":
        given["base"] = 0
    if name == "brief":
        given["owner"] = str(things["node_id"][0])
    if name == "timeline_between":
        given |= {"start": "2026-01-01", "end": "2027-01-01"}
    if name == "graph_query":
        given["class"] = "person"
    if name == "context_set":
        given |= {"items": [{"section": "Writing", "title": "Tone"}]}
    if name == "context_set_section":
        given |= {"section": "Writing", "entries": [{"title": "Tone"}], "lock": 0}
    if {"entry_id", "act_id"} & given.keys() and name != "context_undo":
        given |= {"lock": 1}
    if name in ("context_update", "context_unset", "context_undo"):
        given |= {"reason": "She said so."}
    given |= OF_FILES.get(name, {})
    if name in ("memory_recall", "timeline_search"):
        given["question"] = "status emails"
    return given


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_a_tool_says_what_it_takes_and_answers_as_the_rest_door_does(name: str) -> None:
    """Case 59: the schema of a tool is the REST door's own, whole in itself, in words short enough to be read."""
    tool = TOOLS[name]
    takes, gives = schemas.arguments(tool), schemas.answer(tool)
    Draft202012Validator.check_schema(takes)
    Draft202012Validator.check_schema(gives)
    assert "components" not in json.dumps([takes, gives])
    assert (takes["type"], takes["additionalProperties"]) == ("object", False)
    assert 20 < len(tool.description) < 320
    endpoint = tool.endpoint
    assert issubclass(endpoint, Endpoint)
    declared = set(endpoint.parameters[tool.verb]().fields) if tool.verb in endpoint.parameters else set()
    body = endpoint.body.get(tool.verb)
    if body is not None:
        declared |= set((body.forms()[1] if issubclass(body, OneOrMany) else body)().fields)
    own = {*schemas.names(tool)["path"], schemas.LOCK, schemas.IDEMPOTENCY_KEY}
    assert declared <= set(takes["properties"]) <= declared | own


def test_no_tool_names_a_declared_type_that_could_go() -> None:
    """A8: what a tool accepts is looked up in the types of the moment, so that no change of these breaks one."""
    types = yaml.safe_load((DEFINITIONS / "default.yaml").read_text("utf-8"))
    declared = {name for family in FAMILIES for name in types[family]}
    words = {word for tool in TOOLS.values() for word in _listed(schemas.arguments(tool))}
    of_the_product = {"document", "episode"}  # a kind of source, and what a link may lead to
    assert words & declared == of_the_product


def _listed(schema: Any) -> Iterator[str]:
    """Every word that a schema lists as one of those that are accepted."""
    if isinstance(schema, dict):
        yield from (one for one in schema.get("enum", ()) if isinstance(one, str))
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    for one in inner:
        yield from _listed(one)


def test_what_a_model_is_shown_of_its_tools_stays_short(reader: Caller, curator: Caller) -> None:
    for caller, most in ((reader, OF_A_READER), (curator, OF_EVERYTHING)):
        shown = server.shown(headers(caller))
        told = [{"name": tool.name, "description": tool.description, "schema": tool.input_schema} for tool in shown]
        assert len(json.dumps(told)) / 4 < most


@pytest.mark.parametrize("surface", sorted(capabilities.SURFACES))
def test_a_key_is_shown_what_its_surface_grants_and_refused_the_rest(
    workspace: Any, things: Things, surface: str
) -> None:
    """L3, L4, C12: a tool outside the selection is not listed, and calling it is 403 before anything is read of it."""
    caller = Caller(workspace, [surface])
    granted = capabilities.of_surfaces([surface])
    shown = {tool.name for tool in server.shown(headers(caller))}
    assert shown == {name for name, tool in TOOLS.items() if offered.needed(tool) in granted}
    for name, tool in TOOLS.items():
        refused, told = ask(caller, name, no_such_argument=1)
        if name in shown:
            assert (refused, told["status"]) == (True, 400), name
        else:
            assert (refused, told["status"], told["needs"]) == (True, 403, offered.needed(tool)), name


def test_a_key_that_opens_nothing_is_shown_nothing_and_refused_everything(
    curator: Caller, workspace: Any, things: Things
) -> None:
    """L4: no key, one that never was, one that is revoked and one that has expired are all the same: 401."""
    revoked, expired = Caller(workspace, ["curate"], "Revoked"), Caller(workspace, ["curate"], "Expired")
    revoked.revoke()
    expired.expire()
    unknown = Caller(workspace, ["curate"], "Unknown")
    unknown.key = "cpl_aaaaaaaa_" + "b" * 43
    for caller in (None, unknown, revoked, expired):
        with pytest.raises(MCPError):
            server.shown(headers(caller))
        for name in TOOLS:
            refused, told = ask(caller, name, **sample(name, things))
            assert (refused, told["status"]) == (True, 401), name


def test_another_workspaces_key_finds_nothing_of_ours(stranger: Caller, curator: Caller, things: Things) -> None:
    """L4: ids of ours are unknown there, and its lists and answers hold nothing that is ours."""
    for name in TOOLS:
        refused, told = ask(stranger, name, **sample(name, things))
        if sample(name, things).keys() & NAMES_A_THING:
            assert (refused, told["status"]) == (True, 404), name
        else:
            shown = json.dumps(told)
            assert not any(str(one) in shown for several in things.values() for one in several), name
    named = server.result("memory_current", {}, headers(curator, **{"commonplace-workspace": "lighthouse"}))
    assert (named.is_error, named.structured_content["status"]) == (True, 404)


def test_what_is_read_is_what_is_described_and_says_which_workspace(curator: Caller, things: Things) -> None:
    """Case 83: every hit has words; every answer names its workspace and keeps to its schema."""
    for name, tool in TOOLS.items():
        if not offered.only_reads(tool):
            continue
        refused, told = ask(curator, name, **sample(name, things))
        assert not refused, (name, told)
        assert told["workspace"] == "harbour"
        Draft202012Validator(schemas.answer(tool)).validate(told)
    _, recalled = ask(curator, "memory_recall", question="status emails")
    assert recalled["hits"]
    assert all(hit["text"].strip() and hit["provenance"] for hit in recalled["hits"])


def test_what_is_remembered_by_tool_is_recalled_and_says_by_whom(curator: Caller, things: Things) -> None:
    refused, told = ask(curator, "memory_remember", items=[GREY], run="painting")
    assert not refused
    belief = told["items"][0]["belief"]["id"]
    _, recalled = ask(curator, "memory_recall", question="Which colour is the pier?")
    assert belief in {hit["id"] for hit in recalled["hits"]}
    _, why = ask(curator, "memory_why", thing_id=belief)
    assert "wants the pier painted grey" in json.dumps(why)
    write = Write.objects.get(beliefs__pk=belief)
    assert (write.channel, write.run, write.trace_id, write.actor.name) == (
        "mcp",
        "painting",
        "trace-of-the-test",
        "Curator",
    )


def test_the_same_call_with_the_same_key_is_done_once(curator: Caller, things: Things) -> None:
    """Case 5: repeated with its key it answers alike; with other arguments under the key it is refused."""
    first = server.result("memory_remember", {"items": [GREY], "idempotency_key": "one"}, headers(curator))
    again = server.result("memory_remember", {"items": [GREY], "idempotency_key": "one"}, headers(curator))
    assert first.structured_content == again.structured_content
    assert again.meta["commonplace"]["idempotency-replayed"] == "true"  # type: ignore[index]
    other = GREY | {"content": "Wants the pier painted blue."}
    refused, told = ask(curator, "memory_remember", items=[other], idempotency_key="one")
    assert (refused, told["code"]) == (True, "idempotency_key_reused")
    refused, told = ask(curator, "memory_remember", items=[GREY], idempotency_key="not a key\n")
    assert (refused, told["code"]) == (True, "not_an_idempotency_key")


WRONG = [
    ("memory_remember", {"items": "Ines likes tea"}, "/items", "wrong_type"),
    ("memory_remember", GREY, "/items", "missing"),
    ("memory_remember", {"items": [GREY | {"confidence": "high"}]}, "/items/0/confidence", "wrong_type"),
    ("memory_remember", {"items": [GREY | {"colour": "grey"}]}, "/items/0/colour", "unknown_field"),
    ("memory_remember", {"items": [GREY | {"content": "grey\x00"}]}, "/items/0/content", "unreadable_text"),
    ("memory_remember", {"items": [GREY | {"topic": "\ud800"}]}, "/items/0/topic", "unreadable_text"),
    ("memory_recall", {"question": 7}, "/question", "wrong_type"),
    ("memory_recall", {"question": "berth", "space_nmae": "north"}, "/space_nmae", "unknown_field"),
    ("memory_current", {"page_size": "5"}, "page_size", "wrong_type"),
    ("memory_current", {"histroy": True}, "histroy", "unknown_field"),
    ("memory_why", {}, "/thing_id", "missing"),
    ("memory_why", {"thing_id": "/etc/hosts"}, "/thing_id", "not_an_id"),
    ("memory_why", {"thing_id": 7}, "/thing_id", "not_an_id"),
    ("brief", {"budget_tokens": 100}, "owner", "missing"),
    ("graph_disconnect", {"edge_id": str(uuid.uuid4()), "reason": "over", "lock": True}, "/lock", "wrong_type"),
]


@pytest.mark.parametrize(("name", "arguments", "place", "code"), WRONG)
def test_what_cannot_be_read_is_refused_with_its_place_in_words(
    curator: Caller, name: str, arguments: dict[str, Any], place: str, code: str
) -> None:
    """R22; cases 65, 112, 115: a bare text, an unknown or misspelt argument, a wrong type: an error, nothing stored."""
    before = Write.objects.count()
    came = server.result(name, arguments, headers(curator))
    assert came.is_error
    problem = came.structured_content
    assert (problem["errors"][0]["path"], problem["errors"][0]["code"]) == (place, code)
    assert place in came.content[0].text  # type: ignore[union-attr]
    assert "Traceback" not in came.content[0].text  # type: ignore[union-attr]
    assert Write.objects.count() == before


def test_a_change_without_its_lock_or_with_an_old_one_changes_nothing(curator: Caller, things: Things) -> None:
    told = {"edge_id": str(things["edge_id"][0]), "reason": "She left."}
    refused, problem = ask(curator, "graph_disconnect", **told)
    assert (refused, problem["status"]) == (True, 428)
    refused, problem = ask(curator, "graph_disconnect", **told, lock=99)
    assert (refused, problem["status"]) == (True, 412)


def test_a_tool_that_is_not_there_is_named_with_the_nearest(curator: Caller) -> None:
    with pytest.raises(MCPError, match="Did you mean “memory_recall”"):
        server.result("memory_recal", {}, headers(curator))


def test_the_guide_lists_every_tool_with_the_right_it_needs() -> None:
    guide = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    for name, tool in TOOLS.items():
        kind = "reads" if offered.only_reads(tool) else "writes"
        assert f"| `{name}` | {tool.title} | `{offered.needed(tool)}` | {kind} |" in guide
