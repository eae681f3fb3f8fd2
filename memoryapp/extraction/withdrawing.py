"""What becomes of candidates when the source they were drawn from is taken back."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db.models import F

from memoryapp.extraction.models import Candidate
from memoryapp.extraction.services import HELD
from memoryapp.ledger.models import Write
from memoryapp.review.models import Case
from memoryapp.review.services import void_case

REASON = "Its source was taken back."


def taken_back(write: Write, sources: Sequence[uuid.UUID]) -> None:
    """Nobody need decide on a candidate whose source is taken back: it is turned away, and its case is void."""
    waiting = Candidate.objects.filter(workspace=write.workspace, source__in=sources, state=Candidate.State.HELD)
    ids = list(waiting.values_list("pk", flat=True))
    for case in Case.objects.filter(workspace=write.workspace, kind=HELD, key__in=map(str, ids), state=Case.State.OPEN):
        void_case(write, case, REASON)
    Candidate.objects.filter(pk__in=ids).update(
        state=Candidate.State.REJECTED, reason=REASON, belief=None, lock=F("lock") + 1
    )


def given_back(write: Write, sources: Sequence[uuid.UUID]) -> None:
    """What was turned away for that reason alone waits again, for the reason it was held."""
    away = Candidate.objects.filter(workspace=write.workspace, source__in=sources, state=Candidate.State.REJECTED)
    for candidate in away.filter(reason=REASON):
        case = Case.objects.filter(workspace=write.workspace, kind=HELD, key=str(candidate.pk)).last()
        Candidate.objects.filter(pk=candidate.pk).update(
            state=Candidate.State.HELD, reason=case.reason if case else "", lock=F("lock") + 1
        )
