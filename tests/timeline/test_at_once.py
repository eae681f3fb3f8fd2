"""What happened is told by many at once, and is there once."""

from __future__ import annotations

import pytest

from memoryapp.ledger.services import record
from memoryapp.timeline import services
from memoryapp.timeline.models import Episode
from tests.racing import at_once
from tests.timeline.telling import Timeline

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sql]


def test_one_external_id_told_by_many_at_once_is_one_episode(timeline: Timeline) -> None:
    """T31, E5: each writer is answered, one of them with the new episode and the others with the same."""
    told = timeline.told("They met.", kind="meeting", external_id="calendar-1", properties={"location": "Quay 3"})
    tell = [lambda: record(timeline.by, "record", lambda write: services.record_episode(write, told))] * 8
    done = at_once(tell)
    episode = Episode.objects.get()
    assert [one.episode.pk for one in done] == [episode.pk] * 8
    assert [one.repeated for one in done].count(False) == 1
    assert episode.revisions.count() == episode.values.count() == 1
