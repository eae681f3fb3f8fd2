"""What a statement stands on, as a body names it: words of a source that is here, or a source that comes with it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rest_framework.exceptions import ValidationError

from memoryapp.doors.errors import DomainError, Invalid, Violation
from memoryapp.doors.fields import Fields, Identifier, Text, Whole
from memoryapp.graph.statements import Quoted
from memoryapp.ledger.models import Write
from memoryapp.sources.api import SourceFields, source_input
from memoryapp.sources.models import Source
from memoryapp.sources.queries import sources_named
from memoryapp.sources.quoting import locate
from memoryapp.sources.services import read_all

WAYS: tuple[set[str], ...] = ({"source"}, {"thread", "message_id"}, {"new_source"})
MOST = 100
"""Pieces of evidence of one statement."""


class EvidenceFields(Fields):
    """A source and the exact words in it: the quote, or where it starts and ends. Without both, the whole source."""

    source = Identifier(required=False, help_text="A source that is here.")
    thread = Identifier(required=False, help_text="With message_id: a turn that is here.")
    message_id = Text(required=False, max_length=200)
    new_source = SourceFields(required=False, help_text="A source that is told with this statement.")
    quote = Text(required=False, max_length=100_000, help_text="Words as they stand there, letter for letter.")
    start = Whole(required=False, min_value=0, help_text="In characters; needed when the quote stands there twice.")
    end = Whole(required=False, min_value=1)

    def validate(self, told: dict[str, Any]) -> dict[str, Any]:
        named = {name for name in ("source", "thread", "message_id", "new_source") if name in told}
        if named not in WAYS:
            raise ValidationError({"source": ["Name one source: source, thread with message_id, or new_source."]})
        if "quote" not in told and ("start" in told) != ("end" in told):
            raise ValidationError({"start": ["A span has a start and an end."]})
        return told


def quoted(write: Write, rows: Sequence[Sequence[dict[str, Any]]]) -> list[tuple[Quoted, ...]]:
    """For each row, what its evidence names. Sources that come along are stored.

    Raises Invalid with every source that is not there and every quote that does not stand where it should.
    """
    every = [one for row in rows for one in row]
    by_id, by_message = sources_named(
        write.by,
        [one["source"] for one in every if "source" in one],
        [(one["thread"], one["message_id"]) for one in every if "thread" in one],
    )
    told = _Told(write, rows)
    wrong: list[Violation] = list(told.wrong)
    found: list[tuple[Quoted, ...]] = []
    for number, row in enumerate(rows):
        mine = []
        for place, one in enumerate(row):
            path = f"/evidence/{place}"
            if "new_source" in one and told.wrong:
                continue
            try:
                source = told.source(number, place) or _source(one, by_id, by_message, path)
                mine.append(_quoted(one, source, path))
            except DomainError as error:
                wrong += [replace(violation, row=number) for violation in error.violations]
        found.append(tuple(mine))
    if wrong:
        raise Invalid.all(wrong)
    return found


class _Told:
    """The sources that come along with the rows of a batch, stored together."""

    def __init__(self, write: Write, rows: Sequence[Sequence[dict[str, Any]]]) -> None:
        self.wrong: list[Violation] = []
        self._sources: dict[tuple[int, int], Source] = {}
        places = [
            (number, place) for number, row in enumerate(rows) for place, one in enumerate(row) if "new_source" in one
        ]
        if not places:
            return
        given = [source_input(rows[number][place]["new_source"]) for number, place in places]
        try:
            done = read_all(write, given)
        except DomainError as error:
            self.wrong = [_at(violation, places) for violation in error.violations]
            if not self.wrong:
                raise
            return
        self._sources = {place: one.source for place, one in zip(places, done, strict=True)}

    def source(self, number: int, place: int) -> Source | None:
        return self._sources.get((number, place))


def _at(violation: Violation, places: Sequence[tuple[int, int]]) -> Violation:
    number, place = places[violation.row or 0]
    return replace(violation, path=f"/evidence/{place}/new_source{violation.path}", row=number)


def _source(
    told: dict[str, Any],
    by_id: dict[uuid.UUID, Source],
    by_message: dict[tuple[uuid.UUID, str], Source],
    path: str,
) -> Source:
    if "source" in told:
        source, place = by_id.get(told["source"]), "source"
    else:
        source, place = by_message.get((told["thread"], told["message_id"])), "message_id"
    if source is None:
        raise Invalid.at(f"{path}/{place}", "no_such_source", "There is no such source.", "a source of this workspace")
    return source


def _quoted(told: dict[str, Any], source: Source, path: str) -> Quoted:
    if not {"quote", "start", "end"} & told.keys():
        return Quoted(source)
    span = locate(source, told.get("quote"), told.get("start"), told.get("end"), path)
    if isinstance(span, Violation):
        raise Invalid.all([span])
    return Quoted(source, *span)
