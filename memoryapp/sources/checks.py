"""What must hold of stored sources, checked by `manage.py integrity`."""

from collections.abc import Iterator

from django.db.models import Count, F, Max, Min, Q

from memoryapp.ledger import integrity
from memoryapp.ledger.integrity import Check, Finding, about
from memoryapp.ledger.models import Workspace
from memoryapp.sources.models import Source, Thread


def register() -> None:
    integrity.register(Check("turns", "Threads have their turns without a gap", _turns))


def _turns(workspace: Workspace) -> Iterator[Finding]:
    threads = Thread.objects.filter(workspace=workspace).order_by("pk")
    counted = threads.annotate(count=Count("turns"), first=Min("turns__position"), last=Max("turns__position"))
    for thread in counted.filter(count__gt=0).exclude(first=0, last=F("count") - 1):
        yield about(thread, "A turn is missing between others.")
    turns = Source.objects.filter(workspace=workspace, participant__isnull=False).order_by("pk")
    for turn in turns.exclude(participant__thread=F("thread")):
        yield about(turn, "It is said by a participant of another thread.")
    for turn in turns.exclude(participant__role=F("speaker")):
        yield about(turn, "It is said in another role than its participant's.")
    apart = Source.objects.filter(workspace=workspace, thread__isnull=False).order_by("pk")
    alike = Q(audience=F("thread__audience")) | Q(audience__isnull=True, thread__audience__isnull=True)
    for turn in apart.exclude(alike):
        yield about(turn, "It has other readers than its conversation.")
