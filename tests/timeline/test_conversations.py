"""A conversation is an episode that refers to its thread: it begins with it, goes on with it, and goes with it."""

from __future__ import annotations

import datetime as dt

import pytest

from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources.inputs import ParticipantInput, ThreadInput, TurnInput
from memoryapp.sources.models import Thread
from memoryapp.sources.services import tell
from memoryapp.sources.withdrawing import withdraw
from memoryapp.timeline import queries
from memoryapp.timeline.models import Episode
from memoryapp.timeline.queries.searching import search
from tests.timeline.telling import moment

pytestmark = pytest.mark.django_db

INES = ParticipantInput(key="ines", role="user", name="Ines Ferro", identity={"email": "ines@ferro.example"})
MIRA = ParticipantInput(key="mira", role="user", name="Mira Oduya", identity={"email": "mira@oduya.example"})


def say(by: Principal, words: str, at: str, who: str = "ines") -> Thread:
    turn = TurnInput("user", words, dt.datetime.fromisoformat(at), by=who)
    thread: Thread = record(by, "tell", lambda write: tell(write, ThreadInput("mail-7"), [INES, MIRA], [turn])).thread
    return thread


def test_it_goes_on_with_its_turns_and_is_amended_once_a_day(operator: Principal) -> None:
    """Late in the evening at UTC-5 is still that day there."""
    thread = say(operator, "The berths are dear.", "2026-03-02T23:30:00-05:00")
    first = Episode.objects.get(thread=thread)
    assert (first.begins_at, first.ends_at) == (
        moment("2026-03-02T23:30:00-05:00").instant,
        moment("2026-03-03T00:00:00-05:00").instant,
    )
    say(operator, "Too dear.", "2026-03-02T23:40:00-05:00")
    assert Episode.objects.get(thread=thread).lock == 1
    say(operator, "They are.", "2026-03-04T09:00:00-05:00", "mira")
    said = queries.revisions(Episode.objects.get(thread=thread))
    assert [[node.label for node, _ in one.people] for one in said] == [["Ines Ferro", "Mira Oduya"], ["Ines Ferro"]]
    assert said[0].revision.ends_at == moment("2026-03-05T00:00:00-05:00").instant
    assert [one.pk for one in queries.between(operator, *_day("2026-03-03T12:00:00-05:00"))] == [first.pk]


def _day(at: str) -> tuple[dt.datetime, dt.datetime]:
    since = moment(at).instant
    return since, since + dt.timedelta(hours=1)


def test_it_is_found_by_those_of_its_turns_that_stand(operator: Principal) -> None:
    thread = say(operator, "The berths are dear.", "2026-03-02T10:00:00+00:00")
    found = search(operator, "berths").answers
    assert [(one.episode.thread_id, len(one.turns)) for one in found] == [(thread.pk, 1)]
    record(operator, "withdraw", lambda write: withdraw(write, thread=thread.pk))
    assert search(operator, "berths").answers == []
    assert Episode.objects.get(thread=thread).state == "withdrawn"
    say(operator, "A berth is a berth.", "2026-03-09T10:00:00+00:00")
    again = search(operator, "berth").answers
    assert [(one.episode.thread_id, len(one.turns)) for one in again] == [(thread.pk, 1)]
