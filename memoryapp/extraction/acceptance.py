"""The acceptance policy: which candidates become beliefs without a person, which wait for one, which are turned away.

A policy is a list of readable rules, the first that matches decides. A workspace may bring its own in
`settings["acceptance_policy"]`; the default believes what a thread's own participants and members said, and holds what
came from tools, web pages, documents, system notes and assistants.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from memoryapp.doors.errors import Invalid
from memoryapp.ledger.models import Workspace
from memoryapp.ontology.compiled import Ontology
from memoryapp.review.policies import Part, RuleInWords, Takes, worded
from memoryapp.sources.models import Source, Speaker

Outcome = Literal["accept", "hold", "reject"]
OUTCOMES: tuple[Outcome, ...] = ("accept", "hold", "reject")
OUTCOME_WORDS = (("accept", "Accept"), ("hold", "Hold for a person"), ("reject", "Turn away"))
CONDITIONS = (
    *("kinds", "source_kinds", "speakers", "agents", "extractors", "rules"),
    *("confidence_below", "confidence_from"),
)


@dataclass(frozen=True)
class Considered:
    """What a policy looks at: never the text itself."""

    kinds: tuple[str, ...]
    source_kind: str
    speaker: str
    extractor: str
    rule: str
    confidence: float | None
    agent: str = ""
    """Which agent told the source; empty when a person did."""


@dataclass(frozen=True)
class PolicyRule:
    """When every given condition holds, `outcome`. A condition that is not given does not matter."""

    name: str
    outcome: Outcome
    because: str
    kinds: tuple[str, ...] = ()
    source_kinds: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    extractors: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    confidence_below: float | None = None
    confidence_from: float | None = None

    def matches(self, seen: Considered) -> bool:
        if self.kinds and not set(self.kinds) & set(seen.kinds):
            return False
        for wanted, value in (
            (self.source_kinds, seen.source_kind),
            (self.speakers, seen.speaker),
            (self.agents, seen.agent),
            (self.extractors, seen.extractor),
            (self.rules, seen.rule),
        ):
            if wanted and value not in wanted:
                return False
        if self.confidence_below is not None and (seen.confidence is None or seen.confidence >= self.confidence_below):
            return False
        return self.confidence_from is None or (seen.confidence is not None and seen.confidence >= self.confidence_from)


DEFAULT = (
    PolicyRule("unsure", "hold", "The extractor is not sure of it.", confidence_below=50),
    PolicyRule("participants", "accept", "A participant of the conversation said it.", speakers=("user",)),
    PolicyRule("members", "accept", "A member wrote it down.", source_kinds=("statement",)),
    PolicyRule("assistants", "hold", "An assistant said it; nobody else has.", speakers=("assistant",)),
    PolicyRule("tools", "hold", "It came from a tool, and nobody vouches for it.", speakers=("tool",)),
    PolicyRule("notes", "hold", "It came from a system note.", speakers=("system",), source_kinds=("chat_turn",)),
    PolicyRule("rest", "hold", "It was read somewhere, and nobody vouches for it."),
)


def policy_of(workspace: Workspace) -> tuple[PolicyRule, ...]:
    """The rules in force, the default's last rule always being last."""
    return in_force(workspace.settings)


def in_force(settings: Mapping[str, Any]) -> tuple[PolicyRule, ...]:
    """The same from a workspace's settings."""
    own = settings.get("acceptance_policy")
    return (*read_policy(own), DEFAULT[-1]) if own else DEFAULT


def parts(ontology: Ontology, agents: Sequence[str], *, more: bool = False) -> list[Part]:
    """What a rule is made of, where these agents tell, and `more` that are not named."""
    kinds = tuple((one, one.replace("_", " ")) for one in sorted(ontology.document.belief_kinds))
    cut = f"The first {len(agents)} by name, and those that a rule in force names." if more else ""
    return [
        Part("name", "Name", required=True),
        Part("outcome", "Outcome", Takes.ONE, OUTCOME_WORDS, required=True, then=True),
        Part("because", "Because", required=True, then=True, help="What people are told of it, in a sentence."),
        Part("kinds", "Kind of belief", Takes.ANY, kinds),
        Part("source_kinds", "Its source", Takes.ANY, worded(Source.Kind.values)),
        Part("speakers", "Its speaker", Takes.ANY, worded(Speaker.values)),
        Part("agents", "Told by the agent", Takes.ANY, tuple((name, name) for name in agents), help=cut),
        Part("extractors", "Read by", Takes.NAMES, help="Names of extractors, with commas between them."),
        Part("rules", "By the rule of reading", Takes.NAMES, help="Names of rules, with commas between them."),
        Part("confidence_from", "At least this sure", Takes.NUMBER),
        Part("confidence_below", "Less sure than", Takes.NUMBER),
    ]


def _document(rule: PolicyRule) -> Mapping[str, Any]:
    """A rule as a workspace's settings hold it."""
    given = {one.name: getattr(rule, one.name) for one in fields(rule)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items() if value}


BEGINNING = tuple(_document(rule) for rule in DEFAULT[:-1])
"""The default's own rules, from which a workspace sets out to write its own."""


def in_words(rules: Iterable[PolicyRule]) -> list[RuleInWords]:
    """The rules as people read them."""
    return [RuleInWords(rule.name, _when(rule), f"{rule.outcome}: {rule.because}") for rule in rules]


def _when(rule: PolicyRule) -> str:
    below, least = rule.confidence_below, rule.confidence_from
    said = [
        f"it is {_listed(rule.kinds)}, or a kind below" if rule.kinds else "",
        f"its source is a {_listed(rule.source_kinds)}" if rule.source_kinds else "",
        f"its speaker is: {_listed(rule.speakers)}" if rule.speakers else "",
        f"the agent is {' or '.join(rule.agents)}" if rule.agents else "",
        f"it was read by {_listed(rule.extractors)}" if rule.extractors else "",
        f"the rule of reading is {_listed(rule.rules)}" if rule.rules else "",
        f"it is less than {below:g} % sure" if below is not None else "",
        f"it is at least {least:g} % sure" if least is not None else "",
    ]
    return "; ".join(part for part in said if part) or "always"


def _listed(names: Iterable[str]) -> str:
    return " or ".join(name.replace("_", " ") for name in names)


def judge(rules: Iterable[PolicyRule], seen: Considered) -> PolicyRule:
    """The first rule that matches."""
    return next((rule for rule in rules if rule.matches(seen)), DEFAULT[-1])


def read_policy(document: Any) -> tuple[PolicyRule, ...]:
    """Rules from their JSON form. Raises `Invalid` naming the rule and what would be accepted."""
    if not isinstance(document, list):
        raise Invalid.at("/acceptance_policy", "wrong_type", "A policy is a list of rules.", "a list of objects")
    return tuple(_read_rule(index, entry) for index, entry in enumerate(document))


def _read_rule(index: int, entry: Any) -> PolicyRule:
    place = f"/acceptance_policy/{index}"
    if not isinstance(entry, Mapping):
        raise Invalid.at(place, "wrong_type", "A rule is an object.", "name, outcome, because and conditions")
    known = {"name", "outcome", "because", *CONDITIONS}
    if unknown := sorted(set(entry) - known):
        raise Invalid.at(
            f"{place}/{unknown[0]}", "unknown_field", f"No such condition: {unknown[0]}.", ", ".join(known)
        )
    if entry.get("outcome") not in OUTCOMES:
        raise Invalid.at(f"{place}/outcome", "not_a_choice", "A rule has one outcome.", ", ".join(OUTCOMES))
    if not entry.get("name") or not entry.get("because"):
        raise Invalid.at(place, "required", "A rule has a name and says why.", "name, because")
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    return PolicyRule(**values)
