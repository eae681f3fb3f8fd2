"""The brief: what is currently believed of somebody, rendered for a prompt and marked as ours."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import QuerySet

from memoryapp.doors import marker, moments
from memoryapp.doors.budgets import tokens
from memoryapp.doors.errors import Invalid
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries import views
from memoryapp.graph.queries.nodes import node
from memoryapp.ledger import prepared
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology
from memoryapp.recall.asked import MOST_BUDGET, Told

USUAL_BUDGET = 1000
LEAST_BUDGET = 100
LONGEST_NAME = 40
"""Letters of the owner's name in a heading: it fits into the least budget in any script."""
LETTERS = 4
"""That a token holds at most: what is too long for what is left need not be rendered to know it."""
LONG_AGO = dt.datetime(1, 1, 1, tzinfo=dt.UTC)


class BriefRow(NamedTuple):
    """What is read of a belief: an owner may have thousands, of which the newest few are rendered."""

    pk: uuid.UUID
    kind: str
    content: str
    recorded_at: dt.datetime
    valid_from: dt.datetime | None
    valid_from_precision: str
    valid_to: dt.datetime | None
    valid_to_precision: str


@dataclass(frozen=True)
class Brief:
    """The current beliefs of `owner` in `text`, within its budget; `left_out` are those that did not fit."""

    owner: Node
    workspace: str
    text: str
    beliefs: list[BriefRow]
    left_out: int

    def shaped(self) -> Told:
        return {
            "workspace": self.workspace,
            "owner": {"id": str(self.owner.pk), "class": self.owner.node_class, "label": self.owner.label},
            "text": self.text,
            "tokens": tokens(self.text),
            "beliefs": [str(belief.pk) for belief in self.beliefs],
            "left_out": self.left_out,
            "cut": self.left_out > 0,
        }


def compose(by: Principal, owner: uuid.UUID, budget_tokens: int = USUAL_BUDGET) -> Brief:
    """What is current of this owner: by kind, in each the newest change first, each with since when it holds.

    The text never takes more tokens than the budget; what does not fit is left out and counted. Raises NotFound for an
    owner out of sight.
    """
    by.require("recall")
    if not LEAST_BUDGET <= budget_tokens <= MOST_BUDGET:
        accepted = f"{LEAST_BUDGET} to {MOST_BUDGET}"
        raise Invalid.at("budget_tokens", "out_of_range", "This is no budget for a brief.", accepted)
    of = node(by, owner)
    at = views.now(by.workspace)
    owned = prepared.rows(_current, by=by, at=at, owner=of.pk, subject=None)
    about = prepared.rows(_current, by=by, at=at, owner=None, subject=of.pk)
    found = {belief.pk: belief for belief in map(BriefRow._make, (*owned, *about))}
    return _fitting(by, of, _in_order(current_ontology(by), list(found.values())), budget_tokens)


def _current(
    by: Principal, at: dt.datetime, owner: uuid.UUID | None, subject: uuid.UUID | None
) -> QuerySet[Belief, Any]:
    return views.told(by, views.Scope(owner=owner, subject=subject), at=at).values_list(*BriefRow._fields)


def _in_order(ontology: Ontology, beliefs: Sequence[BriefRow]) -> list[tuple[str, BriefRow]]:
    """Each belief with the title of its kind: kinds of higher precedence first, then the newest change."""
    by_kind: dict[str, list[BriefRow]] = defaultdict(list)
    for belief in sorted(beliefs, key=lambda one: one.pk):
        by_kind[belief.kind].append(belief)

    def place(kind: str) -> tuple[int, str]:
        return -ontology.precedence(kind) if kind in ontology.document.belief_kinds else 0, kind

    def title(kind: str) -> str:
        declared = ontology.document.belief_kinds.get(kind)
        return (declared.title if declared else "") or kind.replace("_", " ").capitalize()

    return [
        (title(kind), belief)
        for kind in sorted(by_kind, key=place)
        for belief in sorted(by_kind[kind], key=lambda one: (one.valid_from or LONG_AGO, one.recorded_at), reverse=True)
    ]


def _fitting(by: Principal, owner: Node, ordered: Sequence[tuple[str, BriefRow]], budget: int) -> Brief:
    """As many beliefs as fit, in their order; a long one gives way to those after it."""
    kept: list[tuple[str, BriefRow]] = []
    text = _rendered(owner, kept, len(ordered))
    size = tokens(text)
    headings: set[str] = set()
    for title, belief in ordered:
        if size + len(_said(belief)) // LETTERS > budget:
            continue
        cost = tokens(_line(belief)) + 1 + (tokens(title) + 2 if title not in headings else 0)
        if size + cost > budget:
            continue
        kept.append((title, belief))
        headings.add(title)
        size += cost
    text = _rendered(owner, kept, len(ordered) - len(kept))
    return Brief(owner, by.workspace.slug, text, [belief for _, belief in kept], len(ordered) - len(kept))


def _rendered(owner: Node, kept: Sequence[tuple[str, BriefRow]], left_out: int) -> str:
    grouped: dict[str, list[str]] = defaultdict(list)
    for title, belief in kept:
        grouped[title].append(_line(belief))
    lines = [f"What is currently held of {owner.label[:LONGEST_NAME]}:"]
    for title, group in grouped.items():
        lines += ["", title, *group]
    if left_out:
        lines += ["", f"{left_out} more left out for length."]
    elif not kept:
        lines.append("nothing yet.")
    return marker.wrap("brief", "\n".join(lines))


def _said(belief: BriefRow) -> str:
    return " ".join(belief.content.split())


def _line(belief: BriefRow) -> str:
    notes = []
    if belief.valid_from:
        notes.append(f"since {_day(belief.valid_from, belief.valid_from_precision)}")
    if belief.valid_to:
        notes.append(f"until {_day(belief.valid_to, belief.valid_to_precision)}")
    return f"- {_said(belief)}" + (f" ({', '.join(notes)})" if notes else "")


def _day(at: dt.datetime, precision: str) -> str:
    return moments.render(at, moments.Precision.DAY if precision == moments.Precision.INSTANT else precision)
