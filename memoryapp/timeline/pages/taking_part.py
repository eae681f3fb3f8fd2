"""Who takes part, in the form that amends an episode: those it names, each with a role or with none now, and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from memoryapp.doors.errors import DomainError, Invalid, Violation
from memoryapp.graph.queries.binding import meant
from memoryapp.graph.statements import NodeStored
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology
from memoryapp.timeline.inputs import Taking
from memoryapp.timeline.queries import Shown
from memoryapp.timeline.services.drafts import MOST_PARTICIPANTS

MORE = 3
"""Rows of the form for somebody who is not named yet."""
LONGEST = 300


@dataclass(frozen=True)
class Row:
    """Somebody, as a form says it: an id, or words that mean a node; and a role, or "" for no part."""

    who: str
    role: str


def as_it_is(shown: Shown) -> list[Row]:
    """Those who take part by a revision."""
    return [Row(str(node.pk), role) for node, role in shown.people]


def typed(request: HttpRequest) -> list[Row]:
    """What the form says, each row at its place."""
    rows = zip(request.POST.getlist("who"), request.POST.getlist("role"), strict=False)
    found = [Row(" ".join(who.split())[:LONGEST], role.strip()[:100]) for who, role in rows]
    return found[: MOST_PARTICIPANTS + MORE + 1]


def takings(by: Principal, rows: Sequence[Row], shown: Shown) -> tuple[Taking, ...] | None:
    """Who takes part from now on; None when it is who took part before. Who was named already stays, whoever sees them.

    Raises Invalid that names every row whose words mean no node, or several.
    """
    kept = [one for one in rows if one.who and one.role]
    if kept == as_it_is(shown):
        return None
    known = {str(node.pk): node.pk for node, _ in shown.people}
    found: list[Taking] = []
    wrong: list[Violation] = []
    for place, row in enumerate(kept):
        if row.who in known:
            found.append(Taking(NodeStored(known[row.who]), row.role))
            continue
        try:
            found.append(Taking(meant(by, row.who).pk, row.role))
        except DomainError as error:
            accepted = error.violations[0].accepted if error.violations else "a name, an e-mail address or an id"
            wrong.append(Violation(f"/participants/{place}/node", error.code, f"“{row.who}”: {error.detail}", accepted))
    if wrong:
        raise Invalid.all(wrong)
    return tuple(found)


def drawn(by: Principal, rows: Sequence[Row], shown: Shown) -> dict[str, Any]:
    """The rows as the template takes them: those who are named, what was typed besides, and empty ones."""
    kind = shown.episode.kind
    ontology = current_ontology(by)
    roles = list(ontology.episode_roles(kind)) if kind in ontology.document.episode_kinds else []
    roles += sorted({row.role for row in rows if row.role} - set(roles))
    labels = {str(node.pk): node.label for node, _ in shown.people}
    others = [row for row in rows if row.who not in labels]
    return {
        "roles": roles,
        "named": [{"who": row.who, "label": labels[row.who], "role": row.role} for row in rows if row.who in labels],
        "others": [*others, *([Row("", roles[0] if roles else "")] * (MORE - sum(not row.who for row in others)))],
    }
