"""Looking a declared name up, and what is wrong with values of declared properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from memoryapp.doors.errors import Invalid, Violation
from memoryapp.doors.nearest import nearest
from memoryapp.ontology.document import OntologyDocument, Type
from memoryapp.ontology.schemas import ValueCheck

Declared = TypeVar("Declared")


@dataclass(frozen=True)
class Property:
    """A property of a node class, an edge or an attribute, with everything inherited already applied."""

    name: str
    schema: Mapping[str, Any]
    owner: str
    multi_valued: bool = False
    normaliser: str = "text"
    searchable: bool = False
    template: str = ""
    check: ValueCheck = field(compare=False, kw_only=True)


@dataclass(frozen=True)
class Gap:
    """What is not declared: a type of a family (`type` empty), or a property, role or value of a type."""

    family: str
    type: str = ""
    part: str = ""
    name: str = ""
    value: Any = None


@dataclass(frozen=True)
class KeySet:
    """Properties that together identify a node among all nodes of `owner_class` and its subclasses."""

    owner_class: str
    properties: tuple[str, ...]

    @property
    def name(self) -> str:
        return "+".join(self.properties)


@dataclass(frozen=True)
class Edition:
    """The declared types of one edition. `number` is the edition's in its workspace."""

    document: OntologyDocument
    number: int

    def today(self, family: str, name: str) -> str:
        """What a type is called now that may once have been called otherwise. Any other name is as it is."""
        return self._todays.get((family, name), name)

    def todays_part(self, family: str, types: Iterable[str], name: str) -> str:
        """What a property or role of a type is called now; `types` are the type and all above it."""
        declared = getattr(self.document, family)
        for one in types:
            if one in declared and (now := declared[one].renamed.get(name)) is not None:
                return str(now)
        return name

    @cached_property
    def _todays(self) -> dict[tuple[str, str], str]:
        return {
            (family, former): name
            for family in (*FAMILIES, "views", "vocabularies")
            for name, declared in getattr(self.document, family).items()
            for former in declared.formerly
        }

    @cached_property
    def has_former_names(self) -> bool:
        """Whether anything was ever called otherwise."""
        declared = (getattr(self.document, family) for family in FAMILIES)
        return any(one.formerly or one.renamed for types in declared for one in types.values())


FAMILIES = ("node_classes", "relationships", "belief_kinds", "relation_kinds", "episode_kinds")
"""Families whose types stored rows are of."""


def look_up(
    known: Mapping[str, Declared], name: str, path: str, what: str, code: str, gap: Gap | None = None
) -> Declared:
    """The declared thing of this name. Raises Invalid that names the nearest and lists what there is."""
    if name in known:
        return known[name]
    raise Invalid.all([undeclared(known, name, path, what, code, gap)])


def undeclared(
    known: Mapping[str, object], name: str, path: str, what: str, code: str, gap: Gap | None = None
) -> Violation:
    """That nothing of this name is declared, with the nearest name that is."""
    close = nearest(name, known)
    meant = f" Did you mean {close}?" if close else ""
    message = f"There is no {what} “{name[:100]}”.{meant}"
    return Violation(path, code, message, in_words(tuple(sorted(known))), gap=gap)


def refuse_unusable(name: str, declared: Type, abstract: bool, path: str, what: str, accepted: Iterable[str]) -> None:
    """Raises Invalid when nothing new may have this type."""
    listed = in_words(tuple(accepted))
    if abstract:
        raise Invalid.at(path, "abstract_type", f"The {what} {name} is abstract: only what is below it exists.", listed)
    if declared.retired:
        raise Invalid.at(path, "retired_type", f"The {what} {name} is no longer used for what is new.", listed)


def checked(
    known: Mapping[str, Property],
    values: Mapping[str, Any],
    required: Iterable[str],
    path: str,
    whose: str,
    code: str,
    gap: Gap | None = None,
) -> list[Violation]:
    """What is wrong with values of declared properties: unknown, of another shape, or missing."""
    found: list[Violation] = []
    for name, value in values.items():
        if name not in known:
            missing = replace(gap, part="property", name=name) if gap else None
            found.append(undeclared(known, name, f"{path}/{name}", f"attribute of {whose}", code, missing))
        else:
            found += known[name].check.violations(value, f"{path}/{name}")
    for name in sorted(set(required) - set(values)):
        message = f"{name} is required of {whose}."
        found.append(Violation(f"{path}/{name}", "required", message, known[name].check.accepted))
    return found


def ancestry(types: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The type, its parent, and so on up to the root."""
    line = [name]
    while parent := types[line[-1]].parent:
        line.append(parent)
    return tuple(line)


def descendants(types: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """For each type, itself and everything below it."""
    found: dict[str, set[str]] = {name: set() for name in types}
    for name in types:
        for ancestor in ancestry(types, name):
            found[ancestor].add(name)
    return {name: frozenset(below) for name, below in found.items()}


@lru_cache(maxsize=1024)
def in_words(names: tuple[str, ...]) -> str:
    """The names as a list for a sentence, cut after sixty."""
    shown = ", ".join(names[:60])
    return f"{shown} and {len(names) - 60} more" if len(names) > 60 else shown or "nothing"
