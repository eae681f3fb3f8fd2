"""Any question, asked of the database and of plain dictionaries, has one answer; on every engine the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.graph.models import Node
from memoryapp.graph.queries.nodes import neighbourhood
from memoryapp.ledger.principal import Principal
from tests.graph.asking.fleet import ask, launched
from tests.graph.asking.naive import Plain, holds
from tests.graph.nodes.telling import Graph

pytestmark = pytest.mark.django_db

NUMBERS = [-4, -3, 0, 1, 2, 2.0, 2.0000001, 9, 10, 12.5, 99.999, 100, 1e9]
DATES = ["0099", "1999", "1999-05", "1999-05-03", "2001-05-04T04:30:00Z", "2001-05-04", "2030-01-01"]
TEXTS = [
    "Alba",
    "alba",
    "a",
    "A",
    "hull",
    "Blue hull",
    "_",
    "%",
    "*",
    "🐝",
    "榛",
    "x" * 400,
    "end",
    "END",
    "@",
    "pt",
    "PT",
]
ORDER = ["gt", "gte", "lt", "lte"]
WORDS = [*ORDER, "contains", "starts_with", "ends_with", "fuzzy"]


def several(values: list[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=3)


def compared(values: list[Any], operators: list[str]) -> st.SearchStrategy[Any]:
    one = st.sampled_from(values)
    single = st.tuples(st.sampled_from(["eq", "neq", *operators]), one).map(lambda pair: {pair[0]: pair[1]})
    lists = st.tuples(st.sampled_from(["in", "not_in"]), several(values)).map(lambda pair: {pair[0]: pair[1]})
    exists = st.booleans().map(lambda told: {"exists": told})
    between = st.tuples(one, one).map(lambda pair: {"between": list(pair)})
    test = single | lists | exists | (between if "gt" in operators else single)
    return test | one | st.lists(test, min_size=1, max_size=2)


tests = st.one_of(
    compared(NUMBERS, ORDER).map(lambda told: {"length": told}),
    compared(NUMBERS, ORDER).map(lambda told: {"crew": told}),
    compared(DATES, ORDER).map(lambda told: {"built": told}),
    compared([True, False], []).map(lambda told: {"moored": told}),
    compared([{"fuel": "a", "hp": 90}, {"hp": 1}], []).map(
        lambda told: {"engine": told if isinstance(told, list) or set(told) & {"in", "exists", "neq"} else {"eq": told}}
    ),
    *(
        compared(TEXTS, [*ORDER, "contains", "starts_with", "ends_with", "fuzzy"]).map(
            lambda told, name=name: {name: told}
        )
        for name in ("name", "note", "flag")
    ),
    st.tuples(
        st.sampled_from(["@label"]),
        st.sampled_from([*ORDER, "eq", "neq", "contains", "starts_with", "ends_with", "fuzzy"]),
        st.sampled_from(TEXTS),
    ).map(lambda three: {three[0]: {three[1]: three[2]}}),
)
ended = st.fixed_dictionaries(
    {"relationship": st.just("tows")}, optional={"direction": st.sampled_from(["out", "in", "both"]), "where": tests}
)
conditions = st.recursive(
    tests | ended.map(lambda told: {"related": told}),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda told: {"and": told}),
        st.lists(inner, min_size=1, max_size=3).map(lambda told: {"or": told}),
        inner.map(lambda told: {"not": told}),
        st.lists(inner, min_size=1, max_size=2),
    ),
    max_leaves=5,
)


def plain(by: Principal) -> list[Plain]:
    """The fleet as dictionaries, each node read by itself."""
    found = {}
    shown = [neighbourhood(by, one.pk) for one in Node.objects.order_by("pk")]
    for one in shown:
        found[one.node.pk] = Plain(str(one.node.pk), one.node.label, one.node.node_class, one.properties)
    for one in shown:
        for neighbour in one.neighbours:
            place = (neighbour.relationship, "out" if neighbour.outgoing else "in")
            found[one.node.pk].ends.setdefault(place, []).append(found[neighbour.node.pk])
    return list(found.values())


@settings(max_examples=40)
@given(data=st.data())
def test_any_question_has_the_answer_of_the_naive_evaluation(graph: Graph, data: st.DataObject) -> None:
    """Case 37: any nesting of all, any and not, also several conditions on one property.

    Nothing is changed between the examples, so that the fleet is launched once.
    """
    if not Node.objects.filter(node_class="vessel").exists():
        launched(graph)
        data_kept[:] = plain(graph.by)
    where = data.draw(conditions)
    exact = data.draw(st.booleans())
    wanted = [one for one in data_kept if one.node_class in (("vessel",) if exact else ("vessel", "tug"))]
    expected = [one.id for one in wanted if holds(one, where)]
    asked: dict[str, Any] = {"where": where, "exact": exact, "select": [], "limit": 200}
    assert [str(one.pk) for one in ask(graph.by, asked).found] == expected


data_kept: list[Plain] = []
"""The fleet as dictionaries, read once."""
