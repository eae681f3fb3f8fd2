"""A member or agent is bound to a node: what is kept for its owners only is served to them, until they are released."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memoryapp.access.models import AccessChange
from memoryapp.doors.errors import Conflict, Denied, Invalid, NotFound
from memoryapp.graph import services as graph
from memoryapp.graph.models import ActorNode, Belief, Node
from memoryapp.ledger import dump
from memoryapp.ledger.models import Actor, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review.models import Case
from tests.api.calling import Caller
from tests.graph.nodes.telling import Graph
from tests.visiting import client_of

pytestmark = pytest.mark.django_db

SECRET = "Ines keeps bees on the zephyrine roof"


@pytest.fixture
def kept(operator: Principal) -> tuple[Node, Belief]:
    """Ines, and what is told to nobody but her."""
    graph = Graph(operator)
    ines = graph.person("Ines Ferro")
    graph.say("Ines likes short mail", ines)
    return ines, graph.say(SECRET, ines, audience="owners", topic="hobby")


def bound(by: Principal, actor: Actor, node: Node) -> None:
    record(by, "bind", lambda write: graph.bind_actor(write, actor=actor, node=node))


def served(caller: Caller, belief: Belief) -> dict[str, Any]:
    """What each way of asking answers of it: what is said, or how it is refused."""
    recalled = caller.post("recall", {"question": "who keeps bees on the zephyrine roof"}).json()
    listed = caller.get("beliefs?page_size=50").json()
    return {
        "recall": SECRET in json.dumps(recalled),
        "why": caller.get(f"why/{belief.pk}").status_code,
        "one": caller.get(f"beliefs/{belief.pk}").status_code,
        "list": len(listed["items"]),
        "cases": len(caller.get("cases").json()["items"]),
    }


def test_an_agent_that_is_an_owner_is_served_what_is_for_owners_only(
    kept: tuple[Node, Belief], workspace: Workspace, operator: Principal
) -> None:
    """R6: recall, why, lists, counts and cases follow the binding, and its end."""
    ines, secret = kept
    hers = Caller(workspace, ["lookup", "recall", "steward"], "Hers")
    other = Caller(workspace, ["lookup", "recall", "steward"], "Other")
    Graph(operator).say("Ines keeps bees no more", ines, audience="owners", topic="hobby", said_at="2026-06-02")
    assert Case.objects.filter(kind="belief_conflict").count() == 1
    nothing = {"recall": False, "why": 404, "one": 404, "list": served(other, secret)["list"], "cases": 0}
    assert served(hers, secret) == nothing
    bound(operator, hers.agent.actor, ines)
    everything = {"recall": True, "why": 200, "one": 200, "list": nothing["list"] + 1, "cases": 1}
    assert served(hers, secret) == everything
    assert served(other, secret) == nothing
    record(operator, "r", lambda write: graph.release_actor(write, actor=hers.agent.actor, node=ines))
    assert served(hers, secret) == nothing


def test_an_agent_may_be_two_people_and_a_dump_keeps_who_it_is(
    kept: tuple[Node, Belief], workspace: Workspace, operator: Principal, agent: Callable[..., Principal]
) -> None:
    ines, secret = kept
    tomas = Graph(operator).person("Tomas Brandt")
    desk = agent(workspace, ["lookup"])
    for node in (ines, tomas, ines):
        bound(operator, desk.actor, node)
    assert ActorNode.objects.filter(actor=desk.actor).count() == 2
    assert secret in Belief.objects.visible_to(desk)
    assert sum('"graph.actornode"' in line for line in dump.snapshot(workspace)) == 2


def test_only_who_manages_readers_binds_and_only_whom_there_is(
    kept: tuple[Node, Belief],
    workspace: Workspace,
    operator: Principal,
    reviewer: Principal,
    agent: Callable[..., Principal],
) -> None:
    ines, _ = kept
    desk = agent(workspace, ["lookup"])
    with pytest.raises(Denied):
        bound(reviewer, desk.actor, ines)
    with pytest.raises(Invalid, match="reads nothing"):
        bound(operator, operator.actor, ines)
    with pytest.raises(NotFound):
        record(operator, "r", lambda write: graph.release_actor(write, actor=desk.actor, node=ines))
    record(operator, "x", lambda write: Node.objects.filter(pk=ines.pk).update(state="retired"))
    with pytest.raises(Conflict, match="no longer in use"):
        bound(operator, desk.actor, ines)
    assert not ActorNode.objects.exists()


def test_an_administrator_binds_and_releases_on_the_page_of_the_reader(
    kept: tuple[Node, Belief], workspace: Workspace, administrator: Principal, reviewer: Principal
) -> None:
    ines, secret = kept
    client = client_of(administrator)
    page = f"/w/harbour/members/{reviewer.actor.membership.pk}/"
    assert str(reviewer.actor.pk) in client.get(page).content.decode(), "the id by which readers are named"
    bind = f"/w/harbour/readers/{reviewer.actor.pk}/bind/"
    answer = client.post(bind, {"node": "nobody at all"}, follow=True)
    assert "No node has that name, key or id." in answer.content.decode()
    answer = client.post(bind, {"node": "Ines.Ferro@mail.example"}, follow=True)
    text = answer.content.decode()
    assert "Reviewer is Ines Ferro now" in text
    assert "Bound to a node" in text
    assert secret in Belief.objects.visible_to(reviewer)
    client.post(f"/w/harbour/readers/{reviewer.actor.pk}/release/", {"node": str(ines.pk)})
    assert secret not in Belief.objects.visible_to(reviewer)
    assert "Released from a node" in client.get(page).content.decode()
    assert AccessChange.objects.filter(membership=reviewer.actor.membership, after__has_key="node").count() == 2
    desk = Caller(workspace, ["lookup"], "Desk").agent
    bound = client.post(f"/w/harbour/readers/{desk.actor_id}/bind/", {"node": str(ines.pk)}, follow=True)
    assert "Desk is Ines Ferro now" in bound.content.decode()


def test_a_command_binds_names_the_choices_and_releases(
    kept: tuple[Node, Belief], workspace: Workspace, operator: Principal, agent: Callable[..., Principal]
) -> None:
    ines, secret = kept
    desk = agent(workspace, ["lookup"])
    Graph(operator).node("person", name="Ines Ferro", email="another@mail.example")

    def bind(*more: str) -> str:
        out = StringIO()
        call_command("bind_reader", "harbour", *more, stdout=out)
        return out.getvalue()

    with pytest.raises(CommandError, match=str(ines.pk)):
        bind("--agent", "Desk", "--node", "ines ferro")
    with pytest.raises(CommandError, match="no such agent or member"):
        bind("--member", "nobody", "--node", str(ines.pk))
    assert bind("--agent", "Desk", "--node", str(ines.pk)) == f"Desk is Ines Ferro ({ines.pk}).\n"
    assert secret in Belief.objects.visible_to(desk)
    assert "no longer" in bind("--agent", "Desk", "--node", str(ines.pk), "--release")
    assert secret not in Belief.objects.visible_to(desk)
