"""Queries asked and changes made with a form that is kept: only the values are new."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import QuerySet

from memoryapp.ledger.prepared.keeping import keep
from memoryapp.ledger.prepared.planning import Plan, form_and_values
from memoryapp.ledger.principal import Principal

Row = TypeVar("Row")
MOST_VALUES = 2048
"""Values for which a form is kept; with more of them building it is a small part of the work."""


def rows(build: Callable[..., QuerySet[Any, Row]], *shape: Hashable, **given: object) -> list[Row]:
    """What `build(*shape, **given)` finds, in its order. One query.

    A named value is an id, a time, a text, a number, a model instance (by its key), a Principal (by its workspace and
    actor), a list of such, or None. A queryset of models or of `values_list` can be found so.
    """
    taken = [(name, *form_and_values(value)) for name, value in given.items()]
    if sum(len(values) for _, _, values in taken) > MOST_VALUES or _under_rules(given):
        return list(build(*shape, **given))
    key = (build, connections[DEFAULT_DB_ALIAS].vendor, shape, tuple((name, form) for name, form, _ in taken))
    plan = _plans.get(key)
    if plan is None:
        plan = keep(_plans, key, Plan(build, shape, [(name, form) for name, form, _ in taken]))
    return plan.run([value for _, _, values in taken for value in values])


def first(build: Callable[..., QuerySet[Any, Row]], *shape: Hashable, **given: object) -> Row | None:
    """The first that `build` finds, or None. The function itself must ask for no more than one."""
    found = rows(build, *shape, **given)
    return found[0] if found else None


def change(
    build: Callable[..., QuerySet[Any, Any]], *shape: Hashable, to: Mapping[str, object], **given: object
) -> int:
    """What `build(*shape, **given).update(**to)` changes, and how many rows. An expression in `to` holds no values."""
    fixed = tuple((name, value) for name, value in to.items() if hasattr(value, "resolve_expression"))
    named = {name: value for name, value in to.items() if not hasattr(value, "resolve_expression")}
    taken = [(name, *form_and_values(value)) for name, value in (*named.items(), *given.items())]
    if sum(len(values) for _, _, values in taken) > MOST_VALUES or _under_rules(given):
        return build(*shape, **given).update(**to)
    forms = tuple((name, form) for name, form, _ in taken)
    key = (build, connections[DEFAULT_DB_ALIAS].vendor, shape, fixed, len(named), forms)
    plan = _plans.get(key)
    if plan is None:
        plan = keep(_plans, key, Plan(build, shape, list(forms), changed=(dict(fixed), len(named))))
    return plan.change([value for _, _, values in taken for value in values])


def _under_rules(given: Mapping[str, object]) -> bool:
    """Whether somebody asks who is under rules of paths: what these hide is not the same from one question to the
    next."""
    callers = [one for one in given.values() if isinstance(one, Principal)]
    return any(one.path_rules or one.path_default == "none" for one in callers)


_plans: dict[Hashable, Plan] = {}
