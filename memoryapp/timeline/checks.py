"""What must hold of stored episodes, checked by `manage.py integrity`."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Exists, F, OuterRef, Q

from memoryapp.ledger import integrity
from memoryapp.ledger.integrity import Check, Finding, about
from memoryapp.ledger.models import Workspace
from memoryapp.timeline.models import SHORT, TOLD, Episode, EpisodeParticipant, EpisodeRevision, EpisodeSource
from memoryapp.timeline.services import valuing


def register() -> None:
    """Let `manage.py integrity` run these."""
    integrity.register(Check("episodes", "Episodes are as their latest revision says", _heads))
    integrity.register(Check("episode revisions", "Every revision has all that belongs to it", _whole))
    title = "Properties of episodes are compared as they are said"
    integrity.register(Check("episode values", title, _values, valuing.rebuild_all))


def _heads(workspace: Workspace) -> Iterator[Finding]:
    same = Q()
    for name in TOLD:
        same &= Q(**{name: OuterRef(name)}) | Q(**{f"{name}__isnull": True}) & _empty(name)
    says = EpisodeRevision.objects.filter(same, episode=OuterRef("pk"), sequence=OuterRef("lock"))
    episodes = Episode.objects.filter(workspace=workspace).order_by("pk")
    for episode in episodes.exclude(Exists(says)):
        yield about(episode, "It is not as its latest revision says.")
    long = Q(begins_at__isnull=True) | Q(ends_at__isnull=True) | Q(ends_at__gt=F("begins_at") + SHORT)
    for episode in episodes.filter(Q(long, lasting=False) | Q(~long, lasting=True)):
        yield about(episode, "It is not kept with those that last as long.")
    for episode in episodes.annotate(count=Count("revisions")).exclude(count=F("lock")):
        yield about(episode, "A revision is missing, or there is one too many.")


def _values(workspace: Workspace) -> Iterator[Finding]:
    for revision in valuing.misread(workspace):
        yield about(revision, "Its properties are compared as others.")


def _empty(name: str) -> Q:
    """That the head has nothing there either."""
    heads = Episode.objects.filter(pk=OuterRef("episode"), **{f"{name}__isnull": True})
    return Q(Exists(heads))


def _whole(workspace: Workspace) -> Iterator[Finding]:
    revisions = EpisodeRevision.objects.filter(workspace=workspace).order_by("pk")
    for revision in revisions.annotate(count=Count("participants")).exclude(count=F("participant_count")):
        yield about(revision, "It has not all who take part.")
    for revision in revisions.annotate(count=Count("sources")).exclude(count=F("source_count")):
        yield about(revision, "It has not all the sources it is known from.")
    for table in (EpisodeParticipant, EpisodeSource):
        rows = table.objects.filter(workspace=workspace).order_by("pk")
        for row in rows.exclude(revision__episode=F("episode")):
            yield about(row, "It belongs to a revision of another episode.")
