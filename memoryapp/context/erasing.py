"""What is erased of the context: entries that are linked to nothing but what goes.

The row of an entry stays as a tombstone: its id, times and history, without its words. Of other entries the erased
person's names are blotted out.
"""

from __future__ import annotations

from django.db.models import Exists, F, OuterRef, Q

from memoryapp.context.models import Entry, EntryLink, EntryRevision, State
from memoryapp.context.services.storing import tombstone
from memoryapp.graph.models import Belief, Node
from memoryapp.ledger import erasing
from memoryapp.ledger.erasing import Eraser, Marked
from memoryapp.ledger.models import Write
from memoryapp.sources.models import Source

ERASED = "Erased."
SHOWN = 200


def register() -> None:
    """Take part in erasures."""
    says = ((EntryRevision, "content"), (EntryRevision, "title"))
    erasing.register("context", Eraser(_mark, _prepare, says=says, examples=_examples))


def _mark(marked: Marked) -> None:
    """Entries of which any revision was linked to what goes, and none to anything else of the sort."""
    going = Q(node__in=marked.of(Node)) | Q(belief__in=marked.of(Belief)) | Q(source__in=marked.of(Source))
    linked = EntryLink.objects.filter(entry=OuterRef("pk"))
    found = Entry.objects.filter(Exists(linked.filter(going)), workspace=marked.workspace)
    if marked.seen_by is not None:
        found = found.filter(pk__in=Entry.objects.visible_to(marked.seen_by).values("pk"))
    marked.add(Entry, found.exclude(Exists(linked.exclude(going))).values_list("pk", flat=True))
    revisions = EntryRevision.objects.filter(entry__in=marked.of(Entry))
    marked.add(EntryRevision, revisions.values_list("pk", flat=True))
    marked.add(Write, revisions.values_list("write", flat=True))


def _prepare(write: Write, marked: Marked) -> None:
    """Leave a tombstone of each."""
    rows = EntryRevision.objects.filter(entry__in=marked.of(Entry), sequence=F("entry__lock"), state=State.SET)
    for latest in rows.select_related("entry").order_by("pk"):
        buried = tombstone(write, latest, State.UNSET, ERASED)
        marked.add(EntryRevision, [buried.pk])


def _examples(marked: Marked) -> list[str]:
    found = EntryRevision.objects.filter(pk__in=marked.of(EntryRevision)).exclude(content="").order_by("pk")
    return [text[:SHOWN] for text in found.values_list("content", flat=True)[: erasing.EXAMPLES]]
