"""How well policies do: tried over what people decided, and looked at by people afterwards."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef

from memoryapp.ledger.models import Actor, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.review import policies, registry
from memoryapp.review.models import Case, Decision
from memoryapp.review.policies import Policy, Would
from memoryapp.review.queries.decided import decisions

LAST = 1000
"""How many of the latest decisions are looked at."""
SHARE = 5
"""The percentage of what policy settled that is shown to people, where the workspace says nothing else."""
SAMPLED = 20
SHARE_SETTING = "audit_share"


@dataclass
class Tally:
    """How often a rule acted, and how often people decided the same."""

    acted: int = 0
    agreed: int = 0

    @property
    def percent(self) -> int:
        return round(100 * self.agreed / self.acted) if self.acted else 0


@dataclass(frozen=True)
class Trial:
    """What rules would have done with the latest cases that people decided."""

    decided: int
    total: Tally
    by_rule: dict[str, Tally]
    disagreed: list[tuple[Decision, Would]]


@dataclass
class Figure:
    """What policy settled of one sort: how much, how much of it people looked at, and how much they took back."""

    settled: int = 0
    looked_at: int = 0
    taken_back: int = 0
    ids: list[uuid.UUID] = field(default_factory=list)

    @property
    def percent(self) -> int:
        return round(100 * self.taken_back / self.looked_at) if self.looked_at else 0


def tried(by: Principal, policy: Policy, rules: Sequence[Any]) -> Trial:
    """These rules over the latest decisions that people gave and that stand, of the kinds the policy speaks of."""
    given = decisions(by).filter(policy="", undoes__isnull=True, undone_by__isnull=True)
    given = given.filter(case__kind__in=policy.case_kinds, decided_by__kind=Actor.Kind.PERSON)
    found = list(given.prefetch_related("case__subjects")[:LAST])
    cases = {decision.case_id: decision.case for decision in found}
    would = policy.would(by, rules, list(cases.values()))
    total, disagreed = Tally(), []
    by_rule: dict[str, Tally] = defaultdict(Tally)
    for decision in found:
        if (one := would.get(decision.case_id)) is None:
            continue
        agrees = one.verdict == decision.verdict
        for tally in (total, by_rule[one.rule]):
            tally.acted += 1
            tally.agreed += agrees
        if not agrees:
            disagreed.append((decision, one))
    return Trial(len(found), total, dict(by_rule), disagreed)


def sample(by: Principal) -> list[Decision]:
    """What of the latest that policy settled people are asked to look at: a share, the same for everybody."""
    share = share_of(by.workspace)
    settled = decisions(by).exclude(policy="").filter(undoes__isnull=True, undone_by__isnull=True, audit__isnull=True)
    return [one for one in settled[:LAST] if one.pk.int % 10_000 < share * 100][:SAMPLED]


def share_of(workspace: Workspace) -> int:
    """The percentage of what policy settles that people are asked to look at."""
    given = workspace.settings.get(SHARE_SETTING, SHARE)
    return given if isinstance(given, int) and 0 <= given <= 100 else SHARE


def figures(by: Principal) -> dict[str, dict[str, Figure]]:
    """Of the latest that policy settled: how much people took back, by policy and by whatever tells cases apart."""
    settled = list(decisions(by).exclude(policy="").filter(undoes__isnull=True).select_related("audit")[:LAST])
    traits = policies.traits_of(by, list({one.case_id: one.case for one in settled}.values()))
    found: dict[str, dict[str, Figure]] = defaultdict(lambda: defaultdict(Figure))
    for decision in settled:
        undone = getattr(decision, "undone_by", None)
        taken_back = undone is not None and undone.decided_by.kind == Actor.Kind.PERSON
        for trait, value in ({"policy": decision.policy} | traits.get(decision.case_id, {})).items():
            figure = found[trait][value]
            figure.settled += 1
            figure.taken_back += taken_back
            figure.looked_at += taken_back or hasattr(decision, "audit")
            figure.ids.append(decision.pk)
    return {trait: dict(values) for trait, values in found.items()}


def precedents(by: Principal, case: Case, most: int = 20) -> list[Decision]:
    """The latest decisions of people on other cases like this one that stand, among the latest `LAST` on its kind."""
    like = registry.kind_named(case.kind).alike(by, case)
    given = decisions(by).filter(policy="", undoes__isnull=True, undone_by__isnull=True, case__kind=case.kind)
    given = given.exclude(case=case)
    if like is not None:
        latest = given.select_related(None).values("pk")[:LAST]
        given = given.filter(Exists(like.filter(case=OuterRef("case"))), pk__in=latest)
    return list(given[:most])
