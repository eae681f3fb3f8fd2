"""Sources that are read again, with what reads now: what that would change is shown first.

What was learned before stays, with what it stands on. What another reading finds is proposed beside it; the same words
proposed the same way are one candidate, whoever reads them how often.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from memoryapp.doors.errors import Conflict
from memoryapp.extraction.candidates import Proposed
from memoryapp.extraction.jobs import EXTRACTOR
from memoryapp.extraction.model import prompt
from memoryapp.extraction.model.reading import KIND as WITH_MODEL
from memoryapp.extraction.models import Candidate, ExtractionRun
from memoryapp.extraction.queries import AGAIN, KIND, candidates, sources_to_read
from memoryapp.extraction.reading import conversation_of, nodes_of_speakers, proposed_from
from memoryapp.extraction.rules import VERSION, extract
from memoryapp.index.language import asking
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Job, Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import Source
from memoryapp.sources.queries import source, sources_of, thread


@dataclass(frozen=True)
class Of:
    """What is read again: a source that stands alone, a turn, or a whole conversation. In its caller's sight."""

    subject: uuid.UUID
    arguments: dict[str, int]
    sources: list[Source]
    before: list[Source]


@dataclass(frozen=True)
class Difference:
    """What reading again would change. `new` would be proposed; `same` was proposed before, just so; `gone` is what the
    rules found before and do not find now: it stays as it is. `with_model`: a model would be asked as well."""

    sources: int
    version: str
    new: list[Proposed]
    same: int
    gone: list[Candidate]
    runs: list[ExtractionRun]
    with_model: str = ""


def what(by: Principal, *, source_id: uuid.UUID | None = None, thread_id: uuid.UUID | None = None) -> Of:
    """What is to be read again. Raises NotFound for what is out of sight, Conflict for what is taken back."""
    if source_id is not None:
        found = source(by, source_id)
        if found.thread_id is None:
            return _of(by.workspace, found.pk, {})
        position = found.position or 0
        return _of(by.workspace, found.thread_id, {"from": position, "to": position})
    assert thread_id is not None
    thread(by, thread_id)
    turns = Source.objects.filter(pk__in=sources_of(by, thread=thread_id)).order_by("position")
    positions = [position or 0 for position in turns.values_list("position", flat=True)]
    return _of(by.workspace, thread_id, {"from": min(positions, default=0), "to": max(positions, default=0)})


def _of(workspace: Workspace, subject: uuid.UUID, arguments: dict[str, int]) -> Of:
    sources, before = sources_to_read(Job(workspace=workspace, subject_id=subject, arguments=arguments))
    if not sources:
        raise Conflict("This is taken back: there is nothing to read.", code="source_withdrawn")
    return Of(subject, arguments, sources, before)


def difference(by: Principal, of: Of) -> Difference:
    """What the rules of now make of it, beside what was proposed before. Nothing is stored, no model is asked."""
    known = {str(one.pk): one for one in of.sources}
    whole = [*of.before, *of.sources]
    nodes = nodes_of_speakers(whole)
    found = [proposed_from(one, known, nodes) for one in extract(conversation_of(whole)) if one.span.turn in known]
    earlier = list(candidates(by).filter(source__in=of.sources).order_by("source__position", "span_start", "id"))
    stored = {(one.source_id, one.digest) for one in earlier}
    now = {(one.source.pk, one.digest()) for one in found}
    by_rules = [one for one in earlier if one.run.extractor == EXTRACTOR]
    return Difference(
        sources=len(of.sources),
        version=f"{EXTRACTOR} {VERSION}",
        new=[one for one in found if (one.source.pk, one.digest()) not in stored],
        same=len(now & stored),
        gone=[one for one in by_rules if (one.source_id, one.digest) not in now],
        runs=_runs(by, of),
        with_model=f"{settings.MODEL_NAME}, {prompt.VERSION}" if asking.available(by.workspace) else "",
    )


def _runs(by: Principal, of: Of) -> list[ExtractionRun]:
    """Who read it before, the latest first."""
    seen = candidates(by).filter(source__in=of.sources).order_by().values("run")
    runs = ExtractionRun.objects.filter(workspace=by.workspace)
    read = runs.filter(pk__in=seen) | runs.filter(job__subject_id=of.subject)
    return list(read.distinct().order_by("-recorded_at", "-pk")[:20])


def read_again(write: Write, of: Of) -> list[Job]:
    """Ask for another reading: by the rules and, where there is one, by the model. A run of its own each.

    One that is asked for while it is still being read is the same. Needs `tell`.
    """
    write.by.require("tell")
    kinds = [KIND, *([WITH_MODEL] if asking.available(write.workspace) else ())]
    return [_asked(write, of, kind) for kind in kinds]


def _asked(write: Write, of: Of, kind: str) -> Job:
    waiting = Job.objects.filter(
        workspace=write.workspace, kind=kind, subject_id=of.subject, state__in=jobs.OPEN_STATES
    ).order_by("created_at", "id")
    same: Sequence[Job] = [one for one in waiting if _covers(one.arguments, of.arguments)]
    return same[0] if same else jobs.enqueue(write, kind, of.subject, {**of.arguments, AGAIN: True})


def _covers(arguments: dict[str, int], wanted: dict[str, int]) -> bool:
    """Whether a job that was asked for reads all of it."""
    if "sources" in arguments or "window" in arguments:
        return False
    if "from" not in wanted:
        return True
    return bool(arguments.get("from", 0) <= wanted["from"] and wanted["to"] <= arguments.get("to", -1))
