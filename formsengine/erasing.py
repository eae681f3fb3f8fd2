"""What is erased of forms: responses about a person that goes, and those that quote what goes.

The row of a response stays as a stone: its id, its form, its times and how many commits it had, without a word. An
answer stands in the log as a whole, so a response goes as a whole; where others than the erased person are only named
in it, their names are blotted out and the log is sealed anew.
"""

from __future__ import annotations

from functools import partial

from django.db import transaction

from formsengine import feeding
from formsengine.models import (
    FormAttachment,
    FormCitation,
    FormCommit,
    FormOutcome,
    FormResponse,
    FormWaiting,
    ResponseState,
)
from formsengine.queries import loading
from memoryapp.files.attachments import keeping
from memoryapp.graph.models import Node
from memoryapp.ledger import erasing
from memoryapp.ledger.erasing import Changed, Eraser, Marked
from memoryapp.ledger.models import Write
from memoryapp.sources.models import Source

SHOWN = 200


def register() -> None:
    """Take part in erasures, and let a response be erased by itself."""
    erasing.register_target("form_response", _begin)
    says = ((FormCommit, "body"), (FormWaiting, "patch"), (FormAttachment, "name"))
    erasing.register("forms", Eraser(_mark, _prepare, _finish, says=says))


def _begin(by: object, response_id: object, marked: Marked) -> None:
    from formsengine.queries.filled import response

    found = response(by, response_id)  # type: ignore[arg-type]
    marked.name = f"{found.form.name} {found.recorded_at:%Y-%m-%d %H:%M}"
    marked.add(FormResponse, [found.pk])


def _mark(marked: Marked) -> None:
    here = FormResponse.objects.filter(workspace=marked.workspace)
    if nodes := marked.of(Node):
        marked.add(FormResponse, here.filter(subject__in=nodes).values_list("pk", flat=True))
    if sources := marked.of(Source):
        cited = FormCitation.objects.filter(source__in=sources)
        said = FormOutcome.objects.filter(source__in=sources)
        marked.add(FormResponse, cited.values_list("response", flat=True))
        marked.add(FormResponse, said.values_list("response", flat=True))
    gone = marked.of(FormResponse)
    commits = FormCommit.objects.filter(response__in=gone)
    marked.add(FormCommit, commits.values_list("pk", flat=True))
    marked.add(Write, commits.values_list("write", flat=True))
    for model in (FormAttachment, FormWaiting):
        marked.add(model, model.objects.filter(response__in=gone).values_list("pk", flat=True))
    answers = FormOutcome.objects.filter(response__in=gone, source__isnull=False)
    marked.add(Source, answers.values_list("source", flat=True))


def _prepare(write: Write, marked: Marked) -> None:
    """Nothing is left of each but its stone."""
    FormResponse.objects.filter(pk__in=marked.of(FormResponse)).update(
        state=ResponseState.ERASED, digest="", progress={}, changed_at=write.recorded_at
    )


def _finish(write: Write, marked: Marked, blotted: Changed) -> None:
    """Logs in which somebody was blotted out are sealed anew; the bytes of files that answered are taken away."""
    files = FormAttachment.objects.filter(pk__in=marked.of(FormAttachment))
    for stored in files.values_list("stored", flat=True):
        transaction.on_commit(partial(keeping.let_go, stored), robust=True)
    changed = FormCommit.objects.filter(pk__in=blotted.get(FormCommit, ())).values("response")
    for row in FormResponse.objects.filter(pk__in=changed).exclude(pk__in=marked.of(FormResponse)):
        bodies = FormCommit.objects.filter(response=row).order_by("number").values_list("body", flat=True)
        row.digest = loading.digest_of(bodies.iterator())
        row.save(update_fields=["digest"])
    feeding.erased(write, marked.of(FormResponse))
    feeding.blotted(write, set(changed.values_list("response", flat=True)) - marked.of(FormResponse))
