"""What a question means: its vector, asked for once and in a short time, and the vectors it is compared with.

An embedder that is down takes nothing from an answer but what is found by meaning; the answer says so.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import structlog
from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from memoryapp.doors.metrics import QUESTIONS_EMBEDDED
from memoryapp.index.embedding import client
from memoryapp.index.embedding.client import Vector
from memoryapp.index.embedding.making import LONGEST, OF_THE_TEXT
from memoryapp.index.language.client import Trouble
from memoryapp.index.models import Embedding, VectorModel
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Workspace

if TYPE_CHECKING:
    from memoryapp.index.embedding.matrix import Matrix

log = structlog.get_logger(__name__)

OFF = "off"
PENDING = "pending"
USED = "used"
UNAVAILABLE = "unavailable"
TOO_MANY = "too_many"

STATES = {
    OFF: "no embedder is asked",
    PENDING: "no vector is made yet",
    USED: "texts were also found by meaning",
    UNAVAILABLE: "the embedder did not answer: found by words alone",
    TOO_MANY: "the vectors exceed EMBEDDING_MEMORY_MB: found by words alone",
}
"""What part vectors had in an answer."""

LEFT_ALONE_SECONDS = 5.0
"""How long an embedder that did not answer a question is not asked for one by this process."""
MOST_KEPT = 500

_lock = threading.Lock()
_vectors: OrderedDict[tuple[str, str, bytes], Vector] = OrderedDict()
_silent_until: dict[str, float] = {}


@dataclass(frozen=True)
class Meaning:
    """The vector of a question with the vectors of the workspace, or why there is none. `floor` is the closeness below
    which a text that shares no word with the question does not answer it."""

    state: str = OFF
    vector: Vector = field(default_factory=list)
    matrix: Matrix | None = None
    floor: float = 1.0

    @property
    def known(self) -> bool:
        return self.matrix is not None

    def nearest(self, types: Iterable[str]) -> tuple[Sequence[int], Sequence[float]]:
        """Entries of these target types that are close enough, the nearest first, and about how close."""
        if self.matrix is None:
            return [], []
        ids, close = self.matrix.nearest(self.vector, types, self.floor)
        return ids.tolist(), close.tolist()

    def closeness(self, ids: Iterable[int]) -> dict[int, float]:
        """The cosine with each of these entries that has a vector."""
        return self.matrix.closeness(self.vector, ids) if self.matrix is not None else {}


NOT_ASKED = Meaning()


def meaning_of(workspace: Workspace, question: str) -> Meaning:
    """What the question means, by the model whose vectors the workspace has. Never raises for what an embedder does.

    Asks another machine: not to be called within a transaction.
    """
    if not client.available(workspace) or not question.strip():
        return NOT_ASKED
    found = prepared.rows(_serving, workspace=workspace)
    if not found:
        return Meaning(PENDING)
    from memoryapp.index.embedding.matrix import Serving, matrix_of

    serving = Serving(*found[0])
    vector = _vector_of(question[:LONGEST], serving.name)
    if vector is None or len(vector) != serving.dimensions:
        return Meaning(UNAVAILABLE)
    matrix = matrix_of(serving)
    if matrix is None:
        return Meaning(TOO_MANY)
    return Meaning(USED, vector, matrix, settings.EMBEDDING_FLOOR)


def _serving(workspace: Workspace) -> QuerySet[VectorModel, Any]:
    """The oldest model that has vectors: a newer one is not done with making its own."""
    made = Embedding.objects.filter(model=OuterRef("pk"))
    models = VectorModel.objects.filter(Exists(made), workspace=workspace).order_by("pk")
    return models.values_list("pk", "name", "dimensions", "workspace__write_sequence")[:1]


def _vector_of(question: str, name: str) -> Vector | None:
    """The vector of a question, or None. The latest are kept, under a digest of their words."""
    url = settings.EMBEDDING_URL
    key = (url, name, blake2b(question.encode("utf-8", "surrogatepass"), digest_size=16).digest())
    with _lock:
        if key in _vectors:
            _vectors.move_to_end(key)
            return _vectors[key]
    if time.monotonic() < _silent_until.get(url, 0.0):
        QUESTIONS_EMBEDDED.labels("left_alone").inc()
        return None
    try:
        [vector] = client.embed([question], name, settings.EMBEDDING_QUESTION_SECONDS).vectors
    except Trouble as trouble:
        if trouble.status not in OF_THE_TEXT:
            _silent_until[url] = time.monotonic() + LEFT_ALONE_SECONDS
        QUESTIONS_EMBEDDED.labels("failed").inc()
        log.warning("question_not_embedded", code=trouble.code, status=trouble.status)
        return None
    QUESTIONS_EMBEDDED.labels("embedded").inc()
    with _lock:
        _vectors[key] = vector
        while len(_vectors) > MOST_KEPT:
            _vectors.popitem(last=False)
    return vector
