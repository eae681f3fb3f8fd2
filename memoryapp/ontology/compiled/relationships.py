"""Relationships: which classes an edge may join, its properties, and an edge as a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from memoryapp.doors.errors import Violation
from memoryapp.ontology.compiled.classes import NodeClasses
from memoryapp.ontology.compiled.declared import Gap, Property, checked, look_up
from memoryapp.ontology.document import Relationship
from memoryapp.ontology.schemas import ValueCheck
from memoryapp.ontology.templates import render


class Relationships(NodeClasses):
    """What an edition says of the edges between nodes."""

    def relationship(self, name: str, path: str = "/predicate") -> Relationship:
        gap = Gap("relationships", name=name)
        return look_up(self.document.relationships, name, path, "relationship", "undeclared_relationship", gap)

    def edge_properties(self, name: str) -> Mapping[str, Property]:
        return self._edge_properties[name]

    def edge_violations(
        self, name: str, subject_class: str, object_class: str, qualifiers: Mapping[str, Any], path: str = ""
    ) -> list[Violation]:
        """What is wrong with an edge: its classes, its properties, or a relationship no longer in use."""
        declared = self.document.relationships[name]
        known, gap = self._edge_properties[name], Gap("relationships", name)
        found = checked(known, qualifiers, (), f"{path}/qualifiers", f"a {name} edge", "undeclared_property", gap)
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

    @cached_property
    def _edge_properties(self) -> dict[str, dict[str, Property]]:
        return {
            name: {
                one: Property(one, schema, name, check=ValueCheck(schema, Gap("relationships", name, "value", one)))
                for one, schema in relationship.properties.items()
            }
            for name, relationship in self.document.relationships.items()
        }
