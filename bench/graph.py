"""The graph and the timeline, measured: found by a value, opened, walked, written, merged, and a window of time.

    DATABASE_URL=sqlite:///var/bench.sqlite3 python -m bench.graph --nodes 1000000 --episodes 1000000

The database must be empty; it is migrated. Nodes, their edges (each node leads to twenty others) and episodes are put
into the tables directly, without the triggers that guard them, which are put back before anything is measured; what is
written in the measured acts goes through the services. Times are the middle and the 95th of a hundred of several runs,
in milliseconds of the clock. `--plans` prints how the engine goes about the questions.
"""

from __future__ import annotations

import argparse
import datetime as dt
import itertools
import os
import random
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from bench.graph_filling import BATCH, FAN_OUT, START, address_of, fill_episodes, fill_nodes, source
from bench.measuring import measured

WALK = """
WITH RECURSIVE walk(node, depth) AS (
  SELECT {root}, 0 UNION
  SELECT e.object_id, walk.depth + 1 FROM walk JOIN graph_belief e ON e.subject_id = walk.node
  WHERE e.shape = 'edge' AND e.status = 'activated' AND walk.depth < 3
)
SELECT count(*) FROM walk
"""
"""Three hops by bare SQL: without who may see what, without time, and without anything told of what is reached."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nodes", type=int, default=100_000)
    options.add_argument("--episodes", type=int, default=100_000)
    options.add_argument("--edges", type=int, default=1000, help="Edges of the nodes that are merged.")
    options.add_argument("--plans", action="store_true")
    asked = options.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    run(asked.nodes, asked.episodes, asked.edges, asked.plans)


def run(nodes: int, episodes: int, edges: int, plans: bool) -> None:
    from bench.filling import analyse
    from memoryapp.access.services import operator
    from memoryapp.ledger import triggers
    from memoryapp.ontology.services import found_workspace

    by = operator(found_workspace(f"bench{os.getpid()}", "Bench"))
    begun = time.perf_counter()
    triggers.drop()
    try:
        ids = fill_nodes(by, nodes)
        fill_episodes(by, ids, episodes)
    finally:
        triggers.install()
    analyse()
    print(f"{nodes} nodes, {nodes - 1} edges, {episodes} episodes; put there in {time.perf_counter() - begun:.0f} s")
    print("milliseconds: median, 95th of 100")
    reading(by, ids)
    windows(by, ids, episodes)
    writing(by)
    merging(by, edges)
    paths(by)
    if plans:
        show_plans(by, ids)


def reading(by: Any, ids: Sequence[uuid.UUID]) -> None:
    from django.db import connection

    from memoryapp.graph.models import Node
    from memoryapp.graph.queries.nodes import neighbourhood

    some = random.Random(7)
    print(f"find by a value            {measured(lambda: ask(by, found(some.randrange(len(ids)))), 50)}")
    print(f"get with one hop           {measured(lambda: neighbourhood(by, ids[some.randrange(len(ids))]), 50)}")
    roots = range(max(1, min(100, len(ids) // 9000)))
    print(f"three hops, 20 of each     {measured(lambda: ask(by, walked(some.choice(roots))))}")
    identifier = Node._meta.pk

    def bare() -> None:
        with connection.cursor() as cursor:
            root = identifier.get_db_prep_value(ids[some.choice(roots)], connection)
            cursor.execute(WALK.format(root="CAST(%s AS uuid)" if connection.vendor == "postgresql" else "%s"), [root])
            cursor.fetchall()

    print(f"  bare recursive query     {measured(bare)}")
    leads = {number: range(number * FAN_OUT + 1, min(number * FAN_OUT + 1 + FAN_OUT, len(ids))) for number in roots}

    def remembered() -> int:
        reached = {some.choice(roots)}
        for _ in range(3):
            front = {there for here in reached for there in dictionary(leads, here, len(ids))}
            reached |= front
        return len(reached)

    print(f"  dictionary in memory     {measured(remembered)}")


def dictionary(leads: dict[int, range], here: int, count: int) -> range:
    known = leads.get(here)
    if known is None:
        known = leads[here] = range(min(here * FAN_OUT + 1, count), min(here * FAN_OUT + 1 + FAN_OUT, count))
    return known


def ask(by: Any, question: dict[str, Any]) -> Any:
    from memoryapp.graph.queries import asking
    from memoryapp.ontology.queries import current_ontology

    return asking.ask(by, asking.read(current_ontology(by), question))


def found(number: int) -> dict[str, Any]:
    return {"class": "person", "where": {"email": address_of(number)}, "select": ["email"]}


def walked(number: int) -> dict[str, Any]:
    """Twenty of each node: of 8,420 the answer holds 2,420 and says that it was cut, as a hop follows 2,000 edges."""
    hop: dict[str, Any] = {"relationship": "knows", "direction": "out", "select": [], "limit": FAN_OUT}
    hops = [hop | {"expand": [hop | {"expand": [hop]}]}]
    return found(number) | {"expand": hops}


def windows(by: Any, ids: Sequence[uuid.UUID], count: int) -> None:
    from memoryapp.timeline import queries
    from memoryapp.timeline.queries import Asked

    some = random.Random(8)

    def window(**narrowed: Any) -> Any:
        since = START + dt.timedelta(minutes=10 * some.randrange(max(1, count - 200)))
        asked = Asked(since=since, until=since + dt.timedelta(days=1), **narrowed)
        return list(queries.episodes(by, asked)[:50])

    print(f"a day of the timeline      {measured(window, 50)}")
    person = ids[some.randrange(min(len(ids), count))]
    print(f"  with one person          {measured(lambda: window(participants=(person,)))}")
    print(
        f"timeline of one person     {measured(lambda: list(queries.timeline(by, ids[some.randrange(len(ids))])[:50]))}"
    )


def writing(by: Any) -> None:
    from memoryapp.graph import services
    from memoryapp.graph.services import NodeInput
    from memoryapp.graph.statements import Quoted
    from memoryapp.ledger.services import record

    quoted = Quoted(source(by))
    numbers = itertools.count()

    def told() -> dict[str, Any]:
        number = next(numbers)
        return {
            "name": f"Written {number} Quillan",
            "email": f"written{number}@mail.example",
            "role": "pilot",
            "language": "Portuguese",
            "time_zone": "Europe/Lisbon",
        }

    def one() -> Any:
        return record(by, "upsert", lambda write: services.upsert_node(write, "person", told(), (quoted,)))

    print(f"upsert, five properties    {measured(one, 40)}")
    begun = time.perf_counter()
    for _ in range(5):
        rows = [NodeInput("person", told(), (quoted,)) for _ in range(BATCH)]
        record(by, "upsert", lambda write, rows=rows: services.upsert_nodes(write, rows))  # type: ignore[misc]
    print(f"in batches of {BATCH}          {5 * BATCH / (time.perf_counter() - begun):9.0f} nodes a second")


def merging(by: Any, edges: int) -> None:
    from memoryapp.graph import services
    from memoryapp.graph.models import Node
    from memoryapp.graph.services import NodeInput
    from memoryapp.graph.statements import Quoted, Statement
    from memoryapp.ledger.services import record
    from memoryapp.review import services as review

    quoted = (Quoted(source(by)),)

    def made(*names: str) -> list[Node]:
        rows = [NodeInput("person", {"email": f"{name}@merged.example"}, quoted) for name in names]
        found: list[Node] = []
        for start in range(0, len(rows), BATCH):
            some = rows[start : start + BATCH]
            done: Any = record(by, "upsert", lambda write, some=some: services.upsert_nodes(write, some))  # type: ignore[misc]
            found += [one.node for one in done]
        return found

    kept, folded = made("kept", "folded")
    others = made(*(f"other{number}" for number in range(edges)))
    for start in range(0, edges, 100):
        said = [
            Statement(subject=folded.pk, predicate="knows", object=one.pk, evidence=quoted)
            for one in others[start : start + 100]
        ]
        record(by, "connect", lambda write, said=said: services.connect_all(write, said))  # type: ignore[misc]
    for name in ("", " again"):
        begun = time.perf_counter()
        decision = record(by, "merge", lambda write: services.merge(write, kept=kept.pk, folded=folded.pk))
        done = time.perf_counter()
        record(by, "undo", lambda write, of=decision: review.undo(write, of.pk), "Two after all.")  # type: ignore[misc]
        back = time.perf_counter()
        print(f"merge of {edges} edges{name:11}{(done - begun) * 1000:9.0f}, taken back {(back - done) * 1000:9.0f}")


def paths(by: Any) -> None:
    """From one leaf to another, through the root, in a workspace of 500 nodes of its own."""
    from memoryapp.access.services import operator
    from memoryapp.graph.queries.exploring import path
    from memoryapp.ontology.services import found_workspace

    mine = operator(found_workspace(f"paths{os.getpid()}", "Paths"))
    ids = fill_nodes(mine, 500)
    steps = path(mine, ids[21], ids[499])
    print(f"a way of {len(steps)} at 500 nodes   {measured(lambda: path(mine, ids[21], ids[499]))}")


def show_plans(by: Any, ids: Sequence[uuid.UUID]) -> None:
    """Every statement that a question runs, with how the engine goes about it."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from memoryapp.timeline import queries
    from memoryapp.timeline.queries import Asked

    day = Asked(since=START, until=START + dt.timedelta(days=1))
    acts: dict[str, Callable[[], Any]] = {
        "find by a value": lambda: ask(by, found(len(ids) // 2)),
        "three hops": lambda: ask(by, walked(0)),
        "a day of the timeline": lambda: list(queries.episodes(by, day)[:50]),
        "timeline of one": lambda: list(queries.timeline(by, ids[0])[:50]),
    }
    for name, act in acts.items():
        with CaptureQueriesContext(connection) as ran:
            act()
        print(f"\n== {name}")
        for one in ran.captured_queries:
            explain(one["sql"], float(one["time"]))


def explain(sql: str, seconds: float) -> None:
    from django.db import connection

    if not sql.lstrip().upper().startswith(("SELECT", "WITH")):
        return
    print(f"-- {seconds * 1000:.0f} ms: {sql[:160]}")
    words = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)"
    with connection.cursor() as cursor:
        cursor.cursor.execute(f"{words} {sql}")
        for row in cursor.cursor.fetchall():
            print("  ", row[-1])


if __name__ == "__main__":
    main()
