"""What is erased of proposals: refused writes that name what goes. Everything else is blotted where a name stands."""

from __future__ import annotations

import json

from memoryapp.ledger import erasing
from memoryapp.ledger.erasing import Eraser, Marked
from memoryapp.ledger.models import Write
from memoryapp.ontology.models import Occurrence, PreparedRows


def register() -> None:
    """Take part in erasures."""
    erasing.register("ontology", Eraser(_mark, _prepare, says=((Occurrence, "payload"),), blanks={}))


def _mark(marked: Marked) -> None:
    """Writes that name a marked row by its id, or were sent for a marked source or person in so many words."""
    ids = {str(one) for one in marked.ids()}
    words = {word.casefold() for word in marked.words if len(word) > 2}
    found = []
    for pk, payload in Occurrence.objects.filter(workspace=marked.workspace).values_list("pk", "payload").iterator():
        text = json.dumps(payload, ensure_ascii=False).casefold()
        if any(one in text for one in ids) or any(word in text for word in words):
            found.append(pk)
    marked.add(Occurrence, found)


def _prepare(write: Write, marked: Marked) -> None:
    """What is erased is not written later; what was prepared of rows is prepared anew."""
    PreparedRows.objects.filter(workspace=marked.workspace).delete()
    waiting = Occurrence.objects.filter(pk__in=marked.of(Occurrence), state=Occurrence.State.PARKED)
    waiting.update(state=Occurrence.State.DROPPED, outcome={})
