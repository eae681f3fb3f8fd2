"""Node classes: inherited properties, identity keys, labels, vocabularies, and a property as a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from memoryapp.doors.errors import Violation
from memoryapp.ontology.compiled.declared import (
    Edition,
    Gap,
    KeySet,
    Property,
    ancestry,
    descendants,
    look_up,
    refuse_unusable,
    undeclared,
)
from memoryapp.ontology.document import NodeClass, Term
from memoryapp.ontology.normalise import normal_text
from memoryapp.ontology.schemas import ValueCheck
from memoryapp.ontology.templates import as_text, render


class NodeClasses(Edition):
    """What an edition says of node classes."""

    def node_class(self, name: str, path: str = "/class") -> NodeClass:
        name = self.today("node_classes", name)
        return look_up(
            self.document.node_classes, name, path, "node class", "undeclared_class", Gap("node_classes", name=name)
        )

    def concrete_class(self, name: str, path: str = "/class") -> NodeClass:
        """A class that a new node may have: declared, not abstract, not retired."""
        name = self.today("node_classes", name)
        declared = self.node_class(name, path)
        classes = self.document.node_classes
        usable = sorted(
            one for one in self._class_descendants[name] if not classes[one].abstract and not classes[one].retired
        )
        refuse_unusable(name, declared, declared.abstract, path, "node class", usable)
        return declared

    def subclasses(self, name: str, *, exact: bool = False, path: str = "/class") -> frozenset[str]:
        """The class and, unless `exact`, every class below it."""
        name = self.today("node_classes", name)
        self.node_class(name, path)
        return frozenset((name,)) if exact else self._class_descendants[name]

    def class_line(self, name: str) -> tuple[str, ...]:
        name = self.today("node_classes", name)
        return ancestry(self.document.node_classes, name)

    def is_class(self, name: str, of: str) -> bool:
        return self.today("node_classes", of) in self.class_line(name)

    def properties_of(self, node_class: str) -> Mapping[str, Property]:
        """Every property a node of this class may have, inherited ones included."""
        node_class = self.today("node_classes", node_class)
        return self._properties[node_class]

    def property(self, node_class: str, name: str, path: str = "/predicate") -> Property:
        node_class = self.today("node_classes", node_class)
        gap = Gap("node_classes", node_class, "property", name)
        known = self._properties[node_class]
        return look_up(known, name, path, f"property of {node_class}", "undeclared_property", gap)

    def property_violations(
        self, node_class: str, values: Mapping[str, Any], path: str = "/properties"
    ) -> list[Violation]:
        """What is wrong with values for a node's properties; a multi-valued one takes a value or a list of values."""
        node_class = self.today("node_classes", node_class)
        known = self._properties[node_class]
        found: list[Violation] = []
        for name, value in values.items():
            if name not in known:
                what, gap = f"property of {node_class}", Gap("node_classes", node_class, "property", name)
                found.append(undeclared(known, name, f"{path}/{name}", what, "undeclared_property", gap))
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

    @cached_property
    def _class_descendants(self) -> dict[str, frozenset[str]]:
        return descendants(self.document.node_classes)

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
                    check=ValueCheck(schema, Gap("node_classes", owner, "value", name)),
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
