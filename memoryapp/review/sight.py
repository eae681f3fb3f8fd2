"""What a case may be about. Each room registers its things: which of them somebody may not see, and how to find them.

This room knows cases only by the ids of what they are about, so it asks here before it shows, counts or searches any.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from memoryapp.ledger.principal import Principal

Ids = QuerySet[Any, Any]
"""A queryset of one column of ids: `Thing.objects...values("pk")`."""


@dataclass(frozen=True)
class SubjectType:
    """A sort of thing that cases are about.

    `hidden(by)` are the ids of the workspace's things that `by` may not see; None when all of them may be seen by
    everybody in the workspace. It is a question to the database that nothing but the workspace, the actor, the
    capabilities and the rules of paths of `by` shapes: it is put into SQL once and asked many times. `search(by, text)`
    are the ids of those whose words hold the text. `by_trait` holds, for each of `TRAITS` that these things have, what
    finds those with a value: of a node or source that `by` may not see, none.
    """

    name: str
    hidden: Callable[[Principal], Ids] | None = None
    search: Callable[[Principal, str], Ids] | None = None
    by_trait: Mapping[str, Callable[[Principal, Any], Ids]] = field(default_factory=dict, hash=False)


TRAITS = ("node", "source", "unsure")
"""What cases are narrowed by through what they are about: the node that this is, or that it is held of; the source that
it stands on; being less sure than so many percent."""

_types: dict[str, SubjectType] = {}


def register(subject_type: SubjectType) -> None:
    """Let cases be about things of this sort. Registering a name again replaces it."""
    _types[subject_type.name] = subject_type


def known(name: str) -> bool:
    return name in _types


def out_of_sight(by: Principal) -> list[RawSQL]:
    """The ids of the cases that are about something `by` may not see, as one set at most.

    Each sort of thing goes from the few hidden things to their cases and never through all cases. They are one set
    because a database guesses of every set that it takes half of what there is: of eight, nearly everything."""
    asker = Principal(
        by.workspace,
        by.actor,
        "",
        by.capabilities,
        path_rules=by.path_rules,
        path_default=by.path_default,
    )
    asked = [_asked(subject_type, asker) for subject_type in _types.values() if subject_type.hidden]
    some = [(sql, parameters) for sql, parameters in asked if sql]
    if not some:
        return []
    return [RawSQL(" UNION ALL ".join(sql for sql, _ in some), [one for _, given in some for one in given])]


def about(by: Principal, text: str) -> list[Ids]:
    """The ids of the cases that are about something whose words hold the text, one query for each sort of thing."""
    return [
        _cases_about(by, subject_type, subject_type.search(by, text))
        for subject_type in _types.values()
        if subject_type.search
    ]


def with_trait(by: Principal, trait: str, value: object) -> list[Ids]:
    """The ids of the cases that are about something with this trait, one query for each sort of thing that has it."""
    return [
        _cases_about(by, subject_type, subject_type.by_trait[trait](by, value))
        for subject_type in _types.values()
        if trait in subject_type.by_trait
    ]


@functools.lru_cache(maxsize=1024)
def _asked(subject_type: SubjectType, by: Principal) -> tuple[str, tuple[Any, ...]]:
    """The question as SQL: putting it together takes longer than answering it. Empty when nothing can be hidden."""
    assert subject_type.hidden is not None
    cases = _cases_about(by, subject_type, subject_type.hidden(by))
    try:
        sql, parameters = cases.query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
    except EmptyResultSet:
        return "", ()
    return sql, tuple(parameters)


def _cases_about(by: Principal, subject_type: SubjectType, ids: Ids) -> Ids:
    from memoryapp.review.models import CaseSubject

    subjects = CaseSubject.objects.filter(workspace=by.workspace, subject_id__in=ids, subject_type=subject_type.name)
    return subjects.values("case_id")
