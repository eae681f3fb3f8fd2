"""A room that holds memory is finished when it takes part in everything that holds for all memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from drf_spectacular.generators import SchemaGenerator

from memoryapp.context.models import Entry, EntryRevision
from memoryapp.context.queries import Asked as AskedOfContext
from memoryapp.context.services.serving import ENTRY
from memoryapp.files import queries as files
from memoryapp.files.models import Entry as FileEntry
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries import anything
from memoryapp.graph.queries.views import as_of
from memoryapp.index.texts import shelves
from memoryapp.ledger import dump, erasing, integrity
from memoryapp.ledger.models import WorkspaceRow
from memoryapp.sources import withdrawing
from memoryapp.timeline.models import Episode
from memoryapp.timeline.queries import Asked

ROOMS = ("graph", "timeline", "files", "context")
"""Rooms whose rows are memory, each with tables, a REST door and pages."""

SEEN = {"graph": (Node, Belief), "timeline": (Episode,), "files": (FileEntry,), "context": (Entry, EntryRevision)}
THINGS = {"graph": {"belief", "node"}, "timeline": {"episode"}, "files": {"file"}, "context": {ENTRY}}
"""What of a room is explained and served, and where it is searched, by the word for it."""
NOT_SEARCHED = {ENTRY}
"""What is in every prompt already is in no index, so that recall never brings it as if it were found."""


def tables(room: str) -> list[type[WorkspaceRow]]:
    return [one for one in apps.get_app_config(room).get_models() if issubclass(one, WorkspaceRow)]


def visibility(room: str) -> bool:
    return all(hasattr(one.objects.all(), "visible_to") for one in SEEN[room])


def why(room: str) -> bool:
    return room == "graph" or THINGS[room] <= anything._tellers.keys()


def as_of_any_time(room: str) -> bool:
    if room == "files":
        return callable(files.as_known)
    asked: dict[str, Any] = {"timeline": Asked, "context": AskedOfContext}
    return callable(as_of) if room == "graph" else "known_at" in asked[room].__dataclass_fields__


def withdraw(room: str) -> bool:
    return room in withdrawing._rooms


def erase(room: str) -> bool:
    return room in erasing._rooms


def integrity_checks(room: str) -> bool:
    return any(check.run.__module__.startswith(f"memoryapp.{room}.") for check in integrity.checks())


def dumped(room: str) -> bool:
    return set(tables(room)) - dump._projections.keys() <= set(dump.in_order())


def operators_site(room: str) -> bool:
    return all(admin.site.is_registered(one) for one in tables(room))


def described(room: str) -> bool:
    schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return any(room in operation.get("tags", ()) for verbs in schema["paths"].values() for operation in verbs.values())


def searched(room: str) -> bool:
    return THINGS[room] - NOT_SEARCHED <= shelves().keys() and not NOT_SEARCHED & shelves().keys()


TAKES_PART = (
    visibility,
    why,
    as_of_any_time,
    withdraw,
    erase,
    integrity_checks,
    dumped,
    operators_site,
    described,
    searched,
)


@pytest.mark.parametrize("part", TAKES_PART, ids=lambda part: part.__name__)
@pytest.mark.parametrize("room", ROOMS)
def test_a_room_of_memory_takes_part_in_all_that_holds_for_memory(room: str, part: Callable[[str], bool]) -> None:
    assert part(room), f"{room} has no {part.__name__.replace('_', ' ')}"
