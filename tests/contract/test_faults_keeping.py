"""Kinds of fault that broke other memories, tried on what is kept, by the numbers of the cases."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.access import services as access
from memoryapp.access.models import User
from memoryapp.context.models import Entry as ContextEntry
from memoryapp.files.models import Entry
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries import views
from memoryapp.graph.services import merging
from memoryapp.index import services as index
from memoryapp.ledger import dump, integrity
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.mcp import server
from memoryapp.review import services as review
from memoryapp.review.models import Decision
from memoryapp.sources.models import Source, Withdrawal
from tests.api.calling import Caller
from tests.files.telling import Tree
from tests.graph.nodes.telling import Graph
from tests.ledger.test_dump import empty_the_database
from tests.modelserver import ModelServer
from tests.visiting import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

LONG = "a" * 200_001


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


@pytest.fixture
def curator(workspace: Workspace) -> Caller:
    return Caller(workspace, ["lookup", "recall", "curate", "steward"], "Curator")


def preference(content: str, **more: Any) -> dict[str, Any]:
    source = {"kind": "document", "path": "/notes.md", "content": content[:1000], "said_at": "2026-03-02T09:00:00Z"}
    return {"kind": "preference", "content": content, "evidence": [{"new_source": source}]} | more


def test_a_merge_that_was_dumped_and_restored_is_still_taken_back(graph: Graph, reviewer: Principal) -> None:
    """Cases 4 and 121: both nodes, their edges and their history are there again."""
    pelican = graph.node("organization", name="Pelican")
    first = graph.node("person", name="Mira Oduya", handle="mira")
    second = graph.node("person", name="M. Oduya", email="mira@pelican.example")
    graph.connect(second, "worksAt", pelican)
    before = {str(one.pk): one.state for one in Node.objects.all()}
    edges = set(Belief.objects.filter(predicate="worksAt").values_list("subject", "object", "status"))
    decision = graph.do(lambda write: merging.merge(write, kept=first.pk, folded=second.pk))
    lines = dump.snapshot(graph.by.workspace)
    empty_the_database()
    restored = dump.restore(lines)
    by = access.operator(restored)
    assert Node.objects.get(pk=second.pk).folded_into_id == first.pk
    again = Decision.objects.get(pk=decision.pk)
    record(by, "undo", lambda write: review.undo(write, again.pk), "Two people.")
    assert {str(one.pk): one.state for one in Node.objects.all()} == before
    held = views.current(by, views.Scope(predicates=("worksAt",))).values_list("subject", "object", "status")
    assert set(held) == edges
    assert [one.what for report in integrity.examine(restored) for one in report.findings] == []


def test_what_cannot_be_indexed_is_not_stored_and_no_id_is_given(
    curator: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 26: never an id that cannot be read."""

    def broken(*_: Any, **__: Any) -> None:
        raise OSError("The index is away.")

    monkeypatch.setattr(index, "put", broken)
    answer = curator.post("beliefs", preference("Ines likes tea."))
    assert answer.status_code == 500
    assert "id" not in answer.json()
    assert not Belief.objects.filter(content="Ines likes tea.").exists()
    assert not Source.objects.exists()


def test_an_overtaken_change_is_no_failure_in_the_log(
    curator: Caller, graph: Graph, caplog: pytest.LogCaptureFixture
) -> None:
    """Case 32: told as what it is."""
    belief = graph.say("Ines likes tea.", graph.person("Ines"))
    with caplog.at_level(logging.INFO):
        stale = curator.post(f"beliefs/{belief.pk}/retire", {"reason": "Over."}, If_Match='"7"')
    assert stale.status_code == 412
    assert [one for one in caplog.records if one.levelno >= logging.ERROR or one.exc_info] == []


def test_a_limit_of_one_question_changes_nothing_for_what_comes_after(curator: Caller, graph: Graph) -> None:
    """Case 40."""
    tea = ("Ines likes tea in the morning", "Ines likes tea at noon", "Ines likes tea at night")
    for content in tea:
        graph.say(content)
    everything = curator.post("recall", {"question": "tea"}).json()["hits"]
    assert len(curator.post("recall", {"question": "tea", "limit": 1}).json()["hits"]) == 1
    assert curator.post("recall", {"question": "tea"}).json()["hits"] == everything
    assert graph.say(tea[0]).pk == Belief.objects.get(content=tea[0]).pk
    assert len(everything) >= 3


def test_what_is_too_long_is_too_long_at_every_door(curator: Caller) -> None:
    """Case 55: the same refusal by REST, as a tool and within a batch; nothing is stored."""
    before = Write.objects.count()
    told = [curator.post("beliefs", preference(LONG)), curator.post("beliefs", {"items": [preference(LONG)]})]
    headers = {"authorization": f"Bearer {curator.key}", "x-request-id": "one"}
    tool = server.result("memory_remember", {"items": [preference(LONG)]}, headers)
    came = [one.json() for one in told] + [tool.structured_content or {}]
    assert {one["errors"][0]["code"] for one in came} == {"max_length"}
    assert {one["status"] for one in came} == {400}
    assert [one["errors"][0]["path"] for one in came] == ["/content", "/items/0/content", "/items/0/content"]
    assert Write.objects.count() == before


def test_what_an_agent_that_is_gone_told_stays_with_its_name(
    curator: Caller, workspace: Workspace, administrator: Principal
) -> None:
    """Case 56: beliefs, nodes and files of everybody outlive the agent that wrote them."""
    made = curator.post("beliefs", preference("Ines likes tea.")).json()["items"][0]["belief"]["id"]
    writer = Caller(workspace, ["curate", "find-notes"], "Writer")
    writer.post("files", {"path": "/notes/tea.md", "content": "Tea."})
    for caller in (curator, writer):
        record(caller.operator, "end", lambda write, a=caller.agent: access.retire_agent(write, agent=a))
        assert caller.get("beliefs").status_code == 401
    reader = Caller(workspace, ["lookup", "find-notes"], "Reader")
    assert reader.get(f"beliefs/{made}").json()["content"] == "Ines likes tea."
    assert reader.get("files/read?path=/notes/tea.md").json()["text"] == "Tea."
    assert "Curator" in json.dumps(reader.get(f"why/{made}").json())


def test_pages_that_are_left_open_ask_no_model(administrator: Principal, settings: Any, graph: Graph) -> None:
    """Case 76: looking costs nothing."""
    model = ModelServer()
    settings.MODEL_URL = model.url
    graph.say("Ines likes tea.", graph.person("Ines"))
    client = client_of(administrator)
    try:
        for address in ("", "queue/", "beliefs/", "jobs/", "timeline/"):
            assert client.get(f"/w/harbour/{address}").status_code == 200, address
        assert client.get("/status").status_code in (200, 503)
        assert client.get("/healthz").status_code == 200
        assert model.asked == []
    finally:
        model.stop()


def test_the_id_that_remembering_gives_is_the_one_that_everything_takes(curator: Caller) -> None:
    """Case 88: why, list, retract; and nothing is taken back by a question."""
    told = curator.post("beliefs", preference("Ines likes tea."))
    made = told.json()["items"][0]["belief"]["id"]
    source = curator.get(f"why/{made}").json()["sources"][0]["source"]
    assert curator.get(f"beliefs/{made}").json()["id"] == made
    assert curator.post("beliefs/retract", {"question": "tea"}).status_code in (404, 405)
    gone = curator.post(f"beliefs/{made}/retract", {"reason": "She does not."}, If_Match='"1"')
    assert (gone.status_code, gone.json()["id"]) == (200, made)
    assert curator.post(f"sources/{source}/withdraw", {"rationale": "Wrong."}).status_code in (200, 201)
    assert Withdrawal.objects.get().source_id is not None


def test_a_source_of_which_nothing_was_learned_says_so(
    operator: Principal, administrator: Principal, work: Callable[[], int]
) -> None:
    """Case 109: on its page, once it was read."""
    tree = Tree(operator)
    tree.write("/notes/a.md", "Good morning to all.", tell=True)
    work()
    page = client_of(administrator).get(f"/w/harbour/conversations/sources/{Source.objects.get().pk}/")
    assert "Nothing. The built-in rules take only what is said plainly" in page.content.decode()


def test_a_file_that_goes_in_one_workspace_stays_next_door(operator: Principal, other_workspace: Workspace) -> None:
    """Case 113: the same path, the same words, the same node's name."""
    here, there = Tree(operator), Tree(access.operator(other_workspace))
    for tree in (here, there):
        tree.write("/notes/kestrel.md", "The marlin of Kestrel.")
    here.remove("/notes/kestrel.md")
    assert (here.search("marlin"), here.grep("marlin")) == ([], [])
    assert there.search("marlin") == ["/notes/kestrel.md"]
    assert there.grep("marlin") == [("/notes/kestrel.md", 1)]
    assert Entry.objects.filter(workspace=other_workspace, state="current").exists()


@pytest.mark.parametrize("role", ["viewer", "reviewer", "curator"])
def test_only_an_administrator_changes_settings_and_nobody_lets_themselves_in(
    workspace: Workspace, person: Callable[..., Principal], role: str
) -> None:
    """Case 125."""
    client = client_of(person(workspace, role, "Sam"))
    before = Workspace.objects.get(pk=workspace.pk).settings
    client.post("/w/harbour/settings/", {"model": "http://elsewhere.example", "time_zone": "Asia/Tokyo"})
    assert client.post("/w/harbour/members/", {"username": "eve", "role": "admin"}).status_code == 403
    for address in ("/sign-up/", "/register/", "/accounts/signup/"):
        assert client.get(address).status_code == 404
    assert Workspace.objects.get(pk=workspace.pk).settings == before
    assert not User.objects.filter(username="eve").exists()


def test_work_for_one_workspace_changes_nothing_next_door(
    operator: Principal, other_workspace: Workspace, work: Callable[[], int]
) -> None:
    """Case 128: a worker that knows of no workspace does what the job says, where the job says."""
    here, there = Tree(operator), Tree(access.operator(other_workspace))
    there.write("/notes/a.md", "Ines Ferro works at Quillworks.")
    before = dump.snapshot(other_workspace)
    here.write("/notes/a.md", "Ines Ferro works at Quillworks.", tell=True)
    assert work() >= 1
    assert dump.snapshot(other_workspace) == before
    assert not ContextEntry.objects.exists()
