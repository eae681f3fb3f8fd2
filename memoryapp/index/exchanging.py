"""Entries made ahead of the write that puts them in place: what is slow about a text is done before, and in the write
rows are only exchanged."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from django.db import connection
from django.db.models import Count, Sum
from django.utils.dateparse import parse_datetime

from memoryapp.index.models import Embedding, IndexEntry
from memoryapp.index.services import BATCH, _apply, _Change, _entries_of, _entry, _needs_transaction, _same
from memoryapp.index.texts import Text, by_words_only
from memoryapp.index.vectors import ask_for_vectors
from memoryapp.index.words import words
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Workspace, Write

COLUMNS = (
    "part",
    "kind",
    "section",
    "place",
    "position",
    "label",
    "text",
    "speaker",
    "day",
    "audience",
    "digest",
    "terms",
    "length",
)
"""What is kept of an entry as it is; when it was said is kept as a text."""

Drafted = Iterable[tuple[uuid.UUID, Any]]


def marks(workspace: Workspace, target_type: str, ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, str]:
    """For each target a text that is another whenever its entries are: rows are numbered upwards and never changed."""
    rows = IndexEntry.objects.filter(workspace=workspace, target_type=target_type, target_id__in=ids).order_by()
    summed = rows.values("target_id").annotate(n=Count("pk"), last=Sum("pk"), wanted=Sum("wanted_sequence"))
    return {one["target_id"]: f"{one['n']}:{one['last']}:{one['wanted']}" for one in summed}


def drafted(write: Write, target_type: str, ids: Sequence[uuid.UUID], texts: Iterable[Text]) -> dict[uuid.UUID, Any]:
    """What would be exchanged to index these texts, in place of what the targets have: entries that go, entries that
    come, and what that adds to the statistics. Nothing for a target that is indexed as it stands."""
    wanted: dict[uuid.UUID, list[Text]] = defaultdict(list)
    for text in texts:
        wanted[text.target_id].append(text)
    present: dict[uuid.UUID, dict[int, IndexEntry]] = defaultdict(dict)
    for entry in _entries_of(write.workspace, [(target_type, id) for id in ids]):
        present[entry.target_id][entry.part] = entry
    found = {id: _draft(write, wanted[id], present[id]) for id in ids}
    return {id: made for id, made in found.items() if made is not None}


def _draft(write: Write, texts: list[Text], entries: dict[int, IndexEntry]) -> dict[str, Any] | None:
    change, new = _Change(), []
    for text in texts:
        entry = entries.get(text.part)
        if entry is not None and entry.state == "fresh" and _same(entry, text):
            entries.pop(text.part)
            continue
        made = _entry(write, text, change)
        new.append([*(getattr(made, one) for one in COLUMNS), made.said_at.isoformat() if made.said_at else None])
    for gone in entries.values():
        if gone.built_sequence is not None:
            change.count(words(f"{gone.label}\n{gone.text}"), gone.audience, by=-1)
    if not new and not entries:
        return None
    moved = [term for term, by in change.terms.items() if by or change.shared[term]]
    return {
        "gone": [one.pk for one in entries.values()],
        "new": new,
        "terms": [[*term, change.terms[term], change.shared[term]] for term in sorted(moved)],
        "sums": [change.documents, change.total_length, change.entries],
    }


def exchange(write: Write, target_type: str, made: Drafted) -> None:
    """Put what was drafted in the place of what the targets have. Needs the open transaction of `write`, and that the
    targets' entries are those that were there when it was drafted."""
    _needs_transaction()
    change = _Change()
    remaining = iter(made)
    while several := list(islice(remaining, BATCH)):
        drafts = [(id, data) for id, data in several if data]
        _take_away([pk for _, data in drafts for pk in data["gone"]])
        prepared.insert([_row(write, target_type, id, values) for id, data in drafts for values in data["new"]])
        for _, data in drafts:
            _add(change, data)
    _apply(write.workspace, change)
    if target_type not in by_words_only():
        ask_for_vectors(write)


def _take_away(gone: list[int]) -> None:
    if not gone:
        return
    Embedding.objects.filter(entry__in=gone).delete()
    with connection.cursor() as cursor:
        cursor.executemany(f"DELETE FROM {IndexEntry._meta.db_table} WHERE id = %s", [[pk] for pk in gone])


def _row(write: Write, target_type: str, id: uuid.UUID, values: Sequence[Any]) -> IndexEntry:
    *columns, said_at = values
    return IndexEntry(
        workspace=write.workspace,
        target_type=target_type,
        target_id=id,
        said_at=parse_datetime(said_at) if said_at else None,
        wanted_sequence=write.sequence,
        built_sequence=write.sequence,
        **dict(zip(COLUMNS, columns, strict=True)),
    )


def _add(change: _Change, data: dict[str, Any]) -> None:
    documents, length, entries = data["sums"]
    change.documents += documents
    change.total_length += length
    change.entries += entries
    for form, text, stem, by, shared in data["terms"]:
        change.terms[form, text, stem] += by
        change.shared[form, text, stem] += shared
