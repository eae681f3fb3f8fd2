"""T28 to T30, T33, T37, C1, C2 and C10: one key is one node.


What is enforced by the database is also tried past every service, straight at the tables.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.graph import services as graph_services
from memoryapp.graph.models import Belief, IdentityKey, Node, Relation, RelationPlayer
from memoryapp.graph.statements import NodeKeys, Quoted
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.services import declare
from memoryapp.review.models import Case
from tests.graph.nodes.telling import Graph
from tests.racing import raised_at_once

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


def redeclare(graph: Graph, change: Callable[[dict[str, Any]], None]) -> None:
    """Make a changed copy of the document in force the next edition."""
    data = copy.deepcopy(current_ontology(graph.by).document.as_data())
    change(data)
    graph.do(lambda write: declare(write, data))


def inserted(graph: Graph, row: Any) -> None:
    """Insert a row past every service."""
    with transaction.atomic():
        row.save(force_insert=True)


# T28 to T30: identity


def employees(graph: Graph) -> None:
    redeclare(
        graph,
        lambda data: data["node_classes"].update(
            employee={"parent": "person", "properties": {"badge": {"type": "integer"}}, "keys": [["badge"]]}
        ),
    )


def test_a_key_is_one_nodes_over_the_class_that_declares_it_and_all_below(graph: Graph) -> None:
    """T28 (DB), T29."""
    employees(graph)
    ana = graph.node("employee", email="ana@mail.example", badge=7)
    found = graph.upsert("person", email="Ana@mail.example")
    assert (found.node, found.created) == (ana, False)
    assert Node.objects.count() == 1
    other = graph.node("person", email="other@mail.example")
    key = IdentityKey.objects.get(value="ana@mail.example")
    copied = {
        "workspace": key.workspace,
        "node": other,
        "key_set": key.key_set,
        "value": key.value,
        "write": key.write,
    }
    with pytest.raises(DatabaseError, match=r"identity_key_once|UNIQUE"):
        inserted(graph, IdentityKey(owner_class="person", **copied))
    for owner_class in ("employee", "organization"):
        with pytest.raises(DatabaseError, match="belongs to the class that declares it"):
            inserted(graph, IdentityKey(owner_class=owner_class, **copied))


def test_a_parents_node_is_not_turned_into_a_subclass(graph: Graph) -> None:
    """T29, the other way: a node's class never changes."""
    employees(graph)
    graph.node("person", email="ana@mail.example")
    with pytest.raises(Conflict) as refused:
        graph.upsert("employee", email="ana@mail.example", badge=7)
    assert refused.value.code == "class_differs"


def test_two_and_two_point_nought_are_one_key(graph: Graph) -> None:
    """T37: a number without a fraction equals the integer; text and truth do not."""
    employees(graph)
    ana = graph.node("employee", badge=2)
    assert graph.upsert("employee", badge=2.0).node == ana
    with pytest.raises(Invalid):
        graph.upsert("employee", badge="2")
    with pytest.raises(Invalid):
        graph.upsert("employee", badge=True)
    assert graph.upsert("employee", badge=3).created


def test_a_thing_in_a_relation_is_never_deleted(graph: Graph) -> None:
    """T33 (DB): the stated policy is refusal."""
    ines = graph.person("Ines")
    belief = graph.say("Ines likes tea.", ines)
    for row in (ines, belief, Relation.objects.filter(kind="ownership").first()):
        assert row is not None
        with pytest.raises(DatabaseError), transaction.atomic():
            type(row)._base_manager.filter(pk=row.pk)._raw_delete(using="default")  # type: ignore[attr-defined]


# C1, C2, C10


def test_the_same_things_read_again_add_nothing(graph: Graph) -> None:
    """C1, for the graph: nodes, edges and relations of a file read twice."""
    quoted = (Quoted(graph.source()),)

    def read(write: Write) -> None:
        for properties in ({"name": "Kestrel"}, {"name": "Osprey", "state": "running"}):
            graph_services.upsert_node(write, "project", properties, quoted)
        graph_services.upsert_node(write, "person", {"email": "ana@mail.example"}, quoted)
        graph_services.connect(
            write,
            NodeKeys("person", {"email": "ana@mail.example"}),
            "manages",
            NodeKeys("project", {"name": "Kestrel"}),
            evidence=quoted,
        )

    def counts() -> list[int]:
        return [model.objects.count() for model in (Node, Belief, Relation, RelationPlayer, IdentityKey, Case)]

    graph.do(read)
    before = counts()
    graph.do(read)
    assert counts() == before


def test_only_an_exact_key_ever_makes_two_descriptions_one_node(graph: Graph) -> None:
    """C2, C10."""
    graph.node("organization", name="Quillworks")
    for near in ("Quilworks", "Quill works", "Quillworks Ltd", "Quillwork"):
        assert graph.upsert("organization", name=near).created
    assert {case.kind for case in Case.objects.all()} == {"merge_suggestion"}
    assert Node.objects.filter(state="active").count() == 5


# T30


@pytest.mark.django_db(transaction=True)
def test_fifty_writers_of_one_key_make_one_node_and_none_fails(workspace: Workspace, graph: Graph) -> None:
    """T30 (DB)."""
    quoted = (Quoted(graph.source()),)
    made: list[bool] = []

    def upsert() -> None:
        done = record(
            graph.by,
            "upsert",
            lambda write: graph_services.upsert_node(write, "organization", {"name": "Quillworks"}, quoted),
        )
        made.append(done.created)

    assert raised_at_once([upsert] * 50) == []
    assert sorted(made) == [False] * 49 + [True]
    assert Node.objects.count() == 1
    assert IdentityKey.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_writers_race_for_a_key_many_times(workspace: Workspace, graph: Graph) -> None:
    """T30: one created and one found it, every time."""
    quoted = (Quoted(graph.source()),)
    for number in range(40):
        made: list[bool] = []

        def upsert(number: int = number, made: list[bool] = made) -> None:
            given = {"email": f"o.vasht.{number}@mail.example"}
            done = record(graph.by, "upsert", lambda write: graph_services.upsert_node(write, "person", given, quoted))
            made.append(done.created)

        assert raised_at_once([upsert, upsert]) == []
        assert sorted(made) == [False, True]
    assert Node.objects.count() == 40
