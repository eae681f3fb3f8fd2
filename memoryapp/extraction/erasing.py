"""What is erased of candidates: their words, wherever they stand on what goes or became what goes."""

from __future__ import annotations

from django.db.models import F, Q

from memoryapp.extraction.models import Candidate
from memoryapp.graph.models import Belief
from memoryapp.ledger import erasing
from memoryapp.ledger.erasing import Blanks, Eraser, Marked
from memoryapp.ledger.models import Write
from memoryapp.sources.models import Source

ERASED = "Erased."
WAITING = (Candidate.State.PENDING, Candidate.State.HELD, Candidate.State.PARKED)


def register() -> None:
    """Take part in erasures."""
    blanks: Blanks = {(Candidate, "digest"): lambda row: f"erased:{row.pk}"}
    says = ((Candidate, "content"), (Candidate, "quote"))
    erasing.register("extraction", Eraser(_mark, _prepare, says=says, blanks=blanks))


def _mark(marked: Marked) -> None:
    concerned = Q(source__in=marked.of(Source)) | Q(belief__in=marked.of(Belief))
    marked.add(Candidate, Candidate.objects.filter(concerned).values_list("pk", flat=True))


def _prepare(write: Write, marked: Marked) -> None:
    """Nobody decides on them any more, and no reason says what they were."""
    gone = Candidate.objects.filter(pk__in=marked.of(Candidate))
    gone.filter(state__in=WAITING).update(state=Candidate.State.REJECTED, belief=None, lock=F("lock") + 1)
    gone.update(reason=ERASED)
