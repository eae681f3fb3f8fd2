"""Writes of the index. Called inside the write that changed what is searched, so a reader sees its own writes."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet

from memoryapp.index.engines import engine
from memoryapp.index.models import EVERYONE, IndexEntry, Statistics, Term
from memoryapp.index.texts import Text, by_words_only, place, shelf, shelves
from memoryapp.index.vectors import ask_for_vectors
from memoryapp.index.words import ANALYSIS, Word, sign, words
from memoryapp.ledger import jobs, prepared
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.models import Workspace, Write

Item = TypeVar("Item")

BATCH = 400
SHORT = 500
"""Signs of a text whose words are kept for the next time it is seen."""

UPKEEP = "index"
"""Kind of the job that builds what is missing or stale."""

Target = tuple[str, uuid.UUID]


@dataclass
class _Change:
    """What a batch adds to (or, negative, takes from) the workspace's words and statistics."""

    documents: int = 0
    total_length: int = 0
    entries: int = 0
    terms: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    shared: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def count(self, found: list[Word], audience: str, by: int) -> None:
        distinct = {(Term.Form.STEM.value, word.stem, word.stem) for word in found}
        distinct |= {(Term.Form.WRITTEN.value, word.written, word.stem) for word in found if word.may_be_misspelt}
        self.entries += by
        for term in distinct:
            self.terms[term] += by
        if audience == EVERYONE:
            self.documents += by
            self.total_length += by * len(found)
            for term in distinct:
                self.shared[term] += by


def put(write: Write, texts: Iterable[Text]) -> int:
    """Index these texts, in place of what their targets had. Returns how many entries were written.

    A text that is indexed as it stands costs one read and writes nothing. Needs the open transaction of `write`.
    """
    _needs_transaction()
    written = 0
    remaining = iter(_by_target(texts))
    while batch := list(islice(remaining, BATCH)):
        written += _put_batch(write, batch)
    return written


def remove(write: Write, targets: Iterable[Target]) -> int:
    """Take these targets out of the index and out of the statistics. Returns how many entries went."""
    _needs_transaction()
    gone = list(_entries_of(write.workspace, targets))
    change = _Change()
    _delete(gone, change)
    _apply(write.workspace, change)
    return len(gone)


def erase(write: Write, targets: Iterable[Target]) -> int:
    """Remove, and leave nothing of the texts in the index structures. Files are cleaned once the erasure commits."""
    gone = remove(write, targets)
    engine().scrub()
    transaction.on_commit(engine().clean_files)
    return gone


def reload(write: Write, targets: Iterable[Target]) -> None:
    """Build the entries of these targets anew from their rooms, which changed the texts."""
    of_type: dict[str, list[uuid.UUID]] = {}
    for target_type, target in targets:
        of_type.setdefault(target_type, []).append(target)
    for target_type, ids in sorted(of_type.items()):
        for chunk in _chunks(sorted(ids), BATCH):
            _reload(write, target_type, list(chunk))


def mark_stale(write: Write, targets: Iterable[Target]) -> int:
    """Note that the texts of these targets changed with this write; `refresh` builds them. The old text stays
    searchable meanwhile; a target never indexed is listed as missing."""
    _needs_transaction()
    wanted = list(dict.fromkeys(targets))
    known = {(entry.target_type, entry.target_id) for entry in _entries_of(write.workspace, wanted)}
    for chunk in _chunks(sorted(known), BATCH):
        IndexEntry.objects.filter(_those(chunk), workspace=write.workspace).update(wanted_sequence=write.sequence)
    IndexEntry.objects.bulk_create(
        IndexEntry(workspace=write.workspace, target_type=kind, target_id=id, wanted_sequence=write.sequence)
        for kind, id in wanted
        if (kind, id) not in known
    )
    if wanted:
        jobs.enqueue(write, UPKEEP, write.workspace.pk, dedupe=UPKEEP)
    return len(wanted)


def refresh(write: Write, limit: int = 1000) -> int:
    """Build up to `limit` entries that are missing or stale from their rooms. Returns how many targets were done;
    fewer than `limit` means that none is left. A target that its room no longer has is removed."""
    _needs_transaction()
    behind = (
        IndexEntry.objects.filter(workspace=write.workspace)
        .filter(Q(built_sequence__isnull=True) | Q(built_sequence__lt=F("wanted_sequence")))
        .filter(target_type__in=list(shelves()))
        .order_by("target_type", "target_id")
        .values_list("target_type", "target_id")
        .distinct()[:limit]
    )
    targets: list[Target] = list(behind)
    for target_type in sorted({kind for kind, _ in targets}):
        _reload(write, target_type, [id for kind, id in targets if kind == target_type])
    return len(targets)


def drifted(workspace: Workspace) -> Iterator[Target]:
    """Targets whose entries do not hold what their rooms say today, and are not marked as stale."""
    for target_type, reader in sorted(shelves().items()):
        for ids in _chunks(reader.ids(workspace), BATCH):
            targets = [(target_type, id) for id in ids]
            entries = {
                (one.target_id, one.part): one for one in _entries_of(workspace, targets) if one.state == "fresh"
            }
            wrong = set()
            for text in reader.load(workspace, list(ids)):
                entry = entries.pop((text.target_id, text.part), None)
                if entry is not None and not _same(entry, text):
                    wrong.add(text.target_id)
            yield from ((target_type, one) for one in sorted(wrong | {target for target, _ in entries}))


def rebuild(write: Write) -> int:
    """Throw the workspace's index away and build it from the rooms. Returns how many entries were written."""
    _needs_transaction()
    workspace = write.workspace
    IndexEntry.objects.filter(workspace=workspace).delete()
    Term.objects.filter(workspace=workspace).delete()
    Statistics.objects.filter(workspace=workspace).delete()
    written = 0
    for target_type, reader in sorted(shelves().items()):
        for ids in _chunks(reader.ids(workspace), BATCH):
            written += _reload(write, target_type, list(ids))
    return written


def rebuild_restored(workspace: Workspace) -> None:
    """Build the index of a workspace that was restored, as of its last write: restoring is no write of its own."""
    rebuild(Write(workspace=workspace, sequence=workspace.write_sequence))


def _reload(write: Write, target_type: str, ids: list[uuid.UUID]) -> int:
    reader = shelf(target_type)
    if reader is None:
        return 0
    texts = list(reader.load(write.workspace, ids))
    written = put(write, texts)
    found = {text.target_id for text in texts}
    remove(write, [(target_type, id) for id in ids if id not in found])
    return written


def _put_batch(write: Write, batch: list[tuple[Target, list[Text]]]) -> int:
    workspace = write.workspace
    present: dict[Target, list[IndexEntry]] = {}
    for there in _entries_of(workspace, [target for target, _ in batch]):
        present.setdefault((there.target_type, there.target_id), []).append(there)
    change = _Change()
    new: list[IndexEntry] = []
    gone: list[IndexEntry] = []
    unchanged: list[int] = []
    for target, texts in batch:
        entries = {held.part: held for held in present.get(target, [])}
        for text in texts:
            entry: IndexEntry | None = entries.pop(text.part, None)
            if entry is not None and _same(entry, text):
                if entry.state != "fresh":
                    unchanged.append(entry.pk)
                continue
            if entry is not None:
                gone.append(entry)
            new.append(_entry(write, text, change))
        gone.extend(entries.values())
    _delete(gone, change)
    prepared.insert(new)
    for chunk in _chunks(unchanged, BATCH):
        IndexEntry.objects.filter(pk__in=chunk).update(built_sequence=F("wanted_sequence"))
    _apply(workspace, change)
    apart = by_words_only()
    if any(one.target_type not in apart for one in new):
        ask_for_vectors(write)
    return len(new)


def _entry(write: Write, text: Text, change: _Change) -> IndexEntry:
    found = _searched(text.label, text.text)
    change.count(found, text.audience, by=1)
    key = write.workspace.id.hex
    return IndexEntry(
        workspace_id=write.workspace_id,
        target_type=text.target_type,
        target_id=text.target_id,
        part=text.part,
        kind=text.kind,
        section=text.section,
        place=place(text.section, text.position),
        position=text.position,
        label=text.label,
        text=text.text,
        speaker=text.speaker[:300],
        said_at=text.said_at,
        day=text.said_at.date().isoformat() if text.said_at else "",
        audience=text.audience,
        digest=_digest(text),
        terms=" ".join(sign(key, word.stem) for word in found),
        length=len(found),
        wanted_sequence=write.sequence,
        built_sequence=write.sequence,
    )


def _searched(label: str, text: str) -> list[Word]:
    """The words of both. Many texts have one label, and a text keeps its words when its label changes."""
    return [*_of_short(label), *(_of_short(text) if len(text) <= SHORT else words(text))]


@lru_cache(maxsize=2048)
def _of_short(text: str) -> tuple[Word, ...]:
    return tuple(words(text))


def _digest(text: Text) -> str:
    return blake2b(f"{text.label}\n{text.text}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _same(entry: IndexEntry, text: Text) -> bool:
    return (
        entry.built_sequence is not None
        and entry.digest == _digest(text)
        and (entry.kind, entry.section, entry.position) == (text.kind, text.section, text.position)
        and (entry.speaker, entry.said_at, entry.audience) == (text.speaker[:300], text.said_at, text.audience)
    )


def _delete(entries: list[IndexEntry], change: _Change) -> None:
    for entry in entries:
        if entry.built_sequence is not None:
            change.count(_searched(entry.label, entry.text), entry.audience, by=-1)
    for chunk in _chunks([entry.pk for entry in entries], BATCH):
        IndexEntry.objects.filter(pk__in=chunk).delete()


def _apply(workspace: Workspace, change: _Change) -> None:
    """Add the change to the words and statistics. Words are taken in order, so that two writers never deadlock."""
    if change.entries or change.documents or change.total_length:
        _add_statistics(workspace, change)
    moved = sorted(term for term, by in change.terms.items() if by or change.shared[term])
    for chunk in _chunks(moved, BATCH):
        _add_terms(workspace, change, list(chunk))
    fallen = [term for term in moved if change.terms[term] < 0]
    for form in Term.Form.values:
        for gone in _chunks([text for kind, text, _ in fallen if kind == form], BATCH):
            Term.objects.filter(workspace=workspace, form=form, text__in=gone, entries__lte=0).delete()


def _add_statistics(workspace: Workspace, change: _Change) -> None:
    values = [new_id(), workspace.pk, change.documents, change.total_length, change.entries, ANALYSIS]
    identifier = Statistics._meta.pk
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO index_statistics (id, workspace_id, documents, total_length, entries, analysis) "
            "VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (workspace_id) DO UPDATE SET "
            "documents = index_statistics.documents + excluded.documents, "
            "total_length = index_statistics.total_length + excluded.total_length, "
            "entries = index_statistics.entries + excluded.entries",
            [identifier.get_db_prep_value(value, connection) for value in values[:2]] + values[2:],
        )


def _add_terms(workspace: Workspace, change: _Change, terms: list[tuple[str, str, str]]) -> None:
    owner = Term._meta.get_field("workspace").get_db_prep_value(workspace.pk, connection)
    rows = [
        (f, text, stem, len(text), change.shared[f, text, stem], change.terms[f, text, stem]) for f, text, stem in terms
    ]
    if connection.vendor == "postgresql":
        # A list for each column: PostgreSQL is not sent a statement with thousands of places to fill.
        given = "SELECT %s::uuid, * FROM UNNEST(%s::text[], %s::text[], %s::text[], %s::int[], %s::int[], %s::int[])"
        parameters: list[Any] = [owner, *(list(column) for column in zip(*rows, strict=True))]
    else:
        given = "VALUES " + ", ".join(["(%s, %s, %s, %s, %s, %s, %s)"] * len(rows))
        parameters = [value for row in rows for value in (owner, *row)]
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO index_term (workspace_id, form, text, stem, length, documents, entries) "
            f"{given} ON CONFLICT (workspace_id, form, text) DO UPDATE SET "
            "documents = index_term.documents + excluded.documents, entries = index_term.entries + excluded.entries",
            parameters,
        )


def _by_target(texts: Iterable[Text]) -> list[tuple[Target, list[Text]]]:
    grouped: dict[Target, dict[int, Text]] = {}
    for text in texts:
        grouped.setdefault((text.target_type, text.target_id), {})[text.part] = text
    return [(target, list(parts.values())) for target, parts in grouped.items()]


def _entries_of(workspace: Workspace, targets: Iterable[Target]) -> Iterator[IndexEntry]:
    by_type: dict[str, list[uuid.UUID]] = {}
    for target_type, id in targets:
        by_type.setdefault(target_type, []).append(id)
    for target_type, ids in sorted(by_type.items()):
        for chunk in _chunks(ids, BATCH):
            yield from prepared.rows(_of, workspace=workspace, target_type=target_type, ids=chunk)


def _of(workspace: Workspace, target_type: str, ids: Sequence[uuid.UUID]) -> QuerySet[IndexEntry]:
    return IndexEntry.objects.filter(workspace=workspace, target_type=target_type, target_id__in=ids)


def _those(targets: Sequence[Target]) -> Q:
    wanted = Q(pk__in=[])
    for target_type in sorted({kind for kind, _ in targets}):
        wanted |= Q(target_type=target_type, target_id__in=[id for kind, id in targets if kind == target_type])
    return wanted


def _chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    remaining = iter(items)
    while chunk := list(islice(remaining, size)):
        yield chunk


def _needs_transaction() -> None:
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("The index is written inside the write that changed the text.")
