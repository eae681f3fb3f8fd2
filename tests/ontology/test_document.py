"""The document of declared types: read, checked as a whole, asked, and given back as it was."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.doors.errors import Invalid
from memoryapp.ontology.compiled import Ontology, compile_document
from memoryapp.ontology.document import read, read_text
from memoryapp.ontology.services import ready_made, ready_made_names
from memoryapp.ontology.templates import render


@pytest.fixture(scope="module")
def default() -> Ontology:
    return compile_document(ready_made("default"), 1)


def test_every_ready_made_ontology_fits_together_and_round_trips() -> None:
    for name in ready_made_names():
        document = ready_made(name)
        compile_document(document)
        assert read_text(document.as_yaml()) == document
        assert read_text(json.dumps(document.as_data())) == document


def _set(*path: Any) -> Callable[[dict[str, Any]], None]:
    """Set the place named by all but the last step to the last."""

    def change(data: dict[str, Any]) -> None:
        place: Any = data
        for step in path[:-2]:
            place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
        place[path[-2]] = path[-1]

    return change


WRONG = [
    (_set("colour", "blue"), "/colour", "malformed_ontology"),
    (_set("belief_kinds", "memory", "abstract", False), "/belief_kinds", "malformed_ontology"),
    (_set("node_classes", "9th", {}), "/node_classes/9th/[key]", "malformed_ontology"),
    (_set("belief_kinds", "preference", "parent", "usr"), "/belief_kinds/preference/parent", "undeclared"),
    (_set("belief_kinds", "user", "parent", "preference"), "/belief_kinds/user/parent", "circular"),
    (_set("belief_kinds", "skill", "parent", ""), "/belief_kinds/skill/parent", "required"),
    (_set("node_classes", "person", "keys", [["emial"]]), "/node_classes/person/keys", "undeclared"),
    (_set("node_classes", "team", "keys", [["name"]]), "/node_classes/team/keys/0", "declared_twice"),
    (_set("node_classes", "team", "properties", {"name": {}}), "/node_classes/team/properties/name", "declared_twice"),
    (
        _set("node_classes", "person", "properties", "email", {"type": "strin"}),
        "/node_classes/person/properties/email/type",
        "malformed_schema",
    ),
    (
        _set("node_classes", "person", "properties", "email", {"$ref": "http://192.0.2.1/x"}),
        "/node_classes/person/properties/email/$ref",
        "malformed_schema",
    ),
    (
        _set("node_classes", "person", "properties", "phone", {"pattern": "(a)\\1"}),
        "/node_classes/person/properties/phone/pattern",
        "malformed_schema",
    ),
    (
        _set("relationships", "knows", "pairs", [{"subject": "person", "object": "persn"}]),
        "/relationships/knows/pairs/0/object",
        "undeclared",
    ),
    (_set("relationships", "knows", "template", "{subject} knows"), "/relationships/knows/template", "incomplete"),
    (
        _set("relation_kinds", "conflict", "roles", "claim", "maximum", 3),
        "/relation_kinds/conflict/roles",
        "built_in",
    ),
    (
        _set("relation_kinds", "shipment", "roles", "carrier", "nodes", ["persn"]),
        "/relation_kinds/shipment/roles/carrier/nodes",
        "undeclared",
    ),
    (_set("views", "facts", "kinds", ["fct"]), "/views/facts/kinds", "undeclared"),
]


@pytest.mark.parametrize(("change", "path", "code"), WRONG, ids=[path for _, path, _ in WRONG])
def test_what_does_not_fit_is_named_with_its_place(
    change: Callable[[dict[str, Any]], None], path: str, code: str
) -> None:
    data = copy.deepcopy(ready_made("default").as_data())
    change(data)
    with pytest.raises(Invalid) as refused:
        compile_document(read(data))
    assert (path, code) in [(one.path, one.code) for one in refused.value.violations]


def test_everything_wrong_is_listed_at_once() -> None:
    data = copy.deepcopy(ready_made("default").as_data())
    _set("views", "facts", "kinds", ["fct"])(data)
    _set("node_classes", "person", "keys", [["emial"]])(data)
    with pytest.raises(Invalid) as refused:
        compile_document(read(data))
    assert len(refused.value.violations) == 2
    assert "Did you mean email?" in refused.value.violations[0].message


@pytest.mark.parametrize("text", ["a: [", "a: &x 1\nb: *x", "\ud800", "- 1", "", "x" * 2_000_001, "a: " + "[" * 3000])
def test_text_that_is_no_document_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        read_text(text)


def test_a_topic_is_known_by_all_its_names_within_the_kind_that_declares_it(default: Ontology) -> None:
    assert default.topic("preference", "Status  Emails") == ("reporting cadence", "preference")
    assert default.topic("preference", "Reporting cadence") == ("reporting cadence", "preference")
    assert default.topic("preference", "Window blinds") == ("window blinds", "preference")
    assert default.topic("decision", "status emails") == ("status emails", "decision")
    assert default.topic("decision", "  ") == ("", "decision")


def test_precedence_and_subkinds_are_inherited(default: Ontology) -> None:
    assert default.precedence("preference") > default.precedence("fact") > default.precedence("long_term")
    assert default.subkinds("user") == {"user", "preference"}
    assert default.subkinds("user", exact=True) == {"user"}
    assert "memory" not in default.instantiable_kinds


@pytest.mark.parametrize(
    ("due_at", "fits"),
    [
        ("2026", True),
        ("2026-05", True),
        ("2026-05-04", True),
        ("2026-05-04T17:00-05:00", True),
        ("2026-05-04T17:00", False),
        ("Friday", False),
        (7, False),
    ],
)
def test_a_commitment_is_due_at_a_time_that_says_its_zone(default: Ontology, due_at: Any, fits: bool) -> None:
    """T36, for attributes."""
    assert (default.attribute_violations("commitment", {"due_at": due_at}) == []) is fits


def test_an_attribute_nobody_declared_is_refused(default: Ontology) -> None:
    [violation] = default.attribute_violations("commitment", {"due": "2026"})
    assert (violation.code, violation.path) == ("undeclared_attribute", "/attributes/due")
    assert "due_at" in violation.accepted


@pytest.mark.parametrize(
    "value", ["a\x00b", "\ud800", {"a": ["\x00"]}, float("nan"), float("inf"), [[[[float("nan")]]]]]
)
def test_what_no_database_can_keep_is_refused_whatever_the_schema(value: Any) -> None:
    data = copy.deepcopy(ready_made("default").as_data())
    data["belief_kinds"]["commitment"]["attributes"]["anything"] = {}
    ontology = compile_document(read(data))
    [violation] = ontology.attribute_violations("commitment", {"anything": value})
    assert violation.path == "/attributes/anything"


def test_a_template_leaves_out_what_is_missing() -> None:
    template = "{subject} works at {object}[ as {role}][ since {since}]"
    assert render(template, {"subject": "Ines", "object": "Ferro", "role": "editor"}) == "Ines works at Ferro as editor"
    assert render("{name|email}", {"email": "a@b.example"}) == "a@b.example"
    assert render("{subject}: {value}", {"subject": "{value}", "value": "x"}) == "{value}: x"


def test_an_alias_of_a_vocabulary_stands_for_its_term() -> None:
    data = copy.deepcopy(ready_made("default").as_data())
    data["vocabularies"] = {
        "languages": {
            "node_class": "topic",
            "terms": [{"iri": "urn:lang:pt", "name": "Portuguese", "aliases": ["português"]}],
        }
    }
    ontology = compile_document(read(data))
    term = ontology.term("topic", "PORTUGUÊS")
    assert term is not None
    assert term.iri == "urn:lang:pt"
    assert ontology.term("topic", "Portuguesa") is None
    data["vocabularies"]["languages"]["terms"].append({"iri": "urn:x", "name": "Portuguese"})
    with pytest.raises(Invalid):
        compile_document(read(data))
