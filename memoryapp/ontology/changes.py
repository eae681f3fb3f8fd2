"""What one edition takes away from, or changes under, another: the parts that must not be in use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.usage import Part


def taken_away(old: Ontology, new: Ontology) -> Iterator[Part]:
    """Types, properties, attributes, roles, identity keys and allowed values that `new` no longer has."""
    yield from _node_classes(old, new)
    yield from _relationships(old, new)
    yield from _belief_kinds(old, new)
    yield from _relation_kinds(old, new)
    yield from _episode_kinds(old, new)


def _node_classes(old: Ontology, new: Ontology) -> Iterator[Part]:
    after = new.document.node_classes
    for name, was in old.document.node_classes.items():
        below = old.subclasses(name)
        whole = Part("node_classes", name, below)
        now = after.get(name)
        if now is None or now.abstract > was.abstract:
            yield Part("node_classes", name, frozenset((name,)))
            continue
        if now.parent != was.parent:
            yield whole
        known = new.properties_of(name)
        for one in was.properties:
            if one not in known or known[one].multi_valued != old.properties_of(name)[one].multi_valued:
                yield Part("node_classes", name, below, "property", one)
            else:
                yield from _values("node_classes", name, below, one, was.properties[one], known[one].schema)
        for keys in {tuple(sorted(one)) for one in was.keys} ^ {tuple(sorted(one)) for one in now.keys}:
            yield Part("node_classes", name, below, "keys", "+".join(keys))
        for normalised, _ in sorted(set(was.normalisers.items()) ^ set(now.normalisers.items())):
            yield Part("node_classes", name, below, "property", normalised)


def _relationships(old: Ontology, new: Ontology) -> Iterator[Part]:
    for name, was in old.document.relationships.items():
        types = frozenset((name,))
        now = new.document.relationships.get(name)
        if now is None or now.cardinality != was.cardinality or set(was.pairs) - set(now.pairs):
            yield Part("relationships", name, types)
        else:
            yield from _parts("relationships", name, types, "property", was.properties, now.properties)


def _belief_kinds(old: Ontology, new: Ontology) -> Iterator[Part]:
    for name, was in old.document.belief_kinds.items():
        below = old.subkinds(name)
        now = new.document.belief_kinds.get(name)
        if now is None or now.abstract > was.abstract:
            yield Part("belief_kinds", name, frozenset((name,)))
        elif now.parent != was.parent:
            yield Part("belief_kinds", name, below)
        else:
            yield from _parts("belief_kinds", name, below, "attribute", was.attributes, new.attributes_of(name))


def _relation_kinds(old: Ontology, new: Ontology) -> Iterator[Part]:
    for name, was in old.document.relation_kinds.items():
        types = frozenset((name,))
        now = new.document.relation_kinds.get(name)
        if now is None:
            yield Part("relation_kinds", name, types)
            continue
        for role in was.roles:
            if role not in now.roles:
                yield Part("relation_kinds", name, types, "role", role)
        for role, declared in now.roles.items():
            before = was.roles.get(role)
            if (before is None and declared.minimum > 0) or (
                before is not None and _narrower(before.minimum, before.maximum, declared.minimum, declared.maximum)
            ):
                yield Part("relation_kinds", name, types)
        yield from _parts("relation_kinds", name, types, "attribute", was.attributes, now.attributes)


def _episode_kinds(old: Ontology, new: Ontology) -> Iterator[Part]:
    for name, was in old.document.episode_kinds.items():
        below = old.episode_subkinds(name)
        now = new.document.episode_kinds.get(name)
        if now is None or now.abstract > was.abstract:
            yield Part("episode_kinds", name, frozenset((name,)))
        elif now.parent != was.parent:
            yield Part("episode_kinds", name, below)
        else:
            after = new.episode_properties(name)
            yield from _parts("episode_kinds", name, below, "property", was.properties, after)
            for role in sorted(set(was.roles) - set(new.episode_roles(name))):
                yield Part("episode_kinds", name, below, "role", role)


def _narrower(least: int, most: int | None, least_now: int, most_now: int | None) -> bool:
    return least_now > least or (most_now is not None and (most is None or most_now < most))


def _parts(
    family: str,
    name: str,
    types: frozenset[str],
    part: str,
    before: Mapping[str, Mapping[str, Any]],
    after: Mapping[str, Any],
) -> Iterator[Part]:
    for one, schema in before.items():
        if one not in after:
            yield Part(family, name, types, part, one)
        else:
            now = after[one]
            yield from _values(family, name, types, one, schema, now if isinstance(now, Mapping) else now.schema)


def _values(
    family: str, name: str, types: frozenset[str], one: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Part]:
    if "enum" in before and "enum" in after:
        for value in before["enum"]:
            if value not in after["enum"]:
                yield Part(family, name, types, "value", one, value)
