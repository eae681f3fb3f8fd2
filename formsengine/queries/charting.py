"""What was answered, counted: for each field how often which answer, over what was submitted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import Any

from django.db.models import prefetch_related_objects

from formsengine.bindings.things import spoken
from formsengine.definition.model import CHOOSING
from formsengine.definition.plan import Plan, Planned
from formsengine.models import Form
from formsengine.queries.exporting import TAKEN, columns_of, each, number
from formsengine.queries.filled import responses
from formsengine.queries.loading import ready
from memoryapp.ledger.principal import Principal

MOST = 1000
"""Responses that are counted: the last ones."""
MOST_BARS = 24
PARTS = 8
"""Equal parts that a span of numbers is divided into."""
WHOLE = 100


@dataclass
class Chart:
    """One field: how many answered it, and how often which answer, as (words, count, hundredths of the largest)."""

    planned: Planned
    label: str
    answered: int = 0
    bars: list[tuple[str, int, int]] = field(default_factory=list)
    left_out: int = 0
    note: str = ""


def charts(by: Principal, form: Form) -> tuple[list[Chart], int, int]:
    """A chart for each field of every version, how many responses were counted, and how many were submitted."""
    prefetch_related_objects([form], "versions")
    total = responses(by, form=form.pk, states=TAKEN).count()
    columns = columns_of(form)
    given: dict[str, list[Any]] = {uid: [] for uid in columns}
    counted = 0
    for told in islice(each(by, form, states=TAKEN, newest=True), MOST):
        counted += 1
        for uid, planned in columns.items():
            given[uid] += [one for one in told.of(planned) if one is not None]
    versions = sorted(form.versions.all(), key=lambda version: -version.number)
    plans = [ready(version).plan for version in versions]
    made = [_chart(plans, planned, given[uid]) for uid, planned in columns.items() if planned.question.type != "meta"]
    return made, counted, total


def _chart(plans: Iterable[Plan], planned: Planned, given: list[Any]) -> Chart:
    plan = next(one for one in plans if planned.uid in one.items)
    chart = Chart(planned, plan.label(planned), answered=len(given))
    kind = planned.question.type
    if planned.question.sensitive:
        chart.note = "Sensitive: counted, and not told apart."
    elif kind in CHOOSING:
        known = plan.list_of(planned)
        order = {spoken(plan, planned, code): 0 for code in (known.by_code if known else ())}
        said = [spoken(plan, planned, one) for kept in given for one in (kept if isinstance(kept, list) else [kept])]
        _bars(chart, Counter(order | dict(Counter(said))), ordered=bool(order))
    elif kind in ("boolean", "consent"):
        yes = sum(1 for one in given if (one.get("given") if isinstance(one, Mapping) else one))
        _bars(chart, Counter({"Yes": yes, "No": len(given) - yes}), ordered=True)
    elif kind in ("date", "datetime"):
        _bars(chart, Counter(dict(sorted(Counter(str(one)[:7] for one in given).items()))), ordered=True)
    elif numbers := [found for one in given if (found := number(one)) is not None]:
        _spans(chart, numbers)
    elif given:
        chart.note = "In words of their own."
    return chart


def _spans(chart: Chart, numbers: list[Decimal]) -> None:
    """How many lie in which part of the span; each number by itself where there are few."""
    least, most = min(numbers), max(numbers)
    middle = sorted(numbers)[len(numbers) // 2]
    chart.note = f"From {_plain(least)} to {_plain(most)}, in the middle {_plain(middle)}."
    kinds = Counter(numbers)
    if len(kinds) <= PARTS:
        _bars(chart, Counter({_plain(one): kinds[one] for one in sorted(kinds)}), ordered=True)
        return
    width = (most - least) / PARTS
    parts = Counter({number: 0 for number in range(PARTS)})
    parts.update(min(PARTS - 1, int((one - least) / width)) for one in numbers)
    words = {n: f"{_plain(least + width * n)} to {_plain(least + width * (n + 1))}" for n in range(PARTS)}
    _bars(chart, Counter({words[n]: parts[n] for n in range(PARTS)}), ordered=True)


def _plain(value: Decimal) -> str:
    return format(round(value, 2).normalize(), "f")


def _bars(chart: Chart, counts: Counter[str], *, ordered: bool) -> None:
    pairs = list(counts.items()) if ordered and len(counts) <= MOST_BARS else counts.most_common()
    largest = max((count for _, count in pairs), default=0) or 1
    chart.bars = [(words, count, WHOLE * count // largest) for words, count in pairs[:MOST_BARS]]
    chart.left_out = len(pairs) - len(chart.bars)
