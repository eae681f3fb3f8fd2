"""Proposals: filed by whoever may, decided by people, put in force whole or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from memoryapp.doors.errors import Conflict, Denied, Invalid, Stale
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries.views import named
from memoryapp.graph.statements import NodeKeys
from memoryapp.ledger import integrity
from memoryapp.ledger.models import Actor, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import services
from memoryapp.ontology.models import OntologyVersion, Proposal, ProposalMove, ProposalRevision, Status
from memoryapp.ontology.queries import current_ontology, ontology_at
from memoryapp.ontology.queries.proposals import looked_at, outlook, seen
from memoryapp.ontology.services import Draft
from memoryapp.ontology.services.moving import MAY_BECOME, move
from memoryapp.review import services as review
from memoryapp.review.models import Case
from tests.graph.nodes.telling import Graph
from tests.ontology.proposing import VESSEL, Office
from tests.visiting import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.sql]
Agents = Callable[..., Principal]


@pytest.fixture
def office(agent: Agents, administrator: Principal) -> Office:
    return Office(agent(administrator.workspace, ["curate", "propose"], "Quay"), administrator)


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


def test_a_proposal_holds_all_that_is_needed_to_decide_on_it(office: Office) -> None:
    """A1: kind, changes, filer, edition, reasons, what else was thought of, the difference, and a dry run."""
    draft = Draft([VESSEL], "Berths are booked for vessels.", ("Call them products.",))
    proposal = record(office.filer, "propose", lambda write: services.propose(write, draft))
    revision = ProposalRevision.objects.get(proposal=proposal)
    assert (proposal.kind, proposal.severity, proposal.base_edition) == ("add_subclass", "safe", 1)
    assert proposal.filer == office.filer.actor
    assert (revision.rationale, revision.alternatives) == (draft.rationale, ["Call them products."])
    found = looked_at(office.admin, proposal).as_data()
    assert {one["path"] for one in found["differences"]} >= {
        "/node_classes/vessel",
        "/node_classes/vessel/properties/draught",
    }
    assert (found["rows_moving"], found["not_fitting"], found["problems"]) == ({}, [], [])
    assert Case.objects.get(kind="schema_proposal", key=str(proposal.pk)).state == Case.State.OPEN


def test_each_step_says_who_when_and_why_and_no_other_step_is_taken(office: Office) -> None:
    """A2, A10: one vocabulary of statuses and one table of steps; the store knows no other."""
    proposal = office.propose(VESSEL)
    office.do(services.ask_back, proposal, "By what is one known?")
    with pytest.raises(Conflict, match="needs changes"):
        office.approve(proposal)
    office.do(services.revise, proposal, Draft([VESSEL], "By its name."), by=office.filer, reason="By its name.")
    office.approve(proposal)
    office.apply(proposal)
    steps = ProposalMove.objects.filter(proposal=proposal).order_by("sequence")
    assert [(one.from_status, one.to_status, one.write.actor.name) for one in steps] == [
        ("", "proposed", "Quay"),
        ("proposed", "needs_changes", "Admin"),
        ("needs_changes", "proposed", "Quay"),
        ("proposed", "approved", "Admin"),
        ("approved", "applied", "Admin"),
    ]
    assert all(one.reason for one in steps)
    assert set(MAY_BECOME) == {"", *Status.values}
    for column, word in (("status", "alive"), ("severity", "huge")):
        with pytest.raises(DatabaseError), transaction.atomic():
            Proposal.objects.filter(pk=proposal.pk).update(**{column: word})
    with pytest.raises(DatabaseError, match="who, when and why"), transaction.atomic():
        Proposal.objects.filter(pk=proposal.pk).update(status="rejected")


def test_no_agent_and_no_filer_approves(office: Office, operator: Principal) -> None:
    """A2, A12: whatever it is granted, no key and no policy; and nobody what they filed, unless the workspace says so.
    Refused by the service and by the store."""
    proposal = office.propose(VESSEL)
    armed = Principal(office.filer.workspace, office.filer.actor, "rest", operator.capabilities)
    for verb in (services.approve, services.apply_proposal, services.reject):
        with pytest.raises(Denied):
            office.do(verb, proposal, *(["Please."] if verb is services.reject else []), by=armed)
        with pytest.raises(Denied):
            office.do(verb, proposal, *(["Please."] if verb is services.reject else []), by=office.filer)
    with pytest.raises(DatabaseError, match="only people"):
        record(armed, "approve", lambda write: move(write, seen(armed, proposal.pk), Status.APPROVED, "Me."))
    mine = office.propose({**VESSEL, "name": "barge"}, by=office.admin)
    with pytest.raises(Denied) as refused:
        office.approve(mine)
    assert refused.value.code == "filer_never_approves"
    _set(office.admin, filer_may_approve=True)
    office.approve(mine)
    assert seen(office.admin, mine.pk).status == Status.APPROVED


def test_of_two_that_change_one_type_the_second_is_stale(office: Office) -> None:
    """A5, C7: it is rebased before it is applied; with one click where it changes something else."""
    first = office.propose(_add("person", "nickname"))
    second = office.propose(_add("person", "motto"))
    other = office.propose(VESSEL)
    for one in (first, second, other):
        office.approve(one)
    office.apply(first)
    for one in (second, other):
        with pytest.raises(Stale) as refused:
            office.apply(one)
        assert refused.value.code == "stale"
        office.do(services.rebase, one)
    assert seen(office.admin, other.pk).status == Status.APPROVED
    assert seen(office.admin, second.pk).status == Status.PROPOSED
    office.apply(other)
    assert current_ontology(office.admin).number == 3
    office.do(services.rebase, second)
    office.approve(second)
    office.apply(second)
    assert {"nickname", "motto"} <= set(current_ontology(office.admin).properties_of("person"))


def test_applying_twice_changes_nothing_and_a_failure_leaves_all_as_it_was(office: Office, graph: Graph) -> None:
    """Case 136. A7: one transaction with a new edition, or nothing."""
    proposal = office.put_in_force(VESSEL)
    before = OntologyVersion.objects.filter(workspace=office.admin.workspace).count()
    assert office.apply(proposal).applied_edition == proposal.applied_edition == 2
    assert OntologyVersion.objects.filter(workspace=office.admin.workspace).count() == before
    tight = office.propose(
        {"change": "rename", "family": "node_classes", "type": "person", "to": "human"},
        {
            "change": "set_property",
            "family": "node_classes",
            "type": "human",
            "name": "role",
            "declaration": {"type": "string", "maxLength": 5},
        },
    )
    office.approve(tight)
    ines = graph.node("person", name="Ines", email="ines@ferro.example", role="harbour master")
    with pytest.raises(Conflict) as refused:
        office.apply(tight)
    assert refused.value.code == "rows_do_not_fit"
    assert (current_ontology(office.admin).number, Node.objects.get(pk=ines.pk).node_class) == (2, "person")
    office.do(services.note_failure, tight, refused.value)
    assert seen(office.admin, tight.pk).status == Status.FAILED


def _rename(type: str, **more: str) -> dict[str, Any]:
    return {"change": "rename", "family": "node_classes", "type": type, **more}


def _add(of: str, name: str) -> dict[str, Any]:
    declaration = {"type": "string", "maxLength": 60}
    return {"change": "add_property", "family": "node_classes", "type": of, "name": name, "declaration": declaration}


def test_tightening_lists_the_rows_that_would_not_fit(office: Office, graph: Graph) -> None:
    """A6, T35: values, ranges, patterns, numbers of edges and of players, who may play, and required ones; nothing is
    applied while any row is against it."""
    short = graph.node("person", name="Ines", email="ines@ferro.example", role="chief")
    long = graph.node("person", name="Tomas", email="tomas@vale.example", role="harbour master")
    berth = {"change": "set_property", "family": "node_classes", "type": "project", "name": "berth"}
    office.put_in_force(berth | {"change": "add_property", "declaration": {"type": "integer"}})
    graph.node("project", name="Kestrel", state="running", berth=7)
    graph.connect(short, "knows", long)
    graph.connect(short, "knows", graph.person("Bram"))
    graph.say("Ines will call.", short, kind="commitment")
    graph.relate("shipment", ("shipper", short), ("carrier", long), ("receiver", graph.person("Bram")))
    role = {"change": "set_property", "family": "node_classes", "type": "person", "name": "role"}
    state = {"change": "set_property", "family": "node_classes", "type": "project", "name": "state"}
    edge = {"change": "set", "family": "relationships", "type": "knows", "field": "cardinality"}
    kind = {"change": "set", "family": "belief_kinds", "type": "commitment", "field": "required"}
    carriers = {"change": "set_role", "family": "relation_kinds", "type": "shipment", "name": "carrier"}
    tries: list[tuple[dict[str, Any], str, int]] = [
        (role | {"declaration": {"type": "string", "maxLength": 6}}, "Tomas", 1),
        (role | {"declaration": {"type": "string", "pattern": "^c"}}, "Tomas", 1),
        (state | {"declaration": {"type": "string", "enum": ["planned"]}}, "Kestrel", 1),
        (edge | {"value": "one_per_subject"}, "Ines", 1),
        (berth | {"declaration": {"type": "integer", "minimum": 10}}, "Kestrel", 1),
        (berth | {"declaration": {"type": "integer", "maximum": 6}}, "Kestrel", 1),
        (kind | {"value": ["due_at"]}, "Ines will call", 1),
        (carriers | {"declaration": {"nodes": ["person"], "minimum": 2, "maximum": None}}, "shipment", 1),
        (carriers | {"declaration": {"nodes": ["organization"]}}, "shipment", 1),
    ]
    for change, label, count in tries:
        found = outlook(office.admin, [change])
        assert [(one.count, label in one.rows[0].label) for one in found.examined.broken] == [(count, True)]
        assert found.examined.severity == "breaking"
        with pytest.raises(Conflict):
            office.approve(office.propose(change))
    wide = outlook(office.admin, [role | {"declaration": {"type": "string", "maxLength": 900}}])
    assert wide.examined.severity == "safe"


def test_what_only_widens_is_applied_whatever_is_stored_below(office: Office, graph: Graph) -> None:
    """Case 134: rows of a subclass fit the wider rule of the class above, and no step between refuses them."""
    team = graph.node("team", name="Binders", industry="printing")
    industry = {"change": "set_property", "family": "node_classes", "type": "organization", "name": "industry"}
    office.put_in_force(industry | {"declaration": {"type": "string", "minLength": 1, "maxLength": 8}})
    office.put_in_force(industry | {"declaration": {"type": "string", "minLength": 1, "maxLength": 900}})
    assert current_ontology(office.admin).number == 3
    assert Node.objects.get(pk=team.pk).properties["industry"] == "printing"
    assert graph.upsert("team", name="Binders", industry="p" * 900).node == team


def test_what_is_in_use_is_not_retired_and_what_is_mentioned_is_named(office: Office, graph: Graph) -> None:
    """T34, A8: refused with the count, or with the view, policy or tool that would no longer work."""
    graph.say("Ines sailed.", graph.person("Ines"), kind="experience")
    used = outlook(office.admin, [{"change": "retire", "family": "belief_kinds", "type": "experience"}])
    assert ("in_use", "1 stored row") in [(one.code, one.message[:12]) for one in used.examined.violations]
    _set(office.admin, conflict_policy=[{"name": "later", "verdict": "newer_replaces", "kinds": ["skill"]}])
    for kind, what in (("skill", "later"), ("decision", "Decisions")):
        found = outlook(office.admin, [{"change": "retire", "family": "belief_kinds", "type": kind}])
        said = " ".join(one.message for one in found.examined.violations)
        assert what in said
        with pytest.raises(Conflict) as refused:
            office.approve(office.propose({"change": "retire", "family": "belief_kinds", "type": kind}))
        assert refused.value.code == "mentioned"
    assert not outlook(
        office.admin, [{"change": "retire", "family": "belief_kinds", "type": "tool_trajectory"}]
    ).stands_in_the_way


def test_a_renamed_type_is_read_by_both_names(office: Office, graph: Graph, agent: Agents) -> None:
    """A9: rows follow, the old names are still taken, and the old edition is still there to read."""
    ines = graph.node("person", name="Ines", email="ines@ferro.example", role="chief")
    firm = graph.node("organization", name="Ferro")
    graph.connect(ines, "worksAt", firm)
    likes = graph.say("Ines likes tea.", ines, kind="preference", topic="drinks")
    office.put_in_force(
        _rename("person", part="property", name="role", to="job"),
        {"change": "rename", "family": "node_classes", "type": "person", "to": "human"},
        {"change": "rename", "family": "belief_kinds", "type": "preference", "to": "liking"},
        {"change": "rename", "family": "relationships", "type": "worksAt", "to": "employedBy"},
    )
    now = Node.objects.get(pk=ines.pk)
    assert (now.node_class, now.properties["job"]) == ("human", "chief")
    assert Belief.objects.get(pk=likes.pk).kind == "liking"
    again = graph.upsert("person", name="Ines", email="ines@ferro.example", role="chief")
    assert (again.node.pk, again.created, again.conflicts) == (ines.pk, False, ())
    assert graph.say("Ines likes tea.", ines, kind="preference", topic="drinks").pk == likes.pk
    assert graph.connect(ines, "worksAt", NodeKeys("organization", {"name": "Ferro"})).outcome != "created"
    assert likes in named(graph.by, "preferences")
    assert ontology_at(office.admin, 1).node_class("person")
    with pytest.raises(Invalid, match="called before"):
        office.propose({"change": "add_type", "family": "node_classes", "name": "person"})
    assert _unsound(office.admin) == []


def test_rows_follow_a_split_a_merge_and_other_keys(office: Office, graph: Graph) -> None:
    """A type changes under stored rows only by a mapping that people approved."""
    lisbon = graph.node("place", name="Lisbon", country="Portugal")
    lyon = graph.node("place", name="Lyon", country="France")
    fold = graph.say("Fold twice.", lisbon, kind="skill")
    office.put_in_force(
        {"change": "split", "type": "place", "property": "country", "into": [{"name": "port", "values": ["Portugal"]}]},
        {"change": "merge", "family": "belief_kinds", "type": "skill", "into": "insight"},
        {"change": "set_keys", "type": "place", "keys": [["name", "country"]]},
    )
    classes = {node.pk: node.node_class for node in Node.objects.filter(pk__in=[lisbon.pk, lyon.pk])}
    assert classes == {lisbon.pk: "port", lyon.pk: "place"}
    assert Belief.objects.get(pk=fold.pk).kind == "insight"
    assert graph.upsert("place", name="Lyon", country="France").node.pk == lyon.pk
    assert graph.upsert("place", name="Lyon", country="Portugal").created
    twins = outlook(office.admin, [{"change": "set_keys", "type": "place", "keys": [["country"]]}])
    assert twins.examined.severity == "breaking"
    assert _unsound(office.admin) == []


def test_going_back_is_a_new_edition_with_the_same_checks(office: Office, graph: Graph) -> None:
    """The edition after equals the one before; what was written meanwhile is not left without its type."""
    proposal = office.put_in_force(VESSEL, {"change": "rename", "family": "node_classes", "type": "team", "to": "crew"})
    crew = graph.node("crew", name="Night watch")
    boat = graph.node("vessel", name="Kestrel")
    with pytest.raises(Conflict, match="without their type"):
        office.do(services.roll_back, proposal, "It was a mistake.")
    assert current_ontology(office.admin).number == 2
    office.put_in_force({"change": "merge", "family": "node_classes", "type": "vessel", "into": "product"})
    assert Node.objects.get(pk=boat.pk).node_class == "product"
    record(office.admin, "go_back", lambda write: services.go_back(write, 1, "It was a mistake."))
    assert current_ontology(office.admin).document == ontology_at(office.admin, 1).document
    assert current_ontology(office.admin).number == 4
    assert Node.objects.get(pk=crew.pk).node_class == "team"
    assert {one.status for one in Proposal.objects.all()} == {Status.SUPERSEDED}


def test_closing_one_proposal_changes_one_row(office: Office) -> None:
    """A11."""
    several = [office.propose(_add("person", name)) for name in ("one", "two", "three")]

    def rows() -> Counter[Any]:
        return Counter(Proposal.objects.values_list("pk", "status", "lock", "revision"))

    before = rows()
    office.do(services.reject, several[1], "No.")
    assert len(before - rows()) == 1
    office.do(services.withdraw, several[2], "Not needed.", by=office.filer)
    assert len(before - rows()) == 2
    assert Proposal.objects.get(pk=several[0].pk).status == Status.PROPOSED


def test_a_new_subtype_is_in_what_is_asked_of_its_parent(office: Office, graph: Graph) -> None:
    """T3, T42: the view that names the parent holds it, unchanged."""
    before = current_ontology(office.admin).view("preferences")
    declaration = {"parent": "preference", "title": "Travel preference"}
    added = {"change": "add_type", "family": "belief_kinds", "name": "travel_preference", "declaration": declaration}
    office.put_in_force(added)
    train = graph.say("Ines travels by train.", graph.person("Ines"), kind="travel_preference")
    assert train in named(office.admin, "preferences")
    assert current_ontology(office.admin).view("preferences") == before
    shown = client_of(office.admin).get("/w/harbour/beliefs/?view=preferences").content.decode()
    assert "Ines travels by train." in shown
    assert client_of(office.admin).get("/w/harbour/beliefs/?view=preferenses").status_code == 422


def test_a_reviewer_decides_in_the_queue_and_the_second_is_told_so(office: Office, reviewer: Principal) -> None:
    """The case is settled with the proposal, by who may."""
    proposal = office.propose(VESSEL)
    case = Case.objects.get(kind="schema_proposal")

    def decide(by: Principal, verdict: str) -> Any:
        return record(
            by,
            "decide",
            lambda write: review.decide(write, case.pk, lock=case.lock, verdict=verdict),
            "It is what we need.",
        )

    with pytest.raises(Conflict, match="Only an admin"):
        decide(reviewer, "approve_and_apply")
    decide(office.admin, "approve_and_apply")
    assert seen(office.admin, proposal.pk).status == Status.APPLIED
    assert "vessel" in current_ontology(office.admin).document.node_classes
    with pytest.raises(Conflict, match="decided this already"):
        decide(office.admin, "reject")
    decided = ProposalMove.objects.filter(to_status__in=["approved", "applied"])
    assert not decided.filter(write__actor__kind=Actor.Kind.AGENT).exists()


def _set(by: Principal, **settings: Any) -> None:
    Workspace.objects.filter(pk=by.workspace.pk).update(settings=settings)


def _unsound(by: Principal) -> list[str]:
    return [f"{report.check.name}: {one.what}" for report in integrity.examine(by.workspace) for one in report.findings]
