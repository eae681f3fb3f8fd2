"""What is erased of the timeline: episodes of the conversations and sources that go, and of a person alone.

The row of an episode stays as a tombstone: its id, times and history, without its words. Where others took part the
episode is theirs too: it stays, with the erased person's names blotted out.
"""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from memoryapp.graph.models import Node
from memoryapp.ledger import erasing
from memoryapp.ledger.erasing import Changed, Eraser, Marked
from memoryapp.ledger.models import Write
from memoryapp.sources.models import Source, Thread
from memoryapp.timeline import feeding
from memoryapp.timeline.models import Episode, EpisodeParticipant, EpisodeRevision, EpisodeSource, EpisodeValue, State
from memoryapp.timeline.services import revising, valuing

ERASED = "Erased."
SHOWN = 200


def register() -> None:
    """Take part in erasures."""
    says = ((EpisodeRevision, "content"), (EpisodeSource, "quote"))
    erasing.register("timeline", Eraser(_mark, _prepare, _finish, says=says, examples=_examples))


def _mark(marked: Marked) -> None:
    here = Episode.objects.filter(workspace=marked.workspace)
    if threads := marked.of(Thread):
        marked.add(Episode, here.filter(thread__in=threads).values_list("pk", flat=True))
    if nodes := marked.of(Node):
        taking = EpisodeParticipant.objects.filter(episode=OuterRef("pk"))
        alone = here.filter(Exists(taking.filter(node__in=nodes)), thread__isnull=True)
        marked.add(Episode, alone.exclude(Exists(taking.exclude(node__in=nodes))).values_list("pk", flat=True))
    if sources := marked.of(Source):
        known = EpisodeSource.objects.filter(episode=OuterRef("pk"))
        only = here.filter(Exists(known.filter(source__in=sources))).exclude(Exists(known.exclude(source__in=sources)))
        marked.add(Episode, only.values_list("pk", flat=True))
        quoting = EpisodeSource.objects.filter(source__in=sources)
        marked.add(EpisodeSource, quoting.values_list("pk", flat=True))
    gone = marked.of(Episode)
    revisions = EpisodeRevision.objects.filter(episode__in=gone)
    marked.add(EpisodeRevision, revisions.values_list("pk", flat=True))
    marked.add(EpisodeSource, EpisodeSource.objects.filter(episode__in=gone).values_list("pk", flat=True))
    marked.add(Write, revisions.values_list("write", flat=True))


def _prepare(write: Write, marked: Marked) -> None:
    """Leave a tombstone of each, and nothing of it in the index."""
    for episode in Episode.objects.filter(pk__in=marked.of(Episode)).exclude(state=State.RETRACTED).order_by("pk"):
        revising.bury(write, episode, ERASED)
    EpisodeValue.objects.filter(revision__in=marked.of(EpisodeRevision)).delete()


def _finish(write: Write, marked: Marked, blotted: Changed) -> None:
    """What was blotted in episodes of others is found as it stands now."""
    changed = EpisodeRevision.objects.filter(pk__in=blotted.get(EpisodeRevision, ()))
    valuing.read_anew(write.workspace, list(changed.select_related("episode")))
    feeding.put(write, sorted(set(changed.values_list("episode", flat=True)) - marked.of(Episode)))


def _examples(marked: Marked) -> list[str]:
    found = EpisodeRevision.objects.filter(pk__in=marked.of(EpisodeRevision)).exclude(content="").order_by("pk")
    return [text[:SHOWN] for text in found.values_list("content", flat=True)[: erasing.EXAMPLES]]
