"""Types declared in Python are the types that a file declares: one document, the same checks, the same proposal."""

from __future__ import annotations

import datetime as dt
import enum
import io
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model

from memoryapp.doors.errors import Invalid
from memoryapp.ontology.authoring import (
    BeliefKind,
    Declared,
    Email,
    EpisodeKind,
    NodeClass,
    Normalised,
    RelationKind,
    Relationship,
    Role,
    Said,
    Searchable,
    Term,
    Types,
    View,
    Vocabulary,
    document_of,
    load,
)
from memoryapp.ontology.compiled import compile_document
from memoryapp.ontology.document import OntologyDocument, read, read_text
from tests.house.running import ROOT

EXAMPLE = re.search(
    r"^```python\n(.+?)^```", (ROOT / "docs" / "ontology.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)


def declared(*things: Any, types: Types | None = None) -> OntologyDocument:
    """The document of a module that holds these."""
    module = ModuleType("harbour_types")
    for thing in things:
        if isinstance(thing, type):
            thing.__module__ = module.__name__
        setattr(module, getattr(thing, "__name__", ""), thing)
    module.types = types or Types("harbour")  # type: ignore[attr-defined]
    return document_of(module)


@pytest.fixture
def example(tmp_path: Path) -> Path:
    assert EXAMPLE is not None
    path = tmp_path / "harbour_types.py"
    path.write_text(EXAMPLE[1], encoding="utf-8")
    return path


def test_the_example_of_the_page_declares_what_it_says(example: Path) -> None:
    document = load(str(example))
    compiled = compile_document(document)
    ship = document.node_classes["ship"]
    assert (ship.parent, ship.keys, ship.multi_valued, ship.searchable) == ("thing", [["number"]], ["flag"], ["flag"])
    assert ship.properties["number"] == {"type": "string", "pattern": "^[0-9]{7}$"}
    assert document.node_classes["ferry"].parent == "ship"
    assert document.relationships["berthsAt"].pairs[0].object == "place"
    assert document.belief_kinds["berth_wish"].required == ["until"]
    assert compiled.term("topic", "mooring") is not None
    assert set(document.views) > {"wishes"}
    assert read_text(document.as_yaml()) == document


def test_a_plain_class_says_the_same_as_its_declaration_in_yaml() -> None:
    class Colour(enum.Enum):
        RED = "red"
        GREEN = "green"

    class Buoy(NodeClass, parent="thing", title="Sea buoy", keys=[["code"], ["email"]], abstract=True):
        """Something that floats.

        Not part of the description.
        """

        code: Annotated[str, Field(min_length=2, max_length=9), Searchable(), Said("{subject} has the code {value}")]
        email: list[Email] = []
        colour: Colour | None = None
        state: Literal["afloat", "sunk"] = "afloat"
        depth: Annotated[float, Field(ge=0)] | None = None
        since: dt.date | None = None

    written = read_text(
        """
        name: harbour
        belief_kinds: {memory: {abstract: true}}
        relation_kinds: {}
        node_classes:
          buoy:
            title: Sea buoy
            description: Something that floats.
            parent: thing
            abstract: true
            keys: [[code], [email]]
            properties:
              code: {type: string, minLength: 2, maxLength: 9}
              email: {type: string, maxLength: 320, format: email}
              colour: {type: string, enum: [red, green]}
              state: {type: string, enum: [afloat, sunk]}
              depth: {type: number, minimum: 0}
              since: {type: string, format: date}
            multi_valued: [email]
            normalisers: {email: email}
            searchable: [code]
            templates: {code: "{subject} has the code {value}"}
        """
    )
    assert declared(Buoy).node_classes["buoy"] == written.node_classes["buoy"]


def test_every_family_is_declared_with_its_parts() -> None:
    class Ship(NodeClass, parent="thing", keys=[["name"]], templates={"name": "{value} is a ship"}):
        pass

    class Ferry(Ship):
        pass

    class TowedBy(Relationship, pairs=[(Ship, "person")], cardinality="multi", template="{subject} towed by {object}"):
        hours: int | None = None

    class Warning(BeliefKind, parent="insight", precedence=0, review_after_days=30):
        until: dt.date
        level: Literal["low", "high"] = "low"

    class Docking(EpisodeKind, parent="event", roles={"ship": [Ship], "pilot": ["person"]}):
        depth: float
        notes: list[str] = []

    class Towage(RelationKind, roles={"tug": Role(nodes=["ship"]), "towed": Role(nodes=["ship"], maximum=None)}):
        reference: str = ""

    types = Types("harbour", "Harbour", views={"warnings": View(kinds=["warning"])})
    document = declared(Ship, Ferry, TowedBy, Warning, Docking, Towage, types=types)
    compile_document(document)
    assert (document.name, document.title) == ("harbour", "Harbour")
    assert document.node_classes["ferry"].parent == "ship"
    assert document.relationships["towedBy"].model_dump()["pairs"] == [{"subject": "ship", "object": "person"}]
    assert (document.belief_kinds["warning"].precedence, document.belief_kinds["warning"].required) == (0, ["until"])
    docking = document.episode_kinds["docking"]
    assert (docking.roles["ship"], docking.required) == (["ship"], ["depth"])
    assert docking.properties["notes"] == {"type": "array", "items": {"type": "string"}}
    assert document.relation_kinds["towage"].roles["towed"].maximum is None
    assert document.views["warnings"].kinds == ["warning"]


def test_a_declared_class_checks_what_is_made_of_it() -> None:
    class Crane(NodeClass, parent="thing"):
        reach: Annotated[int, Field(ge=1)]

    assert Crane(reach=40).model_dump() == {"reach": 40}
    with pytest.raises(ValueError, match="greater than or equal"):
        Crane(reach=0)


NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,12}", fullmatch=True).filter(
    lambda name: not hasattr(NodeClass, name) and not name.startswith("model_")
)
MARKS = st.lists(
    st.one_of(
        st.just(Searchable()),
        st.sampled_from(["email", "phone", "exact"]).map(lambda name: Normalised(name)),  # type: ignore[arg-type]
        st.just(Said("{subject}: {value}")),
    ),
    max_size=2,
)
PLAIN = st.sampled_from([str, int, float, bool, dt.date, dt.datetime, Email, Literal["a", "b"]])
TYPES = st.one_of(PLAIN, PLAIN.map(lambda one: list[one]), PLAIN.map(lambda one: one | None))  # type: ignore[valid-type,operator]


@st.composite
def classes(draw: Any) -> type[Declared]:
    base = draw(st.sampled_from([NodeClass, BeliefKind, EpisodeKind]))
    fields: dict[str, Any] = {}
    for name in draw(st.lists(NAMES, max_size=4, unique=True)):
        kind, marks = draw(TYPES), draw(MARKS)
        annotation: Any = kind
        for mark in marks:
            annotation = Annotated[annotation, mark]
        fields[name] = (annotation, draw(st.sampled_from([..., None])))
    told = {"abstract": draw(st.booleans()), "title": draw(st.text("abc dé", max_size=9))}
    made: type[BaseModel] = create_model(
        draw(st.from_regex(r"[A-Z][a-z]{1,8}([A-Z][a-z]{1,5})?", fullmatch=True)),
        __base__=base,
        __cls_kwargs__=told,
        **fields,
    )
    return made  # type: ignore[return-value]


@settings(max_examples=20)
@given(st.lists(classes(), min_size=1, max_size=3))
def test_python_to_declaration_to_yaml_to_declaration_is_the_same(made: Sequence[type[Declared]]) -> None:
    document = declared(*made)
    assert read_text(document.as_yaml()) == document
    assert read(document.as_data()) == document
    assert {one.declared_name() for one in made} <= {
        name for family in ("node_classes", "belief_kinds", "episode_kinds") for name in getattr(document, family)
    }


def test_a_word_that_a_declaration_does_not_take_is_named() -> None:
    with pytest.raises(Invalid) as refused:

        class Buoy(NodeClass, cardinality="many"):
            pass

    [violation] = refused.value.violations
    assert violation.path == "/Buoy/cardinality"
    assert "keys" in violation.accepted


def test_a_type_within_itself_is_refused() -> None:
    class Knot(BaseModel):
        inner: list[Knot] = []

    Knot.model_rebuild(_types_namespace={"Knot": Knot})

    class Rope(NodeClass, parent="thing"):
        knot: Annotated[Knot, Field()]

    Rope.model_rebuild(_types_namespace={"Knot": Knot})
    with pytest.raises(Invalid, match="a type within itself"):
        declared(Rope)


def test_a_module_says_once_what_its_types_are_called(tmp_path: Path) -> None:
    path = tmp_path / "nothing.py"
    path.write_text("", encoding="utf-8")
    with pytest.raises(Invalid) as refused:
        load(str(path))
    assert refused.value.violations[0].code == "no_types"
    with pytest.raises(Invalid) as missing:
        load("harbour.no_such_types")
    assert missing.value.violations[0].code == "no_such_module"


def test_a_vocabulary_stands_in_python_as_it_does_in_a_file() -> None:
    terms = [Term(iri="https://harbour.example/mooring", name="Mooring", aliases=["berthing"])]
    types = Types("harbour", vocabularies={"works": Vocabulary(node_class="topic", terms=terms)})
    compiled = compile_document(declared(types=types))
    found = compiled.term("topic", "BERTHING")
    assert found is not None
    assert found.name == "Mooring"


@pytest.mark.django_db
def test_a_module_is_compared_and_filed_as_a_file_is(workspace: Any, example: Path) -> None:
    said = io.StringIO()
    call_command("propose_ontology", workspace.slug, str(example), "--file", stdout=said)
    assert "ship" in said.getvalue()
    assert "waits for a person" in said.getvalue()
    with pytest.raises(CommandError, match="no module"):
        call_command("propose_ontology", workspace.slug, "harbour.no_such_types")
