"""What one edition asks of stored rows beyond what the one before asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from memoryapp.ontology.changes import PARTS, held_under, line, moved, roles_of, types_below
from memoryapp.ontology.changeset.kinds import widens
from memoryapp.ontology.changeset.moves import Follow
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.document import ANY
from memoryapp.ontology.rules import (
    EdgeRule,
    IdentityRule,
    KeyRule,
    OnceRule,
    RequiredRule,
    RoleRule,
    Rule,
    SingleRule,
    TakingPartRule,
    ValueRule,
)
from memoryapp.ontology.schemas import ValueCheck, in_words
from memoryapp.ontology.usage import Part


def tightened(old: Ontology, new: Ontology, follow: Follow | None = None) -> Iterator[Rule]:
    """Every rule that is new in `new`, about rows as they are stored under `old`."""
    asked = _Asked(old, new, follow or Follow())
    for family in PARTS:
        for name in getattr(old.document, family):
            if asked.stays(family, name):
                yield from asked.values(family, name)
                yield from asked.required(family, name)
    for name in old.document.node_classes:
        if asked.stays("node_classes", name):
            yield from asked.single(name)
            yield from asked.keys(name)
    for name in old.document.relationships:
        if asked.stays("relationships", name):
            yield from asked.edges(name)
    for name in old.document.relation_kinds:
        if asked.stays("relation_kinds", name):
            yield from asked.roles(name)
    for name in old.document.episode_kinds:
        if asked.stays("episode_kinds", name):
            yield from asked.taking_part(name)
    yield from _of_sources(old, new)


def _of_sources(old: Ontology, new: Ontology) -> Iterator[Rule]:
    """What a kind of source must have that it could be without."""
    for name, was in old.document.source_kinds.items():
        now = new.document.source_kinds.get(name)
        for one in sorted(set(now.requires) - set(was.requires)) if now else ():
            path, message = f"/source_kinds/{name}/requires", f"{one} is required of {name}"
            yield RequiredRule(family="source_kinds", types=frozenset((name,)), path=path, message=message, name=one)


def required_anew(old: Ontology, new: Ontology, follow: Follow | None = None) -> Iterator[Part]:
    """What must be told of rows that are new, and could be left out before; under the names of the new edition."""
    asked = _Asked(old, new, follow or Follow())
    for family in PARTS:
        below = types_below(new, family)
        for name in getattr(old.document, family):
            if asked.stays(family, name):
                now = asked.now(family, name)
                for one in asked.newly_required(family, name):
                    yield Part(family, now, below[now], "required", one)


class _Asked:
    """Two editions, and where what the old one declares stands in the new one."""

    def __init__(self, old: Ontology, new: Ontology, follow: Follow) -> None:
        self.old, self.new, self.follow = old, new, follow
        self.below = {family: types_below(old, family) for family in PARTS}

    def stays(self, family: str, name: str) -> bool:
        return self.now(family, name) in getattr(self.new.document, family)

    def now(self, family: str, name: str) -> str:
        return self.follow.type(family, name)

    def place(self, family: str, name: str, *steps: str, message: str) -> dict[str, Any]:
        """Where a rule stands in the new document, and what rows it is about."""
        path = "/" + "/".join((family, self.now(family, name), *steps))
        return {"family": family, "types": self.below[family][name], "path": path, "message": message}

    def before(self, family: str, name: str) -> Mapping[str, Mapping[str, Any]]:
        """The properties to look at: those of the type itself, or all when it has another place in the tree."""
        if moved(self.old, self.new, self.follow, family, name):
            return held_under(self.old, family, name)
        own: Mapping[str, Mapping[str, Any]] = getattr(getattr(self.old.document, family)[name], PARTS[family][0])
        return own

    def values(self, family: str, name: str) -> Iterator[Rule]:
        after = held_under(self.new, family, self.now(family, name))
        for one, schema in self.before(family, name).items():
            as_now = self.follow.part(family, name, "property", one)
            if as_now in after and not widens(schema, after[as_now]):
                message = f"{as_now} of {self.now(family, name)} takes {in_words(after[as_now])}"
                place = self.place(family, name, PARTS[family][0], as_now, message=message)
                yield ValueRule(**place, name=one, check=ValueCheck(after[as_now]))

    def required(self, family: str, name: str) -> Iterator[Rule]:
        for one in self.newly_required(family, name):
            message = f"{one} is required of {self.now(family, name)}"
            former = self._formerly(family, name, one)
            yield RequiredRule(**self.place(family, name, "required", message=message), name=former)

    def newly_required(self, family: str, name: str) -> list[str]:
        """What is required of a type that was not, as it is called then."""
        if family in ("node_classes", "relationships"):
            return []
        was = self._required(self.old, family, name)
        before = {self.follow.part(family, name, "property", one) for one in was}
        return sorted(self._required(self.new, family, self.now(family, name)) - before)

    def _required(self, ontology: Ontology, family: str, name: str) -> set[str]:
        types = getattr(ontology.document, family)
        return {one for up in line(ontology, family, name) for one in types[up].required}

    def _formerly(self, family: str, name: str, now: str) -> str:
        """Under what name rows hold now what will be called so."""
        known = held_under(self.old, family, name)
        return next((one for one in known if self.follow.part(family, name, "property", one) == now), now)

    def single(self, name: str) -> Iterator[Rule]:
        after = self.new.properties_of(self.now("node_classes", name))
        was = self.old.properties_of(name)
        for one in self.before("node_classes", name):
            as_now = self.follow.part("node_classes", name, "property", one)
            if as_now in after and was[one].multi_valued and not after[as_now].multi_valued:
                message = f"{as_now} of {self.now('node_classes', name)} has one value"
                place = self.place("node_classes", name, "multi_valued", message=message)
                yield SingleRule(**place, name=one)

    def keys(self, name: str) -> Iterator[Rule]:
        now = self.now("node_classes", name)
        known, was = self.new.properties_of(now), self.old.properties_of(name)
        before = {(one.properties, self._normalisers(was, one.properties)) for one in self.old.key_sets(name)}
        after: list[tuple[str, ...]] = []
        for one in self.new.key_sets(now):
            names = tuple(self._formerly("node_classes", name, each) for each in one.properties)
            after.append(names)
            normalisers = self._normalisers(known, one.properties)
            if (tuple(sorted(names)), normalisers) not in before or one.owner_class == now != name:
                said = " with ".join(one.properties)
                place = self.place("node_classes", name, "keys", message=f"{said} identifies one {now}")
                yield KeyRule(**{**place, "types": self._under(one.owner_class)}, names=names, normalisers=normalisers)
        if {tuple(sorted(one)) for one in after} != {one.properties for one in self.old.key_sets(name)}:
            message = f"every {now} keeps an identity key"
            yield IdentityRule(**self.place("node_classes", name, "keys", message=message), sets=tuple(after))

    def _under(self, owner: str) -> frozenset[str]:
        """The classes, as they are called now, whose nodes will share the keys that this class declares."""
        classes = self.old.document.node_classes
        return frozenset(
            one
            for one in classes
            if self.stays("node_classes", one) and self.new.is_class(self.now("node_classes", one), owner)
        )

    def _normalisers(self, known: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(known[one].normaliser for one in names)

    def edges(self, name: str) -> Iterator[Rule]:
        was = self.old.document.relationships[name]
        now = self.new.document.relationships[self.now("relationships", name)]
        kept = {(one.subject, one.object) for one in now.pairs}
        if any(self._pair(one.subject, one.object) not in kept for one in was.pairs):
            words = ", ".join(f"{one.subject} to {one.object}" for one in now.pairs)
            place = self.place("relationships", name, "pairs", message=f"it leads from {words}")
            yield EdgeRule(**place, fits=lambda subject, object: self._fits(kept, subject, object))
        sides = {"one_per_subject": "subject", "one_per_object": "object"}
        if now.cardinality in sides and now.cardinality != was.cardinality:
            side = sides[now.cardinality]
            place = self.place("relationships", name, "cardinality", message=f"one edge at a time for a {side}")
            yield OnceRule(**place, side=side)

    def _pair(self, subject: str, object: str) -> tuple[str, str]:
        return self.now("node_classes", subject), self.now("node_classes", object)

    def _fits(self, pairs: set[tuple[str, str]], subject: str, object: str) -> bool:
        one, other = self._pair(subject, object)
        classes = self.new.document.node_classes
        return (
            one in classes
            and other in classes
            and any(self.new.is_class(one, left) and self.new.is_class(other, right) for left, right in pairs)
        )

    def roles(self, name: str) -> Iterator[Rule]:
        was = self.old.document.relation_kinds[name].roles
        for role, declared in self.new.document.relation_kinds[self.now("relation_kinds", name)].roles.items():
            former = next((one for one in was if self.follow.part("relation_kinds", name, "role", one) == role), role)
            before = was.get(former)
            if before is not None and self._role_as_before(before, declared):
                continue
            if before is None and declared.minimum == 0:
                continue
            most = "any number of" if declared.maximum is None else f"at most {declared.maximum}"
            message = f"it has at least {declared.minimum} and {most} {role}, of those that may play it"
            yield RoleRule(
                **self.place("relation_kinds", name, "roles", role, message=message),
                role=former,
                minimum=declared.minimum,
                maximum=declared.maximum,
                accepts=partial(self._may_play, declared),
            )

    def _role_as_before(self, before: Any, after: Any) -> bool:
        most = after.maximum is None or (before.maximum is not None and after.maximum >= before.maximum)
        if after.minimum > before.minimum or not most:
            return False
        families = {"beliefs": "belief_kinds", "nodes": "node_classes", "relations": "relation_kinds", "sources": ""}
        return all(
            ANY in getattr(after, sort)
            or {self.now(family, one) for one in getattr(before, sort)} <= set(getattr(after, sort))
            for sort, family in families.items()
        )

    def _may_play(self, role: Any, sort: str, type: str) -> bool:
        """Whether something of this type, as it is called now, may play it."""
        if ANY in getattr(role, sort):
            return True
        if sort == "beliefs":
            kind = self.now("belief_kinds", type)
            return kind in self.new.document.belief_kinds and self.new.belief_may_play(role, kind)
        if sort == "nodes":
            node_class = self.now("node_classes", type)
            return node_class in self.new.document.node_classes and self.new.node_may_play(role, node_class)
        return (self.now("relation_kinds", type) if sort == "relations" else type) in getattr(role, sort)

    def taking_part(self, name: str) -> Iterator[Rule]:
        now = self.now("episode_kinds", name)
        after = roles_of(self.new, "episode_kinds", now)
        for role, before in roles_of(self.old, "episode_kinds", name).items():
            allowed = after.get(self.follow.part("episode_kinds", name, "role", role))
            if allowed is None or ANY in allowed or {self.now("node_classes", one) for one in before} <= set(allowed):
                continue
            message = f"{', '.join(allowed)} take part in a {now} as {role}"
            place = self.place("episode_kinds", name, "roles", role, message=message)
            yield TakingPartRule(
                **{**place, "types": frozenset((name,))},
                role=role,
                accepts=partial(self._of_classes, allowed),
            )

    def _of_classes(self, allowed: list[str], node_class: str) -> bool:
        now = self.now("node_classes", node_class)
        return now in self.new.document.node_classes and any(self.new.is_class(now, one) for one in allowed)
