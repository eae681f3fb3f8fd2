"""What one edition takes away from another: the parts that no stored row may use.

What rows become at the same time (`follow`) is not taken away: it is looked for under the name it will have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memoryapp.ontology.changeset.moves import Follow
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.compiled.declared import ancestry, descendants
from memoryapp.ontology.usage import Part

PARTS = {
    "node_classes": ("properties", "property"),
    "relationships": ("properties", "property"),
    "belief_kinds": ("attributes", "attribute"),
    "relation_kinds": ("attributes", "attribute"),
    "episode_kinds": ("properties", "property"),
}
"""Where the properties of a type stand in the document, and what one is called, by family."""

ROLES = ("relation_kinds", "episode_kinds")


def taken_away(old: Ontology, new: Ontology, follow: Follow | None = None) -> Iterator[Part]:
    """Types, properties, attributes, roles and allowed values that `new` no longer has."""
    follow = follow or Follow()
    for family in PARTS:
        below = types_below(old, family)
        for name in getattr(old.document, family):
            yield from _of_type(old, new, follow, family, name, below[name])
    yield from _sources(old, new)
    yield from _views(old, new, follow)
    yield from _terms(old, new, follow)
    yield from _roots(old, new, follow)


def _sources(old: Ontology, new: Ontology) -> Iterator[Part]:
    for name, was in old.document.source_kinds.items():
        now = new.document.source_kinds.get(name)
        if now is None or (now.abstract and not was.abstract):
            yield Part("source_kinds", name, frozenset((name,)))


def _views(old: Ontology, new: Ontology, follow: Follow) -> Iterator[Part]:
    for name in old.document.views:
        if follow.type("views", name) not in new.document.views:
            yield Part("views", name, frozenset((name,)))


def _terms(old: Ontology, new: Ontology, follow: Follow) -> Iterator[Part]:
    """Terms that a vocabulary no longer has: nodes that were told by them would be told apart."""
    for name, was in old.document.vocabularies.items():
        now = new.document.vocabularies.get(follow.type("vocabularies", name))
        left = {one.iri for one in now.terms} if now else set()
        gone = [one.iri for one in was.terms if one.iri not in left]
        classes = old.subclasses(was.node_class)
        if now is None or gone:
            yield Part("vocabularies", name, classes, "terms" if now else "", "", gone)


def _roots(old: Ontology, new: Ontology, follow: Follow) -> Iterator[Part]:
    """Roots that are gone, with those within them that stay. What lies in another root goes on lying in one."""
    for path in old.document.file_roots:
        now = follow.type("file_roots", path)
        if new.file_root(now) is None:
            within = [one for one in new.document.file_roots if one.startswith(f"{now}/")]
            yield Part("file_roots", path, frozenset((path,)), value=within)


def roots_moved(old: Ontology, follow: Follow) -> Iterator[Part]:
    """Roots that are at another path: what names the old one names it no more."""
    for path in old.document.file_roots:
        if (now := follow.type("file_roots", path)) != path:
            yield Part("file_roots", path, frozenset((path,)), "place", value=now)


def keys_gone(old: Ontology, new: Ontology, follow: Follow) -> Iterator[Part]:
    """Identity keys that a class no longer has, with those that are left. Nodes that have one go on having it."""
    for name in old.document.node_classes:
        now = follow.type("node_classes", name)
        if now not in new.document.node_classes:
            continue
        left = [one.properties for one in new.key_sets(now)]
        for key in old.key_sets(name):
            as_now = tuple(sorted(follow.part("node_classes", name, "property", one) for one in key.properties))
            if as_now not in left:
                yield Part("node_classes", name, frozenset((name,)), "keys", " with ".join(key.properties), left)


def types_below(ontology: Ontology, family: str) -> dict[str, frozenset[str]]:
    """For each type of a family, itself and everything below it."""
    types = getattr(ontology.document, family)
    if family in ("relationships", "relation_kinds"):
        return {name: frozenset((name,)) for name in types}
    return descendants(types)


def line(ontology: Ontology, family: str, name: str) -> tuple[str, ...]:
    """A type and everything above it."""
    flat = family in ("relationships", "relation_kinds")
    return (name,) if flat else ancestry(getattr(ontology.document, family), name)


def held_under(ontology: Ontology, family: str, name: str) -> dict[str, Mapping[str, Any]]:
    """The schemas of all properties of a type, inherited ones included."""
    types = getattr(ontology.document, family)
    field = PARTS[family][0]
    return {one: schema for up in line(ontology, family, name) for one, schema in getattr(types[up], field).items()}


def roles_of(ontology: Ontology, family: str, name: str) -> dict[str, Any]:
    """The roles of a type, inherited ones included."""
    types = getattr(ontology.document, family)
    return {one: role for up in reversed(line(ontology, family, name)) for one, role in types[up].roles.items()}


def moved(old: Ontology, new: Ontology, follow: Follow, family: str, name: str) -> bool:
    """Whether a type has another place in the tree, so that what it inherits may be another."""
    now = follow.type(family, name)
    if family in ("relationships", "relation_kinds"):
        return now != name
    above = [follow.type(family, one) for one in line(old, family, name)]
    return above != list(line(new, family, now))


def _of_type(
    old: Ontology, new: Ontology, follow: Follow, family: str, name: str, below: frozenset[str]
) -> Iterator[Part]:
    was, types = getattr(old.document, family)[name], getattr(new.document, family)
    now = types.get(follow.type(family, name))
    if now is None or (getattr(now, "abstract", False) and not getattr(was, "abstract", False)):
        yield Part(family, name, frozenset((name,)))
        return
    field, word = PARTS[family]
    after = held_under(new, family, follow.type(family, name))
    inherits = moved(old, new, follow, family, name)
    before = held_under(old, family, name) if inherits else getattr(was, field)
    for one, schema in before.items():
        as_now = follow.part(family, name, "property", one)
        if as_now not in after:
            yield Part(family, name, below, word, one)
        else:
            yield from _values(family, name, below, one, schema, after[as_now])
    if family in ROLES:
        roles = roles_of(new, family, follow.type(family, name))
        for role in sorted(roles_of(old, family, name) if inherits else was.roles):
            if follow.part(family, name, "role", role) not in roles:
                yield Part(family, name, below, "role", role)


def _values(
    family: str, name: str, types: frozenset[str], one: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Part]:
    if "enum" in before and "enum" in after:
        for value in before["enum"]:
            if value not in after["enum"]:
                yield Part(family, name, types, "value", one, value)
