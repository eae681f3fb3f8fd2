"""Rows named by very many ids are found with one value."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import connection

from memoryapp.ledger.among import among, found_by
from memoryapp.ledger.models import Actor, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


def test_very_many_ids_are_one_value_of_a_statement(operator: Principal, viewer: Principal) -> None:
    """By a key and by a foreign key, found and left out, and none at all."""
    every = Actor.objects.filter(pk__in=[operator.actor.pk, viewer.actor.pk])
    nobody = {uuid.uuid4() for _ in range(300)}
    assert list(every.filter(among("pk", nobody | {viewer.actor.pk}))) == [viewer.actor]
    assert list(every.exclude(among("pk", nobody | {viewer.actor.pk}))) == [operator.actor]
    assert every.filter(among("workspace", nobody | {operator.workspace.pk})).count() == 2
    assert not every.filter(among("pk", ())).exists()
    of_each: list[int] = []

    def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        of_each.append(len(params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(count):
        list(Actor.objects.filter(among("pk", nobody)))
    assert of_each == [1]


def test_rows_are_found_by_what_another_query_finds(operator: Principal, viewer: Principal) -> None:
    """As a join would find them, and left out alike; the query may have values of its own."""
    written = Write.objects.filter(actor=viewer.actor).values("actor")
    assert not Actor.objects.filter(found_by("pk", written)).exists()
    record(viewer, "look", lambda write: None)
    several = Actor.objects.filter(workspace=operator.workspace)
    assert list(several.filter(found_by("pk", written), kind="person")) == [viewer.actor]
    assert set(several.exclude(found_by("pk", written))) == set(several.exclude(pk=viewer.actor.pk))
