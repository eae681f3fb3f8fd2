"""What each page asks of the database. The number is recorded; it does not grow with what there is to show.

A page that needs more queries than before fails here: either it asks once for each row, or the number is raised on
purpose.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.access.models import Agent
from memoryapp.graph.models import Belief, Node
from memoryapp.ledger.models import Job, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review.models import Batch, Case
from memoryapp.review.queries.judging import SHARE_SETTING
from memoryapp.review.services import look_at_many
from memoryapp.sources.inputs import ThreadInput, TurnInput
from memoryapp.sources.models import Thread
from memoryapp.sources.services import tell
from memoryapp.timeline.models import Episode
from tests.context.telling import Context
from tests.files.telling import Tree
from tests.ontology.proposing import VESSEL, Office
from tests.visiting import INES, client_of, tell_a_story

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sql]

RECORDED = {
    "": 27,
    "beliefs/": 9,
    "beliefs/?show=everything": 8,
    "nodes/": 7,
    "graph/": 5,
    "belief": 17,
    "why": 6,
    "edit": 3,
    "node": 21,
    "files/": 4,
    "files/?path=/notes": 6,
    "files/?path=/notes&removed=yes": 6,
    "files/?q=emails": 15,
    "files/?q=/**": 5,
    "file": 12,
    "files/edit/?path=/notes/berths.md": 4,
    "files/difference/?path=/notes/berths.md": 10,
    "timeline/": 10,
    "context/": 9,
    "context/new/": 3,
    "entry": 6,
    "timeline/?q=emails": 19,
    "episode": 7,
    "amend": 8,
    "conversations/": 4,
    "thread": 13,
    "again": 13,
    "conversations/?kind=statement": 3,
    "jobs/": 10,
    "job": 6,
    "agents/": 4,
    "agent": 8,
    "activity": 13,
    "members/": 3,
    "member": 7,
    "ontology/": 11,
    "ontology/node_classes/person/": 15,
    "proposals/": 4,
    "proposal": 10,
    "proposals/new/": 3,
    "queue/": 11,
    "case": 12,
    "case alone": 10,
    "talk": 7,
    "for-you/": 6,
    "queue/several/?all=yes": 7,
    "many": 8,
    "policies/": 10,
    "search/?q=emails": 31,
    "queue/decisions/": 5,
    "recall/?q=emails": 24,
}


def keep_a_file(by: Principal) -> None:
    tree = Tree(by)
    tree.write("/notes/berths.md", "Status emails go out weekly, see [prices](prices.md).", tags=("harbour",))
    tree.edit("/notes/berths.md", "weekly", "monthly")


def looked_at(by: Principal, work: Callable[[], int]) -> Batch:
    batch: Batch = record(
        by,
        "look_at_many",
        lambda write: look_at_many(write, kind="belief_conflict", verdict="newer_replaces", query=""),
    )
    work()
    return batch


SWAP = {"HX-Request": "true"}


def asked_by(client: Any, address: str, **headers: str) -> int:
    client.get(address, headers=headers)
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(address, headers=headers)
    assert answer.status_code == 200
    assert headers or 'class="nav__link" href="/w/harbour/' in answer.content.decode(), f"{address} has no navigation"
    return len(queries)


def test_every_page_keeps_to_its_number_of_queries(
    curator_agent: Principal, administrator: Principal, work: Callable[[], int]
) -> None:
    told = tell_a_story(curator_agent, work)
    keep_a_file(administrator)
    settings = administrator.workspace.settings | {SHARE_SETTING: 100}
    Workspace.objects.filter(pk=administrator.workspace.pk).update(settings=settings)
    belief = Belief.objects.get(content__icontains="monthly summary")
    ones = {
        "belief": f"beliefs/{belief.pk}/",
        "why": f"beliefs/{belief.pk}/why/",
        "edit": f"beliefs/{belief.pk}/edit/",
        "node": f"nodes/{Node.objects.get(label='Ines Ferro').pk}/",
        "entry": f"context/{Context(administrator).set('Tone', 'Short sentences.').pk}/",
        "file": "files/?path=/notes/berths.md",
        "episode": f"timeline/{Episode.objects.values_list('pk', flat=True)[0]}/",
        "amend": f"timeline/{Episode.objects.values_list('pk', flat=True)[0]}/amend/",
        "thread": f"conversations/{told['Fewer emails'].pk}/",
        "again": f"conversations/{told['Fewer emails'].pk}/again/",
        "job": f"jobs/{Job.objects.order_by('created_at').values_list('pk', flat=True)[0]}/",
        "case": f"queue/{Case.objects.get(kind='belief_conflict').pk}/",
        "talk": f"queue/{Case.objects.get(kind='belief_conflict').pk}/talk/",
        "proposal": f"proposals/{Office(curator_agent, administrator).propose(VESSEL, by=administrator).pk}/",
        "member": f"members/{administrator.actor.membership.pk}/",
        "agent": f"agents/{Agent.objects.values_list('pk', flat=True)[0]}/",
        "activity": f"agents/{Agent.objects.values_list('pk', flat=True)[0]}/activity/",
        "many": f"queue/many/{looked_at(administrator, work).pk}/",
    }
    client = client_of(administrator)
    asked = {
        page: asked_by(
            client, f"/w/harbour/{ones.get(page.removesuffix(' alone'), page)}", **SWAP if " alone" in page else {}
        )
        for page in RECORDED
    }
    over = {page: number for page, number in asked.items() if number > RECORDED[page]}
    assert not over, f"more than recorded: {over}"
    slack = {page: number for page, number in asked.items() if number < RECORDED[page] - 2}
    assert not slack, f"less than recorded, so record less: {slack}"


def test_twice_as_much_costs_no_more(
    curator_agent: Principal, administrator: Principal, work: Callable[[], int]
) -> None:
    told = tell_a_story(curator_agent, work)
    client = client_of(administrator)
    pages = ["", "beliefs/", "conversations/", f"conversations/{told['Setting up'].pk}/", "jobs/"]
    before = {page: asked_by(client, f"/w/harbour/{page}") for page in pages}
    for number, words in enumerate(["I prefer tea to coffee.", "I'll send the plans by Friday.", "I live in Porto."]):
        said = dt.datetime(2026, 7, 1 + number, 9, tzinfo=dt.UTC)
        turn = TurnInput(speaker="user", by="ines", content=words, said_at=said)
        for thread in (ThreadInput(external_id="Setting up"), ThreadInput(external_id=f"More {number}", title="More")):
            record(curator_agent, "tell", lambda write, t=thread, s=turn: tell(write, t, [INES], [s]))
            work()
    assert Thread.objects.count() == 5
    after = {page: asked_by(client, f"/w/harbour/{page}") for page in pages}
    assert all(after[page] <= before[page] + 1 for page in pages), (before, after)
