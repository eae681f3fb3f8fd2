"""A shelf of texts to search: what a higher room would hand to the index."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from memoryapp.access.services import operator
from memoryapp.index.queries import Found, Scope, search
from memoryapp.index.services import put
from memoryapp.index.texts import Text, who_and_when
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.services import record

NOTE = "note"


@dataclass
class Shelf:
    """Notes of one workspace, put and searched in the fewest words. An id is made from a name, so that it is known."""

    workspace: Workspace

    def write(self, act: Callable[[Any], Any]) -> Any:
        return record(operator(self.workspace), "index", act)

    def put(self, *texts: Text) -> int:
        return int(self.write(lambda write: put(write, texts)))

    def notes(self, *contents: str, **more: Any) -> list[uuid.UUID]:
        made = [note(content, **more) for content in contents]
        self.put(*made)
        return [text.target_id for text in made]

    def turns(self, thread: str, *said: tuple[str, str], day: dt.date = dt.date(2026, 3, 5)) -> list[uuid.UUID]:
        at = dt.datetime.combine(day, dt.time(9), dt.UTC)
        texts = [
            Text(
                NOTE,
                named(f"{thread}/{position}"),
                text,
                label=who_and_when(speaker, at),
                section=thread,
                position=position,
                speaker=speaker,
                said_at=at,
            )
            for position, (speaker, text) in enumerate(said)
        ]
        self.put(*texts)
        return [text.target_id for text in texts]

    def search(self, question: str, **settings: Any) -> Found:
        scope = settings.pop("scope", None) or Scope(self.workspace, {NOTE: None})
        return search(scope, question, **settings)

    def found(self, question: str, **settings: Any) -> list[uuid.UUID]:
        return [hit.target_id for hit in self.search(question, **settings).hits]


def named(name: str) -> uuid.UUID:
    return uuid.uuid5(uuid.NAMESPACE_URL, name)


def note(content: str, **more: Any) -> Text:
    return Text(NOTE, named(content + str(sorted(more.items()))), content, **more)


@pytest.fixture
def shelf(workspace: Workspace) -> Shelf:
    return Shelf(workspace)


@pytest.fixture
def next_door(shelf: Shelf, other_workspace: Workspace) -> Shelf:
    return Shelf(other_workspace)
