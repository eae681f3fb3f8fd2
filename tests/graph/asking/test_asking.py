"""Questions to the graph: every operator, what leads on, order and paging, other times, and what is out of sight."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.doors.errors import Denied, Malformed
from memoryapp.graph import services, typed
from memoryapp.graph.models import Belief
from memoryapp.graph.queries import asking
from memoryapp.graph.queries.asking.clauses import OPERATORS
from memoryapp.graph.statements import Quoted, Statement
from memoryapp.ledger import integrity
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.services import declare
from tests.graph.asking.fleet import ask, declare_vessels, labels, launched
from tests.graph.nodes.telling import Graph

pytestmark = pytest.mark.django_db

OF_ACME = {"relationship": "ownedBy", "direction": "out", "where": {"name": "Acme"}}
TOWED_BY_A_TUG = {"relationship": "tows", "direction": "in", "where": {"@class": "tug"}}
ASKED: list[tuple[dict[str, Any], list[str]]] = [
    ({"name": "Alba"}, ["Alba"]),
    ({"length": {"eq": 2}}, ["Dolly 15"]),
    ({"length": {"gt": 9, "lt": 100}}, ["Alba", "albatros", "Dolly 14"]),
    ({"crew": {"between": [9, 10]}}, ["albatros", "Çetus"]),
    ({"built": {"lte": "1999-05-03"}}, ["Alba", "albatros", "Ebb"]),
    ({"built": {"eq": "2001-05-04T04:30:00Z"}}, ["Bryde"]),
    ({"moored": True}, ["Alba", "Dolly 15"]),
    ({"flag": {"in": ["ES", "DK"]}}, ["albatros", "Bryde"]),
    ({"flag": {"not_in": ["PT"]}, "built": {"exists": True}}, ["Bryde", "Çetus", "Ebb"]),
    ({"engine": {"eq": {"fuel": "a", "hp": 90}}}, ["Çetus", "Dolly 14"]),
    ({"note": {"contains": "%c*"}}, ["Bryde"]),
    ({"note": {"contains": "lue hull"}}, ["Alba", "Dolly 14"]),
    ({"note": {"starts_with": "blue"}}, ["Dolly 14"]),
    ({"note": {"ends_with": "🐝"}}, ["Dolly 15"]),
    ({"name": {"fuzzy": "dolly-14"}}, ["Dolly 14", "Dolly 15"]),
    ({"name": {"gte": "Z"}}, ["albatros", "Çetus"]),
    ({"@label": {"ends_with": "tide"}}, ["Ebb tide"]),
    ({"@class": "tug"}, ["Dolly 14", "Dolly 15"]),
    ({"or": [{"crew": 0}, {"crew": 1}], "not": {"moored": {"exists": True}}}, ["Dolly 14"]),
    ({"crew": [{"gte": 2}, {"neq": 9}]}, ["Alba", "albatros"]),
    (
        {"related": {"relationship": "ownedBy", "direction": "out", "where": {"name": "Acme"}}},
        ["Alba", "Bryde", "Dolly 14"],
    ),
    (
        {"related": {"relationship": "tows", "direction": "in", "where": {"@class": "tug"}}},
        ["Alba", "Bryde", "Dolly 14"],
    ),
]


def test_every_question_has_its_exact_answer(graph: Graph) -> None:
    launched(graph)
    for where, expected in ASKED:
        assert labels(ask(graph.by, {"where": where})) == expected, where
    assert len(OPERATORS) == 14


def test_what_leads_on_is_nested_with_what_is_asked_of_it(graph: Graph) -> None:
    nodes = launched(graph)
    towing = {
        "relationship": "tows",
        "direction": "out",
        "select": ["length"],
        "expand": [{"relationship": "ownedBy", "where": {"name": {"starts_with": "A"}}, "select": []}],
    }
    answer = ask(graph.by, {"where": {"@class": "tug"}, "select": ["crew"], "expand": [towing]})
    told = asking.told(answer)
    assert [(one["label"], one["properties"]) for one in told["items"]] == [
        ("Dolly 14", {"crew": 0}),
        ("Dolly 15", {"crew": 1}),
    ]
    [hop] = told["items"][0]["expanded"]
    assert [(one["direction"], one["node"]["label"]) for one in hop["edges"]] == [("out", "Alba"), ("out", "Bryde")]
    assert hop["edges"][0]["node"]["properties"] == {"length": 12.5}
    [owned] = hop["edges"][0]["node"]["expanded"]
    assert [(one["qualifiers"], one["node"]["label"]) for one in owned["edges"]] == [({"share": 50}, "Acme")]
    both = ask(graph.by, {"where": {"name": "Dolly 15"}, "expand": [{"relationship": "tows", "direction": "both"}]})
    assert [(one.outgoing, one.found.pk) for one in both.found[0].expanded[0].edges] == [
        (True, nodes["Dolly 14"].pk),
        (False, nodes["Ebb"].pk),
    ]


def test_what_leads_on_is_bounded_and_says_when_it_is_cut(graph: Graph) -> None:
    nodes = launched(graph)
    for number in range(4):
        other = graph.node("vessel", name=f"Barge {number}")
        graph.connect(nodes["Dolly 14"], "tows", other)
    hop = {"relationship": "tows", "direction": "out", "limit": 3}
    answer = ask(graph.by, {"where": {"@class": "tug"}, "expand": [hop]})
    assert [(len(one.expanded[0].edges), one.expanded[0].cut) for one in answer.found] == [(3, True), (1, False)]
    assert answer.cut
    assert not ask(graph.by, {"where": {"@class": "tug"}, "expand": [hop | {"limit": 6}]}).cut


def test_a_question_costs_as_much_for_many_nodes_as_for_few(graph: Graph) -> None:
    """Case 139."""
    launched(graph)
    hop = {"relationship": "tows", "expand": [{"relationship": "ownedBy"}]}
    costs = []
    for limit in (1, 8):
        with CaptureQueriesContext(connection) as queries:
            ask(graph.by, {"where": {"crew": {"exists": True}}, "limit": limit, "expand": [hop]})
        costs.append(len(queries))
    assert costs[0] == costs[1] <= 15


def test_order_is_by_value_with_what_has_none_last_and_pages_go_on(graph: Graph) -> None:
    launched(graph)
    by_length = ["Bryde", "Dolly 15", "Ebb tide", "Alba", "albatros", "Dolly 14", "Çetus", "Ebb"]
    assert labels(ask(graph.by, {"order": ["length"]})) == by_length
    assert labels(ask(graph.by, {"order": ["-length", "-@label"]})) == [
        "Çetus",
        "Dolly 14",
        "albatros",
        "Alba",
        "Ebb tide",
        "Dolly 15",
        "Bryde",
        "Ebb",
    ]
    pages = [ask(graph.by, {"order": ["length"], "limit": 3, "offset": offset}) for offset in (0, 3, 6)]
    assert [one for page in pages for one in labels(page)] == by_length
    assert [page.more for page in pages] == [True, True, False]
    assert labels(ask(graph.by, {"order": ["@label"], "limit": 3})) == ["Alba", "Bryde", "Dolly 14"]


def test_other_times_are_asked_for_on_both_axes(graph: Graph) -> None:
    declare_vessels(graph)
    alba = graph.node("vessel", name="Alba", crew=2)
    acme = graph.node("organization", name="Acme")
    edge = graph.connect(alba, "ownedBy", acme, said_at="2026-03-02").belief
    before = Belief.objects.get(subject=alba, predicate="crew")
    graph.do(lambda write: services.retract(write, before, reason="Never two.", lock=before.lock))
    graph.upsert("vessel", name="Alba", crew=5)
    known = edge.recorded_at
    owned = {"related": {"relationship": "ownedBy"}}
    assert labels(ask(graph.by, {"where": {"crew": 5} | owned})) == ["Alba"]
    assert labels(ask(graph.by, {"where": {"crew": 2}})) == []
    assert labels(ask(graph.by, {"where": {"crew": 2} | owned}, known_at=known)) == ["Alba"]
    [found] = ask(graph.by, {"select": ["crew"]}, known_at=known).found
    assert found.properties == {"crew": 2}


def test_what_is_out_of_sight_is_in_no_answer(graph: Graph, reviewer: Principal, reader_agent: Principal) -> None:
    nodes = launched(graph)
    source = graph.source(text="Ebb has a crew of forty.")
    told = Statement(
        subject=nodes["Ebb tide"].pk,
        predicate="crew",
        value=40,
        evidence=(Quoted(source),),
        audience="named",
        readers=(reviewer.actor.pk,),
    )
    graph.do(lambda write: services.remember(write, told))
    asked = {"where": {"crew": {"gte": 40}}, "order": ["-crew"], "select": ["crew"]}
    seen = ask(reviewer, asked)
    assert [(one.label, one.properties) for one in seen.found] == [("Ebb tide", {"crew": 40})]
    assert labels(ask(reader_agent, asked)) == []
    assert labels(ask(reader_agent, {"where": {"name": "Ebb tide", "crew": {"exists": False}}})) == ["Ebb tide"]
    blind = Principal(reader_agent.workspace, reader_agent.actor, "rest")
    with pytest.raises(Denied):
        ask(blind, {})


WRONG: list[tuple[dict[str, Any], str, str, str]] = [
    ({"class": "vesel"}, "/class", "undeclared_class", "vessel"),
    ({"wher": {}}, "/wher", "unknown_field", "where"),
    ({"where": {"lenght": 1}}, "/where/lenght", "undeclared_property", "length"),
    ({"where": {"@lable": "x"}}, "/where/@lable", "undeclared_property", "@label"),
    ({"where": {"length": {"gtt": 1}}}, "/where/length/gtt", "unknown_operator", "gt"),
    ({"where": {"length": {"fuzzy": "1"}}}, "/where/length/fuzzy", "operator_does_not_fit", "between"),
    ({"where": {"length": {"gt": "9"}}}, "/where/length/gt", "wrong_type", "a number"),
    ({"where": {"moored": 1}}, "/where/moored", "wrong_type", "true or false"),
    ({"where": {"built": {"gt": "soon"}}}, "/where/built/gt", "not_a_time", "2024"),
    ({"where": {"built": {"gt": "2024-05-03T14:30:00"}}}, "/where/built/gt", "naive_time", "time_zone"),
    ({"where": {"crew": {"between": [1]}}}, "/where/crew/between", "wrong_type", "least"),
    ({"where": {"crew": [1, 2]}}, "/where/crew", "wrong_type", "in"),
    ({"where": {"or": {"crew": 1}}}, "/where/or", "wrong_type", "a list"),
    ({"where": {"or": [{"crew": 1}, {"crw": 1}]}}, "/where/or/1/crw", "undeclared_property", "crew"),
    (
        {"where": {"related": {"relationship": "towes"}}},
        "/where/related/relationship",
        "undeclared_relationship",
        "tows",
    ),
    ({"where": {"note": {"contains": "\x00"}}}, "/where/note/contains", "not_text", "500"),
    ({"select": ["crews"]}, "/select/0", "undeclared_property", "crew"),
    ({"order": ["-lengthh"]}, "/order/0", "undeclared_property", "length"),
    ({"limit": 0}, "/limit", "out_of_range", "1 to 200"),
    ({"expand": [{"relationship": "tows", "direction": "up"}]}, "/expand/0/direction", "not_a_choice", "both"),
    (
        {"expand": [OF_ACME | {"where": {"crew": 1}}]},
        "/expand/0/where/crew",
        "undeclared_property",
        "name",
    ),
]


@pytest.mark.parametrize(("asked", "path", "code", "words"), WRONG)
def test_what_cannot_be_asked_is_named_with_the_nearest_name(
    graph: Graph, asked: dict[str, Any], path: str, code: str, words: str
) -> None:
    declare_vessels(graph)
    with pytest.raises(Malformed) as error:
        asking.read(current_ontology(graph.by), {"class": "vessel"} | asked)
    [violation] = error.value.violations
    assert (violation.path, violation.code) == (path, code)
    assert words in f"{violation.message} {violation.accepted}"


def test_names_of_before_ask_for_what_has_other_names_today(graph: Graph) -> None:
    launched(graph)
    document = current_ontology(graph.by).document.as_data()
    document["node_classes"]["tug"]["formerly"] = ["towboat"]
    document["node_classes"]["vessel"]["renamed"] = {"size": "length"}
    graph.do(lambda write: declare(write, document))
    asked = {"class": "towboat", "where": {"size": {"lt": 50}}, "select": ["size"], "order": ["-size"]}
    [found] = ask(graph.by, asked).found
    assert (found.label, found.properties) == ("Dolly 15", {"length": 2})


def test_everything_wrong_with_a_question_is_said_at_once(graph: Graph) -> None:
    declare_vessels(graph)
    deep: Any = {"crew": 1}
    for _ in range(20):
        deep = {"not": deep}
    asked = {"class": "vessel", "where": [{"crw": 1}, {"length": {"has": 1}}, deep], "limit": 9999}
    with pytest.raises(Malformed) as error:
        asking.read(current_ontology(graph.by), asked)
    assert [one.code for one in error.value.violations] == [
        "undeclared_property",
        "unknown_operator",
        "too_deep",
        "out_of_range",
    ]


@pytest.mark.parametrize(
    "where",
    [
        {"crew": [{"gt": number} for number in range(300)]},
        {"crew": {"in": [1]}, "or": [{"crew": number} for number in range(300)]},
        [{}] * 300,
        {"and": [{"not": {}}] * 300},
        {"related": [{"relationship": "tows"}] * 300},
    ],
)
def test_a_question_of_very_many_conditions_is_refused_however_they_are_joined(graph: Graph, where: Any) -> None:
    declare_vessels(graph)
    with pytest.raises(Malformed) as error:
        asking.read(current_ontology(graph.by), {"class": "vessel", "where": where})
    assert [one.code for one in error.value.violations] == ["too_many"]


def test_keys_of_values_that_went_wrong_are_found_and_made_anew(graph: Graph, operator: Principal) -> None:
    launched(graph)
    alba = Belief.objects.get(predicate="length", subject__label="Alba")
    Belief.objects.filter(pk=alba.pk).update(value_key=b"")
    assert labels(ask(graph.by, {"where": {"length": 12.5}})) == ["albatros"]
    reports = [one for one in integrity.examine(operator.workspace) if one.findings]
    assert [(one.check.name, [finding.row for finding in one.findings]) for one in reports] == [
        ("values", [str(alba.pk)])
    ]
    integrity.repair(operator.workspace, reports)
    assert labels(ask(graph.by, {"where": {"length": 12.5}})) == ["Alba", "albatros"]


def test_the_index_of_values_is_used(graph: Graph) -> None:
    """Where there are many values, no engine goes through all of them, nor through all nodes."""
    launched(graph)
    like = Belief.objects.get(predicate="length", subject__label="Alba")
    many = [copied(like, float(number)) for number in range(2000)]
    Belief.objects.bulk_create(many)
    question = asking.read(current_ontology(graph.by), {"class": "vessel", "where": {"length": 99.999}})
    with CaptureQueriesContext(connection) as queries:
        assert len(asking.matching(graph.by, question, 10)[0]) == 1
    [sql] = [one["sql"] for one in queries if "value_key" in one["sql"]]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE graph_belief")
        cursor.execute(f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{sql}")
        plan = "\n".join(str(row) for row in cursor.fetchall())
    assert "belief_value" in plan, plan


def copied(like: Belief, value: float) -> Belief:
    """Another belief of the same property of the same node; only its value matters here."""
    made = copy.copy(like)
    made.pk, made.value, made.value_key, made.slot, made.statement = (
        new_id(),
        value,
        typed.key_of(value, typed.NUMBER),
        "",
        f"copied:{value}",
    )
    return made
