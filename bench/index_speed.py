"""How long the text index takes at 100,000 entries: in one workspace, and over a hundred.

    python -m bench.index_speed --entries 100000 --workspaces 100

Prints what a search takes beside the bare engine's OR query over one table of the same texts, and what one more indexed
row costs a write. Uses the database of `DATABASE_URL`, which must be empty; what it writes stays there.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

import django

from bench.measuring import p95

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
django.setup()

import datetime as dt  # noqa: E402

from django.db import connection  # noqa: E402

from bench.language import Language  # noqa: E402
from memoryapp.index.models import IndexEntry  # noqa: E402
from memoryapp.index.queries import Scope, search  # noqa: E402
from memoryapp.index.services import put  # noqa: E402
from memoryapp.index.stop_words import STOP_WORDS  # noqa: E402
from memoryapp.index.texts import Text, who_and_when  # noqa: E402
from memoryapp.ledger.identifiers import new_id  # noqa: E402
from memoryapp.ledger.models import Actor, Workspace  # noqa: E402
from memoryapp.ledger.principal import Principal  # noqa: E402
from memoryapp.ledger.services import create_workspace, record  # noqa: E402

BEGAN = dt.datetime(2026, 1, 5, 9, tzinfo=dt.UTC)
PEOPLE = ("Mira", "Tomas", "Nadia", "Oleg", "Ines", "Pavel", "Ruth", "Karim")


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


def lay_bare() -> None:
    """The engine alone, as one would set it up by hand: one table of the same texts with its own analysis."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("CREATE VIRTUAL TABLE bare_text USING fts5(said, tokenize='porter unicode61')")
            cursor.execute("INSERT INTO bare_text(rowid, said) SELECT id, label || ' ' || text FROM index_indexentry")
        else:
            cursor.execute(
                "CREATE TABLE bare_text AS SELECT id, to_tsvector('english', label || ' ' || text) AS said "
                "FROM index_indexentry"
            )
            cursor.execute("CREATE INDEX bare_said ON bare_text USING gin (said)")
            cursor.execute("ANALYZE")


def bare(question: str) -> None:
    """OR of the question's words without stop words, ranked by the engine's own measure, ten best rows."""
    words = [word for word in question.split() if word not in STOP_WORDS]
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                "SELECT rowid FROM bare_text WHERE bare_text MATCH %s ORDER BY rank LIMIT 10", [" OR ".join(words)]
            )
        else:
            cursor.execute(
                "SELECT id FROM bare_text, to_tsquery('english', %s) asked WHERE said @@ asked "
                "ORDER BY ts_rank(said, asked) DESC LIMIT 10",
                [" | ".join(words)],
            )
        cursor.fetchall()


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def measure(workspaces: list[Workspace], language: Language, questions: int) -> None:
    """Ask both in turn. `cpu` is the time of this process alone: with SQLite, which runs in it, all of the work."""
    own: list[float] = []
    own_cpu: list[float] = []
    engine: list[float] = []
    engine_cpu: list[float] = []
    for number in range(questions):
        workspace = workspaces[number % len(workspaces)]
        scope = Scope(workspace, {"source": None})
        question = f"what did {PEOPLE[number % len(PEOPLE)]} say of {some_words(workspace, language, number)}"
        began = time.thread_time()
        own.append(timed(partial(search, scope, question, limit=10)))
        between = time.thread_time()
        engine.append(timed(partial(bare, question)))
        own_cpu.append((between - began) * 1000)
        engine_cpu.append((time.thread_time() - between) * 1000)
    for name, wall, cpu in (("search", own, own_cpu), ("bare OR", engine, engine_cpu)):
        print(
            f"  {name:8} p50 {statistics.median(wall):6.1f} p95 {p95(wall):6.1f} ms; "
            f"cpu p50 {statistics.median(cpu):6.1f} p95 {p95(cpu):6.1f} ms"
        )
    print(f"  search is {statistics.median(own) / statistics.median(engine):.2f} times the bare OR (p50)")


def some_words(workspace: Workspace, language: Language, number: int) -> str:
    """Four words of something that was said there: a question is about what is stored."""
    texts = IndexEntry.objects.filter(workspace=workspace).order_by("pk").values_list("text", flat=True)
    return " ".join(language.random.sample(texts[number].split(), k=4))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--workspaces", type=int, default=1)
    parser.add_argument("--questions", type=int, default=300)
    arguments = parser.parse_args()
    language = Language(20_000, seed=7)
    print(f"{connection.vendor}, {arguments.entries} entries in {arguments.workspaces} workspaces", flush=True)
    began = time.perf_counter()
    workspaces = [
        fill("bench", language, arguments.entries // arguments.workspaces) for _ in range(arguments.workspaces)
    ]
    took = time.perf_counter() - began
    print(f"  filled in {took:.0f} s, {took / arguments.entries * 1000:.2f} ms a row in batches", flush=True)
    lay_bare()
    measure(workspaces, language, arguments.questions)
    one_more(workspaces[0], language)


if __name__ == "__main__":
    main()
