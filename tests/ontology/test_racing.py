"""Who writes, applies or rolls back at the same time: nothing is lost, nothing invalid stays, nothing is done twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memoryapp.doors.errors import DomainError
from memoryapp.graph import services as graph
from memoryapp.graph.models import Node
from memoryapp.graph.statements import Quoted
from memoryapp.ledger import integrity, workers
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import services, staging
from memoryapp.ontology.models import OntologyVersion, Proposal, ProposalMove, Status
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.queries.proposals import seen
from memoryapp.sources.models import Source
from tests.graph.nodes.telling import Graph
from tests.ontology.proposing import VESSEL, Office
from tests.racing import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sql, pytest.mark.slow]

RENAME = {"change": "rename", "family": "node_classes", "type": "place", "to": "spot"}
COUNTRY = {"change": "set_property", "family": "node_classes", "type": "place", "name": "country"}


@pytest.fixture
def office(agent: Callable[..., Principal], administrator: Principal) -> Office:
    return Office(agent(administrator.workspace, ["curate", "propose"], "Quay"), administrator)


@pytest.fixture
def source(operator: Principal) -> Source:
    return Graph(operator).source()


def told_at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Run all at the same time. What each gave, or the code of what it was refused with."""
    came = []
    for one in at_once(acts):
        if isinstance(one, Exception) and not isinstance(one, DomainError):
            raise one
        came.append(one.code if isinstance(one, DomainError) else one)
    return came


def writers(by: Principal, source: Source, node_class: str, count: int, **properties: Any) -> list[Callable[[], Any]]:
    """So many who each write one node of a class."""

    def one(number: int) -> Callable[[], Any]:
        given = {"name": f"{node_class} {number}"} | properties
        return lambda: record(
            by, "upsert", lambda write: graph.upsert_node(write, node_class, given, (Quoted(source),)).node.pk
        )

    return [one(number) for number in range(count)]


def unsound(by: Principal) -> list[str]:
    return [f"{report.check.name}: {one.what}" for report in integrity.examine(by.workspace) for one in report.findings]


def approved(office: Office, *changes: dict[str, Any]) -> Proposal:
    proposal = office.propose(*changes)
    office.approve(proposal)
    return seen(office.admin, proposal.pk)


def test_fifty_write_while_their_type_is_renamed_by_a_job_and_all_of_it_follows(
    office: Office, operator: Principal, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A7: whoever writes before, meanwhile or after: every acknowledged row is there once, under the new name."""
    monkeypatch.setattr(staging, "AT_ONCE", 0)
    monkeypatch.setattr(staging, "CHUNK", 4)
    before = [act() for act in writers(operator, source, "place", 10, country="France")]
    proposal = approved(office, RENAME)
    job = office.do(services.apply_in_a_job, proposal)
    told = writers(operator, source, "place", 50)[10:]
    came = told_at_once(lambda: workers.run(job.pk), *told, *writers(operator, source, "product", 10))
    assert Job.objects.get(pk=job.pk).state == "succeeded"
    written = set(before) | set(came[1:41])
    assert len(written) == 50
    assert set(Node.objects.filter(node_class="spot").values_list("pk", flat=True)) == written
    assert (Node.objects.filter(node_class="place").count(), unsound(office.admin)) == (0, [])


def test_what_would_not_fit_is_refused_or_stops_the_change(office: Office, operator: Principal, source: Source) -> None:
    """A6: never does a row stay that the edition in force does not take."""
    told = writers(operator, source, "place", 6, country="Spain")
    proposal = approved(office, COUNTRY | {"declaration": {"type": "string", "enum": ["Portugal", "France"]}})
    came = told_at_once(*told[:3], lambda: office.apply(proposal).status, *told[3:])
    outcomes = Counter("written" if not isinstance(one, str) else one for one in came)
    spanish = Node.objects.filter(node_class="place").count()
    if came[3] == "applied":
        assert (spanish, outcomes["invalid"] + outcomes["value_not_allowed"]) == (0, 6)
    else:
        assert (came[3], spanish > 0) == ("rows_do_not_fit", True)
        assert current_ontology(office.admin).number == 1
    assert unsound(office.admin) == []


def test_applied_at_once_by_several_it_is_applied_once(office: Office) -> None:
    """A7: one edition, one step, whoever came second is told that it is done."""
    proposal = approved(office, VESSEL)
    came = told_at_once(*[lambda: office.apply(proposal).applied_edition] * 5)
    assert came == [2] * 5
    assert OntologyVersion.objects.filter(workspace=office.admin.workspace).count() == 2
    assert ProposalMove.objects.filter(proposal=proposal, to_status=Status.APPLIED).count() == 1


def test_of_two_that_change_one_type_at_once_one_is_stale(office: Office) -> None:
    """A5: the second is told so, keeps its words, and is rebased."""
    both = [
        approved(
            office,
            {
                "change": "add_property",
                "family": "node_classes",
                "type": "person",
                "name": name,
                "declaration": {"type": "string"},
            },
        )
        for name in ("nickname", "motto")
    ]
    came = told_at_once(*(_applying(office, one) for one in both))
    assert Counter(came) == Counter({"applied": 1, "stale": 1})
    late = both[came.index("stale")]
    office.do(services.rebase, late)
    assert seen(office.admin, late.pk).status == Status.PROPOSED
    office.approve(late)
    office.apply(late)
    assert {"nickname", "motto"} <= set(current_ontology(office.admin).properties_of("person"))


def _applying(office: Office, proposal: Proposal) -> Callable[[], str]:
    return lambda: str(office.apply(proposal).status)


def test_who_writes_while_a_type_is_rolled_back_is_kept_or_refused(
    office: Office, operator: Principal, source: Source
) -> None:
    """Either the type stays because a row uses it, or the row is refused because the type is gone."""
    proposal = office.put_in_force(VESSEL)
    told: Sequence[Callable[[], Any]] = writers(operator, source, "vessel", 8)
    came = told_at_once(
        *told[:4], lambda: office.do(services.roll_back, proposal, "It was a mistake.").status, *told[4:]
    )
    vessels = Node.objects.filter(node_class="vessel").count()
    written = sum(not isinstance(one, str) for one in came)
    assert vessels == written
    if came[4] == "in_use":
        assert ("vessel" in current_ontology(office.admin).document.node_classes, vessels > 0) == (True, True)
    else:
        assert (vessels, current_ontology(office.admin).number) == (0, 3)
    assert unsound(office.admin) == []
