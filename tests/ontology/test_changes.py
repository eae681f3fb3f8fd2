"""Every kind of change, of every family of declared types; and what is no change, refused with its place."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from typing import Any, get_args

import pytest

from memoryapp.doors.errors import DomainError, Invalid
from memoryapp.ontology.changeset import CHANGES, KINDS, apply, differences, kind_of, read_changes, title_of
from memoryapp.ontology.changeset.changes import FAMILIES, PROPERTIES, Change, Renamed
from memoryapp.ontology.changeset.comparing import changes_between
from memoryapp.ontology.document import OntologyDocument, read
from memoryapp.ontology.services import ready_made

PAIR = {"subject": "person", "object": "place"}
TERMS = [{"iri": "urn:mooring", "name": "Mooring", "aliases": ["berthing"]}, {"iri": "urn:towing", "name": "Towing"}]


@pytest.fixture(scope="module")
def document() -> OntologyDocument:
    """The default without the types that no change below names, in which changes are made more quickly."""
    data = ready_made("default").as_data()
    data["vocabularies"] = {"works": {"node_class": "topic", "terms": TERMS}}
    classes = {"thing", "person", "organization", "project", "place", "product", "topic", "agent"}
    data["node_classes"] = {name: one for name, one in data["node_classes"].items() if name in classes}
    edges = {name: one for name, one in data["relationships"].items() if name in ("knows", "manages")}
    data["relationships"] = edges | {name: one | {"pairs": [PAIR]} for name, one in edges.items()}
    data["episode_kinds"] = {name: data["episode_kinds"][name] for name in ("episode", "meeting")}
    data["relation_kinds"]["shipment"]["roles"] = {
        "carrier": {"nodes": ["person", "organization"]},
        "cargo": {"nodes": ["*"]},
    }
    return read(data)


def add(family: str, name: str, **declaration: Any) -> dict[str, Any]:
    return {"change": "add_type", "family": family, "name": name, "declaration": declaration}


def of(change: str, family: str, type: str, **more: Any) -> dict[str, Any]:
    return {"change": change, "family": family, "type": type, **more}


WORD = {"type": "string", "maxLength": 900}
SHORT = {"type": "string", "maxLength": 3}
TABLE: list[tuple[str, str, dict[str, Any]]] = [
    ("node_classes", "add_class", add("node_classes", "berth")),
    ("node_classes", "add_subclass", add("node_classes", "vessel", parent="thing")),
    ("node_classes", "add_property", of("add_property", "node_classes", "person", name="motto", declaration=WORD)),
    ("node_classes", "add_value", of("add_value", "node_classes", "project", property="state", value="asleep")),
    ("node_classes", "widen", of("set_property", "node_classes", "person", name="role", declaration=WORD)),
    ("node_classes", "tighten", of("set_property", "node_classes", "person", name="role", declaration=SHORT)),
    ("node_classes", "describe", of("set", "node_classes", "person", field="label", value="{name|email}")),
    ("node_classes", "change_keys", {"change": "set_keys", "type": "place", "keys": [["name", "country"]]}),
    ("node_classes", "rename", of("rename", "node_classes", "person", to="human")),
    ("node_classes", "rename", of("rename", "node_classes", "person", part="property", name="role", to="job")),
    ("node_classes", "retire", of("retire", "node_classes", "product")),
    ("node_classes", "retire", of("retire", "node_classes", "project", part="value", name="state", value="planned")),
    ("node_classes", "merge", of("merge", "node_classes", "product", into="organization")),
    (
        "node_classes",
        "split",
        {"change": "split", "type": "place", "property": "country", "into": [{"name": "port", "values": ["Malta"]}]},
    ),
    (
        "relationships",
        "add_relationship",
        add("relationships", "berthsAt", pairs=[PAIR], template="{subject} berths at {object}"),
    ),
    ("relationships", "add_property", of("add_property", "relationships", "knows", name="motto", declaration=WORD)),
    ("relationships", "widen", of("set", "relationships", "knows", field="cardinality", value="multi")),
    ("relationships", "tighten", of("set", "relationships", "knows", field="cardinality", value="one_per_subject")),
    (
        "relationships",
        "describe",
        of("set", "relationships", "knows", field="template", value="{object} is known to {subject}"),
    ),
    ("relationships", "rename", of("rename", "relationships", "knows", to="metWith")),
    ("relationships", "retire", of("retire", "relationships", "knows")),
    ("relationships", "merge", of("retire", "relationships", "manages", into="knows")),
    ("belief_kinds", "add_belief_kind", add("belief_kinds", "wish", parent="preference")),
    ("belief_kinds", "add_property", of("add_property", "belief_kinds", "skill", name="level", declaration=WORD)),
    ("belief_kinds", "tighten", of("set", "belief_kinds", "commitment", field="required", value=["due_at"])),
    ("belief_kinds", "rename", of("rename", "belief_kinds", "skill", to="craft")),
    ("belief_kinds", "retire", of("retire", "belief_kinds", "skill")),
    ("belief_kinds", "merge", of("merge", "belief_kinds", "skill", into="insight")),
    ("relation_kinds", "add_relation_kind", add("relation_kinds", "crewing", roles={"mate": {"nodes": ["person"]}})),
    (
        "relation_kinds",
        "add_role",
        of("add_role", "relation_kinds", "shipment", name="pilot", declaration={"nodes": ["*"]}),
    ),
    (
        "relation_kinds",
        "tighten",
        of("set_role", "relation_kinds", "shipment", name="carrier", declaration={"nodes": ["person"]}),
    ),
    ("relation_kinds", "rename", of("rename", "relation_kinds", "shipment", part="role", name="carrier", to="haulier")),
    ("relation_kinds", "retire", of("retire", "relation_kinds", "shipment", part="role", name="carrier")),
    ("episode_kinds", "add_episode_kind", add("episode_kinds", "regatta")),
    ("episode_kinds", "add_role", of("add_role", "episode_kinds", "meeting", name="scribe", declaration=["person"])),
    ("episode_kinds", "add_property", of("add_property", "episode_kinds", "meeting", name="room", declaration=WORD)),
    ("episode_kinds", "rename", of("rename", "episode_kinds", "meeting", to="gathering")),
    ("episode_kinds", "retire", of("retire", "episode_kinds", "meeting")),
    ("source_kinds", "add_source_kind", add("source_kinds", "notice", abstract=True)),
    ("source_kinds", "describe", of("set", "source_kinds", "web", field="title", value="Page")),
    ("views", "add_view", add("views", "skills", kinds=["skill"])),
    ("views", "widen", of("set", "views", "facts", field="kinds", value=["fact", "skill"])),
    ("views", "rename", of("rename", "views", "facts", to="truths")),
    ("views", "retire", of("retire", "views", "facts")),
    ("views", "merge", of("retire", "views", "facts", into="decisions")),
    ("vocabularies", "add_vocabulary", add("vocabularies", "tools", node_class="topic")),
    ("vocabularies", "widen", of("set", "vocabularies", "works", field="terms", value=TERMS[:1])),
    ("vocabularies", "rename", of("rename", "vocabularies", "works", to="trades")),
    ("vocabularies", "retire", of("retire", "vocabularies", "works")),
    ("file_roots", "add_root", add("file_roots", "/logs", title="Logs")),
    ("file_roots", "widen", of("set", "file_roots", "/notes", field="indexed", value=False)),
    ("file_roots", "rename", of("rename", "file_roots", "/notes", to="/memos")),
    ("file_roots", "retire", of("retire", "file_roots", "/notes")),
]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_kind_of_change_is_made_of_every_family(document: OntologyDocument, family: str) -> None:
    """A1: each is read, said in words, seen as a difference, fits together, and is of the kind that it says; and
    what a file says otherwise is found as changes that lead there."""
    made = [(kind, change) for of, kind, change in TABLE if of == family]
    assert made
    for kind, change in made:
        changes = read_changes([change])
        after = apply(document, changes).document
        assert kind_of(changes, document) == kind, change
        assert title_of(changes)
        assert family in {one.family for one in differences(document, after)}, change
        if change["change"] in ("add_type", "rename") and not change.get("part") and change.get("to") != "/memos":
            assert leads_to(document, after), change


def test_the_table_holds_every_change_there_is() -> None:
    assert {kind for _, kind, _ in TABLE} == set(KINDS) - {"several"}
    assert {one["change"] for _, _, one in TABLE} == set(CHANGES)
    assert {family for family, kind, _ in TABLE if kind == "rename"} == set(get_args(Renamed))


def leads_to(document: OntologyDocument, after: OntologyDocument) -> bool:
    """Whether what differs between two documents, as changes, leads from one to the other."""
    return apply(document, changes_between(document, after)).document == after


ODD: tuple[Any, ...] = (None, 5, "", ["a"], [["a"]], {}, {"enum": 5}, "/x", 1e400)


def small(document: OntologyDocument) -> OntologyDocument:
    """A document of few types, in which a change is made quickly."""
    data = document.as_data()
    kept = {
        "node_classes": ("thing", "person", "topic"),
        "relationships": ("knows",),
        "belief_kinds": ("memory", "fact", "summary"),
        "episode_kinds": ("episode",),
        "source_kinds": ("web",),
        "views": ("facts",),
        "file_roots": ("/notes",),
    }
    for family, names in kept.items():
        data[family] = {name: one for name, one in data[family].items() if name in names}
    data["relationships"]["knows"]["pairs"] = [{"subject": "person", "object": "person"}]
    data["relation_kinds"] = {"shipment": data["relation_kinds"]["shipment"]}
    return read(data)


def test_no_shape_of_a_change_is_more_than_refused(document: OntologyDocument) -> None:
    """A12: whatever stands in a field, the answer is a refusal with its place, and nothing else."""
    few = small(document)
    known = {family: next(iter(getattr(few, family))) for family in FAMILIES}
    paths: list[str] = []
    for (name, made), family in itertools.product(CHANGES.items(), FAMILIES):
        base = {"change": name, "family": family, "type": known[family], "name": "name", "part": "property"}
        later = of("add_property", family, known[family], name="zz", searchable=True)
        for field, odd in itertools.product(made.model_fields, ODD):
            change = {one: value for one, value in base.items() if one in made.model_fields} | {field: odd}
            filled = {one: "name" for one, it in made.model_fields.items() if it.is_required() and one not in change}
            with contextlib.suppress(DomainError):
                changes = read_changes([change | filled])
                paths += refused_at(few, [*changes, *read_changes([later])] if family in PROPERTIES else changes)
    assert len(paths) > 200
    assert all(path.startswith("/") for path in paths)


def refused_at(document: OntologyDocument, changes: Sequence[Change]) -> list[str]:
    try:
        apply(document, changes)
    except DomainError as error:
        return [one.path for one in error.violations]
    return []


def test_what_has_no_parts_says_so(document: OntologyDocument) -> None:
    """A part of a view, a role of a class, and what becomes part of another where nothing can, each at its place."""
    for change, place in (
        (of("retire", "views", "facts", part="property", name="kinds"), "/changes/0/part"),
        (of("rename", "views", "facts", part="property", name="kinds", to="of"), "/changes/0/part"),
        (of("retire", "node_classes", "person", part="role", name="x"), "/changes/0/part"),
        (of("retire", "source_kinds", "web", into="document"), "/changes/0/into"),
        (of("rename", "file_roots", "/notes", to="/notes/own"), "/changes/0/to"),
        (of("set", "views", "facts", field="kinds", value=5), "/changes/0/value/kinds"),
    ):
        with pytest.raises(Invalid) as refused:
            apply(document, read_changes([change]))
        assert [one.path for one in refused.value.violations] == [place], change


def test_a_root_takes_those_within_it_along(document: OntologyDocument) -> None:
    within = add("file_roots", "/notes/drafts", indexed=False)
    moved = of("rename", "file_roots", "/notes", to="/memos")
    after = apply(document, read_changes([within, moved])).document
    assert {"/memos", "/memos/drafts"} <= set(after.file_roots)
    assert not any(path.startswith("/notes") for path in after.file_roots)


def test_a_root_is_not_moved_onto_another_with_what_lies_within_it(document: OntologyDocument) -> None:
    within, there = (add("file_roots", path, indexed=False) for path in ("/notes/drafts", "/memos/drafts"))
    moved = of("rename", "file_roots", "/notes", to="/memos")
    with pytest.raises(Invalid) as refused:
        apply(document, read_changes([within, there, moved]))
    assert [(one.path, one.code) for one in refused.value.violations] == [("/changes/2/to", "declared_already")]
