"""Every tool, attacked: arguments that no client would make, keys that end between calls, and things out of sight."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.apps import apps

from memoryapp.ledger.models import Job, Served, ServedItem, WorkspaceRow
from memoryapp.ledger.principal import Principal
from memoryapp.mcp import offered
from tests.api.calling import Caller
from tests.api.conftest import Things
from tests.api.test_audience import WORDS, hide
from tests.mcp.test_tools import TOOLS, ask, sample

pytestmark = pytest.mark.django_db

READS = sorted(name for name, tool in TOOLS.items() if offered.only_reads(tool))


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


HOSTILE: dict[str, Any] = {
    "nested lists": nested(2000),
    "not a number": float("nan"),
    "half a character": "\ud800",
    "NUL": "a\x00b",
    "a number of many digits": 10**400,
    "an object": {"__proto__": {"admin": True}},
    "SQL": "'; DROP TABLE graph_belief; --",
}


def rows() -> dict[str, int]:
    """How many rows each table holds, but for the note of what was served."""
    tables = [model for model in apps.get_models() if issubclass(model, WorkspaceRow)]
    return {model.__name__: model._default_manager.count() for model in tables if model not in (Served, ServedItem)}


def test_arguments_that_no_client_would_make_are_refused_and_store_nothing(
    curator: Caller, things: Things, settings: Any
) -> None:
    """Each as an argument that no tool has, in an argument's place, and as the name of one."""
    settings.KEY_REQUESTS_PER_MINUTE = 1_000_000
    before, taken = rows(), []
    for name in sorted(TOOLS):
        given = sample(name, things)
        for what, value in HOSTILE.items():
            attacks = [given | {"no_such_argument": value}]
            attacks += [given | {next(iter(given)): value}] if given and what != "SQL" else []
            attacks += [given | {value: 1}] if isinstance(value, str) else []
            for attack in attacks:
                refused, told = ask(curator, name, **attack)
                if not refused or told["status"] not in (400, 403, 404, 422, 428):
                    taken.append((name, what, told))
    assert taken == [], [(one, two, str(three)[:200]) for one, two, three in taken[:12]]
    assert rows() == before


@pytest.mark.parametrize("end", ["revoke", "expire"])
def test_a_key_that_ends_between_two_calls_opens_nothing_from_then_on(workspace: Any, end: str) -> None:
    """L4: there is no session that would outlive it."""
    caller = Caller(workspace, ["lookup", "recall", "curate"], "Leaving")
    assert not ask(caller, "graph_find", **{"class": "person"})[0]
    getattr(caller, end)()
    for name in sorted(TOOLS):
        refused, told = ask(caller, name)
        assert (refused, told["status"]) == (True, 401), name


def test_no_tool_tells_an_outsider_of_what_is_kept_from_them(
    things: Things, workspace: Any, operator: Principal, reviewer: Principal
) -> None:
    """R4, R6: every tool that reads answers word for word as before something was kept from them."""
    surfaces = ["lookup", "recall", "find-notes", "context", "forms", "curate", "steward", "propose"]
    outsider = Caller(workspace, surfaces, "Outsider")

    def told() -> dict[str, str]:
        return {
            name: json.dumps(_steady(ask(outsider, name, **sample(name, things))), sort_keys=True) for name in READS
        }

    before = told()
    assert sum(one.startswith("[false") for one in before.values()) > 10
    hide(operator, things, reviewer)
    assert Job.objects.exists()
    after = told()
    assert [name for name in READS if before[name] != after[name]] == []
    assert not [name for name, text in after.items() if any(word in text.lower() for word in WORDS)]


def _steady(value: Any) -> Any:
    """Without the trace of the call, and without what the walk itself adds to the log of what was served."""
    if isinstance(value, dict):
        return {name: _steady(inner) for name, inner in value.items() if name not in ("trace_id", "served")}
    return [_steady(inner) for inner in value] if isinstance(value, list | tuple) else value
