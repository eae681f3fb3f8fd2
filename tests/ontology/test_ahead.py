"""Very many rows follow a change of types: prepared by a job where nobody reads them, and in force all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.doors.errors import Invalid
from memoryapp.graph.models import Belief, IdentityKey, Node
from memoryapp.index.models import IndexEntry, Statistics, Term
from memoryapp.ledger import erasing, integrity, jobs, workers
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import services, staging
from memoryapp.ontology.models import PreparedRows, Proposal
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.queries.proposals import seen
from memoryapp.recall.asked import Asked
from memoryapp.recall.queries import find
from memoryapp.review import services as review
from memoryapp.review.models import Case
from memoryapp.timeline.models import Episode
from tests.graph.nodes.telling import Graph
from tests.ontology.proposing import VESSEL, Office
from tests.timeline.telling import Timeline
from tests.visiting import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

RENAMES: list[dict[str, Any]] = [
    {"change": "rename", "family": "node_classes", "type": "place", "to": "spot"},
    {"change": "rename", "family": "belief_kinds", "type": "preference", "to": "liking"},
    {"change": "rename", "family": "relationships", "type": "worksAt", "to": "employedBy"},
]
CHANGES: dict[str, list[dict[str, Any]]] = {
    "rename": RENAMES,
    "property": [
        {
            "change": "rename",
            "family": "node_classes",
            "type": "place",
            "part": "property",
            "name": "country",
            "to": "land",
        }
    ],
    "split": [
        {"change": "split", "type": "place", "property": "country", "into": [{"name": "port", "values": ["Portugal"]}]}
    ],
    "merge": [{"change": "merge", "family": "node_classes", "type": "product", "into": "organization"}],
    "keys": [{"change": "set_keys", "type": "place", "keys": [["country", "name"]]}],
    "wider": [
        {
            "change": "set_property",
            "family": "node_classes",
            "type": "place",
            "name": "country",
            "declaration": {"type": ["string", "integer"], "maxLength": 300},
        },
        {"change": "set", "family": "node_classes", "type": "place", "field": "multi_valued", "value": ["country"]},
    ],
}


@pytest.fixture
def office(agent: Callable[..., Principal], administrator: Principal) -> Office:
    return Office(agent(administrator.workspace, ["curate", "propose"], "Quay"), administrator)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if ten rows were very many."""
    monkeypatch.setattr(staging, "AT_ONCE", 0)
    monkeypatch.setattr(staging, "CHUNK", 3)
    monkeypatch.setattr(staging, "BREATH_SECONDS", 0)


@pytest.fixture
def graph(operator: Principal) -> Graph:
    """Ten places in two countries, three people who like them, and who works where."""
    made = Graph(operator)
    made.upsert_all(
        *(("place", {"name": f"Place {n}", "country": "Portugal" if n % 2 else "France"}) for n in range(10))
    )
    made.upsert_all(*(("product", {"name": f"Product {n}"}) for n in range(4)))
    people = [made.person(name) for name in ("Ines", "Tomas", "Bram")]
    firm = made.node("organization", name="Ferro")
    for person in people:
        made.say(f"{person.label} likes the sea.", person, kind="preference", topic="water")
        made.connect(person, "worksAt", firm)
    return made


def derived() -> dict[str, Any]:
    """Everything that is only derived from stored rows, without numbers that are given out anew."""
    return {
        "nodes": sorted(Node.objects.values_list("pk", "node_class", "label", "bare_label", "lock")),
        "properties": {pk: held for pk, held in Node.objects.values_list("pk", "properties")},
        "beliefs": sorted(
            (pk, kind, predicate, slot, said, bytes(key))
            for pk, kind, predicate, slot, said, key in Belief.objects.values_list(
                "pk", "kind", "predicate", "slot", "statement", "value_key"
            )
        ),
        "keys": sorted(IdentityKey.objects.values_list("node", "owner_class", "key_set", "value", "active")),
        "entries": sorted(
            IndexEntry.objects.values_list("target_id", "part", "kind", "label", "text", "terms", "length")
        ),
        "terms": sorted(Term.objects.values_list("form", "text", "documents", "entries")),
        "statistics": list(Statistics.objects.values_list("documents", "total_length", "entries")),
    }


def queued(office: Office, *changes: dict[str, Any]) -> tuple[Proposal, Job]:
    proposal = office.propose(*changes)
    office.approve(proposal)
    return proposal, office.do(services.apply_in_a_job, proposal)


class Undone(Exception):
    """Carries out of a transaction what it made, and undoes it."""


def made_at_once(office: Office, proposal: Proposal) -> dict[str, Any]:
    """What applying within one transaction makes."""

    def act(write: Any) -> None:
        services.apply_proposal(write, seen(write.by, proposal.pk))
        raise Undone(derived())

    with pytest.raises(Undone) as undone:
        record(office.admin, "apply_proposal", act)
    found: dict[str, Any] = undone.value.args[0]
    return found


def unsound(by: Principal) -> list[str]:
    return [f"{report.check.name}: {one.what}" for report in integrity.examine(by.workspace) for one in report.findings]


def after_chunk(monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], Any]) -> None:
    """Something else happens when so many chunks are prepared."""
    prepare, done = staging._prepare, [0]

    def prepared(*given: Any) -> None:
        prepare(*given)
        done[0] += 1
        if done[0] == number:
            act()

    monkeypatch.setattr(staging, "_prepare", prepared)


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_prepared_is_what_one_transaction_makes(office: Office, graph: Graph, change: str) -> None:
    """Rename, split, merge, other keys and wider: the same rows, keys and index entries, and nothing is left behind."""
    proposal, job = queued(office, *CHANGES[change])
    at_once = made_at_once(office, proposal)
    assert derived() != at_once
    workers.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error, job.outcome) == ("succeeded", "", {"applied": True, "edition": 2})
    assert job.done == job.total >= 5
    assert derived() == at_once
    assert (PreparedRows.objects.count(), unsound(office.admin)) == (0, [])


def test_what_followed_goes_back_prepared_ahead_as_well(
    office: Office, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A7: rolling back is a job like applying, for the reason of whoever asked; without one nothing is asked for."""
    before = derived()
    proposal = office.put_in_force(RENAMES[0])

    def ask(write: Any) -> Job:
        return services.roll_back_in_a_job(write, seen(write.by, proposal.pk))

    with pytest.raises(Invalid, match="reason"):
        record(office.admin, "roll_back_proposal", ask)
    job: Job = record(office.admin, "roll_back_proposal", ask, rationale="It was a mistake.")
    prepared: list[int] = []
    after_chunk(monkeypatch, 4, lambda: prepared.append(current_ontology(office.admin).number))
    workers.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error, job.outcome, job.done, job.total) == ("succeeded", "", {"rolled_back": True}, 10, 10)
    assert (prepared, current_ontology(office.admin).number, seen(office.admin, proposal.pk).status) == (
        [2],
        3,
        "superseded",
    )
    after = derived()
    assert [key for key in after.pop("keys") if key[-1]] == [key for key in before.pop("keys") if key[-1]]
    assert [after[name] for name in ("properties", "beliefs", "entries")] == [
        before[name] for name in ("properties", "beliefs", "entries")
    ]
    assert (PreparedRows.objects.count(), unsound(office.admin)) == (0, [])


def test_what_cannot_be_rolled_back_by_a_worker_is_said_on_its_page(
    office: Office, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A7: the page says that a worker is at it, and why it was refused when another edition came meanwhile; nothing is
    prepared for that one."""
    proposal = office.put_in_force(RENAMES[0])
    job: Job = record(
        office.admin,
        "roll_back_proposal",
        lambda write: services.roll_back_in_a_job(write, seen(write.by, proposal.pk)),
        rationale="It was a mistake.",
    )
    client, address = client_of(office.admin), f"/w/harbour/proposals/{proposal.pk}/"
    page = client.get(address).content.decode()
    assert "A worker is rolling it back" in page
    assert f'href="/w/harbour/jobs/{job.pk}/"' in page
    office.put_in_force(VESSEL)
    monkeypatch.setattr(staging, "prepare", lambda run, plan: pytest.fail("Rows are prepared for another edition."))
    workers.run(job.pk)
    job.refresh_from_db()
    assert (job.state, current_ontology(office.admin).number) == ("failed", 3)
    assert seen(office.admin, proposal.pk).status == "applied"
    page = client.get(address).content.decode()
    assert "A worker is" not in page
    assert "It could not be rolled back: Edition 3 has come since." in page
    assert "Rolling back refused" in page
    assert "<dt>Edition</dt><dd>2</dd>" in page


def test_readers_stay_on_what_was_until_all_of_it_is_new(
    office: Office, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While rows are prepared nothing is read otherwise, and progress is told."""
    _, job = queued(office, *RENAMES)
    seen_then: list[Any] = []

    def look() -> None:
        row = Job.objects.get(pk=job.pk)
        classes = Counter(Node.objects.values_list("node_class", flat=True))
        found = find(office.admin, Asked("likes the sea", kinds=("preference",))).hits
        seen_then.append((row.done, row.total, classes["place"], current_ontology(office.admin).number, len(found)))

    after_chunk(monkeypatch, 2, look)
    before = derived()
    workers.run(job.pk)
    assert seen_then == [(6, 16, 10, 1, 3)]
    assert derived() != before
    assert Counter(Node.objects.values_list("node_class", flat=True))["spot"] == 10


def test_what_is_written_meanwhile_follows_as_well(
    office: Office, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New rows, corrected ones and rows whose words changed are made anew when the types change: nothing is lost."""
    first = Node.objects.filter(node_class="place").order_by("pk")[0]

    def write() -> None:
        graph.node("place", name="Faro", country="Portugal")
        graph.upsert("place", name=first.label, description="By the sea")
        graph.say("Ines likes rain.", graph.person("Ines"), kind="preference", topic="weather")

    after_chunk(monkeypatch, 3, write)
    _, job = queued(office, *RENAMES)
    workers.run(job.pk)
    assert Job.objects.get(pk=job.pk).state == "succeeded"
    first.refresh_from_db()
    assert (first.node_class, first.properties.get("description")) == ("spot", "By the sea")
    assert not Node.objects.filter(node_class="place").exists()
    assert Belief.objects.filter(kind="liking").count() == 4
    assert unsound(office.admin) == []


def test_a_job_taken_over_goes_on_where_it_was(office: Office, graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one worker prepared the next need not prepare again."""
    _, job = queued(office, *RENAMES)

    class Killed(BaseException):
        pass

    def die() -> None:
        raise Killed

    after_chunk(monkeypatch, 2, die)
    with pytest.raises(Killed):
        workers.run(job.pk)
    assert PreparedRows.objects.count() == 2
    Job.objects.filter(pk=job.pk).update(lease_until=job.created_at)
    workers.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("succeeded", 2)
    assert (PreparedRows.objects.count(), unsound(office.admin)) == (0, [])


def test_cancelling_leaves_nothing(office: Office, graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """Types, rows and the proposal are as they were; what was prepared is gone; asked again it is applied."""
    proposal, job = queued(office, *RENAMES)
    before = derived()
    after_chunk(monkeypatch, 2, lambda: record(graph.by, "cancel_job", lambda write: jobs.cancel(write, job)))
    workers.run(job.pk)
    job.refresh_from_db()
    assert (job.state, PreparedRows.objects.count()) == ("cancelled", 0)
    assert (derived(), current_ontology(office.admin).number) == (before, 1)
    assert seen(office.admin, proposal.pk).status == "approved"
    again = office.do(services.apply_in_a_job, proposal)
    workers.run(again.pk)
    assert seen(office.admin, proposal.pk).status == "applied"


def test_rows_that_come_to_be_the_same_stop_all_of_it(office: Office, graph: Graph) -> None:
    """Two that would be identified by one key: the change fails whole, and its page says so."""
    proposal, job = queued(office, *CHANGES["merge"])
    graph.node("organization", name="Product 3")
    before = derived()
    workers.run(job.pk)
    job.refresh_from_db()
    assert (job.state, PreparedRows.objects.count()) == ("failed", 0)
    assert (derived(), seen(office.admin, proposal.pk).status) == (before, "failed")


def test_nothing_of_what_is_erased_stays_prepared(
    office: Office, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An erasure takes what was prepared with it; rows are prepared anew, without what went."""
    place = graph.node("place", name="Quinta do Sol", country="Portugal")
    _, job = queued(office, *RENAMES)
    held: list[int] = []

    def erase() -> None:
        name = "Quinta do Sol"
        record(graph.by, "erase", lambda write: erasing.erase(write, "node", place.pk, name=name), rationale="Asked.")
        held.append(sum("Quinta" in str(one.data) for one in PreparedRows.objects.all()))

    after_chunk(monkeypatch, 4, erase)
    workers.run(job.pk)
    assert held == [0]
    assert Job.objects.get(pk=job.pk).state == "succeeded"
    assert not IndexEntry.objects.filter(text__contains="Quinta").exists()
    assert unsound(office.admin) == []


def test_episodes_follow_with_their_entries(office: Office, operator: Principal) -> None:
    """The timeline prepares its rows like every room."""
    timeline = Timeline(operator)
    for number in range(5):
        timeline.happened(f"The harbour met, number {number}.", kind="meeting")
    proposal, job = queued(
        office, {"change": "rename", "family": "episode_kinds", "type": "meeting", "to": "gathering"}
    )
    at_once = made_at_once(office, proposal)
    workers.run(job.pk)
    assert derived() == at_once
    assert set(Episode.objects.values_list("kind", flat=True)) == {"gathering"}


def test_apply_now_leaves_very_many_rows_to_a_worker(
    office: Office, graph: Graph, work: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From its page and from its case: the request is answered at once, and a worker does it."""
    proposal = office.propose(RENAMES[0])
    office.approve(proposal)
    fresh = seen(office.admin, proposal.pk)
    client = client_of(office.admin)
    pressed = client.post(f"/w/harbour/proposals/{proposal.pk}/force/", {"verb": "apply", "lock": str(fresh.lock)})
    assert (pressed.status_code, current_ontology(office.admin).number) == (302, 1)
    work()
    assert current_ontology(office.admin).number == 2
    other = office.propose(RENAMES[1])
    case = Case.objects.get(kind="schema_proposal", key=str(other.pk))
    record(
        office.admin,
        "decide",
        lambda write: review.decide(write, case.pk, lock=case.lock, verdict="approve_and_apply"),
    )
    assert current_ontology(office.admin).number == 2
    work()
    assert current_ontology(office.admin).number == 3
