"""The bases of declared classes. A subclass is a declaration; what is no field stands behind its name, in brackets:

class Captain(NodeClass, parent="person", keys=[["licence"]]):
    '''Somebody who may lead a ship.'''

    licence: Annotated[str, Field(max_length=40), Said("{subject}'s licence is {value}")]
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from memoryapp.doors.errors import Invalid
from memoryapp.ontology.authoring.fields import Normalised, Property, Said, Searchable, properties_of
from memoryapp.ontology.document import Role

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

Told = dict[str, Any]


class Declared(BaseModel):
    """What every declared class has: a name, words for people, and whether it is used for what is new."""

    model_config = ConfigDict(extra="forbid")

    family: ClassVar[str] = ""
    takes: ClassVar[frozenset[str]] = frozenset()
    told: ClassVar[Told] = {}

    def __init_subclass__(cls, **told: Any) -> None:
        """What stands in the brackets is read once the fields are known."""
        super().__init_subclass__()

    @classmethod
    def __pydantic_init_subclass__(cls, **told: Any) -> None:
        """Keep what the declaration says beside its fields. Raises Invalid for a word that it does not take."""
        super().__pydantic_init_subclass__()
        takes = cls.takes | {"name", "retired", "formerly", "renamed", "family", "takes"}
        if unknown := sorted(set(told) - takes):
            place = f"/{cls.__name__}/{unknown[0]}"
            message = f"{cls.__name__} takes no {unknown[0]}."
            raise Invalid.at(place, "malformed_ontology", message, ", ".join(sorted(takes - {"family", "takes"})))
        cls.family = told.pop("family", cls.family)
        cls.takes = told.pop("takes", cls.takes)
        cls.told = told

    @classmethod
    def declared_name(cls) -> str:
        """What the declaration is called: as told, or the class's own name as the family writes names."""
        return str(cls.told.get("name") or _HUMP.sub("_", cls.__name__).lower())

    @classmethod
    def declaration(cls) -> Told:
        """The class as the document has it."""
        title = cls.model_config.get("title") or _HUMP.sub(" ", cls.__name__).capitalize()
        said = {"title": title, "description": _first_paragraph(cls)}
        kept = {key: value for key, value in cls.told.items() if key not in ("name", "parent", "pairs")}
        return _filled(said | kept) | cls.shape(properties_of(cls))

    @classmethod
    @abstractmethod
    def shape(cls, properties: Sequence[Property]) -> Told:
        """The parts that the fields and bases give."""

    @classmethod
    def above(cls) -> str:
        """The name of the type above: as told, or the declared class that this one derives from."""
        if "parent" in cls.told:
            return _name(cls.told["parent"])
        base: Any = cls.__base__
        return base.declared_name() if base.__base__ is not Declared else ""


class NodeClass(
    Declared,
    family="node_classes",
    takes=frozenset({"parent", "abstract", "keys", "label", "templates", "normalisers", "searchable"}),
):
    """A class of nodes. A field that is a list holds several values; which are required is not declared."""

    @classmethod
    def shape(cls, properties: Sequence[Property]) -> Told:
        normalisers = {one.name: mark.by for one in properties if (mark := one.mark(Normalised))}
        templates = {one.name: said.template for one in properties if (said := one.mark(Said))}
        searchable = [one.name for one in properties if one.mark(Searchable)]
        return _filled(
            {
                "parent": cls.above(),
                "properties": {one.name: one.schema for one in properties},
                "multi_valued": [one.name for one in properties if one.several],
                "normalisers": normalisers | cls.told.get("normalisers", {}),
                "templates": templates | cls.told.get("templates", {}),
                "searchable": [*searchable, *cls.told.get("searchable", [])],
            }
        )


class Relationship(Declared, family="relationships", takes=frozenset({"pairs", "cardinality", "template", "inverse"})):
    """A type of edge; its fields are properties of the edge. `pairs` are the classes, or their names, that it joins."""

    @classmethod
    def declared_name(cls) -> str:
        """Relationships are called as verbs are: worksAt."""
        return str(cls.told.get("name") or cls.__name__[:1].lower() + cls.__name__[1:])

    @classmethod
    def shape(cls, properties: Sequence[Property]) -> Told:
        pairs = [{"subject": _name(one), "object": _name(other)} for one, other in cls.told.get("pairs", ())]
        return {"pairs": pairs} | _filled({"properties": {one.name: _single(cls, one) for one in properties}})


class BeliefKind(
    Declared,
    family="belief_kinds",
    takes=frozenset({"parent", "abstract", "precedence", "single_valued_topics", "review_after_days"}),
):
    """A kind of belief; its fields are attributes. One that has no default is required."""

    @classmethod
    def shape(cls, properties: Sequence[Property]) -> Told:
        return _filled({"parent": cls.above()}) | _with_required("attributes", properties)


class EpisodeKind(Declared, family="episode_kinds", takes=frozenset({"parent", "abstract", "roles"})):
    """A kind of episode. `roles` names how a node may take part, with the classes that may."""

    @classmethod
    def shape(cls, properties: Sequence[Property]) -> Told:
        roles: Mapping[str, Sequence[Any]] = cls.told.get("roles", {})
        named = {role: [_name(one) for one in classes] for role, classes in roles.items()}
        return _filled({"parent": cls.above(), "roles": named}) | _with_required("properties", properties)


class RelationKind(Declared, family="relation_kinds", takes=frozenset({"roles"})):
    """A typed n-ary relation; its fields are attributes. `roles` says who plays in it."""

    @classmethod
    def shape(cls, properties: Sequence[Property]) -> Told:
        roles: Mapping[str, Role] = cls.told.get("roles", {})
        declared = {name: role.model_dump(mode="json", exclude_defaults=True) for name, role in roles.items()}
        return {"roles": declared} | _with_required("attributes", properties)


def _with_required(part: str, properties: Sequence[Property]) -> Told:
    schemas = {one.name: {"type": "array", "items": one.schema} if one.several else one.schema for one in properties}
    return _filled({part: schemas, "required": [one.name for one in properties if one.required]})


def _single(cls: type[Declared], one: Property) -> dict[str, Any]:
    return {"type": "array", "items": one.schema} if one.several else one.schema


def _name(thing: Any) -> str:
    """The name of a declared class, or the name itself."""
    if isinstance(thing, type) and issubclass(thing, Declared):
        return thing.declared_name()
    return str(thing)


def _first_paragraph(cls: type[BaseModel]) -> str:
    said = (cls.__dict__.get("__doc__") or "").strip().partition("\n\n")[0]
    return " ".join(said.split())


def _filled(parts: Told) -> Told:
    """What says something; the rest is as it is by default."""
    return {
        key: value
        for key, value in parts.items()
        if value is not None and value is not False and value != "" and value != [] and value != {}
    }
