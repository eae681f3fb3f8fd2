"""T1 to T4, T34 and T42: what declared types guarantee.


What is enforced by the database is also tried past every service, straight at the tables.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries.views import Scope, current, named
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.services import declare
from tests.graph.nodes.telling import Graph

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


def like(belief: Belief, **changes: Any) -> Belief:
    """A copy of a stored belief under a new id, not yet stored."""
    fields = {field.attname: getattr(belief, field.attname) for field in Belief._meta.concrete_fields}
    return Belief(**{**fields, "id": uuid.uuid4(), **changes})


# T1 to T4: kinds


def test_an_abstract_kind_and_an_abstract_class_cannot_be_instantiated(graph: Graph) -> None:
    """T1 (DB)."""
    ines = graph.person("Ines")
    with pytest.raises(Invalid) as refused:
        graph.say("Ines likes tea.", ines, kind="memory")
    assert refused.value.violations[0].code == "abstract_type"
    assert "preference" in refused.value.violations[0].accepted
    stored = graph.say("Ines likes tea.", ines)
    inserted(graph, like(stored, kind="decision"))
    for kind in ("memory", "prefrence"):
        with pytest.raises(DatabaseError, match="not declared, or abstract"):
            inserted(graph, like(stored, kind=kind))
    node = Node(workspace=graph.by.workspace, node_class="thing", label="x", ontology_version=1)
    node.write, node.recorded_at = ines.write, ines.recorded_at
    with pytest.raises(DatabaseError, match="not declared, or abstract"):
        inserted(graph, node)


def test_a_kind_is_listed_with_its_subkinds_unless_exactly_it_is_asked_for(graph: Graph) -> None:
    """T2."""
    ines = graph.person("Ines")
    liked, known = graph.say("Ines likes tea.", ines), graph.say("Ines is left-handed.", ines, kind="user")
    everything = set(current(graph.by, Scope(kinds=("memory",), owner=ines.pk)))
    assert everything >= {liked, known}
    assert set(current(graph.by, Scope(kinds=("preference",)))) == {liked}
    assert set(current(graph.by, Scope(kinds=("user",)))) == {liked, known}
    assert set(current(graph.by, Scope(kinds=("user",), exact=True))) == {known}
    with pytest.raises(Invalid, match="Did you mean preference"):
        current(graph.by, Scope(kinds=("preferense",)))


def test_a_subkind_added_later_is_in_what_is_asked_of_its_parent(graph: Graph) -> None:
    """T3, T42: the views that name the parent return it, unchanged."""
    before = current_ontology(graph.by).view("preferences")
    redeclare(graph, lambda data: data["belief_kinds"].update(travel_preference={"parent": "preference"}))
    ines = graph.person("Ines")
    travels = graph.say("Ines travels by train.", ines, kind="travel_preference")
    assert current_ontology(graph.by).view("preferences") == before
    assert current_ontology(graph.by).number == 2
    assert set(current(graph.by, Scope(kinds=("preference",)))) == {travels}
    assert set(named(graph.by, "preferences")) == {travels}
    assert travels.ontology_version == 2


def test_the_kind_of_a_stored_belief_and_the_class_of_a_node_never_change(graph: Graph) -> None:
    """T4 (DB)."""
    ines = graph.person("Ines")
    stored = graph.say("Ines likes tea.", ines)
    for change in (
        lambda: Belief.objects.filter(pk=stored.pk).update(kind="decision"),
        lambda: Node.objects.filter(pk=ines.pk).update(node_class="agent"),
    ):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()
    with pytest.raises(Conflict) as refused:
        graph.upsert("agent", name="Robin", iri="urn:robin") and graph.upsert("person", iri="urn:robin")
    assert refused.value.code == "class_differs"
    assert "agent" in refused.value.violations[0].accepted


# T34: what is in use is not taken away


def _without(*path: str) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        place: Any = data
        for step in path[:-1]:
            place = place[step]
        if isinstance(place, list):
            place.remove(path[-1])
        else:
            del place[path[-1]]

    return change


@pytest.mark.parametrize(
    ("change", "path", "count"),
    [
        (_without("belief_kinds", "experience"), "/belief_kinds/experience", "1 stored row"),
        (
            _without("belief_kinds", "commitment", "attributes", "due_at"),
            "/belief_kinds/commitment/attribute/due_at",
            "1 stored row",
        ),
        (
            _without("node_classes", "project", "properties", "state", "enum", "running"),
            "/node_classes/project/value/state",
            "1 stored row",
        ),
        (_without("relationships", "livesIn"), "/relationships/livesIn", "1 stored row"),
        (
            _without("relation_kinds", "shipment", "roles", "goods"),
            "/relation_kinds/shipment/role/goods",
            "1 stored row",
        ),
    ],
)
def test_what_stored_rows_use_is_not_taken_away(
    graph: Graph, change: Callable[[dict[str, Any]], None], path: str, count: str
) -> None:
    """T34."""
    ines = graph.person("Ines")
    graph.say("Ines will call.", ines, kind="commitment", attributes={"due_at": "2026-04-01"})
    graph.say("Ines sailed.", ines, kind="experience")
    graph.node("project", name="Kestrel", state="running")
    graph.connect(ines, "livesIn", graph.node("place", name="Lisbon"))
    firms = [graph.node("organization", name=name) for name in ("Dock", "Wheel", "Shelf")]
    crate = graph.node("product", name="Crate")
    graph.relate("shipment", *zip(("shipper", "carrier", "receiver"), firms, strict=True), ("goods", crate))
    with pytest.raises(Conflict) as refused:
        redeclare(graph, change)
    assert refused.value.code == "in_use"
    found = {one.path: one.message for one in refused.value.violations if one.code == "in_use"}
    assert path in found
    assert found[path].startswith(count)
    assert current_ontology(graph.by).number == 1


def test_what_nobody_uses_can_go_and_is_then_refused(graph: Graph) -> None:
    """T34, the other way (DB)."""
    stored = graph.say("Ines likes tea.", graph.person("Ines"))
    redeclare(graph, _without("belief_kinds", "skill"))
    with pytest.raises(Invalid):
        graph.say("Fold twice.", kind="skill")
    with pytest.raises(DatabaseError, match="not declared"):
        inserted(graph, like(stored, kind="skill"))
