"""What remembering and recalling cost, beside the bare engine's query for the same words.

    python -m bench.speed --beliefs 100000 --workspaces 100

Starts the product over `DATABASE_URL`, and fills workspaces of their own with beliefs of twenty people, each said in a
turn, through the services that every door calls. Times recall in this process and the rest through REST. What it wrote
stays there: begun again with the same numbers it goes on where it stopped, and asks what is filled without filling it.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import django

from bench.measuring import p95
from bench.product import Agent, Product, running

if TYPE_CHECKING:
    from bench.filling import Filled
    from memoryapp.ledger.models import Workspace

SINGLES = 50
BATCH = 100
DEPTH = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beliefs", type=int, default=2000, help="In all workspaces together.")
    parser.add_argument("--workspaces", type=int, default=1)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--withdrawn", type=int, default=1000, help="Beliefs on the source that is taken back.")
    arguments = parser.parse_args()
    with running() as product:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
        django.setup()
        from django.db import connection

        from bench.filling import analyse, filled_with

        idle = product.memory()
        filled = list(filled_with(arguments.beliefs, arguments.workspaces))
        analyse()
        print(f"\n{connection.vendor}, {arguments.beliefs} beliefs, each with its turn, in ", end="")
        print("one workspace\n" if len(filled) == 1 else f"{len(filled)} workspaces\n")
        print("| act | p50 ms | p95 ms | of it this process, p50 | times the bare query, p50 and p95 |")
        print("|---|---|---|---|---|")
        asking(filled, arguments.questions)
        through_rest(Agent(product.port, "speed", filled[0].by.workspace), filled[0])
        print()
        dumping(filled[0].by.workspace)
        withdrawing(product, arguments.withdrawn)
        print(f"- web, worker and scheduler, idle at the start: {idle:.0f} MB; now: {product.memory():.0f} MB")


def asking(filled: Sequence[Filled], count: int) -> None:
    """The same questions to the bare engine and to recall, one workspace after the other."""
    from memoryapp.recall import services as recall

    questions = [(one, one.question()) for one in (filled[number % len(filled)] for number in range(count))]
    base = [timed(partial(bare, one.by.workspace, question)) for one, question in questions]
    row("bare OR query of the engine, ten rows", base)
    for over in ("beliefs", "turns", "all"):
        answer(f"recall over={over}, noted as served", questions, base, over=over)
    then = filled[0].began + dt.timedelta(days=1)
    answer("recall as of another day", questions, base, over="beliefs", valid_at=then)
    row("brief of 1,000 tokens", [timed(partial(recall.brief, filled[0].by, one.pk)) for one in filled[0].owners])


def bare(workspace: Workspace, question: str) -> None:
    """The engine alone over the same index: any of the question's words, ranked by its own measure, ten rows."""
    from django.db import connection

    from memoryapp.index.words import question_words, sign

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


def answer(name: str, questions: Sequence[tuple[Filled, str]], base: list[float], **asked: Any) -> None:
    from memoryapp.recall import services as recall
    from memoryapp.recall.asked import Asked

    took, own = [], []
    for one, question in questions:
        began = time.thread_time()
        took.append(timed(partial(recall.recall, one.by, Asked(question, limit=10, **asked))))
        own.append((time.thread_time() - began) * 1000)
    row(name, took, own, base)


def through_rest(agent: Agent, filled: Filled) -> None:
    """An agent's requests, one after the other over one connection."""
    owners = [str(one.pk) for one in filled.owners]
    [note] = agent.ask("POST", "sources", note_of("speed"))["items"]

    def statement() -> dict[str, Any]:
        owner = filled.random.randrange(len(owners))
        content = f"{filled.owners[owner].label} {filled.language.say(8)}"
        return {
            "kind": "preference",
            "content": content,
            "owners": [owners[owner]],
            "evidence": [{"source": note["id"]}],
        }

    def remember(count: int) -> Callable[[], Any]:
        body = [statement() for _ in range(count)]
        return partial(agent.ask, "POST", "beliefs", {"items": body} if count > 1 else body[0])

    singles = [timed(remember(1)) for _ in range(SINGLES)]
    row("REST: remember one belief with its evidence", singles)
    batches = [timed(remember(BATCH)) for _ in range(5)]
    row(f"REST: a batch of {BATCH}", batches)
    print(f"| so many times one | {statistics.median(batches) / statistics.median(singles):.1f} | | | |")
    get = partial(agent.ask, "GET")
    row("REST: current of a person, a page", [timed(partial(get, f"beliefs?owner={one}")) for one in owners])
    row("REST: current, a page", [timed(partial(get, "beliefs")) for _ in owners])
    deepest = conclusions(agent, remember(1)()["items"][0]["belief"]["id"], owners[0])
    row(f"REST: why at depth {DEPTH}", [timed(partial(get, f"why/{deepest}?depth={DEPTH}")) for _ in range(20)])
    questions = [filled.question() for _ in range(20)]
    row("REST: recall", [timed(partial(agent.ask, "POST", "recall", {"question": one})) for one in questions])


def conclusions(agent: Agent, belief: str, owner: str) -> str:
    """What is concluded from a belief over so many steps."""
    for step in range(DEPTH):
        said = {"kind": "insight", "content": f"Conclusion {step} of {belief}", "owners": [owner]}
        belief = agent.ask("POST", "beliefs", said | {"premises": [belief]})["items"][0]["belief"]["id"]
    return belief


def dumping(workspace: Workspace) -> None:
    from memoryapp.ledger.dump import dump

    began = time.perf_counter()
    lines = sum(1 for _ in dump(workspace))
    took = time.perf_counter() - began
    print(f"- dump of one workspace: {lines} objects in {took:.1f} s, {lines / took:.0f} a second")


def withdrawing(product: Product, beliefs: int) -> None:
    """A source is taken back on which so many beliefs stand."""
    agent = Agent(product.port, "withdrawn")
    [note] = agent.ask("POST", "sources", note_of("withdrawn"))["items"]
    person = {"class": "person", "properties": {"handle": "p0"}, "evidence": [{"source": note["id"]}]}
    owner = agent.ask("POST", "nodes", person)["items"][0]["id"]
    said = {"kind": "preference", "owners": [owner], "evidence": [{"source": note["id"]}]}
    for start in range(0, beliefs, 500):
        items = [said | {"content": f"Thing {one} is fine"} for one in range(start, min(start + 500, beliefs))]
        agent.ask("POST", "beliefs", {"items": items})
    body = {"rationale": "It was not theirs to tell."}
    took = timed(partial(agent.ask, "POST", f"sources/{note['id']}/withdraw", body))
    print(f"- withdrawing a source under {beliefs} beliefs through REST: {took:.0f} ms")


def note_of(name: str) -> dict[str, Any]:
    content = "So it was written down."
    path = f"{name}/{time.time_ns()}.txt"
    return {"kind": "file", "content": content, "said_at": "2026-01-05T09:00:00Z", "path": path}


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def row(name: str, took: list[float], own: list[float] | None = None, base: list[float] | None = None) -> None:
    process = f"{statistics.median(own):.1f}" if own else ""
    times = f"{statistics.median(took) / statistics.median(base):.1f} / {p95(took) / p95(base):.1f}" if base else ""
    print(f"| {name} | {statistics.median(took):.1f} | {p95(took):.1f} | {process} | {times} |", flush=True)


if __name__ == "__main__":
    main()
