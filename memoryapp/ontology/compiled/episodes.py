"""Kinds of episode: what is below what, what they hold, and who may take part in which role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from memoryapp.doors.errors import Violation
from memoryapp.ontology.compiled.classes import NodeClasses
from memoryapp.ontology.compiled.declared import (
    Gap,
    Property,
    ancestry,
    checked,
    descendants,
    in_words,
    look_up,
    refuse_unusable,
    undeclared,
)
from memoryapp.ontology.document import ANY, EpisodeKind
from memoryapp.ontology.schemas import ValueCheck


class EpisodeKinds(NodeClasses):
    """What an edition says of kinds of episode."""

    def episode_kind(self, name: str, path: str = "/kind") -> EpisodeKind:
        """The declared kind, abstract or not."""
        name = self.today("episode_kinds", name)
        return look_up(
            self.document.episode_kinds,
            name,
            path,
            "kind of episode",
            "undeclared_kind",
            Gap("episode_kinds", name=name),
        )

    def concrete_episode_kind(self, name: str, path: str = "/kind") -> EpisodeKind:
        """A kind that a new episode may have: declared, not abstract, not retired."""
        name = self.today("episode_kinds", name)
        kind = self.episode_kind(name, path)
        usable = sorted(self._usable(self._episodes_below[name])) or self.usable_episode_kinds
        refuse_unusable(name, kind, kind.abstract, path, "kind of episode", usable)
        return kind

    @cached_property
    def usable_episode_kinds(self) -> list[str]:
        return sorted(self._usable(self.document.episode_kinds))

    def _usable(self, names: Iterable[str]) -> set[str]:
        kinds = self.document.episode_kinds
        return {name for name in names if not kinds[name].abstract and not kinds[name].retired}

    def episode_subkinds(self, name: str, *, exact: bool = False, path: str = "/kind") -> frozenset[str]:
        """The kind and, unless `exact`, every kind below it."""
        name = self.today("episode_kinds", name)
        self.episode_kind(name, path)
        return frozenset((name,)) if exact else self._episodes_below[name]

    def episode_line(self, name: str) -> tuple[str, ...]:
        """The kind, its parent, and so on up to the root."""
        name = self.today("episode_kinds", name)
        return ancestry(self.document.episode_kinds, name)

    def episode_properties(self, name: str) -> Mapping[str, Property]:
        name = self.today("episode_kinds", name)
        return self._episode_properties[name]

    def episode_property_violations(
        self, kind: str, values: Mapping[str, Any], path: str = "/properties"
    ) -> list[Violation]:
        """What is wrong with an episode's properties."""
        required = {name for one in self.episode_line(kind) for name in self.document.episode_kinds[one].required}
        return checked(
            self._episode_properties[kind],
            values,
            required,
            path,
            f"a {kind}",
            "undeclared_property",
            Gap("episode_kinds", kind),
        )

    def episode_roles(self, kind: str) -> dict[str, list[str]]:
        """How a node may take part in an episode of this kind, and the classes of nodes that may."""
        found: dict[str, list[str]] = {}
        for one in reversed(self.episode_line(kind)):
            found |= self.document.episode_kinds[one].roles
        return found

    def participant_violation(self, kind: str, role: str, node_class: str, path: str) -> Violation | None:
        """What is wrong with a node of this class taking part in this role."""
        roles = self.episode_roles(kind)
        if role not in roles:
            gap = Gap("episode_kinds", kind, "role", role)
            return undeclared(roles, role, f"{path}/role", f"role in a {kind}", "undeclared_role", gap)
        allowed = roles[role]
        if ANY in allowed or any(self.is_class(node_class, one) for one in allowed):
            return None
        message = f"A {node_class} does not take part in a {kind} as {role}."
        return Violation(f"{path}/node", "wrong_participant", message, in_words(tuple(allowed)))

    @cached_property
    def _episodes_below(self) -> dict[str, frozenset[str]]:
        return descendants(self.document.episode_kinds)

    @cached_property
    def _episode_properties(self) -> dict[str, dict[str, Property]]:
        return {
            name: {
                one: Property(one, schema, owner, check=ValueCheck(schema, Gap("episode_kinds", owner, "value", one)))
                for owner in reversed(self.episode_line(name))
                for one, schema in self.document.episode_kinds[owner].properties.items()
            }
            for name in self.document.episode_kinds
        }
