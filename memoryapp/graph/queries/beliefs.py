"""Reading beliefs one by one and in lists: by scope, by status, at any time, by when they fall due."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from typing import Any

from django.db.models import JSONField, OuterRef, QuerySet, Subquery

from memoryapp.doors.errors import Malformed, NotFound
from memoryapp.doors.moments import Moment, NotAMoment, parse
from memoryapp.graph.models import Belief, BeliefState
from memoryapp.graph.queries.views import EVERYTHING, Scope, as_of, beliefs, for_a_page, told
from memoryapp.ledger import prepared
from memoryapp.ledger.principal import Principal

DUE = "due_at"
"""The attribute that says when something falls due."""


def with_owners(rows: QuerySet[Belief]) -> QuerySet[Belief]:
    """The same beliefs, each with `owner_ids` and its nodes at hand."""
    state = BeliefState.objects.filter(belief=OuterRef("pk"), sequence=OuterRef("lock")).values("owners")
    return rows.select_related("subject", "object").annotate(owner_ids=Subquery(state, output_field=JSONField()))


def belief(by: Principal, belief_id: uuid.UUID) -> Belief:
    """One belief in sight, whatever its status. Raises NotFound."""
    by.require("look_up")
    found = with_owners(Belief.objects.visible_to(by)).filter(pk=belief_id).first()
    if found is None:
        raise NotFound("There is no such belief.", code="no_such_belief")
    return found


def told_back(by: Principal, ids: Sequence[uuid.UUID]) -> list[Belief]:
    """These beliefs as far as they are in sight, each `with_owners`. One query."""
    return prepared.rows(_told_back, by=by, ids=ids)


def _told_back(by: Principal, ids: Sequence[uuid.UUID]) -> QuerySet[Belief]:
    return with_owners(Belief.objects.visible_to(by)).filter(pk__in=ids)


def listed(
    by: Principal,
    scope: Scope = EVERYTHING,
    *,
    status: str = "",
    history: bool = False,
    valid_at: Moment | None = None,
    known_at: Moment | None = None,
) -> QuerySet[Belief]:
    """What is held now; with `status` or `history` whatever was ever held; with a time, what was held then.

    Raises Malformed (`two_questions`) when a status or the history is asked for together with a time.
    """
    by.require("look_up")
    scope = for_a_page(scope)
    at_a_time = valid_at is not None or known_at is not None
    if at_a_time and (status or history):
        name = "status" if status else "history"
        raise Malformed.at(
            name, "two_questions", "A past time has its own statuses.", "valid_at and known_at without status, history"
        )
    if at_a_time:
        return with_owners(
            as_of(
                by,
                scope,
                valid_at=valid_at.instant if valid_at else None,
                known_at=known_at.instant if known_at else None,
            )
        )
    if status:
        return with_owners(beliefs(by, scope).filter(status=status))
    return with_owners(beliefs(by, scope) if history else told(by, scope))


def by_due_time(rows: QuerySet[Belief]) -> list[tuple[dt.datetime, uuid.UUID]]:
    """Those of the beliefs that fall due, the earliest first: when, and which."""
    due = rows.filter(attributes__has_key=DUE).values_list("pk", "attributes")
    return sorted((at, one) for one, attributes in due if (at := _due(attributes)) is not None)


def _due(attributes: dict[str, Any]) -> dt.datetime | None:
    try:
        return parse(str(attributes[DUE]), time_zone="UTC").instant
    except NotAMoment:
        return None
