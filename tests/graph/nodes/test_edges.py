"""Edges are beliefs: connected, said anew, ended; and a node is read with what leads to and from it."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.doors.errors import Conflict, DomainError, Invalid, NotFound, Stale
from memoryapp.graph import services
from memoryapp.graph.models import Belief, Relation
from memoryapp.graph.queries.nodes import find, neighbourhood, properties_at
from memoryapp.graph.statements import NodeKeys
from tests.graph.nodes.telling import Graph, at, moment

pytestmark = pytest.mark.django_db


def test_an_edge_is_a_sentence_and_both_ends_show_it(graph: Graph) -> None:
    ines, ferro = graph.person("Ines Ferro"), graph.node("organization", name="Ferro Studio")
    edge = graph.connect(ines, "worksAt", ferro, qualifiers={"role": "editor"}).belief
    assert edge.content == "Ines Ferro works at Ferro Studio as editor"
    [leaving] = neighbourhood(graph.by, ines.pk).neighbours
    [coming] = neighbourhood(graph.by, ferro.pk).neighbours
    assert (leaving.relationship, leaving.outgoing, leaving.node) == ("worksAt", True, ferro)
    assert (coming.relationship, coming.outgoing, coming.node) == ("worksAt", False, ines)
    assert leaving.qualifiers == {"role": "editor"}


def test_ends_are_found_by_typed_keys(graph: Graph) -> None:
    graph.node("project", name="Pelican")
    ana = graph.node("person", name="Ana  Petrov", handle="ana  petrov")
    edge = graph.connect(NodeKeys("person", {"handle": "Ana Petrov"}), "runs", NodeKeys("project", {"name": "pelican"}))
    assert edge.belief.subject == ana


def test_the_same_edge_again_is_one_more_evidence(graph: Graph) -> None:
    ines, ferro = graph.person("Ines"), graph.node("organization", name="Ferro")
    first = graph.connect(ines, "worksAt", ferro)
    again = graph.connect(ines, "worksAt", ferro, "2026-04-01")
    assert (again.belief, again.outcome) == (first.belief, "said_again")


def test_other_qualifiers_supersede_the_edge(graph: Graph) -> None:
    ines, ferro = graph.person("Ines"), graph.node("organization", name="Ferro")
    old = graph.connect(ines, "worksAt", ferro, qualifiers={"role": "editor"}).belief
    new = graph.connect(ines, "worksAt", ferro, "2026-06-01", qualifiers={"role": "publisher"})
    old.refresh_from_db()
    assert new.outcome == "created"
    assert (old.status, old.standing, old.valid_to) == ("archived", "ended", at("2026-06-01"))
    assert Relation.objects.filter(kind="supersession", state="activated").count() == 1
    assert [one.edge for one in neighbourhood(graph.by, ines.pk).neighbours] == [new.belief]


def test_late_news_of_an_earlier_time_ends_where_the_later_begins(graph: Graph) -> None:
    ines, ferro = graph.person("Ines"), graph.node("organization", name="Ferro")
    now = graph.connect(ines, "memberOf", ferro, "2026-06-01", qualifiers={"role": "chair"}).belief
    before = graph.connect(ines, "memberOf", ferro, "2026-03-01", qualifiers={"role": "guest"}).belief
    assert before.valid_to == at("2026-06-01")
    assert [one.edge for one in neighbourhood(graph.by, ines.pk).neighbours] == [now]


def test_a_multi_edge_adds_another(graph: Graph) -> None:
    ines, ana = graph.person("Ines"), graph.person("Ana")
    graph.connect(ines, "met", ana, qualifiers={"on": "2026-02-01"})
    graph.connect(ines, "met", ana, qualifiers={"on": "2026-02-20"})
    assert len(neighbourhood(graph.by, ines.pk).neighbours) == 2


@pytest.mark.parametrize(
    ("relationship", "qualifiers", "code", "path"),
    [
        ("livesIn", {}, "classes_do_not_fit", "/object"),
        ("worksAtt", {}, "undeclared_relationship", "/predicate"),
        ("worksAt", {"rol": "x"}, "undeclared_property", "/qualifiers/rol"),
        ("worksAt", {"role": 7}, "value_not_accepted", "/qualifiers/role"),
    ],
)
def test_an_edge_that_is_not_declared_is_refused(
    graph: Graph, relationship: str, qualifiers: dict[str, Any], code: str, path: str
) -> None:
    ines, ferro = graph.person("Ines"), graph.node("organization", name="Ferro")
    with pytest.raises(Invalid) as refused:
        graph.connect(ines, relationship, ferro, qualifiers=qualifiers)
    assert [(one.code, one.path) for one in refused.value.violations] == [(code, path)]
    assert not Belief.objects.filter(shape="edge").exists()


def test_an_edge_that_ended_still_held_before_and_one_that_never_was_did_not(graph: Graph) -> None:
    ines = graph.person("Ines")
    lisbon, porto = graph.node("place", name="Lisbon"), graph.node("place", name="Porto")
    ended = graph.connect(ines, "livesIn", lisbon).belief
    graph.do(lambda write: services.disconnect(write, ended, at=moment("2026-05-01"), reason="She moved."))
    never = graph.connect(ines, "livesIn", porto, "2026-05-02").belief
    graph.do(lambda write: services.disconnect(write, never, never=True, reason="Misheard."))
    assert neighbourhood(graph.by, ines.pk).neighbours == []
    ended.refresh_from_db()
    never.refresh_from_db()
    assert (ended.standing, ended.valid_to) == ("ended", at("2026-05-01"))
    assert never.standing == "retracted"


def test_disconnecting_is_refused_where_it_makes_no_sense(graph: Graph) -> None:
    ines, ferro = graph.person("Ines"), graph.node("organization", name="Ferro")
    edge = graph.connect(ines, "worksAt", ferro).belief
    spoken = graph.say("Ines prefers tea.", ines)
    attempts: list[tuple[type[DomainError], str, dict[str, Any]]] = [
        (Invalid, "not_an_edge", {"edge": spoken}),
        (Invalid, "before_valid_from", {"edge": edge, "at": moment("2026-01-01")}),
        (Invalid, "never_has_no_time", {"edge": edge, "at": moment("2026-04-01"), "never": True}),
        (Stale, "stale", {"edge": edge, "lock": 7}),
    ]
    for error, code, arguments in attempts:
        with pytest.raises(error) as refused:
            graph.do(lambda write, given=arguments: services.disconnect(write, reason="So it is.", **given))
        assert refused.value.code == code
    graph.do(lambda write: services.disconnect(write, edge, reason="She left."))
    with pytest.raises(Conflict):
        graph.do(lambda write: services.disconnect(write, edge, reason="She left."))


def test_nodes_are_found_by_class_name_and_property(graph: Graph) -> None:
    """T2, for nodes: subclasses are included unless exactly one class is asked for."""
    press = graph.node("organization", name="Harbour Press", industry="printing")
    team = graph.node("team", name="Harbour Binders")
    graph.node("place", name="Harbour")
    assert list(find(graph.by, "organization", name="harbour")) == [press, team]
    assert list(find(graph.by, "organization", exact=True)) == [press]
    assert list(find(graph.by, "organization", where={"industry": "printing"})) == [press]
    assert find(graph.by, "thing").count() == 3
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"node_class": "organisation"}, "undeclared_class"),
        ({"node_class": "team", "where": {"industri": "x"}}, "undeclared_property"),
        ({"where": {"industry": "x"}}, "class_missing"),
    ]
    for arguments, code in refusals:
        with pytest.raises(Invalid) as refused:
            find(graph.by, **arguments)
        assert refused.value.code == code


def test_properties_can_be_read_as_they_were(graph: Graph) -> None:
    upserted = graph.upsert("project", "2026-03-02", name="Kestrel", state="planned")
    planned = next(one for one in upserted.beliefs if one.predicate == "state")
    graph.do(lambda write: services.retire(write, planned, at=moment("2026-05-01"), reason="It began."))
    graph.upsert("project", "2026-05-01", name="Kestrel", state="running")
    assert properties_at(graph.by, upserted.node)["state"] == "running"
    assert properties_at(graph.by, upserted.node, valid_at=at("2026-04-01"))["state"] == "planned"
    assert properties_at(graph.by, upserted.node, known_at=at("2020-01-01")) == {}


def test_a_node_of_another_workspace_has_no_neighbourhood(graph: Graph, other_workspace: Any) -> None:
    from memoryapp.access.services import operator

    node = graph.node("project", name="Kestrel")
    with pytest.raises(NotFound):
        neighbourhood(operator(other_workspace), node.pk)
