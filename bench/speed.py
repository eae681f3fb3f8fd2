"""What remembering and recalling cost, beside the bare engine's query for the same words.

    python -m bench.speed --beliefs 2000

Fills a workspace of its own with beliefs of twenty people, each said in a turn, through the services that every door
calls, and times them in this process. Uses the database of `DATABASE_URL`; what it writes stays there.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from bench.index_speed import Language, p95, timed  # noqa: E402
from memoryapp.access.services import operator  # noqa: E402
from memoryapp.graph.models import Node  # noqa: E402
from memoryapp.graph.services import NodeInput, remember_all, upsert_nodes  # noqa: E402
from memoryapp.graph.statements import Quoted, Statement  # noqa: E402
from memoryapp.index.words import question_words, sign  # noqa: E402
from memoryapp.ledger.identifiers import new_id  # noqa: E402
from memoryapp.ledger.models import Workspace, Write  # noqa: E402
from memoryapp.ledger.principal import Principal  # noqa: E402
from memoryapp.ledger.services import record  # noqa: E402
from memoryapp.ontology.services import found_workspace  # noqa: E402
from memoryapp.recall import services as recall  # noqa: E402
from memoryapp.recall.asked import Asked  # noqa: E402
from memoryapp.sources.inputs import ParticipantInput, ThreadInput, TurnInput  # noqa: E402
from memoryapp.sources.models import Source  # noqa: E402
from memoryapp.sources.services import tell  # noqa: E402

BEGAN = dt.datetime(2026, 1, 5, 9, tzinfo=dt.UTC)
PEOPLE = 20
BATCH = 40


class Filled:
    """A workspace that is told turns and remembers one belief of each."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.by: Principal = operator(found_workspace(f"speed-{new_id().hex[-8:]}", "Speed", "UTC", "default"))
        self.told = 0
        self.owners: list[Node] = []

    def write(self, act: Callable[[Write], Any]) -> Any:
        return record(self.by, "benchmark", act)

    def turns(self, count: int) -> list[Source]:
        """So many turns of a new thread."""
        thread = ThreadInput(external_id=f"thread-{self.told}", title=f"Thread {self.told}")
        someone = ParticipantInput(key="guest", role="assistant", name="Guest")
        turns = [
            TurnInput(
                speaker="assistant",
                by="guest",
                content=self.language.say(self.language.random.randint(8, 24)),
                said_at=BEGAN + dt.timedelta(minutes=self.told + number),
                said_zone="UTC",
                message_id=f"m-{self.told + number}",
            )
            for number in range(count)
        ]
        self.told += count
        return list(self.write(lambda write: tell(write, thread, [someone], turns)).turns)

    def people(self) -> None:
        quoted = (Quoted(self.turns(1)[0]),)
        given = [
            NodeInput("person", {"name": f"Person {number}", "handle": f"p{number}"}, quoted)
            for number in range(PEOPLE)
        ]
        self.owners = [one.node for one in self.write(lambda write: upsert_nodes(write, given))]

    def statement(self, turn: Source) -> Statement:
        owner = self.owners[self.language.random.randrange(PEOPLE)]
        content = f"{owner.label} {self.language.say(8)}"
        return Statement(kind="preference", content=content, owners=(owner.pk,), evidence=(Quoted(turn),))

    def remember(self, turns: list[Source]) -> None:
        statements = [self.statement(turn) for turn in turns]
        self.write(lambda write: remember_all(write, statements))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beliefs", type=int, default=2000)
    parser.add_argument("--questions", type=int, default=100)
    arguments = parser.parse_args()
    settings.DEBUG = False  # which would keep every query
    filled = Filled(Language(20_000, seed=7))
    filled.people()
    batches = []
    for _ in range(arguments.beliefs // BATCH):
        turns = filled.turns(BATCH)
        batches.append(timed(partial(filled.remember, turns)) / BATCH)
    analyse()
    singles = [timed(partial(filled.remember, [turn])) for turn in filled.turns(30)]
    print(f"\n{connection.vendor}, {arguments.beliefs} beliefs of {PEOPLE} people, each with its turn\n")
    print("| act | p50 ms | p95 ms | of it this process, p50 | times the bare query |\n|---|---|---|---|---|")
    row("remember one belief, durably", singles)
    row(f"remember, each of {BATCH} in a batch", batches)
    questions = [f"what does Person {n % PEOPLE} say of {filled.language.say(4)}" for n in range(arguments.questions)]
    base = [timed(partial(bare, filled.by.workspace, question)) for question in questions]
    row("bare OR query of the engine, ten rows", base)
    for over in ("beliefs", "turns", "all"):
        answer(f"recall over={over}, noted as served", over, questions, filled.by, base)
    answer("recall as of another day", "beliefs", questions, filled.by, base, valid_at=BEGAN + dt.timedelta(days=1))
    row("brief of 1,000 tokens", [timed(partial(recall.brief, filled.by, one.pk)) for one in filled.owners])


def analyse() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if connection.vendor == "postgresql" else "PRAGMA optimize")


def bare(workspace: Workspace, question: str) -> None:
    """The engine alone over the same index: any of the question's words, ranked by its own measure, ten rows."""
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


def answer(name: str, over: str, questions: list[str], by: Principal, base: list[float], **asked: Any) -> None:
    took, own = [], []
    for question in questions:
        began = time.thread_time()
        took.append(timed(partial(recall.recall, by, Asked(question, over, limit=10, **asked))))
        own.append((time.thread_time() - began) * 1000)
    row(name, took, own, statistics.median(took) / statistics.median(base))


def row(name: str, took: list[float], own: list[float] | None = None, ratio: float | None = None) -> None:
    process = f"{statistics.median(own):.1f}" if own else ""
    times = f"{ratio:.0f}" if ratio else ""
    print(f"| {name} | {statistics.median(took):.1f} | {p95(took):.1f} | {process} | {times} |")


if __name__ == "__main__":
    main()
