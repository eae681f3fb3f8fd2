"""How the context answers when a source is taken back: what was linked to nothing else is out of sight meanwhile.

What repeats the words of a source without naming it stays: it is the user's own. It is counted, so that nobody takes
the withdrawal for complete before a person has changed it.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db.models import Exists, F, OuterRef, QuerySet

from memoryapp.context.models import EntryLink, EntryRevision, State
from memoryapp.context.services import drafts
from memoryapp.context.services.storing import revise, tombstone
from memoryapp.index.said import sentences_of
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology.normalise import normal_text
from memoryapp.sources.queries import withdrawn as taken_back

FELL = "What it was linked to was taken back."
RETURNED = "What it was linked to stands again."


def withdrawn(write: Write, sources: Sequence[uuid.UUID]) -> None:
    """Take out of sight every entry that was linked to these sources and to no other that stands."""
    for one in linked_to(sources).filter(state=State.SET):
        if not _stands(one):
            tombstone(write, one, State.WITHDRAWN, FELL)


def lifted(write: Write, sources: Sequence[uuid.UUID]) -> None:
    """Let those stand again that were taken out of sight for it."""
    for one in linked_to(sources).filter(state=State.WITHDRAWN):
        if _stands(one):
            said = EntryRevision.objects.filter(entry=one.entry, state=State.SET).order_by("-sequence").first()
            assert said is not None
            draft = drafts.said_by(said)
            draft.reason = RETURNED
            revise(write, one.entry, draft)


def linked_to(sources: Sequence[uuid.UUID]) -> QuerySet[EntryRevision]:
    """The latest revisions that are linked to one of these sources."""
    linked = EntryLink.objects.filter(revision=OuterRef("pk"), source__in=sources)
    rows = EntryRevision.objects.filter(Exists(linked), sequence=F("entry__lock"))
    return rows.select_related("entry").order_by("pk")


def _stands(revision: EntryRevision) -> bool:
    linked = EntryLink.objects.filter(revision=revision, source__isnull=False)
    return linked.exclude(source__in=taken_back(revision.workspace_id)).exists()


def traces(workspace: Workspace, sources: Sequence[uuid.UUID]) -> int:
    """How many entries that stand repeat a sentence of these sources."""
    rows = EntryRevision.objects.filter(workspace=workspace, sequence=F("entry__lock"), state=State.SET)
    said = [normal_text(f"{title}\n{content}") for title, content in rows.values_list("title", "content")]
    if not said:
        return 0
    sentences = sentences_of(sources)
    return sum(any(sentence in text for sentence in sentences) for text in said)
