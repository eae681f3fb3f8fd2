"""The index in an erasure: what goes is found by nobody, and what was blotted out is indexed as it stands now."""

from __future__ import annotations

from memoryapp.index import services
from memoryapp.index.engines import engine
from memoryapp.index.models import Embedding, IndexEntry, ModelCall, Statistics, Term
from memoryapp.index.said import SOURCE
from memoryapp.ledger import erasing
from memoryapp.ledger.erasing import Changed, Eraser, Marked
from memoryapp.ledger.models import Write
from memoryapp.sources.models import Participant, Source, Thread


def register() -> None:
    """Take part in erasures."""
    apart = (IndexEntry, Term, Statistics, Embedding)
    erasing.register(
        "index", Eraser(_mark, finish=_finish, apart=apart, clean=lambda tables: engine().clean_files(tables))
    )


def _mark(marked: Marked) -> None:
    """Entries belong to what they were made of. What a model answered about what goes, and could not be used, goes."""
    threads = Source.objects.filter(pk__in=marked.of(Source), thread__isnull=False).values_list("thread", flat=True)
    about = marked.ids() | {thread for thread in threads if thread}
    calls = ModelCall.objects.filter(workspace=marked.workspace, job__subject_id__in=about).exclude(raw="")
    marked.add(ModelCall, calls.values_list("pk", flat=True))


def _finish(write: Write, marked: Marked, blotted: Changed) -> None:
    services.erase(write, [(SOURCE, one) for one in marked.of(Source)])
    named = Source.objects.filter(workspace=write.workspace, participant__in=blotted.get(Participant, ()))
    titled = Source.objects.filter(workspace=write.workspace, thread__in=blotted.get(Thread, ()))
    changed = set(blotted.get(Source, ())) | {one.pk for one in [*named, *titled]}
    services.reload(write, [(SOURCE, one) for one in changed - marked.of(Source)])
