"""What each page costs with many beliefs and many open cases: the time of the server and its queries, slowest first.

    DATABASE_URL=sqlite:///var/pages.sqlite3 python -m bench.pages --beliefs 100000 --cases 100000

Fills one workspace as `bench.speed` does, and puts candidates before people; begun again it goes on where it stopped.
Each page is asked for in this process: the median and the 95th of a hundred by the clock, and of it the processor's.
`--profile PAGE` says where a page spends its time.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import statistics
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import django

from bench.measuring import p95

if TYPE_CHECKING:
    from django.test import Client

    from bench.filling import Filled

RUNS = 10
BATCH = 500
PAGES = (
    "",
    "queue/",
    "queue/?order=age",
    "queue/?q=letters",
    "queue/several/?all=yes",
    "queue/decisions/",
    "case",
    "case alone",
    "for-you/",
    "policies/",
    "beliefs/",
    "beliefs/?show=everything",
    "beliefs/?q=letters",
    "belief",
    "why",
    "edit",
    "nodes/",
    "nodes/?q=person",
    "node",
    "graph/",
    "timeline/",
    "timeline/?q=letters",
    "conversations/",
    "conversations/?q=letters",
    "thread",
    "files/",
    "files/?q=letters",
    "context/",
    "jobs/",
    "agents/",
    "members/",
    "ontology/",
    "ontology/node_classes/person/",
    "ontology/belief_kinds/preference/",
    "proposals/",
    "forms/",
    "search/?q=letters",
    "recall/?q=letters",
    "settings/",
)
ALONE = {"HX-Request": "true"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beliefs", type=int, default=2000)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--profile", default=None, help="One of the pages, or `verdict`.")
    asked = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from bench.filling import analyse, filled_with

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    [filled] = filled_with(asked.beliefs, 1)
    put_before_people(filled, asked.cases)
    analyse()
    client = signed_in(filled)
    ones = addresses(filled)
    if asked.profile is not None:
        profile(client, filled, ones, asked.profile)
        return
    print(f"\n{connection.vendor}, {asked.beliefs} beliefs and {asked.cases} open cases in one workspace\n")
    print("| page | p50 ms | p95 ms | of it this process, p50 | queries |")
    print("|---|---|---|---|---|")
    found = [(*measured(client, address(filled, ones, page), page), page) for page in PAGES]
    found.append((*verdicts(client, filled), "verdict by key"))
    for clock, own, queries, page in sorted(found, key=lambda one: -statistics.median(one[0])):
        times = f"{statistics.median(clock):.0f} | {p95(clock):.0f} | {statistics.median(own):.0f}"
        print(f"| /{page} | {times} | {queries} |")


def put_before_people(filled: Filled, cases: int) -> None:
    """So many held candidates, each of a turn, each with its open case."""
    from memoryapp.extraction.services import HELD, open_run
    from memoryapp.ledger.services import record
    from memoryapp.review.models import Case
    from memoryapp.sources.models import Source

    workspace = filled.by.workspace
    there = Case.objects.filter(workspace=workspace, kind=HELD).count()
    if there >= cases:
        return
    turns = Source.objects.filter(workspace=workspace, kind=Source.Kind.CHAT_TURN).order_by("pk")[there:cases]
    run = record(filled.by, "extract", lambda write: open_run(write, "bench", "1"))
    for some in _chunks(turns.iterator(chunk_size=BATCH)):
        record(filled.by, "propose", lambda write, some=some: hold(write, run, some))  # type: ignore[misc]


def hold(write: Any, run: Any, turns: list[Any]) -> None:
    from memoryapp.extraction.candidates import Proposed
    from memoryapp.extraction.models import Candidate
    from memoryapp.extraction.services import HELD
    from memoryapp.review.services import Subject, open_cases
    from memoryapp.review.services.opening import Opening

    proposed = [Proposed(one, 0, len(one.content), "preference", one.content, {}, 60.0, "bench") for one in turns]
    made = [
        Candidate(
            workspace=write.workspace,
            run=run,
            source=one.source,
            span_start=one.start,
            span_end=one.end,
            quote=one.quote,
            kind=one.kind,
            content=one.content,
            proposal=one.details,
            confidence=one.confidence,
            rule=one.rule,
            digest=one.digest(),
            state=Candidate.State.HELD,
            reason="Nobody vouches for it.",
            write=write,
            recorded_at=write.recorded_at,
        )
        for one in proposed
    ]
    Candidate.objects.bulk_create(made)
    openings = [
        Opening(str(one.pk), one.reason, (Subject("candidate", "candidate", one.pk),), priority=40 + number % 20)
        for number, one in enumerate(made)
    ]
    open_cases(write, HELD, openings)


def signed_in(filled: Filled) -> Client:
    """A browser of an administrator of the workspace."""
    from django.conf import settings
    from django.test import Client

    from memoryapp.access.models import User
    from memoryapp.access.services import create_account, create_member
    from memoryapp.ledger.services import record

    settings.ALLOWED_HOSTS = ["*"]
    user = User.objects.filter(username="pages").first()
    if user is None:
        user = create_account(username="pages", password="of-the-benchmark-1")
        record(filled.by, "admit", lambda write: create_member(write, user=user, role="admin"))
    client = Client()
    client.force_login(user)
    return client


def addresses(filled: Filled) -> dict[str, str]:
    """Where the pages about one thing are."""
    from memoryapp.graph.models import Belief
    from memoryapp.review.models import Case
    from memoryapp.sources.models import Thread

    workspace = filled.by.workspace
    belief = Belief.objects.filter(workspace=workspace, kind="preference").order_by("-pk")[0].pk
    case = Case.objects.filter(workspace=workspace, state="open").order_by("-priority", "opened_at")[7].pk
    return {
        "belief": f"beliefs/{belief}/",
        "why": f"beliefs/{belief}/why/",
        "edit": f"beliefs/{belief}/edit/",
        "case": f"queue/{case}/",
        "case alone": f"queue/{case}/",
        "node": f"nodes/{filled.owners[0].pk}/",
        "thread": f"conversations/{Thread.objects.filter(workspace=workspace).order_by('-pk')[0].pk}/",
    }


def address(filled: Filled, ones: dict[str, str], page: str) -> str:
    return f"/w/{filled.by.workspace.slug}/{ones.get(page, page)}"


def measured(client: Client, url: str, page: str) -> tuple[list[float], list[float], int]:
    """By the clock, of this process, and the number of queries."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    headers = ALONE if page.endswith("alone") else {}
    answer = client.get(url, headers=headers)
    assert answer.status_code == 200, (url, answer.status_code)
    with CaptureQueriesContext(connection) as queries:
        client.get(url, headers=headers)
    count = len(queries)
    clock, own = [], []
    for _ in range(RUNS):
        began, worked = time.perf_counter(), time.thread_time()
        client.get(url, headers=headers)
        clock.append((time.perf_counter() - began) * 1000)
        own.append((time.thread_time() - worked) * 1000)
    return clock, own, count


def verdicts(client: Client, filled: Filled) -> tuple[list[float], list[float], int]:
    """A case decided by key, the next being in front already, as the queue's page sends it."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    clock, own, queries = [], [], 0
    for number, (case, ahead) in enumerate(_pairs(filled)):
        url = address(filled, {}, f"queue/{case.pk}/decide/")
        body = {"verdict": "reject", "lock": str(case.lock), "rationale": "Not theirs.", "ahead": str(ahead.pk)}
        began, worked = time.perf_counter(), time.thread_time()
        if number:
            answer = client.post(url, body, headers=ALONE)
        else:
            with CaptureQueriesContext(connection) as captured:
                answer = client.post(url, body, headers=ALONE)
            queries = len(captured)
        assert answer.status_code == 200, answer.content[:500]
        if number:
            clock.append((time.perf_counter() - began) * 1000)
            own.append((time.thread_time() - worked) * 1000)
    return clock, own, queries


def _pairs(filled: Filled) -> Iterator[tuple[Any, Any]]:
    from memoryapp.review.models import Case

    opened = Case.objects.filter(workspace=filled.by.workspace, state="open").order_by("-priority", "opened_at", "pk")
    found = list(opened[: RUNS + 2])
    return pairwise(found)


def profile(client: Client, filled: Filled, ones: dict[str, str], page: str) -> None:
    url, headers = address(filled, ones, page), ALONE if page.endswith("alone") else {}
    runner = cProfile.Profile()
    if page == "verdict":
        verdicts(client, filled)
        runner.runcall(verdicts, client, filled)
    else:
        client.get(url, headers=headers)
        runner.runcall(client.get, url, headers=headers)
    pstats.Stats(runner).sort_stats("cumulative").print_stats(60)


def _chunks(rows: Iterator[Any]) -> Iterator[list[Any]]:
    some: list[Any] = []
    for row in rows:
        some.append(row)
        if len(some) == BATCH:
            yield some
            some = []
    if some:
        yield some


if __name__ == "__main__":
    main()
