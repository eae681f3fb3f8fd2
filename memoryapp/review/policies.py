"""The policies by which a workspace settles things without a person. Each room registers its own when it starts.

A policy is a list of rules in the workspace's settings. This room shows them in words, tries them over what people
decided, and keeps every edition.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoryapp.ledger.principal import Principal
    from memoryapp.review.models import Case


@dataclass(frozen=True)
class RuleInWords:
    """One rule as a person reads it: when it speaks, and what it does then."""

    name: str
    when: str
    then: str


@dataclass(frozen=True)
class Would:
    """What a rule would do with a case: the verdict it would give, and which rule it is."""

    verdict: str
    rule: str


class Takes(StrEnum):
    """What a part of a rule is made of: words, one or any of several, names one writes, a number, yes or no."""

    TEXT = "text"
    ONE = "one"
    ANY = "any"
    NAMES = "names"
    NUMBER = "number"
    FLAG = "flag"


def worded(values: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Options of a part, each called as it is named."""
    return tuple((value, value.replace("_", " ")) for value in values)


@dataclass(frozen=True)
class Part:
    """One part of a rule as a form asks for it: `name` in the rule's document, `label` on the page.

    `options` are (value, words), for one or any of several. `then`: it is what the rule does, else when it speaks. A
    number is a percentage. A flag that a document leaves out is `otherwise`.
    """

    name: str
    label: str
    takes: Takes = Takes.TEXT
    options: tuple[tuple[str, str], ...] = ()
    required: bool = False
    then: bool = False
    otherwise: bool = False
    help: str = ""


@dataclass(frozen=True)
class Policy:
    """A policy, by the room it belongs to.

    * `setting`: where its rules stand in the workspace's settings.
    * `parts(by)`: what a rule is made of, in the order in which a form asks for it; the first is its name.
    * `beginning`: the rules from which one sets out where the workspace has none of its own.
    * `read(document)`: the rules of a document. Raises Invalid that names each place that cannot be read.
    * `in_force(settings)`: the rules by which a workspace with these settings is run, its own or the default's.
    * `words(rules)`: the rules as people read them, in the order in which they are asked.
    * `would(by, rules, cases)`: what they would do with each of these cases as it was when it opened; a case that is
      left out goes to a person.
    """

    setting: str
    title: str
    explains: str
    case_kinds: tuple[str, ...]
    parts: Callable[[Principal], Sequence[Part]]
    read: Callable[[Any], Sequence[Any]]
    in_force: Callable[[Mapping[str, Any]], Sequence[Any]]
    words: Callable[[Sequence[Any]], list[RuleInWords]]
    would: Callable[[Principal, Sequence[Any], Sequence[Case]], Mapping[uuid.UUID, Would]]
    beginning: tuple[Mapping[str, Any], ...] = ()


_policies: dict[str, Policy] = {}
_traits: dict[str, Callable[[Principal, Sequence[Case]], Mapping[uuid.UUID, dict[str, str]]]] = {}


def register(policy: Policy) -> None:
    """Let the workspace's people see this policy. Registering a setting again replaces it."""
    _policies[policy.setting] = policy


def policies() -> list[Policy]:
    """Every policy, by title."""
    return sorted(_policies.values(), key=lambda policy: policy.title)


def policy_named(setting: str) -> Policy | None:
    return _policies.get(setting)


def parts_of(policy: Policy, by: Principal) -> list[Part]:
    """What a rule of the policy is made of. What a rule of the workspace's own names can always be chosen, also where
    it is no more or was left out of many: whoever puts the rules in force again as they are drops nothing of them."""
    own = by.workspace.settings.get(policy.setting, [])
    return [_with_what_is_held(part, own) for part in policy.parts(by)]


def _with_what_is_held(part: Part, own: Sequence[Mapping[str, Any]]) -> Part:
    if part.takes not in (Takes.ONE, Takes.ANY):
        return part
    known = {value for value, _ in part.options}
    held = [rule.get(part.name) or () for rule in own]
    named = {str(one) for several in held for one in ([several] if isinstance(several, str) else several)}
    return replace(part, options=(*part.options, *((one, one) for one in sorted(named - known))))


def register_traits(
    kind: str, traits: Callable[[Principal, Sequence[Case]], Mapping[uuid.UUID, dict[str, str]]]
) -> None:
    """By what cases of a kind can be told apart beside their policy, e.g. agent, extractor and kind of belief."""
    _traits[kind] = traits


def traits_of(by: Principal, cases: Sequence[Case]) -> dict[uuid.UUID, dict[str, str]]:
    """What each of these cases can be told apart by."""
    found: dict[uuid.UUID, dict[str, str]] = {}
    for kind in {case.kind for case in cases} & _traits.keys():
        found.update(_traits[kind](by, [case for case in cases if case.kind == kind]))
    return found
