"""R6: an id of a thing out of sight is, wherever a body or a question may name one, an id of nothing.

The places come from the OpenAPI description, so a new one is tried without being listed.
"""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memoryapp.ledger.principal import Principal
from tests.api.calling import Caller
from tests.api.conftest import Things
from tests.api.sweeping import Path, document, resolved
from tests.api.test_audience import hide, tell_few

pytestmark = pytest.mark.django_db

NAMES: dict[str, tuple[str, ...]] = {
    "source": ("source_id",),
    "in_evidence_of": ("source_id",),
    "not_in_evidence_of": ("source_id",),
    "thread": ("thread_id",),
    "belief": ("belief_id",),
    "beliefs": ("belief_id",),
    "premises": ("belief_id",),
    "successor": ("belief_id",),
    "relation": ("relation_id",),
    "player": ("node_id", "belief_id"),
    "sources": ("source_id",),
    "entries": ("entry_id",),
    "subject_id": ("source_id",),
}
"""What an id under this name is of; under any other it is a node's."""

SAMPLE = "01890a5d-ac96-774b-bcce-b302099a8057"

OF_NOTHING_HIDDEN = {"readers", "assigned_to", "actor", "decision", "form", "file"}
"""Names of ids of things that everybody of a workspace may know of, or that rules of paths hide."""

SOURCES = {"source", "thread", "message_id", "new_source"}
PLAYERS = {"belief", "node", "source", "relation"}
IN_PLACE_OF = {name: (SOURCES | PLAYERS) - {name} for name in SOURCES | PLAYERS}
"""What an object does not name beside an id of this name."""

ENTRY = {"title": "Berths", "content": "By the sea.", "links": [{"what": "node"}]}
BODIES: dict[str, Any] = {
    "arrange_context": {"section": "Writing"},
    "set_context": ENTRY | {"section": "Berths"},
    "update_context": ENTRY | {"reason": "It is near."},
    "set_context_section": {"section": "Berths", "entries": [ENTRY]},
    "record_episodes": {"kind": "conversation", "content": "Berths.", "occurred_at": "2026-03-02T10:00:00Z"},
    "search_episodes": {"question": "status emails"},
    "open_response": {"form": "patient"},
}
"""By operation: what is sent where the example names nothing at that place."""


@pytest.fixture
def outsider(workspace: Any, settings: Any) -> Caller:
    settings.KEY_REQUESTS_PER_MINUTE = 1_000_000
    surfaces = ["lookup", "recall", "find-notes", "context", "forms", "curate", "steward", "propose"]
    return Caller(workspace, surfaces, "Outsider")


@pytest.fixture
def hidden(things: Things, operator: Principal, reviewer: Principal, work: Callable[[], int]) -> Things:
    """What is kept from the outsider: one of each that an id may name."""
    found = hide(operator, things, reviewer) | tell_few(operator, reviewer, work)
    return {name: ids[:1] for name, ids in found.items()}


def test_wherever_a_body_names_a_thing_one_out_of_sight_is_not_there(
    things: Things, hidden: Things, outsider: Caller
) -> None:
    """R6, L4: and one in sight is: so the walk reaches every place."""
    told, alike = [], []
    for name, address, body, places in _operations(things):
        for path in places:
            absent = uuid.uuid4()
            nothing = _answer(outsider, address, _put(body, path, absent), absent)
            for kind in _kinds(path):
                theirs = _answer(outsider, address, _put(body, path, hidden[kind][0]), hidden[kind][0])
                if theirs != nothing:
                    told.append((name, path, nothing, theirs))
            seen = things[_kinds(path)[0]][0]
            found = _answer(outsider, address, _put(body, path, seen, "m-1"), seen)
            if found == nothing and found[0] >= 400:
                alike.append((name, path, nothing))
    assert (told, alike) == ([], [])


def test_wherever_a_question_names_a_thing_one_out_of_sight_is_not_there(
    things: Things, hidden: Things, outsider: Caller
) -> None:
    """R6, L4."""
    told, tried = [], 0
    for path, verbs in document()["paths"].items():
        for one in verbs.get("get", {}).get("parameters", ()):
            if one["in"] != "query" or not _is_id(one["schema"]) or one["name"] in OF_NOTHING_HIDDEN:
                continue
            for kind in _kinds((one["name"],)):
                tried += 1
                asked = [
                    outsider.get(f"{_address(path, things)}?{one['name']}={thing}")
                    for thing in (uuid.uuid4(), hidden[kind][0])
                ]
                if len({(answer.status_code, _plain(answer, one["name"])) for answer in asked}) != 1:
                    told.append((path, one["name"], [answer.content for answer in asked]))
    assert told == []
    assert tried > 10


def _plain(answer: Any, name: str) -> str:
    """What is answered, without what the request itself brought."""
    asked = answer.wsgi_request.GET[name]
    told = answer.json()
    if isinstance(told, dict):
        told.pop("trace_id", None)
    return json.dumps(told).replace(asked, "")


def _operations(things: Things) -> Iterator[tuple[str, str, Any, list[Path]]]:
    """Every POST whose body may name things: its address with a thing in it, its example, and where it names them."""
    for path, verbs in document()["paths"].items():
        post = verbs.get("post")
        if post is None or "requestBody" not in post:
            continue
        content = post["requestBody"]["content"]["application/json"]
        schema = resolved(content["schema"])
        body = next(iter(content["examples"].values()))["value"]
        one = resolved(schema["oneOf"][0]) if "oneOf" in schema else schema
        places = list(dict.fromkeys(place for place in _places(one, ()) if _name(place) not in OF_NOTHING_HIDDEN))
        if places:
            yield (
                post["operationId"],
                _address(path, things),
                _fitting(BODIES.get(post["operationId"], body), things),
                places,
            )


def _fitting(body: Any, things: Things, name: str = "") -> Any:
    """The example with things in sight in place of those it names."""
    if isinstance(body, dict):
        if body.keys() == {"class", "keys"}:
            return str(things["node_id"][0])
        return {key: _fitting(value, things, key) for key, value in body.items()}
    if isinstance(body, list):
        return [_fitting(one, things, name) for one in body]
    return str(things[NAMES.get(name, ("node_id",))[0]][0]) if body == SAMPLE else body


def _put(body: Any, path: Path, thing: uuid.UUID, message: str = "few-1") -> Any:
    """The body with the id there, what lies on the way made, and nothing beside it that would say the same."""
    changed = at = copy.deepcopy(body)
    *way, last = path
    for step, following in zip(way, path[1:], strict=True):
        empty: Any = [] if following == 0 else {}
        if isinstance(at, list):
            at += [empty] if not at else []
        elif not isinstance(at.get(step), list | dict):
            at[step] = empty
        at = at[step]
    if last == 0:
        at[:1] = [str(thing)]
        return changed
    for name in IN_PLACE_OF.get(str(last), ()):
        at.pop(name, None)
    at[last] = str(thing)
    if last == "thread" and (len(path) > 1 or "quote" in at):
        at["message_id"] = message
    return changed


def _places(schema: dict[str, Any], path: Path) -> Iterator[Path]:
    schema = resolved(schema)
    if _is_id(schema):
        yield path
    if len(path) < 6:
        for name, inner in schema.get("properties", {}).items():
            yield from _places(inner, (*path, name))
        if "items" in schema:
            yield from _places(schema["items"], (*path, 0))


def _name(path: Path) -> str:
    return next(str(step) for step in reversed(path) if isinstance(step, str))


def _kinds(path: Path) -> tuple[str, ...]:
    return NAMES.get(_name(path), ("node_id",))


def _is_id(schema: dict[str, Any]) -> bool:
    schema = resolved(schema)
    several = [one for word in ("oneOf", "anyOf") for one in schema.get(word, ())]
    return schema.get("format") == "uuid" or any(_is_id(one) for one in several)


def _address(path: str, things: Things) -> str:
    for name, ids in things.items():
        path = path.replace("{" + name + "}", str(ids[0]))
    return path


def _answer(outsider: Caller, address: str, body: Any, thing: uuid.UUID) -> tuple[int, str]:
    """Its status and words, without what the request itself brought."""
    thing_of_it = address.rpartition("/")[0]
    lock = outsider.get(thing_of_it).headers.get("ETag", '"1"') if "-" in thing_of_it else '"1"'
    answer = outsider.post(address, body, If_Match=lock)
    if answer.status_code == 412:
        answer = outsider.post(address, body, If_Match=f'"{answer.json()["lock"]}"')
    told = answer.json()
    told.pop("trace_id", None)
    return answer.status_code, json.dumps(told, sort_keys=True).replace(str(thing), "")
