"""Files by the words they hold, with the one index. Only what may be read by its own path is looked through."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import QuerySet

from memoryapp.access.paths import ROOT, territory
from memoryapp.files.feeding import FILE
from memoryapp.files.models import Entry, Version
from memoryapp.files.queries.tree import latest_of, recallable
from memoryapp.index import queries as index
from memoryapp.index.texts import unseen
from memoryapp.ledger.principal import Principal

USUAL_LIMIT = 20
MOST = 100


@dataclass(frozen=True)
class Answer:
    """A file that answers, with the words of the question that it holds."""

    entry: Entry
    version: Version
    score: float
    words: list[str]


@dataclass(frozen=True)
class Searched:
    """What answers, best first, and what the words were taken for."""

    answers: list[Answer]
    unknown: list[str] = field(default_factory=list)
    expanded: dict[str, list[str]] = field(default_factory=dict)


def search(by: Principal, question: str, *, under: str = ROOT, limit: int = USUAL_LIMIT) -> Searched:
    """The files in sight that answer a question, best first. Any text is a question."""
    by.require("read_files")
    rows: QuerySet[Entry] = recallable(by).filter(territory(under))
    found = index.search(index.Scope(by.workspace, {FILE: rows}, unseen=unseen(by)), question, limit=limit)
    latest = latest_of([hit.target_id for hit in found.hits])
    answers = [
        Answer(version.entry, version, hit.score, hit.words)
        for hit in found.hits
        if (version := latest.get(hit.target_id)) is not None
    ]
    held = {word for hit in found.hits for word in hit.words}
    return Searched(answers, [word for word in found.unknown if word not in held], found.expanded)
