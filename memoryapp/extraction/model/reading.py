"""The job in which the model reads: window by window, each answer stored with its call, resumed where it stopped."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any

from memoryapp.doors.errors import DomainError
from memoryapp.doors.moments import NotAMoment, parse
from memoryapp.extraction import services
from memoryapp.extraction.candidates import Proposed
from memoryapp.extraction.jobs import CHUNK
from memoryapp.extraction.model import facts, prompt
from memoryapp.extraction.model.windows import Window, windows
from memoryapp.extraction.models import Candidate
from memoryapp.extraction.queries import AGAIN, pending_candidates, sources_to_read
from memoryapp.extraction.queries import KIND as READ_BY_RULES
from memoryapp.extraction.reading import nodes_of_speakers
from memoryapp.index.language import asking
from memoryapp.index.language.asking import Answered, Asked
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Job, Write
from memoryapp.ledger.services import record
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology
from memoryapp.sources.models import Source, Speaker
from memoryapp.sources.queries import taken_back

KIND = "read_with_model"
PURPOSE = "read"
MOST_WINDOWS = 20
"""Windows that one job reads; a longer text is read on by the next."""


def ask_for_reading(write: Write, sources: Sequence[Source]) -> None:
    """Ask the model to read what just arrived, if there is one: a job a thread, one for everything else."""
    if not asking.available(write.workspace):
        return
    by_thread: dict[uuid.UUID | None, list[Source]] = {}
    for source in sources:
        if source.kind != Source.Kind.FORM_ANSWER:
            by_thread.setdefault(source.thread_id, []).append(source)
    for thread_id, arrived in by_thread.items():
        if thread_id:
            positions = [source.position or 0 for source in arrived]
            jobs.enqueue(write, KIND, thread_id, {"from": min(positions), "to": max(positions)})
        else:
            for source in arrived:
                jobs.enqueue(write, KIND, source.pk, {})


def read(run: jobs.Run) -> None:
    """Read the job's windows that were not read yet, then let the policy decide on what was found."""
    _let_the_rules_go_first(run)
    sources, before = sources_to_read(run.job)
    every = windows(sources, before)
    first = int(run.job.arguments.get("window", 0))
    mine = range(first, min(first + MOST_WINDOWS, len(every)))
    done = asking.done_parts(run, PURPOSE)
    ontology = current_ontology(run.job.workspace)
    for count, number in enumerate(mine):
        run.progress(count, max(len(mine), 1))
        if number not in done:
            _read_window(run, ontology, every[number], number)
    by = asking.by_model(run, Asked(PURPOSE, prompt.VERSION))
    waiting = _mine(run, pending_candidates(run.job.workspace, sources))
    for start in range(0, len(waiting), CHUNK):
        run.progress(len(mine), max(len(mine), 1))
        these = waiting[start : start + CHUNK]
        record(by, "consider", lambda write, these=these: services.consider(write, these))  # type: ignore[misc]
    record(by, "read_with_model", lambda write: _end(write, run, len(every), mine))


def _let_the_rules_go_first(run: jobs.Run) -> None:
    """What the rules find needs no model: they read the same words first."""
    rules = Job.objects.filter(
        workspace=run.job.workspace, kind=READ_BY_RULES, subject_id=run.job.subject_id, state__in=jobs.OPEN_STATES
    )
    if rules.filter(created_at__lte=run.job.created_at).exists():
        raise jobs.Later(1.0, "The rules read it first.")


def _end(write: Write, run: jobs.Run, windows_in_all: int, mine: range) -> None:
    """End the job, and ask for the rest of a long text."""
    if mine.stop < windows_in_all:
        jobs.enqueue(write, KIND, run.job.subject_id, run.job.arguments | {"window": mine.stop})
    found = Candidate.objects.filter(workspace=run.job.workspace, run__job=run.job).values_list("state", flat=True)
    states = Counter(found)
    spent = asking.spent_on(run.job)
    refused = sum(one.counts.get("refused", 0) for one in run.job.extraction_runs.all())
    counts = {"windows": len(mine), "candidates": sum(states.values()), **{str(k): v for k, v in states.items()}}
    run.finish(counts | {"refused": refused, "tokens": spent["tokens_in"] + spent["tokens_out"]})


def _read_window(run: jobs.Run, ontology: Ontology, window: Window, number: int) -> None:
    asked = Asked(PURPOSE, prompt.VERSION, number)
    answered = asking.ask(run, asked, prompt.task(ontology), prompt.about(window), prompt.Reading)
    run.progress(0, 1)
    by = asking.by_model(run, asked)
    record(by, "propose", lambda write: _keep(write, run, ontology, window, answered))


def _keep(write: Write, run: jobs.Run, ontology: Ontology, window: Window, answered: Answered[prompt.Reading]) -> None:
    """Store the candidates of a window with the call they came from; say how many were turned away."""
    speakers = nodes_of_speakers([passage.source for passage in window.passages])
    known = prompt.kinds(ontology)
    found = [_proposed(window, said, known, speakers) for said in answered.form.statements]
    found += [_fact(window, said, ontology, speakers) for said in answered.form.facts]
    kept = [one for one in found if one is not None]
    fresh = _not_read_already(run, kept)
    opened = services.open_run(write, f"model:{answered.call.model}"[:100], prompt.VERSION, job=run.job)
    services.propose(write, opened, fresh)
    counts = dict(opened.counts)
    counts["refused"] = counts.get("refused", 0) + len(found) - len(kept)
    counts["read_already"] = counts.get("read_already", 0) + len(kept) - len(fresh)
    opened.counts = counts
    opened.save(update_fields=["counts"])
    answered.note(write, raw=answered.form.model_dump_json() if len(kept) < len(found) else "")


def _proposed(
    window: Window, said: prompt.Read, kinds: dict[str, str], speakers: dict[str, uuid.UUID]
) -> Proposed | None:
    """What the model says as a proposal, or nothing where it says what it may not.

    The turn is one of the new ones shown, the quote stands in it letter for letter, the kind is declared, the dates are
    dates. Whose statement it is says the turn, never the model: the user who spoke, or nobody.
    """
    if said.turn >= len(window.passages) or said.kind not in kinds or not said.content.strip():
        return None
    passage = window.passages[said.turn]
    span = passage.locate(said.quote) if said.quote.strip() and not passage.read else None
    if span is None:
        return None
    dates = _dates(said)
    if dates is None:
        return None
    details: dict[str, Any] = {"topic": said.topic.strip()} | dates
    source = passage.source
    node = speakers.get(str(source.participant_id))
    if node and source.speaker == Speaker.USER:
        details["owners"] = [{"node": str(node)}]
    details = {name: value for name, value in details.items() if value}
    return Proposed(source, *span, said.kind, said.content.strip(), details, confidence=float(said.confidence))


def _fact(window: Window, said: prompt.Fact, ontology: Ontology, speakers: dict[str, uuid.UUID]) -> Proposed | None:
    dates = _dates(said)
    return facts.proposed(window, said, ontology, speakers, dates) if dates is not None else None


def _dates(said: prompt.Read | prompt.Fact) -> dict[str, str] | None:
    """The dates that are given, as moments; none when one of them is no date."""
    found = {}
    for name, told in (("valid_from", said.valid_from), ("valid_to", said.valid_to)):
        if told.strip():
            try:
                found[name] = str(parse(told.strip()))
            except (NotAMoment, DomainError):
                return None
    return found


def _not_read_already(run: jobs.Run, proposals: Sequence[Proposed]) -> list[Proposed]:
    """Those whose words no other extractor has made anything of: the rules and agents come first. When it reads again,
    nor an earlier reading by a model: the same words in other ones would be held twice.

    Nor what was taken back while the model was reading it.
    """
    gone = taken_back({one.source.pk for one in proposals})
    proposals = [one for one in proposals if one.source.pk not in gone]
    others = Candidate.objects.filter(workspace=run.job.workspace, source__in={one.source.pk for one in proposals})
    others = others.exclude(state=Candidate.State.REJECTED)
    if AGAIN in run.job.arguments:
        others = others.exclude(run__job=run.job)
    else:
        others = others.exclude(run__extractor__startswith="model:")
    taken: dict[uuid.UUID, list[tuple[int, int]]] = {}
    for source, start, end in others.values_list("source", "span_start", "span_end"):
        taken.setdefault(source, []).append((start, end))
    return [one for one in proposals if not any(_same_words(one, span) for span in taken.get(one.source.pk, ()))]


def _same_words(one: Proposed, span: tuple[int, int]) -> bool:
    """Whether two spans share most of the shorter one."""
    shared = min(one.end, span[1]) - max(one.start, span[0])
    return shared * 2 > min(one.end - one.start, span[1] - span[0])


def _mine(run: jobs.Run, candidates: Sequence[Candidate]) -> list[Candidate]:
    return [one for one in candidates if one.run.job_id == run.job.pk]
