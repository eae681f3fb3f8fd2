"""Types that grow while the product runs: from a file, by a job, and in force at once everywhere."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memoryapp.doors.errors import Conflict, Denied
from memoryapp.graph.models import Belief, Node
from memoryapp.ledger import dump
from memoryapp.ledger.models import Job, Retyping, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import services
from memoryapp.ontology.changeset import apply, read_changes
from memoryapp.ontology.document import read_text
from memoryapp.ontology.models import Proposal
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.queries.proposals import outlook, seen
from tests.api.calling import Caller
from tests.graph.nodes.telling import Graph
from tests.ontology.proposing import VESSEL, Office

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def office(agent: Callable[..., Principal], administrator: Principal) -> Office:
    return Office(agent(administrator.workspace, ["curate", "propose"], "Quay"), administrator)


def changed(by: Principal, *changes: dict[str, Any]) -> str:
    return apply(current_ontology(by).document, read_changes(list(changes))).document.as_yaml()


def test_a_file_is_compared_and_filed(office: Office, tmp_path: Path) -> None:
    """The command says what differs, and files it for people."""
    path, said = tmp_path / "types.yaml", StringIO()
    rename = {"change": "rename", "family": "node_classes", "type": "team", "to": "crew"}
    path.write_text(changed(office.admin, VESSEL, rename), encoding="utf-8")
    call_command("propose_ontology", "harbour", str(path), "--file", stdout=said)
    assert "Add the class vessel below thing." in said.getvalue()
    assert "Call team crew." in said.getvalue()
    proposal = Proposal.objects.get()
    assert proposal.origin == "file"
    office.approve(proposal)
    office.apply(proposal)
    assert current_ontology(office.admin).document == read_text(path.read_text(encoding="utf-8"))
    again = StringIO()
    call_command("propose_ontology", "harbour", str(path), stdout=again)
    assert again.getvalue() == "Nothing differs.\n"
    path.write_text("name: [", encoding="utf-8")
    with pytest.raises(CommandError, match="neither YAML nor JSON"):
        call_command("propose_ontology", "harbour", str(path))


def test_a_worker_applies_what_was_approved_once(office: Office, graph: Graph, work: Callable[[], int]) -> None:
    """The job is one transaction with its own end; what changed since the approval is not applied."""
    nodes = [graph.node("organization", name=f"Firm {number}") for number in range(3)]
    proposal = office.propose({"change": "rename", "family": "node_classes", "type": "organization", "to": "firm"})
    office.approve(proposal)
    job: Job = office.do(services.apply_in_a_job, proposal)
    assert current_ontology(office.admin).number == 1
    work()
    job.refresh_from_db()
    assert (job.state, job.outcome) == ("succeeded", {"applied": True, "edition": 2})
    assert {node.node_class for node in Node.objects.filter(pk__in=[one.pk for one in nodes])} == {"firm"}
    assert Retyping.objects.get().counts == {"nodes": 3}
    other = office.propose(VESSEL)
    office.approve(other)
    office.do(services.apply_in_a_job, other)
    office.do(services.reject, other, "No.")
    work()
    assert "vessel" not in current_ontology(office.admin).document.node_classes


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


def test_what_is_applied_is_in_force_at_once_in_validation_description_and_search(
    office: Office, workspace: Workspace
) -> None:
    """No restart: the next request of any process reads the edition in force."""
    quay = Caller(workspace, ["lookup", "recall", "curate"], "Clerk")
    source = {"kind": "document", "path": "/k.md", "content": "Kestrel.", "said_at": "2026-03-02T09:00:00Z"}
    body = {"class": "vessel", "properties": {"name": "Kestrel"}, "evidence": [{"new_source": source}]}
    assert quay.post("nodes", body).status_code == 422
    office.put_in_force(VESSEL)
    assert quay.post("nodes", body).status_code == 201
    told = quay.get("ontology").json()
    assert (told["edition"], told["rendered"]["node_classes"]["vessel"]["usable"]) == (2, True)
    assert quay.post("recall", {"question": "Kestrel"}).status_code == 200
    assert [one["label"] for one in quay.get("nodes?class=thing").json()["items"]].count("Kestrel") == 1


def test_a_dump_from_before_a_rename_is_restored_and_read(office: Office, graph: Graph) -> None:
    """A9: an old export is still a memory of its own, and a new one holds proposals and what was parked."""
    ines = graph.node("person", name="Ines", email="ines@ferro.example")
    before = dump.snapshot(office.admin.workspace)
    office.put_in_force({"change": "rename", "family": "node_classes", "type": "person", "to": "human"})
    after = dump.snapshot(office.admin.workspace)
    assert any('"ontology.proposal"' in line for line in after)
    assert ines.node_class == "person"
    assert sum('"ledger.retyping"' in line for line in after) == 1
    assert any('"node_class":"person"' in line for line in before)
    assert not any('"node_class":"person"' in line and "graph.node" in line for line in after)


def test_merging_two_properties_never_hides_a_contradiction(office: Office, graph: Graph) -> None:
    """Two values that would come to fill one slot stop the whole change."""
    graph.node("person", name="Ines", email="ines@ferro.example", role="chief", language="Portuguese")
    into = {"change": "retire", "family": "node_classes", "type": "person", "part": "property", "name": "language"}
    proposal = office.propose(into | {"into": "role"})
    office.approve(proposal)
    with pytest.raises(Conflict):
        office.apply(proposal)
    assert seen(office.admin, proposal.pk).status == "approved"
    assert Belief.objects.filter(predicate="language").count() == 1


def test_a_policy_is_still_right_after_a_rename(office: Office, graph: Graph) -> None:
    """What names a kind by its former name goes on naming it."""
    office.put_in_force({"change": "rename", "family": "belief_kinds", "type": "preference", "to": "liking"})
    likes = graph.say("Ines likes tea.", graph.person("Ines"), kind="preference")
    ontology = current_ontology(office.admin)
    assert (likes.kind, ontology.is_kind("liking", "preference"), ontology.is_kind("preference", "user")) == (
        "liking",
        True,
        True,
    )
    found = outlook(office.admin, [{"change": "add_type", "family": "belief_kinds", "name": "preference"}])
    assert found.problems


def test_only_who_may_goes_back_to_an_edition(office: Office) -> None:
    office.put_in_force(VESSEL)
    with pytest.raises(Denied):
        record(office.filer, "go_back", lambda write: services.go_back(write, 1, "No."))
