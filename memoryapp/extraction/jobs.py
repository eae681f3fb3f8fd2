"""The job that reads what arrived: from sources to candidates to what the policy makes of them.

It may be killed at any point and resumed: candidates are stored once whatever is read twice, and only pending ones are
considered.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from memoryapp.extraction import services
from memoryapp.extraction.models import Candidate, ExtractionRun
from memoryapp.extraction.queries import AGAIN, KIND, pending_candidates, sources_to_read
from memoryapp.extraction.reading import conversation_of, nodes_of_speakers, proposed_from
from memoryapp.extraction.rules import VERSION, extract
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Write
from memoryapp.ledger.services import record
from memoryapp.sources.models import Source

EXTRACTOR = "rules"
CHUNK = 50
"""Candidates in one write: few enough that a reader or another writer never waits long."""
CAPABILITIES = ("tell", "remember", "relate", "upsert_nodes", "connect_nodes", "look_up", "read_sources")

Item = TypeVar("Item")


def ask_for_extraction(write: Write, sources: Sequence[Source]) -> None:
    """Ask for a reading of what just arrived: one job a thread, one for everything else but answers in forms, whose
    bindings say what they mean."""
    by_thread: dict[uuid.UUID | None, list[Source]] = {}
    for source in sources:
        if source.kind == Source.Kind.FORM_ANSWER:
            continue
        by_thread.setdefault(source.thread_id, []).append(source)
    for thread_id, arrived in by_thread.items():
        if thread_id:
            positions = [source.position or 0 for source in arrived]
            jobs.enqueue(write, KIND, thread_id, {"from": min(positions), "to": max(positions)})
        else:
            for source in arrived:
                jobs.enqueue(write, KIND, source.pk, {})


def read(run: jobs.Run) -> None:
    """Read the job's sources with the built-in rules, store what they propose, and let the policy decide.

    A job that names `sources` only lets the policy decide: they were read before, and an agent has proposed more.
    """
    by = run.by.through(model=f"{EXTRACTOR} {VERSION}")
    sources, context = sources_to_read(run.job)
    total = max(len(sources), 1)
    run.progress(0, total)
    if "sources" in run.job.arguments:
        outcome = _consider(run, by, sources)
        record(by, "consider", lambda write: run.finish(outcome))
        return
    opened = record(
        by,
        "extract",
        lambda write: services.open_run(
            write, EXTRACTOR, VERSION, thread=sources[0].thread if sources else None, job=run.job
        ),
    )
    _propose(run, by, opened, sources, context)
    outcome = _consider(run, by, sources)
    if AGAIN in run.job.arguments:
        outcome["new"] = Candidate.objects.filter(run=opened).count()
    record(by, "extract", lambda write: _close(write, run, opened, outcome))


def _propose(
    run: jobs.Run, by: Any, opened: ExtractionRun, sources: Sequence[Source], context: Sequence[Source]
) -> None:
    known = {str(source.pk): source for source in sources}
    found = [proposal for proposal in extract(conversation_of([*context, *sources])) if proposal.span.turn in known]
    nodes = nodes_of_speakers([*context, *sources])
    for chunk in _chunks(found, CHUNK):
        proposals = [proposed_from(proposal, known, nodes) for proposal in chunk]
        record(by, "propose", lambda write, these=proposals: services.propose(write, opened, these))  # type: ignore[misc]
        run.progress(0, max(len(sources), 1))


def _consider(run: jobs.Run, by: Any, sources: Sequence[Source]) -> dict[str, int]:
    waiting = pending_candidates(run.job.workspace, sources)
    for done, chunk in enumerate(_chunks(waiting, CHUNK), start=1):
        record(by, "consider", lambda write, these=chunk: services.consider(write, these))  # type: ignore[misc]
        run.progress(min(done * CHUNK, len(waiting)) * len(sources) // max(len(waiting), 1), max(len(sources), 1))
    ended = Counter(
        Candidate.objects.filter(workspace=run.job.workspace, source__in=[source.pk for source in sources]).values_list(
            "state", flat=True
        )
    )
    return {"sources": len(sources), "candidates": sum(ended.values()), **{str(k): v for k, v in ended.items()}}


def _close(write: Write, run: jobs.Run, opened: ExtractionRun, outcome: dict[str, int]) -> None:
    opened.counts = outcome
    opened.save(update_fields=["counts"])
    run.finish(outcome)


def _chunks(items: Sequence[Item], size: int) -> Iterator[list[Item]]:
    for start in range(0, len(items), size):
        yield list(items[start : start + size])
