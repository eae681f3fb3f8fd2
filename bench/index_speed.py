"""How long the text index takes at 100,000 entries: in one workspace, and over a hundred.

    python -m bench.index_speed --entries 100000

Prints what a search takes beside the engine's bare OR query for the same words over the same index, and what one more
indexed row costs a write. Uses the database of `DATABASE_URL`, which must be empty; what it writes stays there.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
django.setup()

import datetime as dt  # noqa: E402

from django.db import connection, transaction  # noqa: E402

from memoryapp.index.queries import Scope, search  # noqa: E402
from memoryapp.index.services import put  # noqa: E402
from memoryapp.index.texts import Text, who_and_when  # noqa: E402
from memoryapp.index.words import question_words, sign  # noqa: E402
from memoryapp.ledger.identifiers import new_id  # noqa: E402
from memoryapp.ledger.models import Actor, Workspace  # noqa: E402
from memoryapp.ledger.principal import Principal  # noqa: E402
from memoryapp.ledger.services import create_workspace, record  # noqa: E402

BEGAN = dt.datetime(2026, 1, 5, 9, tzinfo=dt.UTC)
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "ol")]
PEOPLE = ("Mira", "Tomas", "Nadia", "Oleg", "Ines", "Pavel", "Ruth", "Karim")


class Language:
    """Invented words, used as often as words are (the n-th most frequent 1/n as often as the first)."""

    def __init__(self, size: int, seed: int) -> None:
        self.random = random.Random(seed)
        made: dict[str, None] = {}
        while len(made) < size:
            made["".join(self.random.choices(SYLLABLES, k=self.random.choice((2, 2, 3, 3, 4))))] = None
        self.words = list(made)
        self.weights = [1 / rank for rank in range(1, size + 1)]
        total = 0.0
        self.cumulative = [total := total + weight for weight in self.weights]

    def say(self, words: int) -> str:
        return " ".join(self.random.choices(self.words, cum_weights=self.cumulative, k=words))


def texts(language: Language, count: int) -> Iterator[Text]:
    for number in range(count):
        said_at = BEGAN + dt.timedelta(minutes=number)
        speaker = PEOPLE[number % len(PEOPLE)]
        yield Text(
            "source",
            new_id(),
            language.say(language.random.randint(6, 24)),
            label=who_and_when(speaker, said_at),
            section=f"thread-{number // 40}",
            position=number % 40,
            speaker=speaker,
            said_at=said_at,
        )


def fill(slug: str, language: Language, count: int) -> Workspace:
    workspace = create_workspace(f"{slug}-{new_id().hex[-8:]}", slug)
    by = Principal(workspace, Actor.objects.get(workspace=workspace, kind=Actor.Kind.SYSTEM), "command")
    remaining = list(texts(language, count))
    while remaining:
        batch, remaining = remaining[:2000], remaining[2000:]
        record(by, "benchmark", partial(put, texts=batch))
    return workspace


def one_more(workspace: Workspace, language: Language, times: int = 200) -> None:
    """The cost of one indexed row in a durable write of its own, over the same write without it."""
    by = Principal(workspace, Actor.objects.get(workspace=workspace, kind=Actor.Kind.SYSTEM), "command")
    rows = list(texts(language, times))
    empty = [timed(partial(record, by, "benchmark", partial(put, texts=[]))) for _ in rows]
    full = [timed(partial(record, by, "benchmark", partial(put, texts=[row]))) for row in rows]
    print(
        f"  a write {statistics.median(empty):.2f} ms, with one indexed row {statistics.median(full):.2f} ms, "
        f"difference {statistics.median(full) - statistics.median(empty):.2f}"
    )


def bare(workspace: Workspace, question: str) -> None:
    """The engine alone: OR of the same signs, ranked by its own measure, ten best rows."""
    signs = [sign(workspace.id.hex, word.stem) for word in question_words(question)]
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                "SELECT rowid FROM index_signs WHERE index_signs MATCH %s ORDER BY rank LIMIT 10", [" OR ".join(signs)]
            )
        else:
            cursor.execute(
                "SELECT id FROM index_indexentry, CAST(%s AS tsquery) asked WHERE signs @@ asked "
                "ORDER BY ts_rank(signs, asked) DESC LIMIT 10",
                [" | ".join(signs)],
            )
        cursor.fetchall()


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def measure(name: str, workspaces: list[Workspace], language: Language, questions: int) -> None:
    own: list[float] = []
    cpu: list[float] = []
    engines: list[float] = []
    for number in range(questions):
        workspace = workspaces[number % len(workspaces)]
        question = f"what did {PEOPLE[number % len(PEOPLE)]} say of {language.say(4)}"
        began = time.thread_time()
        own.append(timed(lambda: search(Scope(workspace, {"source": None}), question, limit=10)))  # noqa: B023
        cpu.append((time.thread_time() - began) * 1000)
        engines.append(timed(lambda: bare(workspace, question)))  # noqa: B023
    print(
        f"  {name}: search p50 {statistics.median(own):.1f} p95 {p95(own):.1f} ms (of it this process "
        f"{statistics.median(cpu):.1f} / {p95(cpu):.1f}); bare OR p50 {statistics.median(engines):.1f} "
        f"p95 {p95(engines):.1f} ms; ratio {statistics.median(own) / statistics.median(engines):.2f}"
    )


def p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=300)
    arguments = parser.parse_args()
    language = Language(20_000, seed=7)
    print(f"{connection.vendor}, {arguments.entries} entries")
    for name, many in (("one workspace", 1), ("a hundred workspaces", 100)):
        began = time.perf_counter()
        workspaces = [fill("bench", language, arguments.entries // many) for _ in range(many)]
        took = time.perf_counter() - began
        print(f"{name}: filled in {took:.0f} s, {took / arguments.entries * 1000:.2f} ms a row in batches")
        analyse()
        measure(name, workspaces, language, arguments.questions)
        one_more(workspaces[0], language)
        empty(workspaces)


def analyse() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if connection.vendor == "postgresql" else "PRAGMA optimize")


def empty(workspaces: list[Workspace]) -> None:
    from memoryapp.index.models import IndexEntry, Statistics, Term

    with transaction.atomic():
        for model in (IndexEntry, Term, Statistics):
            model._base_manager.filter(workspace__in=workspaces).delete()


if __name__ == "__main__":
    main()
