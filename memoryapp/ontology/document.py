"""The format in which types are declared: one document, the same as YAML, as JSON and as these classes.

Whatever is read from a file, a request or code becomes an `OntologyDocument`; `as_data()` gives it back, and reading
that again gives an equal document. Shapes are checked here; how declarations fit together is checked in `compiled`.
"""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from memoryapp.access.paths import ROOT, normal
from memoryapp.doors.errors import Invalid, Violation
from memoryapp.doors.strict import read_yaml

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,99}$")]
Schemas = dict[Name, dict[str, Any]]
NormaliserName = Literal["text", "email", "domain", "phone", "iri", "exact"]
Cardinality = Literal["many", "one_per_subject", "one_per_object", "multi"]
ANY = "*"

MOST_CHARACTERS = 2_000_000


def _identifier(text: str) -> str:
    try:
        return str(uuid.UUID(text))
    except ValueError as error:
        raise ValueError("an id of a node or belief") from error


Identifier = Annotated[str, AfterValidator(_identifier)]


class Declaration(BaseModel):
    """Base of everything declared: words for people, and whether it may still be used for what is new."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    title: str = ""
    description: str = ""


def _root_path(text: str) -> str:
    try:
        path = normal(text)
    except Invalid as error:
        raise ValueError(error.detail) from error
    if path != text or path == ROOT:
        raise ValueError("the absolute path of a directory, such as /notes")
    return path


RootPath = Annotated[str, AfterValidator(_root_path)]


class FileRoot(Declaration):
    """A directory in which agents may write files. `indexed`: what is below it is searched by its words. Another path
    takes its files along."""

    indexed: bool = True


class Named(Declaration):
    """What is asked for by its name. `formerly` are names by which it is still read."""

    formerly: list[Name] = []


class Type(Named):
    """What rows may be of. `renamed` are former names of its parts, each with the name it has now."""

    retired: bool = False
    renamed: dict[Name, Name] = {}


class NodeClass(Type):
    """A class of nodes. Everything but `abstract` and `retired` is inherited from `parent`.

    `properties` gives each property the JSON Schema (2020-12) of one value; `multi_valued` ones hold several values,
    the others one. Each of `keys` is a set of properties that together identify a node. `templates` render a property
    as a sentence with {subject} and {value}; `label` renders the node's name.
    """

    parent: Name | Literal[""] = ""
    abstract: bool = False
    properties: Schemas = {}
    keys: list[Annotated[list[Name], Field(min_length=1)]] = []
    multi_valued: list[Name] = []
    normalisers: dict[Name, NormaliserName] = {}
    searchable: list[Name] = []
    templates: dict[Name, str] = {}
    label: str = ""


class Pair(BaseModel):
    """From which class to which class an edge may lead; subclasses included."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)

    subject: Name
    object: Name


class Relationship(Type):
    """A type of edge. `properties` are those of the edge itself; the template has {subject}, {object} and them."""

    pairs: Annotated[list[Pair], Field(min_length=1)]
    cardinality: Cardinality = "many"
    properties: Schemas = {}
    template: str
    inverse: str = ""


class BeliefKind(Type):
    """A kind of belief. `attributes`, `precedence`, `review_after_days` and topics are inherited from `parent`.

    `single_valued_topics` names topics on which an owner holds one belief at a time, each with its other names.
    """

    parent: Name | Literal[""] = ""
    abstract: bool = False
    precedence: int | None = None
    single_valued_topics: dict[str, list[str]] = {}
    review_after_days: Annotated[int, Field(ge=1)] | None = None
    attributes: Schemas = {}
    required: list[Name] = []


class Role(Declaration):
    """A role of a relation: how many players (`maximum` none: any number), and who may play it.

    `beliefs`, `nodes` and `relations` name kinds and classes, subkinds included; `sources` names source kinds. `*` is
    any. What is not listed may not play.
    """

    minimum: Annotated[int, Field(ge=0, le=1000)] = 1
    maximum: Annotated[int, Field(ge=1, le=1000)] | None = 1
    beliefs: list[Name | Literal["*"]] = []
    nodes: list[Name | Literal["*"]] = []
    sources: list[Name | Literal["*"]] = []
    relations: list[Name | Literal["*"]] = []


class RelationKind(Type):
    roles: Annotated[dict[Name, Role], Field(min_length=1)]
    attributes: Schemas = {}
    required: list[Name] = []


class EpisodeKind(Type):
    """A kind of episode. `properties`, `required` and `roles` are inherited from `parent`.

    `roles` names how a node may take part and the classes of nodes that may, subclasses included; `*` is any class.
    """

    parent: Name | Literal[""] = ""
    abstract: bool = False
    properties: Schemas = {}
    required: list[Name] = []
    roles: dict[Name, Annotated[list[Name | Literal["*"]], Field(min_length=1)]] = {}


class SourceKind(Declaration):
    """A kind of source and which of its fields it must have."""

    abstract: bool = False
    requires: list[Name] = []


class View(Named):
    """A stored question about beliefs. Subkinds are included unless `exact`; `history` includes what has ended."""

    kinds: list[Name] = []
    exact: bool = False
    predicates: list[Name] = []
    owner: Identifier | Literal[""] = ""
    subject: Identifier | Literal[""] = ""
    history: bool = False
    in_evidence_of: Identifier | Literal[""] = ""
    not_in_evidence_of: Identifier | Literal[""] = ""


class Term(BaseModel):
    """One entry of a vocabulary: an exact alias stands for the preferred name and its IRI."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    iri: str
    name: str
    aliases: list[str] = []


class Vocabulary(Named):
    node_class: Name
    terms: list[Term] = []


class OntologyDocument(Declaration):
    """Everything a workspace declares."""

    name: Name
    node_classes: dict[Name, NodeClass] = {}
    relationships: dict[Name, Relationship] = {}
    belief_kinds: dict[Name, BeliefKind]
    relation_kinds: dict[Name, RelationKind]
    episode_kinds: dict[Name, EpisodeKind] = {}
    source_kinds: dict[Name, SourceKind] = {}
    views: dict[Name, View] = {}
    vocabularies: dict[Name, Vocabulary] = {}
    file_roots: dict[RootPath, FileRoot] = {}

    @field_validator("belief_kinds")
    @classmethod
    def _root(cls, kinds: dict[str, BeliefKind]) -> dict[str, BeliefKind]:
        root = kinds.get("memory")
        if root is None or root.parent or not root.abstract:
            raise ValueError("an abstract kind `memory` without a parent, the root of all kinds")
        return kinds

    def as_data(self) -> dict[str, Any]:
        """The document as plain values, without what is left at its default."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def as_yaml(self) -> str:
        return yaml.safe_dump(self.as_data(), sort_keys=False, allow_unicode=True, width=120)


def read(data: Any) -> OntologyDocument:
    """A document from plain values. Raises Invalid that names every place that cannot be read."""
    try:
        return OntologyDocument.model_validate(data)
    except ValidationError as error:
        raise Invalid.all(
            Violation("/" + "/".join(str(step) for step in one["loc"]), "malformed_ontology", one["msg"])
            for one in error.errors(include_url=False, include_input=False)[:100]
        ) from error


def read_text(text: str) -> OntologyDocument:
    """A document from YAML or JSON text."""
    if len(text) > MOST_CHARACTERS:
        raise Invalid.at("", "too_long", "The ontology is too long.", f"at most {MOST_CHARACTERS} characters")
    return read(read_yaml(text))
