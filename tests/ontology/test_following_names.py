"""What names a type goes on naming it when it is called otherwise, and says so before it goes."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.access.models import SavedView
from memoryapp.access.services import operator as operator_of
from memoryapp.graph.models import Belief, Node
from memoryapp.ledger import dump, integrity
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import services
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.queries.proposals import looked_at, outlook
from memoryapp.ontology.services import Draft
from tests.graph.nodes.telling import Graph
from tests.ontology.proposing import Office
from tests.visiting import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

LIKING: dict[str, Any] = {"change": "rename", "family": "belief_kinds", "type": "preference", "to": "liking"}
HUMAN: dict[str, Any] = {"change": "rename", "family": "node_classes", "type": "person", "to": "human"}
ROW = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@pytest.fixture
def office(agent: Callable[..., Principal], administrator: Principal) -> Office:
    return Office(agent(administrator.workspace, ["curate", "propose"], "Quay"), administrator)


@pytest.fixture
def kept(administrator: Principal) -> list[SavedView]:
    """A view of beliefs and one of nodes that a member keeps, and a policy that names a kind."""
    policy = [{"name": "later wins", "verdict": "newer_replaces", "kinds": ["skill"]}]
    Workspace.objects.filter(pk=administrator.workspace.pk).update(settings={"conflict_policy": policy})

    def keep(write: Any) -> list[SavedView]:
        return [
            SavedView.objects.create(
                workspace=write.workspace,
                place=place,
                name=name,
                query=query,
                shared=True,
                owner=write.by.actor,
                write=write,
            )
            for place, name, query in (
                ("beliefs", "Their skills", "kind=skill"),
                ("nodes", "Products", "class=product"),
            )
        ]

    made: list[SavedView] = record(administrator, "keep_view", keep)
    return made


def test_a_dry_run_names_every_view_and_policy_that_would_no_longer_work(office: Office, kept: list[SavedView]) -> None:
    """A8: saved views of beliefs and of nodes, and rules of the policy, each by its name."""
    for family, name, named in (
        ("belief_kinds", "skill", ("Their skills", "later wins")),
        ("node_classes", "product", ("Products",)),
    ):
        found = outlook(office.admin, [{"change": "retire", "family": family, "type": name}])
        said = " ".join(one.message for one in found.examined.violations)
        assert all(one in said for one in named), said
        assert found.stands_in_the_way


def test_what_is_called_otherwise_is_still_found_by_what_named_it(
    office: Office, kept: list[SavedView], operator: Principal
) -> None:
    """A9: a rename stands in nobody's way; saved views, policies and addresses go on with the former name. Its dry run
    names them, and shows some of the rows that would follow."""
    graph = Graph(operator)
    ines = graph.person("Ines")
    graph.say("Ines splices rope.", ines, kind="skill")
    graph.node("product", name="Kestrel")
    proposal = office.propose(
        {"change": "rename", "family": "belief_kinds", "type": "skill", "to": "craft"},
        {"change": "rename", "family": "node_classes", "type": "product", "to": "article"},
    )
    client = client_of(office.admin)
    found = looked_at(office.admin, proposal)
    assert {str(one) for one in found.named} >= {
        "the saved view “Their skills”",
        "the saved view “Products”",
        "the rule of the conflict policy “later wins”",
    }
    assert {one.words for one in found.samples} == {"Ines splices rope.", "Kestrel"}
    shown = client.get(f"/w/harbour/proposals/{proposal.pk}/").content.decode()
    assert all(words in shown for words in ("It is named by", "“Their skills”", "Among them", "Ines splices rope."))
    assert {one["name"] for one in found.as_data()["named"]} >= {"Their skills", "Products"}
    office.approve(proposal)
    office.apply(proposal)
    assert "splices rope" in client.get(f"/w/harbour/beliefs/?{kept[0].query}").content.decode()
    assert "Kestrel" in client.get(f"/w/harbour/nodes/?{kept[1].query}").content.decode()
    assert client.get("/w/harbour/ontology/belief_kinds/skill/").status_code == 200
    assert client.get("/w/harbour/policies/").status_code == 200
    assert current_ontology(office.admin).is_kind("craft", "skill")


def test_a_dump_from_before_a_rename_is_restored_and_can_follow_it(office: Office, operator: Principal) -> None:
    """A9: what was taken away before is a whole memory under the types of its time; the same proposal brings it up to
    today's, and both names are taken there as well."""
    graph = Graph(operator)
    ines = graph.node("person", name="Ines", email="ines@ferro.example", role="chief")
    likes = graph.say("Ines likes tea.", ines, kind="preference")
    lines = dump.snapshot(operator.workspace)
    office.put_in_force(HUMAN, LIKING)
    exported = current_ontology(operator).document

    def elsewhere(id: str) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_OID, id))

    old = dump.restore([ROW.sub(lambda found: elsewhere(found[0]), line) for line in lines], slug="attic")
    by = operator_of(old)
    assert current_ontology(by).document.node_classes.keys() & {"person", "human"} == {"person"}
    assert Node.objects.get(pk=elsewhere(str(ines.pk))).node_class == "person"
    Workspace.objects.filter(pk=old.pk).update(settings={"filer_may_approve": True})
    proposal = record(by, "propose", lambda write: services.propose(write, Draft([HUMAN, LIKING], "As in the other.")))
    record(by, "approve", lambda write: services.approve(write, proposal, "Fine."))
    record(by, "apply", lambda write: services.apply_proposal(write, proposal))
    assert current_ontology(by).document == exported
    assert Belief.objects.get(pk=elsewhere(str(likes.pk))).kind == "liking"
    again = Graph(by).upsert("person", name="Ines", email="ines@ferro.example", role="chief")
    assert (str(again.node.pk), again.created) == (elsewhere(str(ines.pk)), False)
    assert [one.what for report in integrity.examine(old) for one in report.findings] == []
