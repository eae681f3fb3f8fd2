"""Sources that are read again, with what reads now: what that would change is shown first.

What was learned before stays, with what it stands on. What another reading finds is proposed beside it; the same words
proposed the same way are one candidate, whoever reads them how often.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from django.conf import settings
from django.db.models import QuerySet

from memoryapp.doors.errors import Conflict
from memoryapp.extraction.candidates import Proposed
from memoryapp.extraction.jobs import EXTRACTOR
from memoryapp.extraction.model import prompt
from memoryapp.extraction.model.reading import KIND as WITH_MODEL
from memoryapp.extraction.models import Candidate, ExtractionRun
from memoryapp.extraction.queries import AGAIN, KIND, candidates, to_read, turns_to_read
from memoryapp.extraction.reading import conversation_of, nodes_of_speakers, proposed_from
from memoryapp.extraction.rules import VERSION, extract
from memoryapp.index.language import asking
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Job, Write
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import Source, Thread
from memoryapp.sources.queries import source, thread

MOST_COMPARED = 500
"""Turns of a conversation up to which what reading again would change is shown; of more only a job finds out."""


@dataclass(frozen=True)
class Of:
    """What is read again: a source that stands alone, a turn, or a whole conversation. In its caller's sight.

    `sources` are still to be read from the database, `before` the turns that are only looked at; `called` is what a
    page calls it.
    """

    subject: uuid.UUID
    arguments: dict[str, int]
    sources: QuerySet[Source]
    before: QuerySet[Source]
    number: int
    called: Source | Thread


@dataclass(frozen=True)
class Difference:
    """What reading again would change, by this version of the rules and, where there is one, by `model` with these
    `instructions`.

    `new` would be proposed; `same` was proposed before, just so; `gone` is what the rules found before and do not find
    now: it stays as it is. Of more than `MOST_COMPARED` turns nothing is `compared`: these are empty then.
    """

    sources: int
    rules: str
    runs: list[ExtractionRun]
    new: list[Proposed] = field(default_factory=list)
    same: int = 0
    gone: list[Candidate] = field(default_factory=list)
    model: str = ""
    instructions: str = ""
    compared: bool = True

    @property
    def version(self) -> str:
        """What reads now, as its runs are called."""
        return f"{EXTRACTOR} {self.rules}"

    @property
    def with_model(self) -> str:
        """The model that would be asked as well, with its instructions; empty for none."""
        return f"{self.model}, {self.instructions}" if self.model else ""


def what(by: Principal, *, source_id: uuid.UUID | None = None, thread_id: uuid.UUID | None = None) -> Of:
    """What is to be read again. Raises NotFound for what is out of sight, Conflict for what is taken back."""
    if source_id is not None:
        found = source(by, source_id)
        if found.thread_id is None:
            return _of(found, found.pk, {})
        position = found.position or 0
        return _of(found, found.thread_id, {"from": position, "to": position})
    assert thread_id is not None
    conversation = thread(by, thread_id)
    first, last = turns_to_read(by.workspace.pk, thread_id)
    return _of(conversation, thread_id, {"from": first, "to": last})


def _of(called: Source | Thread, subject: uuid.UUID, arguments: dict[str, int]) -> Of:
    sources, before = to_read(called.workspace_id, subject, arguments)
    number = sources.count()
    if not number:
        raise Conflict("This is taken back: there is nothing to read.", code="source_withdrawn")
    return Of(subject, arguments, sources, before, number, called)


def difference(by: Principal, of: Of) -> Difference:
    """What the rules of now make of it, beside what was proposed before. Nothing is stored, no model is asked."""
    asked = asking.available(by.workspace)
    would = Difference(
        sources=of.number,
        rules=VERSION,
        runs=_runs(by, of),
        model=settings.MODEL_NAME if asked else "",
        instructions=prompt.VERSION if asked else "",
        compared=of.number <= MOST_COMPARED,
    )
    return _compared(by, of, would) if would.compared else would


def _compared(by: Principal, of: Of, would: Difference) -> Difference:
    sources = list(of.sources)
    known = {str(one.pk): one for one in sources}
    whole = [*of.before, *sources]
    nodes = nodes_of_speakers(whole)
    found = [proposed_from(one, known, nodes) for one in extract(conversation_of(whole)) if one.span.turn in known]
    earlier = list(candidates(by).filter(source__in=of.sources).order_by("source__position", "span_start", "id"))
    stored = {(one.source_id, one.digest) for one in earlier}
    now = {(one.source.pk, one.digest()) for one in found}
    by_rules = [one for one in earlier if one.run.extractor == EXTRACTOR]
    return replace(
        would,
        new=[one for one in found if (one.source.pk, one.digest()) not in stored],
        same=len(now & stored),
        gone=[one for one in by_rules if (one.source_id, one.digest) not in now],
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
