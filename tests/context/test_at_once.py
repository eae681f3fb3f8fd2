"""Several at one entry at the same time: it stands once, and nobody overwrites what they have not seen."""

from __future__ import annotations

from collections import Counter

import pytest

from memoryapp.context import queries, services
from memoryapp.context.inputs import Change
from memoryapp.context.models import Entry, EntryRevision
from memoryapp.doors.errors import Stale
from memoryapp.ledger import integrity
from tests.context.telling import Context, entry
from tests.contract.test_at_once import founded
from tests.racing import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sql]


def test_set_changed_and_replaced_at_once_an_entry_stands_once_and_loses_no_word() -> None:
    """X2"""
    mind = Context(founded("harbour"))
    made = at_once([lambda: mind.set("Tone", "Short.") for _ in range(6)])
    assert Counter(type(one).__name__ for one in made) == {"Entry": 6}
    assert (Entry.objects.count(), EntryRevision.objects.count()) == (1, 1)
    [tone] = Entry.objects.all()

    def change(words: str) -> object:
        return mind.do(lambda write: services.update(write, tone.pk, Change(content=words), lock=1))

    changed = at_once([lambda words=words: change(words) for words in ("Longer.", "Longest.")])
    assert sorted(type(one).__name__ for one in changed) == ["EntryRevision", "Stale"]
    lock = queries.section_lock(mind.by, "Writing")

    def replace(title: str) -> object:
        return mind.do(lambda write: services.set_section(write, "Writing", [entry(title)], lock=lock))

    replaced = at_once([lambda title=title: replace(title) for title in ("Voice", "Length")])
    assert len([one for one in replaced if isinstance(one, Stale)]) == 1
    assert len(mind.stands()) == 1
    assert [one.what for report in integrity.examine(mind.by.workspace) for one in report.findings] == []
