"""One change of the declared types, as it is filed: a closed set of shapes, each with the places it names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from memoryapp.doors.errors import Invalid, Violation
from memoryapp.ontology.document import Name, NormaliserName

Family = Literal[
    "node_classes",
    "relationships",
    "belief_kinds",
    "relation_kinds",
    "episode_kinds",
    "source_kinds",
    "views",
    "vocabularies",
    "file_roots",
]
WithParts = Literal["node_classes", "relationships", "belief_kinds", "relation_kinds", "episode_kinds"]
WithRoles = Literal["relation_kinds", "episode_kinds"]
Renamed = Literal[
    "node_classes",
    "relationships",
    "belief_kinds",
    "relation_kinds",
    "episode_kinds",
    "views",
    "vocabularies",
    "file_roots",
]
FAMILIES: tuple[str, ...] = get_args(Family)
TypeName = Name | Annotated[str, StringConstraints(pattern=r"^/[^\x00]{0,299}$")]
"""The name of a type; roots of the files room are named by their path."""

MOST = 200
"""Changes in one proposal."""

PROPERTIES = {
    "node_classes": "properties",
    "relationships": "properties",
    "belief_kinds": "attributes",
    "relation_kinds": "attributes",
    "episode_kinds": "properties",
}
"""Under which word the properties of a type stand in the document, by family."""


class _Change(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class AddType(_Change):
    """A new class, subclass, relationship, kind, view, vocabulary or root; `declaration` is as in the document."""

    change: Literal["add_type"]
    family: Family
    name: TypeName
    declaration: dict[str, Any] = {}


class AddProperty(_Change):
    """A property of a class, relationship or kind of episode, or an attribute of a kind; the schema of one value."""

    change: Literal["add_property"]
    family: WithParts
    type: Name
    name: Name
    declaration: dict[str, Any] = {}
    required: bool = False
    multi_valued: bool = False
    searchable: bool = False
    normaliser: NormaliserName | Literal[""] = ""
    template: str = ""


class AddValue(_Change):
    """One more allowed value of a property."""

    change: Literal["add_value"]
    family: WithParts
    type: Name
    property: Name
    value: Any


class AddRole(_Change):
    """A role of a relation or an episode; `declaration` is as in the document."""

    change: Literal["add_role"]
    family: WithRoles
    type: Name
    name: Name
    declaration: dict[str, Any] | list[str]


class SetProperty(_Change):
    """Another schema for a property: wider or tighter."""

    change: Literal["set_property"]
    family: WithParts
    type: Name
    name: Name
    declaration: dict[str, Any]


class SetRole(_Change):
    """Other numbers or players for a role."""

    change: Literal["set_role"]
    family: WithRoles
    type: Name
    name: Name
    declaration: dict[str, Any] | list[str]


class SetField(_Change):
    """Another value of one field of a type, such as its title, parent, template or cardinality."""

    change: Literal["set"]
    family: Family
    type: TypeName
    field: Name
    value: Any


class SetKeys(_Change):
    """Other identity keys of a class."""

    change: Literal["set_keys"]
    type: Name
    keys: list[list[Name]]


class Rename(_Change):
    """Another name for a type, or for a property (`part` property) or role of it. The old one stays readable. Another
    path for a root: its files move there."""

    change: Literal["rename"]
    family: Renamed
    type: TypeName
    part: Literal["", "property", "role"] = ""
    name: Name | Literal[""] = ""
    to: TypeName


class Retire(_Change):
    """A type is used no more, or a property, role or allowed value of it goes. `into` is what stored rows become."""

    change: Literal["retire"]
    family: Family
    type: TypeName
    part: Literal["", "property", "role", "value"] = ""
    name: Name | Literal[""] = ""
    value: Any = None
    into: Name | Literal[""] = ""


class Merge(_Change):
    """One class or kind becomes part of another; `properties` says what its own properties are called there."""

    change: Literal["merge"]
    family: Literal["node_classes", "belief_kinds", "episode_kinds"]
    type: Name
    into: Name
    properties: dict[Name, Name] = {}


class Part(_Change):
    """One class that a class is split into: for nodes whose property has one of these values."""

    name: Name
    values: Annotated[list[str | int | float | bool], Field(min_length=1)]
    declaration: dict[str, Any] = {}


class Split(_Change):
    """Nodes of a class become nodes of classes below it, by the value of a property; the others stay."""

    change: Literal["split"]
    type: Name
    property: Name
    into: Annotated[list[Part], Field(min_length=1, max_length=50)]


Change = (
    AddType
    | AddProperty
    | AddValue
    | AddRole
    | SetProperty
    | SetRole
    | SetField
    | SetKeys
    | Rename
    | Retire
    | Merge
    | Split
)
CHANGES: dict[str, type[_Change]] = {
    get_args(one.model_fields["change"].annotation)[0]: one for one in get_args(Change)
}
_change: TypeAdapter[Change] = TypeAdapter(Annotated[Change, Field(discriminator="change")])


def read_changes(data: Any, path: str = "/changes") -> list[Change]:
    """Changes from plain values. Raises Invalid that names every place that cannot be read."""
    if not isinstance(data, list | tuple) or not 0 < len(data) <= MOST:
        raise Invalid.at(path, "malformed_changes", "These are no changes.", f"a list of 1 to {MOST} changes")
    found: list[Change] = []
    wrong: list[Violation] = []
    for place, one in enumerate(data):
        try:
            found.append(_change.validate_python(one))
        except ValidationError as error:
            wrong += [_violation(path, place, fault) for fault in error.errors(include_url=False, include_input=False)]
    if wrong:
        raise Invalid.all(wrong[:100])
    return found


def _violation(path: str, place: int, fault: Any) -> Violation:
    steps = [str(step) for step in fault["loc"] if step not in CHANGES]
    accepted = ", ".join(CHANGES) if "union_tag" in fault["type"] else ""
    return Violation("/".join([path, str(place), *steps]), "malformed_change", fault["msg"], accepted)


def as_data(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """The changes as plain values, without what is left at its default."""
    return [
        {"change": one.change} | one.model_dump(mode="json", exclude_defaults=True, exclude={"change"})
        for one in changes
    ]
