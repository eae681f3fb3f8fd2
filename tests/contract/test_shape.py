"""T4, T6 to T8, T38, C8: what cannot be stored at all, whoever tries, and what the integrity command finds."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from memoryapp.doors.errors import Invalid
from memoryapp.graph import services as graph_services
from memoryapp.graph.models import Belief, BeliefState, IdentityKey
from memoryapp.graph.services import conflict, verdicts
from memoryapp.index.models import IndexEntry
from memoryapp.ledger import triggers
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case
from tests.api.calling import Caller
from tests.contract.test_beliefs import insert
from tests.graph.nodes.telling import Graph

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def curator(operator: Principal) -> Caller:
    return Caller(operator.workspace, ["lookup", "curate", "steward"], "Curator")


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


def sql(statement: str, *values: Any) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, values)


def stored(pk: Any) -> Any:
    return pk.hex if connection.vendor == "sqlite" else pk


def test_a_change_of_kind_is_refused_and_the_way_of_superseding_is_named(
    graph: Graph, curator: Caller, operator: Principal
) -> None:
    """T4: over REST."""
    belief = graph.say("Ines likes tea", graph.person("Ines"))
    for verb in ("PATCH", "PUT"):
        answer = curator.send(verb, f"beliefs/{belief.pk}", b'{"kind": "decision"}')
        assert answer.status_code == 405
        assert "/supersede" in answer.json()["detail"]
    belief.refresh_from_db()
    assert belief.kind == "preference"
    other = graph.say("Ines decided for tea", graph.person("Ines"), kind="decision", said_at="2026-04-01")
    body = {"successor": str(other.pk), "reason": "It was a decision."}
    assert curator.post(f"beliefs/{belief.pk}/supersede", body, If_Match='"1"').status_code == 200


def test_a_belief_has_one_text_and_at_any_time_one_status(graph: Graph) -> None:
    """T6 (DB): there is one column for each, never empty, and one state for each number of its history."""
    belief = graph.say("Ines likes tea", graph.person("Ines"))
    state = belief.states.get()
    for column in ("content", "status"):
        assert [field.column for field in Belief._meta.concrete_fields].count(column) == 1
        with pytest.raises(DatabaseError):
            insert(belief, **{column: None})
    twin = BeliefState.objects.get(pk=state.pk)
    twin.pk, twin.status = new_id(), "archived"
    with pytest.raises(DatabaseError), transaction.atomic():
        twin.save(force_insert=True)
    assert belief.states.count() == 1


@pytest.mark.parametrize("status", ["activated", "resolving", "archived", "deleted"])
def test_the_four_statuses_are_taken_and_no_other(graph: Graph, status: str) -> None:
    """T7 (DB): of the head and of its history alike."""
    belief = graph.say("Ines likes tea", graph.person("Ines"))
    insert(belief, status=status, **({"content": ""} if status == "deleted" else {}))
    for wrong in ("live", status.upper(), f"{status} ", ""):
        with pytest.raises(DatabaseError):
            insert(belief, status=wrong)
        twin = belief.states.get()
        twin.pk, twin.sequence, twin.status = new_id(), 2, wrong
        with pytest.raises(DatabaseError), transaction.atomic():
            twin.save(force_insert=True)


@pytest.mark.parametrize("given", [float("inf"), float("-inf"), "much", "1e9"])
def test_what_is_no_number_is_never_a_confidence(graph: Graph, given: Any) -> None:
    """T8 (DB): nor is what is no number at all kept as one."""
    belief = graph.say("Ines likes tea", graph.person("Ines"))
    with pytest.raises(DatabaseError):
        insert(belief, confidence=given)
    if connection.vendor == "sqlite":
        insert(belief, confidence=float("nan"))
        assert list(
            Belief.objects.filter(shape="statement").exclude(pk=belief.pk).values_list("confidence", flat=True)
        ) == [None]
    else:
        with pytest.raises(DatabaseError):
            insert(belief, confidence=float("nan"))


def test_no_status_changes_without_a_reason_and_a_state(graph: Graph) -> None:
    """T38 (DB)."""
    belief = graph.say("Ines likes tea", graph.person("Ines"))
    with pytest.raises(DatabaseError, match="says why"):
        sql("UPDATE graph_belief SET status = 'archived', lock = 2 WHERE id = %s", stored(belief.pk))
    twin = belief.states.get()
    twin.pk, twin.sequence, twin.status, twin.reason = new_id(), 2, "archived", ""
    with pytest.raises(DatabaseError), transaction.atomic():
        twin.save(force_insert=True)
    for verb in (graph_services.retire, graph_services.retract):
        with pytest.raises(Invalid) as refused:
            graph.do(lambda write, verb=verb: verb(write, belief, reason="  "))
        assert refused.value.violations[0].code == "reason_missing"
    belief.refresh_from_db()
    assert (belief.status, belief.lock) == ("activated", 1)


EDITS: dict[str, dict[str, Any]] = {
    verdicts.DIFFERENT_CIRCUMSTANCES: {"condition": "When she travels"},
    verdicts.MERGED: {"text": "Monthly, and weekly in December"},
}


@pytest.mark.parametrize("verdict", sorted(verdicts.WORDS))
def test_no_verdict_leaves_the_newcomer_waiting(graph: Graph, reviewer: Principal, verdict: str) -> None:
    """T38: a conflict that is settled is settled for both."""
    ines = graph.person("Ines")
    graph.say("Weekly mails", ines, topic="reporting cadence")
    newcomer = graph.say("A monthly summary", ines, said_at="2026-06-01", topic="reporting cadence")
    case = Case.objects.get()
    decided = record(
        reviewer,
        "decide",
        lambda write: review.decide(write, case.pk, lock=case.lock, verdict=verdict, edits=EDITS.get(verdict, {})),
        "Asked her.",
    )
    newcomer.refresh_from_db()
    assert newcomer.status in ("activated", "archived")
    assert conflict.open_conflicts(decided.write, [newcomer]) == []
    assert not Case.objects.filter(state="open").exists()


def _unindexed(graph: Graph) -> None:
    assert IndexEntry.objects.filter(workspace=graph.by.workspace).delete()[0]


def _key_adrift(graph: Graph) -> None:
    IdentityKey.objects.filter(workspace=graph.by.workspace).update(value="somebody@else.example")


def _edge_to_nowhere(graph: Graph) -> None:
    from memoryapp.access.services import operator
    from memoryapp.ledger.services import create_workspace
    from memoryapp.ontology.services import start

    elsewhere = operator(create_workspace("elsewhere", "Elsewhere"))
    record(elsewhere, "declare", start)
    stranger = Graph(elsewhere).node("organization", name="Stranger")
    Belief.objects.filter(shape="edge").update(object=stranger)


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (_unindexed, "It is not in the index"),
        (_key_adrift, "identity keys are not what is believed"),
        (_edge_to_nowhere, "object refers to nothing in this workspace"),
    ],
)
def test_the_integrity_command_fails_for_each_sort_of_damage(
    graph: Graph, damage: Callable[[Graph], None], found: str
) -> None:
    """C8: rows that are not indexed, keys adrift, edges that lead nowhere."""
    ines = graph.person("Ines")
    graph.connect(ines, "worksAt", graph.node("organization", name="Ferro"))
    quiet = StringIO()
    call_command("integrity", workspace=graph.by.workspace.slug, stdout=quiet)
    triggers.drop()
    damage(graph)
    triggers.install()
    said = StringIO()
    with pytest.raises(CommandError) as failed:
        call_command("integrity", workspace=graph.by.workspace.slug, stdout=said)
    assert failed.value.returncode != 0
    assert found in said.getvalue()
    assert found not in quiet.getvalue()
