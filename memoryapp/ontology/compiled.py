"""One edition of the declared types, ready to be asked: look-ups, subtypes, checks, and the nearest declared name.

Everything here is a pure function of the document. What is not declared raises `Invalid` with the nearest declared
name and what would be accepted; what is declared but wrong comes back as violations, so that a batch can list them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from memoryapp.doors.errors import Invalid, Violation
from memoryapp.doors.nearest import nearest
from memoryapp.ontology.consistency import check
from memoryapp.ontology.document import (
    ANY,
    BeliefKind,
    NodeClass,
    OntologyDocument,
    RelationKind,
    Relationship,
    Role,
    SourceKind,
    Term,
    Type,
    View,
    read,
)
from memoryapp.ontology.normalise import normal_text
from memoryapp.ontology.schemas import ValueCheck
from memoryapp.ontology.templates import as_text, render

ROOT_KIND = "memory"
FACT = "fact"
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
class KeySet:
    """Properties that together identify a node among all nodes of `owner_class` and its subclasses."""

    owner_class: str
    properties: tuple[str, ...]

    @property
    def name(self) -> str:
        return "+".join(self.properties)


@dataclass(frozen=True)
class Ontology:
    """The declared types of one edition. `number` is the edition's in its workspace."""

    document: OntologyDocument
    number: int

    # Belief kinds

    def belief_kind(self, name: str, path: str = "/kind") -> BeliefKind:
        """The declared kind, abstract or not."""
        return _found(self.document.belief_kinds, name, path, "kind of belief", "undeclared_kind")

    def concrete_kind(self, name: str, path: str = "/kind") -> BeliefKind:
        """A kind that a new belief may have: declared, not abstract, not retired."""
        kind = self.belief_kind(name, path)
        subkinds = sorted(self.instantiable(self.subkinds(name)))
        _usable(name, kind, kind.abstract, path, "kind of belief", subkinds or self.instantiable_kinds)
        return kind

    @cached_property
    def instantiable_kinds(self) -> list[str]:
        return sorted(self.instantiable(self.document.belief_kinds))

    def instantiable(self, names: Iterable[str]) -> set[str]:
        kinds = self.document.belief_kinds
        return {name for name in names if not kinds[name].abstract and not kinds[name].retired}

    def subkinds(self, name: str, *, exact: bool = False, path: str = "/kind") -> frozenset[str]:
        """The kind and, unless `exact`, every kind below it."""
        self.belief_kind(name, path)
        return frozenset((name,)) if exact else self._kind_descendants[name]

    def kind_line(self, name: str) -> tuple[str, ...]:
        """The kind, its parent, and so on up to the root."""
        return _line(self.document.belief_kinds, name)

    def is_kind(self, name: str, of: str) -> bool:
        return of in self.kind_line(name)

    def precedence(self, name: str) -> int:
        """The kind's declared precedence, or the nearest inherited one."""
        for kind in self.kind_line(name):
            if (declared := self.document.belief_kinds[kind].precedence) is not None:
                return declared
        return 0

    def review_after_days(self, name: str) -> int | None:
        for kind in self.kind_line(name):
            if (declared := self.document.belief_kinds[kind].review_after_days) is not None:
                return declared
        return None

    def topic(self, kind: str, phrase: str) -> tuple[str, str]:
        """The topic a phrase means for this kind, and the kind within which it is single-valued.

        A declared topic is found by its name or one of its other names, and belongs to the topmost kind that declares
        it. A phrase nobody declared is its own topic, normalised, within the kind itself. No phrase is no topic.
        """
        normal = normal_text(phrase)
        for family in reversed(self.kind_line(kind)):
            if (known := self._topics[family].get(normal)) is not None:
                return known, family
        return normal, kind

    def attributes_of(self, kind: str) -> Mapping[str, Property]:
        return self._attributes[kind]

    def attribute_violations(self, kind: str, values: Mapping[str, Any], path: str = "/attributes") -> list[Violation]:
        """What is wrong with a belief's attributes."""
        required = {name for one in self.kind_line(kind) for name in self.document.belief_kinds[one].required}
        return _checked(self._attributes[kind], values, required, path, f"a {kind}", "undeclared_attribute")

    # Node classes

    def node_class(self, name: str, path: str = "/class") -> NodeClass:
        return _found(self.document.node_classes, name, path, "node class", "undeclared_class")

    def concrete_class(self, name: str, path: str = "/class") -> NodeClass:
        """A class that a new node may have: declared, not abstract, not retired."""
        declared = self.node_class(name, path)
        classes = self.document.node_classes
        usable = sorted(
            one for one in self._class_descendants[name] if not classes[one].abstract and not classes[one].retired
        )
        _usable(name, declared, declared.abstract, path, "node class", usable)
        return declared

    def subclasses(self, name: str, *, exact: bool = False, path: str = "/class") -> frozenset[str]:
        """The class and, unless `exact`, every class below it."""
        self.node_class(name, path)
        return frozenset((name,)) if exact else self._class_descendants[name]

    def class_line(self, name: str) -> tuple[str, ...]:
        return _line(self.document.node_classes, name)

    def is_class(self, name: str, of: str) -> bool:
        return of in self.class_line(name)

    def properties_of(self, node_class: str) -> Mapping[str, Property]:
        """Every property a node of this class may have, inherited ones included."""
        return self._properties[node_class]

    def property(self, node_class: str, name: str, path: str = "/predicate") -> Property:
        return _found(self._properties[node_class], name, path, f"property of {node_class}", "undeclared_property")

    def property_violations(
        self, node_class: str, values: Mapping[str, Any], path: str = "/properties"
    ) -> list[Violation]:
        """What is wrong with values for a node's properties; a multi-valued one takes a value or a list of values."""
        known = self._properties[node_class]
        found: list[Violation] = []
        for name, value in values.items():
            if name not in known:
                found.append(
                    _undeclared(known, name, f"{path}/{name}", f"property of {node_class}", "undeclared_property")
                )
            elif known[name].multi_valued and isinstance(value, list):
                for index, item in enumerate(value):
                    found += known[name].check.violations(item, f"{path}/{name}/{index}")
            else:
                found += known[name].check.violations(value, f"{path}/{name}")
        return found

    def key_sets(self, node_class: str) -> tuple[KeySet, ...]:
        """The alternative ways to identify a node of this class, inherited ones last."""
        return tuple(
            KeySet(owner, tuple(sorted(names)))
            for owner in self.class_line(node_class)
            for names in self.document.node_classes[owner].keys
        )

    def label(self, node_class: str, properties: Mapping[str, Any]) -> str:
        """What a node is called, by its class's template."""
        template = next(
            (one for owner in self.class_line(node_class) if (one := self.document.node_classes[owner].label)), "{name}"
        )
        firsts = {name: value[0] if isinstance(value, list) and value else value for name, value in properties.items()}
        return render(template, firsts).strip() or next(
            (text for name in sorted(firsts) if (text := as_text(firsts[name]))), ""
        )

    def term(self, node_class: str, name: str) -> Term | None:
        """The vocabulary entry that an exact normalised name or alias stands for."""
        normal = normal_text(name)
        for owner in self.class_line(node_class):
            if (found := self._terms.get((owner, normal))) is not None:
                return found
        return None

    def property_sentence(self, node_class: str, label: str, name: str, value: Any) -> str:
        """A property of a node as a sentence."""
        template = self._properties[node_class][name].template or f"{{subject}}'s {name.replace('_', ' ')} is {{value}}"
        return render(template, {"subject": label, "value": value})

    # Relationships

    def relationship(self, name: str, path: str = "/predicate") -> Relationship:
        return _found(self.document.relationships, name, path, "relationship", "undeclared_relationship")

    def edge_properties(self, name: str) -> Mapping[str, Property]:
        return self._edge_properties[name]

    def edge_violations(
        self, name: str, subject_class: str, object_class: str, qualifiers: Mapping[str, Any], path: str = ""
    ) -> list[Violation]:
        """What is wrong with an edge: its classes, its properties, or a relationship no longer in use."""
        declared = self.document.relationships[name]
        found = _checked(
            self._edge_properties[name], qualifiers, (), f"{path}/qualifiers", f"a {name} edge", "undeclared_property"
        )
        if declared.retired:
            found.append(Violation(f"{path}/predicate", "retired_type", f"{name} is no longer used for new edges."))
        if not any(
            self.is_class(subject_class, pair.subject) and self.is_class(object_class, pair.object)
            for pair in declared.pairs
        ):
            accepted = ", ".join(f"{pair.subject} to {pair.object}" for pair in declared.pairs)
            message = f"{name} does not lead from {subject_class} to {object_class}."
            found.append(Violation(f"{path}/object", "classes_do_not_fit", message, accepted))
        return found

    def edge_sentence(self, name: str, subject: str, object: str, qualifiers: Mapping[str, Any]) -> str:
        """An edge as a sentence."""
        template = self.document.relationships[name].template
        return render(template, {**qualifiers, "subject": subject, "object": object})

    # Relation kinds, sources, views

    def relation_kind(self, name: str, path: str = "/kind") -> RelationKind:
        return _found(self.document.relation_kinds, name, path, "kind of relation", "undeclared_relation_kind")

    def role(self, kind: str, name: str, path: str = "/role") -> Role:
        roles = self.relation_kind(kind).roles
        return _found(roles, name, path, f"role of {kind}", "undeclared_role")

    def belief_may_play(self, role: Role, kind: str) -> bool:
        return any(name == ANY or self.is_kind(kind, name) for name in role.beliefs)

    def node_may_play(self, role: Role, node_class: str) -> bool:
        return any(name == ANY or self.is_class(node_class, name) for name in role.nodes)

    def source_may_play(self, role: Role, kind: str) -> bool:
        return ANY in role.sources or kind in role.sources

    def relation_may_play(self, role: Role, kind: str) -> bool:
        return ANY in role.relations or kind in role.relations

    def relation_attribute_violations(
        self, kind: str, values: Mapping[str, Any], path: str = "/attributes"
    ) -> list[Violation]:
        required = self.document.relation_kinds[kind].required
        known = self._relation_attributes[kind]
        return _checked(known, values, required, path, f"a {kind}", "undeclared_attribute")

    def source_kind(self, name: str, path: str = "/kind") -> SourceKind:
        return _found(self.document.source_kinds, name, path, "kind of source", "undeclared_source_kind")

    def view(self, name: str, path: str = "/view") -> View:
        return _found(self.document.views, name, path, "view", "undeclared_view")

    # What is computed once

    @cached_property
    def _kind_descendants(self) -> dict[str, frozenset[str]]:
        return _descendants(self.document.belief_kinds)

    @cached_property
    def _class_descendants(self) -> dict[str, frozenset[str]]:
        return _descendants(self.document.node_classes)

    @cached_property
    def _topics(self) -> dict[str, dict[str, str]]:
        return {
            name: {
                normal_text(phrase): normal_text(topic)
                for topic, others in kind.single_valued_topics.items()
                for phrase in (topic, *others)
            }
            for name, kind in self.document.belief_kinds.items()
        }

    @cached_property
    def _attributes(self) -> dict[str, dict[str, Property]]:
        return {
            name: {
                attribute: Property(attribute, schema, owner, check=ValueCheck(schema))
                for owner in reversed(self.kind_line(name))
                for attribute, schema in self.document.belief_kinds[owner].attributes.items()
            }
            for name in self.document.belief_kinds
        }

    @cached_property
    def _relation_attributes(self) -> dict[str, dict[str, Property]]:
        return {
            name: {
                attribute: Property(attribute, schema, name, check=ValueCheck(schema))
                for attribute, schema in kind.attributes.items()
            }
            for name, kind in self.document.relation_kinds.items()
        }

    @cached_property
    def _edge_properties(self) -> dict[str, dict[str, Property]]:
        return {
            name: {
                one: Property(one, schema, name, check=ValueCheck(schema))
                for one, schema in relationship.properties.items()
            }
            for name, relationship in self.document.relationships.items()
        }

    @cached_property
    def _properties(self) -> dict[str, dict[str, Property]]:
        return {name: self._properties_along(name) for name in self.document.node_classes}

    def _properties_along(self, node_class: str) -> dict[str, Property]:
        classes = self.document.node_classes
        line = self.class_line(node_class)
        found: dict[str, Property] = {}
        for owner in reversed(line):
            for name, schema in classes[owner].properties.items():
                found[name] = Property(
                    name,
                    schema,
                    owner,
                    multi_valued=any(name in classes[one].multi_valued for one in line),
                    normaliser=next(
                        (classes[one].normalisers[name] for one in line if name in classes[one].normalisers), "text"
                    ),
                    searchable=any(name in classes[one].searchable for one in line),
                    template=next((classes[one].templates[name] for one in line if name in classes[one].templates), ""),
                    check=ValueCheck(schema),
                )
        return found

    @cached_property
    def _terms(self) -> dict[tuple[str, str], Term]:
        return {
            (vocabulary.node_class, normal_text(name)): term
            for vocabulary in self.document.vocabularies.values()
            for term in vocabulary.terms
            for name in (term.name, *term.aliases)
        }


def compile_document(document: OntologyDocument, number: int = 0) -> Ontology:
    """The document ready to be asked. Raises Invalid that lists everything that does not fit together."""
    check(document)
    return Ontology(document, number)


_editions: dict[tuple[str, int], Ontology] = {}
EDITIONS_KEPT = 256


def edition(digest: str, number: int, data: Any) -> Ontology:
    """The edition with this digest and number, read and compiled at most once in a process."""
    kept = _editions.get((digest, number))
    if kept is None:
        if len(_editions) >= EDITIONS_KEPT:
            _editions.pop(next(iter(_editions)), None)
        kept = _editions[digest, number] = Ontology(read(data), number)
    return kept


def kept_edition(digest: str, number: int) -> Ontology | None:
    """An edition that was compiled before."""
    return _editions.get((digest, number))


def _found(known: Mapping[str, Declared], name: str, path: str, what: str, code: str) -> Declared:
    if name in known:
        return known[name]
    raise Invalid.all([_undeclared(known, name, path, what, code)])


def _undeclared(known: Mapping[str, object], name: str, path: str, what: str, code: str) -> Violation:
    close = nearest(name, known)
    meant = f" Did you mean {close}?" if close else ""
    return Violation(path, code, f"There is no {what} “{name[:100]}”.{meant}", _listed(tuple(sorted(known))))


def _usable(name: str, declared: Type, abstract: bool, path: str, what: str, accepted: Iterable[str]) -> None:
    listed = _listed(tuple(accepted))
    if abstract:
        raise Invalid.at(path, "abstract_type", f"The {what} {name} is abstract: only what is below it exists.", listed)
    if declared.retired:
        raise Invalid.at(path, "retired_type", f"The {what} {name} is no longer used for what is new.", listed)


def _checked(
    known: Mapping[str, Property],
    values: Mapping[str, Any],
    required: Iterable[str],
    path: str,
    whose: str,
    code: str,
) -> list[Violation]:
    found: list[Violation] = []
    for name, value in values.items():
        if name not in known:
            found.append(_undeclared(known, name, f"{path}/{name}", f"attribute of {whose}", code))
        else:
            found += known[name].check.violations(value, f"{path}/{name}")
    for name in sorted(set(required) - set(values)):
        message = f"{name} is required of {whose}."
        found.append(Violation(f"{path}/{name}", "required", message, known[name].check.accepted))
    return found


def _line(types: Mapping[str, Any], name: str) -> tuple[str, ...]:
    line = [name]
    while parent := types[line[-1]].parent:
        line.append(parent)
    return tuple(line)


def _descendants(types: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {name: set() for name in types}
    for name in types:
        for ancestor in _line(types, name):
            found[ancestor].add(name)
    return {name: frozenset(below) for name, below in found.items()}


@lru_cache(maxsize=1024)
def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:60])
    return f"{shown} and {len(names) - 60} more" if len(names) > 60 else shown or "nothing"
