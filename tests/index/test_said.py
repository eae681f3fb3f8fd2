"""What is told is found in the same request, and long texts passage by passage."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.index.models import IndexEntry
from memoryapp.index.queries import Found, Scope, search, unindexed
from memoryapp.index.said import PASSAGE, SOURCE, passages, zone
from memoryapp.index.services import rebuild
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources.inputs import ParticipantInput, SourceInput, ThreadInput, TurnInput
from memoryapp.sources.services import read, tell

pytestmark = pytest.mark.sql

AT = dt.datetime(2026, 3, 5, 23, 30, tzinfo=dt.timezone(dt.timedelta(hours=-5)))
PEOPLE = [ParticipantInput("ines", "user", "Ines Ferro", {"email": "ines@ferro.example"})]
TURNS = [
    TurnInput("user", "Weekly status emails, please", AT, by="ines"),
    TurnInput("assistant", "Noted, every Friday", AT + dt.timedelta(minutes=1)),
]


def ask(by: Principal, question: str) -> Found:
    return search(Scope(by.workspace, {SOURCE: None}), question)


def test_a_turn_is_found_in_the_write_that_told_it(operator: Principal) -> None:
    def act(write: Write) -> Found:
        tell(write, ThreadInput("standup"), PEOPLE, TURNS)
        return ask(operator, "status emails of Ines in March")

    (first, second) = record(operator, "tell", act).hits
    assert first.words == ["status", "emails", "ines", "march"]
    assert first.parts["participant"] > 0
    assert second.parts["neighbours"] > 0
    entry = IndexEntry.objects.get(target_id=first.target_id)
    assert (entry.label, entry.day, entry.state) == ("Ines Ferro 5 March 2026", "2026-03-05", "fresh")


def test_telling_again_adds_no_entry_C1(operator: Principal) -> None:
    for _ in range(2):
        record(operator, "tell", lambda write: tell(write, ThreadInput("standup"), PEOPLE, TURNS))
    assert IndexEntry.objects.filter(workspace=operator.workspace, target_type=SOURCE).count() == 2


def test_a_rebuild_gives_the_same_answer(operator: Principal) -> None:
    record(operator, "tell", lambda write: tell(write, ThreadInput("standup"), PEOPLE, TURNS))
    before = ask(operator, "status emails of Ines in March")
    entries = IndexEntry.objects.filter(workspace=operator.workspace).count()
    assert record(operator, "rebuild", rebuild) == entries
    assert ask(operator, "status emails of Ines in March") == before
    assert unindexed(operator.workspace) == []


def test_a_long_document_is_found_by_any_of_its_passages(operator: Principal) -> None:
    content = "The quay is long. " * 400 + "The capstan stands at its end."
    record(
        operator,
        "read",
        lambda write: read(write, SourceInput("document", content, AT, title="Survey", path="/survey.txt")),
    )
    (hit,) = ask(operator, "capstan").hits
    assert hit.part == IndexEntry.objects.count() - 1 > 1
    assert len(ask(operator, "quay survey").hits) == 1


@given(st.text(max_size=3 * PASSAGE))
def test_passages_lose_nothing(content: str) -> None:
    pieces = list(passages(content * 7))
    assert "".join(pieces) == content * 7
    assert all(len(piece) <= PASSAGE for piece in pieces)


def test_a_zone_is_an_offset_or_a_name() -> None:
    assert AT.astimezone(zone("-05:00")).hour == 23
    assert AT.astimezone(zone("Europe/Lisbon")).day == 6
    assert zone("nowhere/at-all") == zone("") == dt.UTC
