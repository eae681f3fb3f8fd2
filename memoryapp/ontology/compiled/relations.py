"""Kinds of relation: their roles, who may play them, and what their attributes may hold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from memoryapp.doors.errors import Violation
from memoryapp.ontology.compiled.classes import NodeClasses
from memoryapp.ontology.compiled.declared import Gap, Property, checked, look_up
from memoryapp.ontology.compiled.kinds import BeliefKinds
from memoryapp.ontology.document import ANY, RelationKind, Role
from memoryapp.ontology.schemas import ValueCheck


class RelationKinds(BeliefKinds, NodeClasses):
    """What an edition says of relations between beliefs, nodes and sources."""

    def relation_kind(self, name: str, path: str = "/kind") -> RelationKind:
        gap = Gap("relation_kinds", name=name)
        return look_up(self.document.relation_kinds, name, path, "kind of relation", "undeclared_relation_kind", gap)

    def role(self, kind: str, name: str, path: str = "/role") -> Role:
        roles = self.relation_kind(kind).roles
        gap = Gap("relation_kinds", kind, "role", name)
        return look_up(roles, name, path, f"role of {kind}", "undeclared_role", gap)

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
        return checked(known, values, required, path, f"a {kind}", "undeclared_attribute", Gap("relation_kinds", kind))

    @cached_property
    def _relation_attributes(self) -> dict[str, dict[str, Property]]:
        return {
            name: {
                attribute: Property(
                    attribute, schema, name, check=ValueCheck(schema, Gap("relation_kinds", name, "value", attribute))
                )
                for attribute, schema in kind.attributes.items()
            }
            for name, kind in self.document.relation_kinds.items()
        }
