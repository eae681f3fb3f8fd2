"""Kinds of belief: what is below what, their topics, and what their attributes may hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from memoryapp.doors.errors import Violation
from memoryapp.ontology.compiled.declared import (
    Edition,
    Gap,
    Property,
    ancestry,
    checked,
    descendants,
    look_up,
    refuse_unusable,
)
from memoryapp.ontology.document import BeliefKind
from memoryapp.ontology.normalise import normal_text
from memoryapp.ontology.schemas import ValueCheck


class BeliefKinds(Edition):
    """What an edition says of kinds of belief."""

    def belief_kind(self, name: str, path: str = "/kind") -> BeliefKind:
        """The declared kind, abstract or not."""
        name = self.today("belief_kinds", name)
        return look_up(
            self.document.belief_kinds, name, path, "kind of belief", "undeclared_kind", Gap("belief_kinds", name=name)
        )

    def concrete_kind(self, name: str, path: str = "/kind") -> BeliefKind:
        """A kind that a new belief may have: declared, not abstract, not retired."""
        name = self.today("belief_kinds", name)
        kind = self.belief_kind(name, path)
        subkinds = sorted(self.instantiable(self.subkinds(name)))
        refuse_unusable(name, kind, kind.abstract, path, "kind of belief", subkinds or self.instantiable_kinds)
        return kind

    @cached_property
    def instantiable_kinds(self) -> list[str]:
        return sorted(self.instantiable(self.document.belief_kinds))

    def instantiable(self, names: Iterable[str]) -> set[str]:
        kinds = self.document.belief_kinds
        return {name for name in names if not kinds[name].abstract and not kinds[name].retired}

    def subkinds(self, name: str, *, exact: bool = False, path: str = "/kind") -> frozenset[str]:
        """The kind and, unless `exact`, every kind below it."""
        name = self.today("belief_kinds", name)
        self.belief_kind(name, path)
        return frozenset((name,)) if exact else self._kind_descendants[name]

    def kind_line(self, name: str) -> tuple[str, ...]:
        """The kind, its parent, and so on up to the root."""
        name = self.today("belief_kinds", name)
        return ancestry(self.document.belief_kinds, name)

    def is_kind(self, name: str, of: str) -> bool:
        return self.today("belief_kinds", of) in self.kind_line(name)

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
        kind = self.today("belief_kinds", kind)
        return self._attributes[kind]

    def attribute_violations(self, kind: str, values: Mapping[str, Any], path: str = "/attributes") -> list[Violation]:
        """What is wrong with a belief's attributes."""
        kind = self.today("belief_kinds", kind)
        required = {name for one in self.kind_line(kind) for name in self.document.belief_kinds[one].required}
        return checked(
            self._attributes[kind],
            values,
            required,
            path,
            f"a {kind}",
            "undeclared_attribute",
            Gap("belief_kinds", kind),
        )

    @cached_property
    def _kind_descendants(self) -> dict[str, frozenset[str]]:
        return descendants(self.document.belief_kinds)

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
                attribute: Property(
                    attribute, schema, owner, check=ValueCheck(schema, Gap("belief_kinds", owner, "value", attribute))
                )
                for owner in reversed(self.kind_line(name))
                for attribute, schema in self.document.belief_kinds[owner].attributes.items()
            }
            for name in self.document.belief_kinds
        }
