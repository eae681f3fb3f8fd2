"""Documents, files, web pages and system notes are read once; members state things themselves."""

import datetime as dt

import pytest

from memoryapp.doors.errors import Conflict, Denied, Invalid
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources import services
from memoryapp.sources.inputs import SourceInput
from memoryapp.sources.models import Source

pytestmark = pytest.mark.django_db

MARCH = dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC)
FILE = SourceInput(kind="file", content="Address: Pier 4", said_at=MARCH, path="notes/march.md")


def read(by: Principal, source: SourceInput) -> services.Read:
    return record(by, "read", lambda write: services.read(write, source))


def test_the_same_file_read_again_later_is_the_same_source(curator_agent: Principal) -> None:
    """C1, C9, T39: reading March's file in October changes nothing."""
    first = read(curator_agent, FILE)
    october = SourceInput(**{**vars(FILE), "said_at": MARCH.replace(month=10)})
    again = read(curator_agent, october)
    assert (first.repeated, again.repeated) == (False, True)
    assert again.source == first.source
    assert Source.objects.count() == 1
    assert not read(curator_agent, SourceInput(**{**vars(FILE), "content": "Address: Pier 9"})).repeated


def test_an_external_id_cannot_come_back_with_other_content(curator_agent: Principal) -> None:
    named = SourceInput(kind="document", content="v1", said_at=MARCH, path="a.pdf", external_id="doc-1")
    read(curator_agent, named)
    assert read(curator_agent, named).repeated
    with pytest.raises(Conflict) as refused:
        read(curator_agent, SourceInput(**{**vars(named), "content": "v2"}))
    assert refused.value.code == "source_changed"


def test_several_are_read_all_or_none(curator_agent: Principal) -> None:
    bad = SourceInput(kind="web", content="page", said_at=MARCH)
    with pytest.raises(Invalid) as refused:
        record(curator_agent, "read", lambda write: services.read_all(write, [FILE, bad, bad]))
    assert [(violation.row, violation.path) for violation in refused.value.violations] == [(1, "/url"), (2, "/url")]
    assert not Source.objects.exists()
    both = record(curator_agent, "read", lambda write: services.read_all(write, [FILE, FILE]))
    assert [result.repeated for result in both] == [False, True]


def test_a_system_note_at_another_time_is_another_note(curator_agent: Principal) -> None:
    note = SourceInput(kind="system", content="Import finished", said_at=MARCH)
    assert not read(curator_agent, note).repeated
    assert read(curator_agent, note).repeated
    assert not read(curator_agent, SourceInput(**{**vars(note), "said_at": MARCH.replace(day=3)})).repeated


def test_a_member_states_in_their_own_words(reviewer: Principal) -> None:
    stated = record(reviewer, "state", lambda write: services.state(write, "We invoice on the 1st."))
    stored = Source.objects.get(pk=stated.pk)
    assert (stored.kind, stored.member, stored.said_zone) == ("statement", reviewer.actor, "Europe/Lisbon")
    assert stored.said_at == stored.recorded_at
    earlier = record(reviewer, "state", lambda write: services.state(write, "We did.", said_at=MARCH))
    assert earlier.said_at == MARCH
    with pytest.raises(Invalid):
        record(reviewer, "state", lambda write: services.state(write, " "))


def test_only_a_member_states(curator_agent: Principal) -> None:
    with pytest.raises(Denied) as refused:
        record(curator_agent, "state", lambda write: services.state(write, "I am no person."))
    assert refused.value.code == "only_members_state"
