"""Evidence recall of the text index on LoCoMo, beside the bare engine on the same turns.

    python -m bench.locomo_offline ../shared/data/locomo6.zip

Uses the database of `DATABASE_URL`; everything it writes is rolled back.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
django.setup()

from django.db import connection, transaction  # noqa: E402

from bench.conversations import Conversation, conversations, recall  # noqa: E402
from memoryapp.index.queries import Scope, search  # noqa: E402
from memoryapp.index.ranking import Gains  # noqa: E402
from memoryapp.index.services import put  # noqa: E402
from memoryapp.index.stop_words import STOP_WORDS  # noqa: E402
from memoryapp.index.texts import Text, who_and_when  # noqa: E402
from memoryapp.ledger.identifiers import new_id  # noqa: E402
from memoryapp.ledger.models import Actor, Workspace, Write  # noqa: E402
from memoryapp.ledger.principal import Principal  # noqa: E402
from memoryapp.ledger.services import begin, create_workspace  # noqa: E402

AT = (5, 10, 20)
NO_GAINS = Gains(before=0, after=0, section=0, date=0, participant=1)
Ranking = Callable[[str], list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=Path, nargs="?", default=Path("../shared/data/locomo6.zip"))
    arguments = parser.parse_args()
    results: dict[str, list[tuple[int, list[float], float]]] = defaultdict(list)
    questions = without = turns = 0
    with transaction.atomic():
        for conversation in conversations(arguments.archive):
            turns += len(conversation.turns)
            rankings = {**bare_rankings(conversation), **own_rankings(conversation)}
            for question in conversation.questions:
                questions += 1
                if not question.evidence:
                    without += 1
                    continue
                for name, ranking in rankings.items():
                    began = time.perf_counter()
                    found = ranking(question.text)
                    took = (time.perf_counter() - began) * 1000
                    at = [recall(found, question.evidence, size) for size in AT]
                    results[name].append((question.category, at, took))
        transaction.set_rollback(True)
    print(f"{connection.vendor}: {turns} turns, {questions} questions of categories 1 to 4, {without} name no evidence")
    print(f"{'ranking':44} " + " ".join(f"@{size:<5}" for size in AT) + "  by category 1..4 @10         p50 ms")
    for name, rows in results.items():
        means = " ".join(f"{statistics.mean(row[1][i] for row in rows):.3f} " for i in range(len(AT)))
        kinds = " ".join(f"{statistics.mean(row[1][1] for row in rows if row[0] == kind):.3f}" for kind in (1, 2, 3, 4))
        print(f"{name:44} {means}  {kinds}   {statistics.median(row[2] for row in rows):6.1f}")


def own_rankings(conversation: Conversation) -> dict[str, Ranking]:
    """The room's own search, without and with what turns gain."""
    workspace = create_workspace(f"bench-{new_id().hex[:12]}", conversation.name)
    keys = index(workspace, conversation)
    scope = Scope(workspace, {"source": None})

    def ranked(question: str, gains: Gains, floor: float) -> list[str]:
        found = search(scope, question, limit=max(AT), gains=gains, floor=floor)
        return [keys[hit.target_id.hex] for hit in found.hits]

    return {
        "own BM25, who and when in the text": lambda question: ranked(question, NO_GAINS, 0.0),
        "with gains": lambda question: ranked(question, Gains(), 0.0),
        "with gains and floor (what is served)": lambda question: ranked(question, Gains(), search.__defaults__[2]),  # type: ignore[index]
    }


def index(workspace: Workspace, conversation: Conversation) -> dict[str, str]:
    """Put the conversation into the index; returns turn keys by id."""
    keys: dict[str, str] = {}
    texts = []
    for turn in conversation.turns:
        id = new_id()
        keys[id.hex] = turn.key
        texts.append(
            Text(
                "source",
                id,
                turn.text,
                label=who_and_when(turn.speaker, turn.said_at),
                section=f"session-{turn.session}",
                position=turn.position,
                speaker=turn.speaker,
                said_at=turn.said_at,
            )
        )
    put(a_write(workspace), texts)
    return keys


def a_write(workspace: Workspace) -> Write:
    actor = Actor.objects.get(workspace=workspace, kind=Actor.Kind.SYSTEM)
    return begin(Principal(workspace, actor, "command"), "benchmark")


def bare_rankings(conversation: Conversation) -> dict[str, Ranking]:
    """What the engine ranks by itself, over the same words of the same turns in a table of their own."""
    table = f"bare_{conversation.name}"
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                f"CREATE VIRTUAL TABLE {table} USING fts5(key UNINDEXED, said, labelled, "
                "tokenize='porter unicode61 remove_diacritics 2')"
            )
        else:
            cursor.execute(f"CREATE TEMPORARY TABLE {table} (key text, said text, labelled text) ON COMMIT DROP")
        cursor.executemany(
            f"INSERT INTO {table} VALUES (%s, %s, %s)",
            [
                (turn.key, turn.text, f"{who_and_when(turn.speaker, turn.said_at)} {turn.text}")
                for turn in conversation.turns
            ],
        )
    if connection.vendor == "sqlite":
        return {
            "FTS5 AND, its default": lambda question: fts5(table, "said", question, " ", set()),
            "FTS5 OR of all words": lambda question: fts5(table, "said", question, " OR ", set()),
            "FTS5 OR, stop words out": lambda question: fts5(table, "said", question, " OR ", STOP_WORDS),
            "FTS5 OR, who and when in the text": lambda question: fts5(table, "labelled", question, " OR ", STOP_WORDS),
        }
    return {
        "PostgreSQL websearch, its default": lambda question: postgres(table, "said", question, None),
        "PostgreSQL OR, ts_rank": lambda question: postgres(table, "said", question, STOP_WORDS),
        "PostgreSQL OR, who and when in the text": lambda question: postgres(table, "labelled", question, STOP_WORDS),
    }


def fts5(table: str, column: str, question: str, joined: str, without: frozenset[str] | set[str]) -> list[str]:
    words = [f'"{word}"' for word in re.findall(r"\w+", question.lower()) if word not in without]
    if not words:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT key FROM {table} WHERE {table} MATCH %s ORDER BY rank LIMIT %s",
            [f"{column} : ({joined.join(words)})", max(AT)],
        )
        return [row[0] for row in cursor.fetchall()]


def postgres(table: str, column: str, question: str, without: frozenset[str] | None) -> list[str]:
    words = [word for word in re.findall(r"\w+", question.lower()) if without is None or word not in without]
    asked = question if without is None else " or ".join(words)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT key FROM {table}, websearch_to_tsquery('english', %s) asked "
            f"WHERE to_tsvector('english', {column}) @@ asked "
            f"ORDER BY ts_rank(to_tsvector('english', {column}), asked) DESC LIMIT %s",
            [asked, max(AT)],
        )
        return [row[0] for row in cursor.fetchall()]


if __name__ == "__main__":
    main()
