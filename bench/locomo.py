"""LoCoMo through the product: six long conversations told over REST, read by the worker, and asked about.

    python -m bench.locomo ../shared/data/locomo6.zip

Starts web, worker and scheduler over `DATABASE_URL`. Each conversation goes into a workspace of its own, one thread a
session. Prints what came of it, and how much of the evidence of the questions of categories 1 to 4 is among the first
5, 10 and 20 recalled, beside the bare engine over the same words.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import django

from bench.conversations import Conversation, Turn, conversations, recall
from bench.product import Agent, running

AT = (5, 10, 20)
OVER = {"turns": "recall, over=turns", "all": "recall, over=all"}


@dataclass
class Results:
    """What is counted over all conversations."""

    counts: Counter[str] = field(default_factory=Counter)
    ranked: dict[str, list[tuple[int, list[float]]]] = field(default_factory=lambda: defaultdict(list))
    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, ranking: str, category: int, found: list[str], evidence: frozenset[str]) -> None:
        self.ranked[ranking].append((category, [recall(found, evidence, size) for size in AT]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=Path, nargs="?", default=Path("../shared/data/locomo6.zip"))
    parser.add_argument("--over", nargs="+", choices=list(OVER), default=list(OVER), help="What is asked over.")
    arguments = parser.parse_args()
    results = Results()
    with running() as product:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
        django.setup()
        told = [(each, Agent(product.port, each.name)) for each in conversations(arguments.archive)]
        for conversation, agent in told:
            keys = tell(agent, conversation, results)
            ask(agent, conversation, keys, arguments.over, results)
            count(agent, results)
    bare(results, [conversation for conversation, _ in told])
    show(results)


def tell(agent: Agent, conversation: Conversation, results: Results) -> dict[str, str]:
    """Tell every session and wait until all are read; gives turn keys by the ids they were stored under."""
    keys: dict[str, str] = {}
    jobs = []
    sessions: dict[int, list[Turn]] = defaultdict(list)
    for turn in conversation.turns:
        sessions[turn.session].append(turn)
    people = sorted({turn.speaker for turn in conversation.turns})
    participants = [
        {"key": name, "role": "user", "name": name, "identity": {"handle": f"{name}@{conversation.name}".lower()}}
        for name in people
    ]
    began = time.perf_counter()
    for session, turns in sorted(sessions.items()):
        body = {
            "thread": {"external_id": f"session-{session}", "title": f"Session {session}"},
            "participants": participants,
            "turns": [
                {
                    "speaker": "user",
                    "by": turn.speaker,
                    "content": turn.text,
                    "said_at": turn.said_at.isoformat(),
                    "message_id": turn.key,
                }
                for turn in turns
            ],
        }
        sent = time.perf_counter()
        answer = agent.ask("POST", "conversations", body)
        results.took["POST /conversations"].append((time.perf_counter() - sent) * 1000)
        keys |= {turn["id"]: turn["message_id"] for turn in answer["turns"]}
        jobs.append(answer["job"])
    for job in jobs:
        results.counts[f"jobs {agent.wait_for(job)}"] += 1
    results.took["a conversation told and read"].append((time.perf_counter() - began) * 1000)
    results.counts["turns"] += len(keys)
    results.counts["threads"] += len(sessions)
    return keys


def ask(agent: Agent, conversation: Conversation, keys: dict[str, str], overs: list[str], results: Results) -> None:
    for question in conversation.questions:
        results.counts["questions"] += 1
        if not question.evidence:
            results.counts["questions that name no evidence"] += 1
            continue
        for over in overs:
            ranking = OVER[over]
            sent = time.perf_counter()
            answer = agent.ask("POST", "recall", {"question": question.text, "over": over, "limit": max(AT)})
            results.took[ranking].append((time.perf_counter() - sent) * 1000)
            results.add(ranking, question.category, turns_of(answer, keys), question.evidence)


def turns_of(answer: dict[str, Any], keys: dict[str, str]) -> list[str]:
    """The turns among the hits, in order. A belief counts as the turns that it stands on."""
    found: dict[str, None] = {}
    for hit in answer["hits"]:
        ids = [hit["id"]] if hit["what"] == "source" else [one["source"] for one in hit.get("sources", ())]
        for id in ids:
            if id in keys:
                found.setdefault(keys[id])
    return list(found)


def count(agent: Agent, results: Results) -> None:
    """What the workspace holds now."""
    from memoryapp.extraction.models import Candidate
    from memoryapp.graph.models import Belief
    from memoryapp.ledger.models import Job
    from memoryapp.review.models import Case

    of = {"workspace": agent.workspace}
    results.counts["candidates"] += Candidate.objects.filter(**of).count()
    for status in ("activated", "resolving", "archived"):
        results.counts[f"beliefs {status}"] += Belief.objects.filter(**of, status=status).count()
    results.counts["conflicts"] += Case.objects.filter(**of, kind="belief_conflict").count()
    results.counts["failures"] += Job.objects.filter(**of, state="failed").count()


def bare(results: Results, told: list[Conversation]) -> None:
    """What the engine ranks by itself, over the same words of the same turns."""
    from django.db import transaction

    from bench.locomo_offline import bare_rankings

    with transaction.atomic():
        for conversation in told:
            for ranking, ask_it in bare_rankings(conversation).items():
                for question in conversation.questions:
                    if question.evidence:
                        results.add(ranking, question.category, ask_it(question.text), question.evidence)
        transaction.set_rollback(True)


def show(results: Results) -> None:
    """The tables, as docs/benchmarks.md has them."""
    from django.db import connection

    print(f"\n{connection.vendor}: " + ", ".join(f"{name} {number}" for name, number in sorted(results.counts.items())))
    print("\n| ranking | recall@5 | @10 | @20 | @10 of categories 1, 2, 3, 4 |\n|---|---|---|---|---|")
    for name, rows in results.ranked.items():
        means = " | ".join(f"{statistics.mean(at[i] for _, at in rows):.3f}" for i in range(len(AT)))
        kinds = ", ".join(f"{statistics.mean(at[1] for kind, at in rows if kind == one):.3f}" for one in (1, 2, 3, 4))
        print(f"| {name} | {means} | {kinds} |")
    print("\n| request | p50 ms | p95 ms |\n|---|---|---|")
    for name, took in results.took.items():
        ordered = sorted(took)
        print(f"| {name} | {statistics.median(ordered):.0f} | {ordered[int(len(ordered) * 0.95)]:.0f} |")


if __name__ == "__main__":
    main()
