"""The vectors of a workspace by one model in memory, scanned exactly. Kept while they fit, read again as they change.

An entry's vector never changes: what is new has a higher number than all that is kept, and what is gone is missed in
the count. Every write of a workspace raises its sequence, so what was read at one sequence stands until the next.
"""

from __future__ import annotations

import threading
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.conf import settings
from django.db.models import QuerySet
from numpy.typing import NDArray

from memoryapp.index.models import Embedding

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

SLACK = 1e-4
"""More than the scan may be off: whoever is within it of a bound is compared exactly."""
SMALL = 4096
"""Rows of a block that is still joined with what comes after it."""
READ = 2000
DECIMALS = 6

_codes: dict[str, int] = {}


@dataclass(frozen=True)
class Serving:
    """The model whose vectors a question is compared with, as of a write of its workspace."""

    model: uuid.UUID
    name: str
    dimensions: int
    sequence: int


@dataclass(frozen=True)
class Block:
    """Vectors of length 1 (or 0) with the numbers of their entries, upwards, and the codes of their target types."""

    ids: Numbers
    types: Numbers
    vectors: Floats

    def only(self, wanted: NDArray[np.bool_]) -> Block:
        return self if wanted.all() else Block(self.ids[wanted], self.types[wanted], self.vectors[wanted])


@dataclass(frozen=True)
class Matrix:
    """All vectors of a model, in blocks."""

    sequence: int
    blocks: tuple[Block, ...]

    @property
    def rows(self) -> int:
        return sum(len(block.ids) for block in self.blocks)

    @property
    def bytes(self) -> int:
        return sum(block.vectors.nbytes + block.ids.nbytes + block.types.nbytes for block in self.blocks)

    def nearest(self, question: Sequence[float], types: Iterable[str], least: float) -> tuple[Numbers, Floats]:
        """Entries of these target types whose closeness is about `least` or more, the nearest first, with how close
        they are to within `SLACK`."""
        unit = _unit(np.asarray([question], dtype=np.float32))[0]
        codes = [_codes[name] for name in types if name in _codes]
        ids, close = [], []
        for block in self.blocks:
            similar = block.vectors @ unit
            taken = np.isin(block.types, codes) & (similar >= least - SLACK)
            ids.append(block.ids[taken])
            close.append(similar[taken])
        if not ids:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        found, similar = np.concatenate(ids), np.concatenate(close)
        order = np.argsort(-similar, kind="stable")
        return found[order], similar[order]

    def closeness(self, question: Sequence[float], ids: Iterable[int]) -> dict[int, float]:
        """The cosine with each of these entries that has a vector, rounded. A row's number depends on nothing but the
        two vectors: not on what else is scanned, as a product of matrices may."""
        wanted = np.asarray(sorted(ids), dtype=np.int64)
        exact = np.asarray(question, dtype=np.float64)
        exact /= np.sqrt((exact * exact).sum()) or 1.0
        found: dict[int, float] = {}
        for block in self.blocks:
            here = np.isin(block.ids, wanted, assume_unique=True)
            vectors = block.vectors[here].astype(np.float64)
            cosines = (vectors * exact).sum(axis=1)
            says_something = np.any(vectors != 0, axis=1).tolist()
            for id, cosine, says in zip(block.ids[here], cosines, says_something, strict=True):
                if says:
                    found[int(id)] = round(float(cosine), DECIMALS)
        return found


_kept: OrderedDict[uuid.UUID, Matrix] = OrderedDict()
_lock = threading.Lock()


def matrix_of(serving: Serving) -> Matrix | None:
    """The vectors of the model as they are now, or None where they do not fit into `EMBEDDING_MEMORY_MB`."""
    limit = settings.EMBEDDING_MEMORY_MB * 1024 * 1024
    with _lock:
        known = _kept.pop(serving.model, None)
        if known is None or known.sequence != serving.sequence:
            rows = Embedding.objects.filter(model=serving.model)
            total = rows.count()
            if total * serving.dimensions * 4 > limit:
                return None
            known = _refreshed(known.blocks if known else (), rows, serving, total)
        _kept[serving.model] = known
        while len(_kept) > 1 and sum(one.bytes for one in _kept.values()) > limit:
            _kept.popitem(last=False)
        return known


def forget() -> None:
    """Keep nothing in memory any longer."""
    with _lock:
        _kept.clear()


def _refreshed(blocks: tuple[Block, ...], rows: QuerySet[Embedding], serving: Serving, total: int) -> Matrix:
    last = int(blocks[-1].ids[-1]) if blocks else 0
    new = list(_read(rows.filter(entry__gt=last), serving.dimensions))
    held = sum(len(block.ids) for block in blocks)
    if held + sum(len(block.ids) for block in new) != total:
        blocks = tuple(_still_there(blocks, rows))
    return Matrix(serving.sequence, tuple(_joined([*blocks, *new])))


def _still_there(blocks: Sequence[Block], rows: QuerySet[Embedding]) -> Iterator[Block]:
    there = np.fromiter(rows.order_by().values_list("entry", flat=True).iterator(), dtype=np.int64)
    for block in blocks:
        left = block.only(np.isin(block.ids, there, assume_unique=True))
        if len(left.ids):
            yield left


def _read(rows: QuerySet[Embedding], dimensions: int) -> Iterator[Block]:
    batch: list[tuple[int, str, Any]] = []
    for row in rows.order_by("entry").values_list("entry", "entry__target_type", "vector").iterator(chunk_size=READ):
        batch.append(row)
        if len(batch) == SMALL:
            yield _block(batch, dimensions)
            batch = []
    if batch:
        yield _block(batch, dimensions)


def _block(batch: Sequence[tuple[int, str, Any]], dimensions: int) -> Block:
    vectors = np.frombuffer(b"".join(bytes(row[2]) for row in batch), dtype="<f4").reshape(len(batch), dimensions)
    return Block(
        np.asarray([row[0] for row in batch], dtype=np.int64),
        np.asarray([_codes.setdefault(row[1], len(_codes)) for row in batch], dtype=np.int64),
        _unit(vectors.astype(np.float32)),
    )


def _joined(blocks: Iterable[Block]) -> Iterator[Block]:
    """Small blocks joined with the ones after them, so that there are never many."""
    held: Block | None = None
    for block in blocks:
        if held is None:
            held = block
        elif len(held.ids) + len(block.ids) <= SMALL:
            held = Block(
                np.concatenate([held.ids, block.ids]),
                np.concatenate([held.types, block.types]),
                np.concatenate([held.vectors, block.vectors]),
            )
        else:
            yield held
            held = block
    if held is not None:
        yield held


def _unit(vectors: Floats) -> Floats:
    """These vectors at length 1; a vector of zeros stays one."""
    long = vectors.astype(np.float64)
    lengths = np.sqrt((long * long).sum(axis=1, keepdims=True))
    lengths[lengths == 0] = 1.0
    unit: Floats = (long / lengths).astype(np.float32)
    return unit
