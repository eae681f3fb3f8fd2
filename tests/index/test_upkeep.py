"""The index keeps step with its rooms, counts what it holds, and forgets what is erased."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pytest
from django.db import connection, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.index import texts
from memoryapp.index.models import EVERYONE, IndexEntry, Statistics, Term
from memoryapp.index.queries import not_fresh, unindexed
from memoryapp.index.services import erase, mark_stale, put, rebuild, refresh, remove
from memoryapp.index.texts import Text
from memoryapp.index.words import words
from memoryapp.ledger.models import Workspace
from tests.index.conftest import NOTE, Shelf, named, note

pytestmark = pytest.mark.sql


@pytest.fixture
def room(shelf: Shelf) -> Iterator[dict[uuid.UUID, str]]:
    """A room that holds notes and is asked for them again."""
    held: dict[uuid.UUID, str] = {}

    def ids(workspace: Workspace) -> Iterator[uuid.UUID]:
        yield from sorted(held) if workspace == shelf.workspace else []

    def load(workspace: Workspace, wanted: Sequence[uuid.UUID]) -> list[Text]:
        return [Text(NOTE, id, held[id]) for id in wanted if id in held]

    texts.register(NOTE, ids, load)
    yield held
    texts._shelves.pop(NOTE)


def test_the_index_is_written_inside_a_write_or_not_at_all(transactional_db: None) -> None:
    with pytest.raises(transaction.TransactionManagementError):
        put(None, [note("quay")])  # type: ignore[arg-type]


def test_putting_the_same_again_writes_nothing_C1(shelf: Shelf) -> None:
    assert shelf.put(note("The quay is closed"), note("The quay is open")) == 2
    before = list(IndexEntry.objects.values_list("pk", flat=True))
    assert shelf.put(note("The quay is closed"), note("The quay is open")) == 0
    assert list(IndexEntry.objects.values_list("pk", flat=True)) == before


def test_a_changed_text_takes_the_place_of_the_old(shelf: Shelf) -> None:
    id = named("changing")
    shelf.put(Text(NOTE, id, "Deliver to Tarn Street"))
    shelf.put(Text(NOTE, id, "Deliver to Quay 9"))
    assert shelf.search("Tarn").hits == []
    assert shelf.found("Quay") == [id]


def test_fewer_passages_leave_none_behind(shelf: Shelf) -> None:
    id = named("long")
    shelf.put(Text(NOTE, id, "first anchor", part=0), Text(NOTE, id, "second beacon", part=1))
    assert shelf.found("beacon") == [id]
    shelf.put(Text(NOTE, id, "first anchor", part=0))
    assert shelf.search("beacon").hits == []


def test_the_statistics_equal_a_count_of_the_rows(shelf: Shelf) -> None:
    """After any mix of putting, changing and removing."""

    @settings(max_examples=25)
    @given(
        st.lists(
            st.tuples(
                st.integers(0, 5),
                st.sampled_from(["", "quay letters", "letter harbour письма", "quay quay 榛子 E4042"]),
                st.sampled_from([EVERYONE, "owners"]),
            ),
            max_size=12,
        )
    )
    def act(steps: list[tuple[int, str, str]]) -> None:
        for number, text, audience in steps:
            id = named(str(number))
            if text:
                shelf.put(Text(NOTE, id, text, audience=audience))
            else:
                shelf.write(partial(remove, targets=[(NOTE, id)]))
            _statistics_are_right(shelf.workspace)

    act()


def _statistics_are_right(workspace: Workspace) -> None:
    documents, entries, length, shared = Counter[str](), Counter[str](), 0, 0
    for entry in IndexEntry.objects.filter(workspace=workspace):
        found = words(f"{entry.label}\n{entry.text}")
        entries.update({word.stem for word in found})
        if entry.audience == EVERYONE:
            documents.update({word.stem for word in found})
            length += len(found)
            shared += 1
    terms = Term.objects.filter(workspace=workspace, form="stem")
    assert {term.text: term.entries for term in terms} == dict(entries)
    assert {term.text: term.documents for term in terms if term.documents} == dict(documents)
    held = Statistics.objects.filter(workspace=workspace).first() or Statistics()
    assert (held.documents, held.total_length, held.entries) == (shared, length, sum(1 for _ in _rows(workspace)))


def _rows(workspace: Workspace) -> Iterator[IndexEntry]:
    yield from IndexEntry.objects.filter(workspace=workspace)


def test_a_stale_row_is_found_by_its_old_words_until_the_job_has_run(
    shelf: Shelf, room: dict[uuid.UUID, str], work: Callable[[], int]
) -> None:
    """Case 100: fresh and stale are told by sequence numbers."""
    id, new = named("a"), named("b")
    room[id] = "The anchor is down"
    shelf.put(Text(NOTE, id, room[id]))
    room[id], room[new] = "The beacon is lit", "The capstan turns"
    shelf.write(lambda write: mark_stale(write, [(NOTE, id), (NOTE, new)]))
    assert shelf.found("anchor") == [id]
    assert {entry.state for entry in not_fresh(shelf.workspace)} == {"stale", "missing"}
    assert work() == 1
    assert shelf.search("anchor").hits == []
    assert shelf.found("beacon") == [id]
    assert shelf.found("capstan") == [new]
    assert not not_fresh(shelf.workspace).exists()
    _statistics_are_right(shelf.workspace)


def test_a_target_its_room_no_longer_has_leaves_the_index(shelf: Shelf, room: dict[uuid.UUID, str]) -> None:
    shelf.put(Text(NOTE, named("gone"), "The anchor is down"))
    shelf.write(lambda write: mark_stale(write, [(NOTE, named("gone"))]))
    shelf.write(lambda write: refresh(write))
    assert not IndexEntry.objects.filter(workspace=shelf.workspace).exists()


def test_what_was_never_indexed_is_listed_and_a_rebuild_heals_it_C8(shelf: Shelf, room: dict[uuid.UUID, str]) -> None:
    room.update({named(str(n)): f"The anchor number {n}" for n in range(5)})
    shelf.put(Text(NOTE, named("0"), room[named("0")]))
    assert len(unindexed(shelf.workspace)) == 4
    before_others = shelf.search("anchor").hits[0].target_id
    shelf.write(rebuild)
    assert unindexed(shelf.workspace) == []
    assert before_others in shelf.found("anchor")
    _statistics_are_right(shelf.workspace)


def test_erased_words_are_in_no_table_and_no_file(transactional_db: None, shelf: Shelf) -> None:
    shelf.notes("The kettle is broken", "The kettle is mended")
    (id,) = shelf.notes("Call Zarathustrova about the kettle")
    shelf.write(lambda write: erase(write, [(NOTE, id)]))
    assert not IndexEntry.objects.filter(text__icontains="zarathustrov").exists()
    assert not Term.objects.filter(text__icontains="zarathustrov").exists()
    assert len(shelf.found("kettle")) == 2
    for content in _files_of_the_database():
        assert b"arathustrov" not in content


def _files_of_the_database() -> list[bytes]:
    """Every byte the tables of the index keep on disk."""
    if connection.vendor == "sqlite":
        from pathlib import Path

        name = Path(str(connection.settings_dict["NAME"]))
        return [path.read_bytes() for path in name.parent.glob(name.name + "*")]
    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")
        held = []
        for table in ("index_indexentry", "index_term"):
            cursor.execute("SELECT pg_read_binary_file(pg_relation_filepath(%s))", [table])
            held.append(bytes(cursor.fetchone()[0]))
        return held


def test_a_day_is_the_day_where_it_was_said(shelf: Shelf) -> None:
    late = dt.datetime(2026, 5, 7, 23, 30, tzinfo=dt.timezone(dt.timedelta(hours=-5)))
    shelf.put(Text(NOTE, named("late"), "The quay is closed", said_at=late))
    assert IndexEntry.objects.get(target_id=named("late")).day == "2026-05-07"
