"""Queries that are built once: what they find is what Django finds, whatever values are put in."""

from __future__ import annotations

import datetime as dt
import itertools
import uuid
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Model, QuerySet, TextChoices
from django.db.models.functions import Lower, Upper
from django.test.utils import CaptureQueriesContext

from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries.anything import why_anything
from memoryapp.graph.services.beliefs import supersede
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Actor, Served, Workspace
from memoryapp.ledger.prepared import storing
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import actor_named
from memoryapp.recall.asked import OVER, Asked
from memoryapp.recall.queries import compose, find
from tests.graph.telling import Memory, at

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


class Channel(TextChoices):
    MADE_UP = "made up"


def values_of(row: object) -> object:
    """A row with everything that came with it, to compare."""
    if not isinstance(row, Model):
        return row
    beside = {name: values_of(one) for name, one in row._state.fields_cache.items()}
    return {name: value for name, value in row.__dict__.items() if name != "_state"} | {"beside": beside}


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything that is asked as prepared is asked as built anew, too; gives the queries that were compared."""
    asked: list[str] = []
    plainly = prepared.rows

    def both(build: Callable[..., QuerySet[Any, Any]], *shape: Any, **given: Any) -> list[Any]:
        found = plainly(build, *shape, **given)
        assert [values_of(row) for row in found] == [values_of(row) for row in build(*shape, **given)]
        asked.append(f"{build.__module__}.{build.__qualname__}")
        return found

    monkeypatch.setattr(prepared, "rows", both)
    return asked


def test_recall_brief_and_why_find_prepared_what_they_find_built_anew(operator: Principal, compared: list[str]) -> None:
    memory = Memory(operator)
    ines, bram = memory.node("Ines Ferro"), memory.node("Bram Okafor")
    memory.say("2026-03-02", "Ines drinks green tea in the morning", ines)
    weekly = memory.say("2026-03-03", "Ines wants reports weekly", ines).belief
    monthly = memory.say("2026-06-03", "Ines wants reports monthly", ines).belief
    memory.do(lambda write: supersede(write, weekly, monthly, reason="She said so."))
    memory.say("2026-05-02", "Bram keeps the tea of the harbour office", bram, kind="decision")
    questions = itertools.cycle(("who drinks tea", "reports mothly"))
    for over, when, narrowed in itertools.product(
        OVER,
        (
            {},
            {"history": True},
            {"valid_at": at("2026-04-01")},
            {"known_at": at("2099-01-01")},
        ),
        ({}, {"owner": ines.pk, "kinds": ("memory",)}, {"since": at("2026-03-03"), "until": at("2026-06-30")}),
    ):
        question = next(questions)
        find(operator, Asked(question, over, **when, **narrowed))  # type: ignore[arg-type]
    compose(operator, ines.pk)
    concluded = memory.conclude("Ines likes it quiet", memory.conclude("Ines keeps to herself", monthly))
    for thing in (ines.pk, weekly.pk, monthly.pk, concluded.pk):
        why_anything(operator, thing)
    assert {name.rsplit(".", 2)[0] for name in compared} >= {
        "memoryapp.index",
        "memoryapp.recall.queries",
        "memoryapp.graph.queries",
    }
    assert len(set(compared)) > 20


def actors(workspace: Workspace, keys: Sequence[str], since: dt.datetime | None) -> QuerySet[Actor]:
    found = Actor.objects.filter(workspace=workspace, key__in=keys).order_by("key").select_related("workspace")
    return found.filter(created_at__gte=since) if since else found


def test_the_values_are_put_in_and_the_form_is_built_once(workspace: Workspace) -> None:
    several = [actor_named(workspace, Actor.Kind.AGENT, f"desk-{number}", "Desk") for number in range(5)]
    for count, since in itertools.product((0, 1, 2, 3, 5), (None, several[0].created_at, at("2099-01-01"))):
        keys = [one.key for one in several[:count]]
        found = prepared.rows(actors, workspace=workspace, keys=keys, since=since)
        assert found == list(actors(workspace, keys, since))
        assert all(one.workspace == workspace for one in found)
    many = [several[0].key, *(f"nobody-{number}" for number in range(prepared.MOST_VALUES))]
    assert prepared.rows(actors, workspace=workspace, keys=many, since=None) == several[:1]
    assert prepared.change(named_so, workspace=workspace, keys=many, to={"name": "Quay"}) == 1
    with CaptureQueriesContext(connection) as queries:
        elsewhere = Workspace(pk=uuid.uuid4())
        assert prepared.rows(actors, workspace=elsewhere, keys=["desk-1"], since=None) == []
    assert len(queries) == 1


def test_a_part_of_a_pattern_is_put_in_and_its_signs_are_refused(workspace: Workspace) -> None:
    for key in ("harbour-1", "harbour-2", "quay-1"):
        actor_named(workspace, Actor.Kind.AGENT, key, "Desk")

    def starting(start: str) -> QuerySet[Actor, str]:
        return Actor.objects.filter(key__startswith=start).order_by("-key").values_list("key", flat=True)

    assert prepared.rows(starting, start="harbour-") == ["harbour-2", "harbour-1"]
    assert prepared.rows(starting, start="quay") == ["quay-1"]
    with pytest.raises(ValueError, match="part of a pattern"):
        prepared.rows(starting, start="%")


def test_what_looks_at_a_value_or_drops_it_cannot_be_prepared(workspace: Workspace) -> None:
    def changes(text: str) -> QuerySet[Actor]:
        return Actor.objects.filter(key=text.upper())

    def drops(workspace: Workspace, key: str) -> QuerySet[Actor]:
        return Actor.objects.filter(workspace=workspace)

    def compares(key: str) -> QuerySet[Actor]:
        return Actor.objects.annotate(small=Lower("key")).filter(small=key)

    for build, given in ((changes, {"text": "a"}), (drops, {"workspace": workspace, "key": "a"})):
        with pytest.raises(LookupError, match="changes or drops"):
            prepared.rows(build, **given)  # type: ignore[arg-type]
    assert prepared.rows(compares, key="nobody") == []
    with pytest.raises(TypeError, match="without a name"):
        prepared.rows(changes, text=True)


def seen(by: Principal, ids: Sequence[uuid.UUID]) -> QuerySet[Belief]:
    return Belief.objects.visible_to(by).filter(pk__in=ids).order_by("pk")


def test_one_form_serves_every_principal_in_its_own_sight(operator: Principal, reader_agent: Principal) -> None:
    memory = Memory(operator)
    ines: Node = memory.node("Ines Ferro")
    shown = memory.say("2026-03-02", "Ines drinks tea", ines).belief
    hidden = memory.say("2026-03-03", "Ines drinks coffee", ines, audience="named", readers=(operator.actor.pk,)).belief
    ids = [shown.pk, hidden.pk]
    assert prepared.rows(seen, by=operator, ids=ids) == sorted([shown, hidden], key=lambda one: one.pk)
    assert prepared.rows(seen, by=reader_agent, ids=ids) == [shown]


def test_rows_are_stored_as_bulk_create_stores_them(operator: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(prepared.MOST_AT_ONCE, connection.vendor, 4)
    at_once = [1, 1, 2, 3, 4, 9]

    def made(by: Principal, number: int) -> Served:
        return Served(
            workspace=by.workspace,
            actor=by.actor,
            form="recall" if number % 2 else Channel.MADE_UP,
            channel="rest",
            question="Where is the “tea”?\n%s",
            parameters={"limit": number, "kinds": ["memory"], "none": None},
            served_at=at("2026-03-02") + dt.timedelta(microseconds=number),
        )

    for count in at_once:
        stored, plainly = ([made(operator, number) for number in range(count)] for _ in range(2))
        prepared.insert(stored)
        Served.objects.bulk_create(plainly)
        for one, other in zip(stored, plainly, strict=True):
            found = [values_of(Served.objects.get(pk=row.pk)) for row in (one, other)]
            assert found[0] == found[1] | {"id": one.pk}  # type: ignore[operator]
            assert not one._state.adding
        filled = [made(operator, number) for number in range(count)]
        alike = {"workspace_id": operator.workspace.pk, "actor_id": operator.actor.pk, "channel": "rest"}
        names = ["id", "form", "question", "parameters", "served_at"]
        prepared.fill(Served, alike, names, [[getattr(one, name) for name in names] for one in filled])
        for one, other in zip(filled, plainly, strict=True):
            found = [values_of(Served.objects.get(pk=row.pk)) for row in (one, other)]
            assert found[0] == found[1] | {"id": one.pk}  # type: ignore[operator]
    with CaptureQueriesContext(connection) as queries:
        prepared.insert([])
        prepared.insert([made(operator, 1), made(operator, 2)])
    assert len(queries) == 1


def named_so(workspace: Workspace, keys: Sequence[str]) -> QuerySet[Actor]:
    return Actor.objects.filter(workspace=workspace, key__in=keys)


def test_rows_that_are_copied_are_sent_alike_however_many_there_are() -> None:
    """No statement is built for each number of them: what is kept stays small."""
    postgres: Any = SimpleNamespace(vendor="postgresql", ops=connection.ops)

    def never() -> Model:
        raise AssertionError("No row is looked at.")

    few, many = (storing._kept(Belief, count, postgres, never) for count in (storing.COPIED, 500))
    assert few is many


def test_rows_are_changed_as_update_changes_them(workspace: Workspace) -> None:
    desk, quay = (actor_named(workspace, Actor.Kind.AGENT, key, "Desk") for key in ("desk", "quay"))
    elsewhere = Workspace(pk=uuid.uuid4())
    assert prepared.change(named_so, workspace=workspace, keys=["desk"], to={"name": "Harbour desk"}) == 1
    assert prepared.change(named_so, workspace=workspace, keys=["desk", "quay"], to={"name": Upper("name")}) == 2
    assert prepared.change(named_so, workspace=elsewhere, keys=["desk"], to={"name": "Nobody's"}) == 0
    assert prepared.change(named_so, workspace=workspace, keys=[], to={"name": "Nobody's"}) == 0
    for one in (desk, quay):
        one.refresh_from_db()
    assert (desk.name, quay.name) == ("HARBOUR DESK", "DESK")


def test_a_row_that_the_database_refuses_is_refused(operator: Principal) -> None:
    twice = actor_named(operator.workspace, Actor.Kind.AGENT, "desk", "Desk")
    prepared.insert([Actor(workspace=operator.workspace, kind="agent", key="quay", name="Quay")])
    with pytest.raises(IntegrityError), transaction.atomic():
        prepared.insert([Actor(workspace=operator.workspace, kind="agent", key=twice.key, name="Desk")])
