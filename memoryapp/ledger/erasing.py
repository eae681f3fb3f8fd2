"""Erasing: what somebody said, or what was said of somebody, is destroyed in every table, and a receipt is left.

Rows stay, without their content: ids, times, actors and the order of things are still there, so that histories and
references hold. Each room registers what of its rows is concerned and what has to happen around the scrub; the scrub
itself reads the guard of every table, so that no column that may hold what a person said is forgotten.

1. `marked`: the rows that go, found room by room until none is added, and the names and keys that may stand nowhere.
2. Rooms prepare: what rested on it falls, cases about it are void.
3. Every erasable column of the marked rows is emptied. Names and keys are blotted out wherever else they stand, letter
   for letter, so that spans still point at the words they pointed at.
4. Rooms finish: the index. The receipt is written, and the erasure closed, in the same transaction. Files are cleaned
   when it has committed.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db import models, transaction

from memoryapp.doors.errors import Invalid, NotFound
from memoryapp.ledger.blotted import further, in_context
from memoryapp.ledger.blotting import Blotter
from memoryapp.ledger.fingerprints import Fingerprinter, gathered, texts_in
from memoryapp.ledger.models import Erasure, IdempotencyKey, Served, ServedItem, Workspace, WorkspaceRow, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.triggers import guarded_models

Model = type[WorkspaceRow]
Changed = dict[Model, set[uuid.UUID]]
Blanks = dict[tuple[Model, str], Callable[[Any], Any]]
"""What stands in a column of a table instead of nothing."""
CHUNK = 500
EXAMPLES = 5
UUIDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass
class Marked:
    """What goes: rows by table, and words that may stand nowhere in the workspace afterwards.

    With `seen_by` only what that somebody may see is marked: a preview tells nobody of what is out of their sight, and
    that goes all the same. `name` is what has to be typed before it is done. `spans` are places within texts of others:
    table, row, column, and where they begin and end.
    """

    workspace: Workspace
    target_type: str
    target_id: uuid.UUID
    seen_by: Principal | None = None
    name: str = ""
    rows: Changed = field(default_factory=lambda: defaultdict(set))
    words: set[str] = field(default_factory=set)
    spans: set[tuple[Model, uuid.UUID, str, int, int]] = field(default_factory=set)

    def add(self, model: Model, ids: Iterable[uuid.UUID | None]) -> None:
        """Mark rows of a table."""
        self.rows[model].update(one for one in ids if one is not None)

    def of(self, model: Model) -> set[uuid.UUID]:
        return self.rows[model]

    def ids(self) -> set[uuid.UUID]:
        """Ids of all marked rows."""
        return {one for ids in self.rows.values() for one in ids}

    def size(self) -> int:
        return sum(map(len, self.rows.values())) + len(self.words) + len(self.spans)


def _nothing(*_: Any) -> None:
    """A room that has nothing to do here."""


@dataclass(frozen=True)
class Eraser:
    """What a room does in an erasure.

    * `mark(marked)`: add the rows of the room that what is marked so far concerns. Called until nothing is added.
    * `prepare(write, marked)`: before the scrub. Tables in `own` are emptied here, not by the scrub; those
      `apart` are neither emptied nor blotted: the room builds them anew in `finish`.
    * `says`: the columns that hold what was said, by whose words a proof looks for it.
    * `blanks`: what stands in a column instead of nothing, where the database wants something, by table and column.
    * `finish(write, marked, blotted)`: after the scrub; `blotted` are the rows of others that were blotted.
    * `clean(tables)`: after the commit: leave nothing in the files of the database.
    * `examples(marked)`: a few of the words that go, for who has to confirm.
    * `stays(by, marked)`: what somebody sees that names what goes and that nothing here can blot.
    """

    mark: Callable[[Marked], None]
    prepare: Callable[[Write, Marked], None] = _nothing
    finish: Callable[[Write, Marked, Changed], None] = _nothing
    own: tuple[Model, ...] = ()
    apart: tuple[Model, ...] = ()
    says: tuple[tuple[Model, str], ...] = ()
    blanks: Blanks = field(default_factory=dict)
    clean: Callable[[list[str]], None] = _nothing
    examples: Callable[[Marked], list[str]] = lambda marked: []
    stays: Callable[[Principal, Marked], list[str]] = lambda by, marked: []


_rooms: dict[str, Eraser] = {}
_targets: dict[str, Callable[[Principal, uuid.UUID, Marked], None]] = {}


def register(room: str, eraser: Eraser) -> None:
    """Register what a room does. Rooms are asked in the order of registering: lower floors first."""
    _rooms[room] = eraser


def register_target(target_type: str, begin: Callable[[Principal, uuid.UUID, Marked], None]) -> None:
    """Something that can be erased: `begin` marks it, names it, or raises NotFound."""
    _targets[target_type] = begin


def marked(
    by: Principal, target_type: str, target_id: uuid.UUID, *, in_sight: bool = False, words: Sequence[str] = ()
) -> Marked:
    """Everything that would go, `words` among what is blotted. Needs `erase`. Raises NotFound, Conflict when it cannot
    be erased now, and Invalid `not_to_be_blotted`."""
    by.require("erase")
    begin = _targets.get(target_type)
    if begin is None:
        raise NotFound(f"Nothing of the sort “{target_type}” can be erased.", code="no_such_target")
    found = Marked(by.workspace, target_type, target_id, by if in_sight else None)
    begin(by, target_id, found)
    found.words |= set(further(words))
    before = -1
    while found.size() != before:
        before = found.size()
        for room in _rooms.values():
            room.mark(found)
    return found


def preview(by: Principal, target_type: str, target_id: uuid.UUID, *, words: Sequence[str] = ()) -> dict[str, Any]:
    """What would go, as far as the caller sees: the name to type, how many rows of each table, a few examples, what
    stays and names it, and each of the further `words` with how often it stands where."""
    found = marked(by, target_type, target_id, in_sight=True)
    return {
        "name": found.name,
        "rows": {model._meta.verbose_name_plural: len(ids) for model, ids in _sorted(found.rows) if ids},
        "total": sum(map(len, found.rows.values())),
        "examples": [text for room in _rooms.values() for text in room.examples(found)][:EXAMPLES],
        "stays": [what for room in _rooms.values() for what in room.stays(by, found)],
        "words": [in_context(by, word, _saying(), found.rows) for word in further(words)],
    }


def erase(write: Write, target_type: str, target_id: uuid.UUID, *, name: str, words: Sequence[str] = ()) -> Erasure:
    """Destroy the content of a target and everything that goes with it, and leave a receipt.

    `words` are blotted as well, as names are: a first name, a nickname. The proof looks for them too. The reason
    is the write's rationale. Needs `erase`. Raises Invalid `name_differs` when `name` is not the target's, and
    `rationale_missing`.
    """
    found = marked(write.by, target_type, target_id, words=words)
    if name.strip() != found.name.strip():
        raise Invalid.at("/name", "name_differs", "This is not its name.", "the name as it is shown")
    if not write.rationale.strip():
        raise Invalid.at("/rationale", "rationale_missing", "An erasure needs a reason.", "a sentence saying why")
    blotter = Blotter(found.words)
    erasure = Erasure.objects.create(
        workspace=write.workspace,
        target_type=target_type,
        target_id=target_id,
        reason=blotter.blot(write.rationale),
        write=write,
        opened_at=write.recorded_at,
    )
    prints = _fingerprints(found)
    for room in _rooms.values():
        room.prepare(write, found)
    scrubbed = _scrub(found)
    blotted = _blot(found, blotter)
    for room in _rooms.values():
        room.finish(write, found, blotted)
    _close(erasure, found, prints, scrubbed, blotted)
    touched: set[Model] = {*found.rows, *blotted, Write, IdempotencyKey}
    tables = sorted(model._meta.db_table for model in touched)
    for room in _rooms.values():
        transaction.on_commit(partial(room.clean, tables), robust=True)
    return erasure


def _fingerprints(found: Marked) -> dict[str, Any]:
    """By what a proof recognises what is erased, without what stands in texts of others that stay."""
    salt = secrets.token_hex(16)
    maker = Fingerprinter(salt)
    named = {each for word in found.words for each in maker.of_words(word)}
    said = {each for text in _texts(found) for each in maker.of_text(text)}
    known = gathered(said)
    others = {hit for text in _texts_of_others(found) for hit in maker.hits(text, known)} if known else set()
    kept = named | {each for each in said if each[1] not in others}
    return {
        "salt": salt,
        "check": maker.check(),
        "fingerprints": {str(size): sorted(prints) for size, prints in sorted(gathered(kept).items())},
        "said_by_others_too": len(others),
    }


def _texts(found: Marked) -> Iterator[str]:
    """What goes, in the words in which it was said or put down."""
    for model, name in _saying():
        for _, value in _rows(model, found.of(model), name):
            yield from texts_in(value)


def _texts_of_others(found: Marked) -> Iterator[str]:
    """What others said and what is put down of others: their words are theirs, whoever else said the same."""
    for model, name in _saying():
        rows = model._base_manager.filter(workspace=found.workspace).exclude(pk__in=found.of(model))
        for value in rows.values_list(name, flat=True).iterator():
            yield from texts_in(value)


def _saying() -> list[tuple[Model, str]]:
    return [place for room in _rooms.values() for place in room.says]


def _scrub(found: Marked) -> dict[str, int]:
    """Empty every erasable column of the marked rows."""
    own = {model for room in _rooms.values() for model in room.own}
    blanks = {place: blank for room in _rooms.values() for place, blank in room.blanks.items()}
    done = {}
    for model, ids in _sorted(found.rows):
        if not ids:
            continue
        done[model._meta.label_lower] = len(ids)
        columns = [column for column in model._meta.concrete_fields if column.name in model.guard.erasable]
        if model in own or not columns:
            continue
        particular = [column for column in columns if (model, column.name) in blanks]
        plain = {column.name: _blank(column) for column in columns if column not in particular}
        for chunk in _chunks(ids):
            rows = model._base_manager.filter(pk__in=chunk)
            if plain:
                rows.update(**plain)
            for row in rows if particular else ():
                values = {column.name: blanks[model, column.name](row) for column in particular}
                model._base_manager.filter(pk=row.pk).update(**values)
    return done


def _blank(column: models.Field[Any, Any]) -> Any:
    if isinstance(column, models.JSONField):
        return None if column.null else (column.get_default() if column.has_default() else {})
    if isinstance(column, models.BinaryField):
        return b""
    return ""


def _blot(found: Marked, blotter: Blotter) -> Changed:
    """Blot the words out of every row of the workspace that stays."""
    changed: Changed = defaultdict(set)
    for model, row_id, name, start, end in sorted(
        found.spans, key=lambda span: (span[0].__name__, *map(str, span[1:]))
    ):
        if row_id not in found.of(model):
            text = model._base_manager.values_list(name, flat=True).get(pk=row_id)
            covered = text[:start] + blotter.cover(text[start:end]) + text[end:]
            model._base_manager.filter(pk=row_id).update(**{name: covered})
            changed[model].add(row_id)
    apart = {model for room in _rooms.values() for model in room.apart}
    for model in guarded_models():
        if model in apart:
            continue
        names = [column.name for column in _wordy(model) if _may_change(model, column.name)]
        rows = model._base_manager.filter(workspace=found.workspace)
        for row_id, *values in rows.values_list("pk", *names).iterator(chunk_size=CHUNK) if names else ():
            clean = {name: blotter.blot(value) for name, value in zip(names, values, strict=True)}
            differing = {name: value for (name, value), was in zip(clean.items(), values, strict=True) if value != was}
            if differing:
                model._base_manager.filter(pk=row_id).update(**differing)
                changed[model].add(row_id)
    return changed


def _close(
    erasure: Erasure, found: Marked, receipt: dict[str, Any], scrubbed: dict[str, int], blotted: Changed
) -> None:
    """Write the receipt and close the erasure."""
    write = erasure.write
    receipt |= {
        "erasure": str(erasure.pk),
        "workspace": str(erasure.workspace_id),
        "target": [found.target_type, str(found.target_id)],
        "by": str(write.actor_id),
        "at": write.recorded_at.isoformat(),
        "emptied": scrubbed,
        "blotted": {model._meta.label_lower: len(ids) for model, ids in _sorted(blotted) if ids},
    }
    receipt["digest"] = hashlib.sha256(json.dumps(receipt, sort_keys=True).encode()).hexdigest()
    erasure.receipt = receipt
    erasure.closed_at = write.recorded_at
    erasure.save(update_fields=["receipt", "closed_at"])


def is_genuine(receipt: Mapping[str, Any]) -> bool:
    """Whether a receipt is as it was written."""
    body = {name: value for name, value in receipt.items() if name != "digest"}
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest() == receipt.get("digest")


def _wordy(model: Model) -> list[models.Field[Any, Any]]:
    """The columns of a table that can hold words."""
    kinds = (models.CharField, models.TextField, models.JSONField)
    return [column for column in model._meta.concrete_fields if isinstance(column, kinds) and not column.choices]


def _may_change(model: Model, name: str) -> bool:
    return name in model.guard.erasable or name in model.guard.mutable


def _rows(model: Model, ids: Iterable[uuid.UUID], *names: str) -> Iterator[tuple[Any, ...]]:
    for chunk in _chunks(ids):
        yield from model._base_manager.filter(pk__in=chunk).values_list("pk", *names)


def _chunks(ids: Iterable[uuid.UUID]) -> Iterator[list[uuid.UUID]]:
    ordered = sorted(ids)
    for start in range(0, len(ordered), CHUNK):
        yield ordered[start : start + CHUNK]


def _sorted(rows: Changed) -> list[tuple[Model, set[uuid.UUID]]]:
    return sorted(rows.items(), key=lambda pair: pair[0]._meta.label_lower)


def _mark_served(found: Marked) -> None:
    """Answers that carried what goes: their questions may have named it."""
    ids = found.ids()
    items = ServedItem.objects.filter(workspace=found.workspace, target_id__in=ids)
    found.add(Served, items.values_list("served", flat=True))


def _forget_answers(write: Write, found: Marked) -> None:
    """Answers kept for repeated requests go when they name anything that goes."""
    blotter, ids = Blotter(found.words), {str(one) for one in found.ids()}
    gone = []
    for pk, key, body in IdempotencyKey.objects.filter(workspace=found.workspace).values_list("pk", "key", "body"):
        told = str((body or {}).get("json", "")) + key
        if blotter.blot(told) != told or ids & set(UUIDS.findall(told)):
            gone.append(pk)
    for chunk in _chunks(gone):
        IdempotencyKey.objects.filter(pk__in=chunk).delete()


def _kept(name: str) -> Callable[[Any], Any]:
    return lambda row: getattr(row, name)


WHAT_DID_IT: Blanks = {(Write, name): _kept(name) for name in ("model", "prompt_version", "trace_id")}
"""Which model did it, and on which trace, is said of everything else that a write made as well."""

register("ledger", Eraser(_mark_served, _forget_answers, blanks=WHAT_DID_IT))
