"""What must hold of beliefs, by number: through the services, and against direct SQL where the number says so."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import Model
from django.db.utils import DatabaseError

from memoryapp.doors.errors import Invalid
from memoryapp.graph import services as graph
from memoryapp.graph.models import Belief, BeliefState, Node, Relation, RelationPlayer
from memoryapp.graph.queries import views
from memoryapp.graph.statements import Moment, Quoted, Statement
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from tests.graph.telling import Memory, at

pytestmark = pytest.mark.django_db


@pytest.fixture
def memory(operator: Principal) -> Memory:
    return Memory(operator)


@pytest.fixture
def ines(memory: Memory) -> Node:
    return memory.node("Ines")


@pytest.fixture
def belief(memory: Memory, ines: Node) -> Belief:
    return memory.say("2026-03-02", "Ines prefers tea", ines).belief


def insert(belief: Belief, **columns: Any) -> None:
    """Insert a copy of the belief's row by SQL, with these columns otherwise."""
    names = [field.column for field in Belief._meta.concrete_fields]
    chosen = [f"%({name})s" if name in columns else f'"{name}"' for name in names]
    fresh = Belief(workspace=belief.workspace).pk
    columns.setdefault("id", fresh.hex if connection.vendor == "sqlite" else fresh)
    chosen[names.index("id")] = "%(id)s"
    listed = ", ".join(f'"{name}"' for name in names)
    condition = belief.pk.hex if connection.vendor == "sqlite" else belief.pk
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO graph_belief ({listed}) SELECT {', '.join(chosen)} FROM graph_belief WHERE id = %(from)s",
            columns | {"from": condition},
        )


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"kind": "memory"}, id="T1 an abstract kind"),
        pytest.param({"kind": "preferance"}, id="an undeclared kind"),
        pytest.param({"content": ""}, id="T5 no content"),
        pytest.param({"content": "   "}, id="T5 blank content"),
        pytest.param({"status": None}, id="T5 no status"),
        pytest.param({"recorded_at": None}, id="T5 no time of recording"),
        pytest.param({"status": "live"}, id="T7 an unknown status"),
        pytest.param({"confidence": -0.1}, id="T8 below the range"),
        pytest.param({"confidence": 100.1}, id="T8 above the range"),
        pytest.param({"confidence": float("nan")}, id="T8 not a number"),
        pytest.param({"valid_to": "2001-01-01 00:00:00+00:00"}, id="T38 an end before the beginning"),
        pytest.param({"audience": "everybody"}, id="an unknown audience"),
    ],
)
def test_the_database_refuses_a_belief_that_cannot_be(belief: Belief, columns: dict[str, Any]) -> None:
    if columns.get("confidence") != columns.get("confidence") and connection.vendor == "sqlite":
        columns = {"confidence": 101.0}  # SQLite stores NaN as NULL: no confidence at all.
    with pytest.raises(DatabaseError):
        insert(belief, **columns)
    assert Belief.objects.count() == 1


@pytest.mark.parametrize("confidence", [0.0, 100.0])
def test_t8_the_ends_of_the_range_are_in_it(belief: Belief, confidence: float) -> None:
    insert(belief, confidence=confidence)
    assert Belief.objects.count() == 2


def test_the_database_refuses_a_status_without_a_state_and_a_changed_or_deleted_row(belief: Belief) -> None:
    for change in ({"status": "archived"}, {"lock": 2}, {"content": "Ines prefers rum"}, {"kind": "decision"}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Belief.objects.filter(pk=belief.pk).update(**change)
    for rows in (Belief.objects.all(), BeliefState.objects.all(), RelationPlayer.objects.all()):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {rows.model._meta.db_table}")
    with pytest.raises(DatabaseError), transaction.atomic():
        BeliefState.objects.filter(belief=belief).update(status="archived")


@pytest.mark.parametrize(
    ("fields", "code", "path"),
    [
        pytest.param({"content": ""}, "content_blank", "/content", id="T5"),
        pytest.param({"content": " \n "}, "content_blank", "/content", id="T5 spaces"),
        pytest.param({"content": "a\x00b"}, "unreadable_text", "/content", id="NUL"),
        pytest.param({"content": "a\ud800b"}, "unreadable_text", "/content", id="a lone surrogate"),
        pytest.param({"kind": "memory"}, "abstract_type", "/kind", id="T1"),
        pytest.param({"kind": "preferance"}, "undeclared_kind", "/kind", id="an undeclared kind"),
        pytest.param({"kind": ""}, "undeclared_kind", "/kind", id="no kind"),
        pytest.param({"confidence": -0.1}, "confidence_out_of_range", "/confidence", id="T8 below"),
        pytest.param({"confidence": 100.1}, "confidence_out_of_range", "/confidence", id="T8 above"),
        pytest.param({"confidence": float("nan")}, "confidence_out_of_range", "/confidence", id="T8 NaN"),
        pytest.param({"confidence": True}, "confidence_out_of_range", "/confidence", id="T8 true"),
        pytest.param({"evidence": ()}, "nothing_to_stand_on", "/evidence", id="T38 T11"),
        pytest.param({"audience": "everybody"}, "unknown_audience", "/audience", id="audience"),
        pytest.param({"audience": "named"}, "no_readers", "/readers", id="no readers"),
        pytest.param({"owners": (), "audience": "owners"}, "no_owner", "/audience", id="no owner"),
        pytest.param({"attributes": {"colour": "red"}}, "undeclared_attribute", "/attributes/colour", id="attribute"),
        pytest.param({"value": 3}, "predicate_missing", "/predicate", id="a value of nothing"),
        pytest.param(
            {"valid_from": Moment(dt.datetime(2026, 3, 1))},
            "naive_time",
            "/valid_from",
            id="T36 a naive time",
        ),
        pytest.param(
            {"valid_from": Moment(at("2026-03-01")), "valid_to": Moment(at("2026-02-01"))},
            "valid_to_before_valid_from",
            "/valid_to",
            id="T38 backwards",
        ),
    ],
)
def test_a_statement_that_cannot_be_is_refused_with_its_place_and_what_is_accepted(
    memory: Memory, ines: Node, fields: dict[str, Any], code: str, path: str
) -> None:
    given: dict[str, Any] = {"content": "Ines prefers tea", "kind": "preference"} | fields
    owners = given.pop("owners", (ines.pk,))
    evidence = given.pop("evidence", (Quoted(memory.source("2026-03-02")),))
    statement = Statement(owners=owners, evidence=evidence, **given)
    with pytest.raises(Invalid) as refused:
        memory.do(lambda write: graph.remember(write, statement))
    assert [(one.code, one.path) for one in refused.value.violations] == [(code, path)]
    assert refused.value.violations[0].accepted or code in ("content_blank",)
    assert not Belief.objects.exists()


def test_a_quote_that_is_not_in_its_source_is_refused(memory: Memory, ines: Node) -> None:
    source = memory.source("2026-03-02", "tea")
    for start, end in ((0, 4), (2, 2), (-1, 2), (0, None)):
        with pytest.raises(Invalid, match="quoted span"):
            memory.say("2026-03-02", "Ines prefers tea", ines, evidence=(Quoted(source, start, end),))


def test_t11_one_sourcing_may_hold_three_sources(memory: Memory, ines: Node) -> None:
    sources = [memory.source(f"2026-03-0{day}") for day in (4, 2, 3)]
    belief = memory.say("2026-03-02", "Ines prefers tea", ines, evidence=tuple(map(Quoted, sources))).belief
    assert belief.valid_from == at("2026-03-02")
    sourcing = Relation.objects.get(kind="sourcing")
    assert sourcing.players.filter(role="evidence").count() == 3


def test_t14_one_belief_may_be_owned_by_two_each_by_a_link_of_its_own(memory: Memory, ines: Node) -> None:
    tomas = memory.node("Tomas")
    memory.say("2026-03-02", "Tea at four", ines, tomas)
    assert Relation.objects.filter(kind="ownership", state="activated").count() == 2


def test_t32_one_bad_row_in_a_hundred_stores_none_and_every_violation_names_its_row(memory: Memory, ines: Node) -> None:
    quoted = (Quoted(memory.source("2026-03-02")),)
    rows = [
        Statement(kind="preference", content=f"Preference {number}", owners=(ines.pk,), evidence=quoted)
        for number in range(100)
    ]
    rows[17] = Statement(kind="preference", content=" ", owners=(ines.pk,), evidence=quoted)
    rows[61] = Statement(kind="nothing", content="x", owners=(ines.pk,))
    with pytest.raises(Invalid) as refused:
        memory.do(lambda write: graph.remember_all(write, rows))
    assert [(one.row, one.code) for one in refused.value.violations] == [
        (17, "content_blank"),
        (61, "undeclared_kind"),
        (61, "nothing_to_stand_on"),
    ]
    assert not Belief.objects.exists()


def test_a_batch_of_a_hundred_costs_at_most_ten_times_one(memory: Memory, ines: Node) -> None:
    from django.test.utils import CaptureQueriesContext

    def cost(count: int, start: int) -> int:
        quoted = (Quoted(memory.source("2026-03-02")),)
        rows = [
            Statement(kind="preference", content=f"Preference {start + n}", owners=(ines.pk,), evidence=quoted)
            for n in range(count)
        ]
        with CaptureQueriesContext(connection) as captured:
            memory.do(lambda write: graph.remember_all(write, rows))
        return len(captured)

    one = cost(1, 0)
    assert cost(100, 1000) <= 10 * one


def test_rows_of_one_batch_see_each_other(memory: Memory, ines: Node) -> None:
    sources = [Quoted(memory.source(f"2026-03-0{day}")) for day in (1, 2, 3)]
    rows = [
        Statement(kind="preference", content=text, owners=(ines.pk,), topic="diet", evidence=(quoted,))
        for text, quoted in zip(("No fish", "no fish.", "Fish on Fridays"), sources, strict=True)
    ]
    outcomes = [one.outcome for one in memory.do(lambda write: graph.remember_all(write, rows))]
    assert outcomes == ["created", "said_again", "resolving"]


def test_t36_half_past_eleven_in_the_evening_at_minus_five_is_that_day_there(memory: Memory, ines: Node) -> None:
    local = dt.datetime(2026, 3, 2, 23, 30, tzinfo=dt.timezone(-dt.timedelta(hours=5)))
    belief = memory.say("2026-03-01", "Ines prefers tea", ines, valid_from=Moment(local)).belief
    belief.refresh_from_db()
    assert belief.valid_from == local
    assert belief.valid_from.astimezone(local.tzinfo).date() == dt.date(2026, 3, 2)


def test_case_13_what_is_told_late_holds_from_when_it_was_said(memory: Memory, ines: Node) -> None:
    belief = memory.say("2019-04-02", "We adopted the blue form", ines, kind="decision").belief
    assert belief.valid_from == at("2019-04-02")
    assert belief.recorded_at.year >= 2026


def test_t38_a_supersession_of_itself_in_a_circle_by_two_or_across_owners_is_refused(
    memory: Memory, ines: Node
) -> None:
    tomas = memory.node("Tomas")
    one, two, three = (memory.say(f"2026-03-0{day}", f"Tea {day}", ines).belief for day in (1, 2, 3))
    theirs = memory.say("2026-03-04", "Tea 4", tomas).belief

    def code(older: Belief, newer: Belief) -> str:
        with pytest.raises(Exception) as refused:  # noqa: PT011
            memory.do(lambda write: graph.supersede(write, older, newer, reason="So."))
        return str(getattr(refused.value, "code", refused.value))

    memory.do(lambda write: graph.supersede(write, one, two, reason="So."))
    assert code(one, one) == "supersession_of_itself"
    assert code(two, one) == "supersession_circle"
    assert code(one, three) == "already_superseded"
    assert code(two, theirs) == "owners_differ"


def test_t38_a_conclusion_is_not_among_its_own_premises(memory: Memory, ines: Node) -> None:
    belief = memory.say("2026-03-01", "Ines is calm", ines, kind="insight").belief
    with pytest.raises(Invalid, match="one of its premises"):
        memory.say("2026-03-01", "Ines is calm", ines, kind="insight", evidence=(), premises=(belief.pk,))


def test_t40_ended_and_never_right_answer_differently_for_a_past_time(memory: Memory, ines: Node) -> None:
    """Case 140: on both axes."""
    ended = memory.say("2026-03-01", "Ended", ines).belief
    wrong = memory.say("2026-03-01", "Wrong", ines).belief
    before = views.now(memory.by.workspace)
    memory.do(lambda write: graph.retire(write, ended, reason="Over.", at=Moment(at("2026-05-01"))))
    memory.do(lambda write: graph.retract(write, wrong, reason="Never."))

    def held(**when: Any) -> list[str]:
        return sorted(belief.content for belief in views.as_of(memory.by, **when))

    assert held(valid_at=at("2026-04-01")) == ["Ended"]
    assert held(valid_at=at("2026-04-01"), known_at=before) == ["Ended", "Wrong"]
    assert held(valid_at=at("2026-06-01"), known_at=before) == ["Ended", "Wrong"]
    assert held() == []


def test_c11_without_its_provenance_nothing_is_written(memory: Memory, ines: Node) -> None:
    quoted = (Quoted(memory.source("2026-03-02")),)
    statement = Statement(kind="preference", content="Ines prefers tea", owners=(ines.pk,), evidence=quoted)
    for model in (Write, BeliefState):
        with _full_at(model), pytest.raises(DatabaseError):
            memory.do(lambda write: graph.remember(write, statement))
    assert not Belief.objects.exists()


def _full_at(model: type[Model]) -> AbstractContextManager[Any]:
    """The disk is full at the moment that rows of this table are stored."""
    table = f'INSERT INTO "{model._meta.db_table}"'

    def full(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if sql.startswith(table):
            raise DatabaseError("full")
        return execute(sql, *rest)

    return connection.execute_wrapper(full)


def test_whoever_may_only_look_may_not_remember(memory: Memory, ines: Node, agent: Callable[..., Principal]) -> None:
    from memoryapp.doors.errors import Denied

    reader = agent(memory.by.workspace, ["lookup", "recall"])
    statement = Statement(
        kind="preference", content="x", owners=(ines.pk,), evidence=(Quoted(memory.source("2026-03-02")),)
    )
    for act in (graph.remember, lambda write, one: graph.remember_all(write, [one])):
        with pytest.raises(Denied):
            record(reader, "remember", lambda write, act=act: act(write, statement))
    assert not Belief.objects.exists()
