"""However many cases wait, a page of the queue reads its own rows: each step is a range of an index, in order."""

from __future__ import annotations

import datetime as dt

import pytest
from django.db import connection
from django.db.models import QuerySet

from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import queries
from memoryapp.review.models import Case
from memoryapp.review.queries import BOUND, Count, Filters
from memoryapp.review.queries.queue import _behind
from tests.review.conftest import Letters

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

INDEXES = {"priority": ("case_queue",), "age": ("case_age", "case_newest"), "reach": ("case_reach",)}


@pytest.fixture
def many(operator: Principal, letters: Letters) -> list[Case]:
    """1,200 open cases of four priorities and three reaches."""

    def act(write: Write) -> list[Case]:
        return Case.objects.bulk_create(
            Case(
                workspace=write.workspace,
                kind="letter_pair",
                key=str(number),
                reason="Two letters look alike.",
                priority=number % 4 * 10,
                reach=number % 3,
                write=write,
                opened_at=write.recorded_at - dt.timedelta(minutes=number % 97),
            )
            for number in range(1200)
        )

    return record(operator, "open", act)


def plan(found: QuerySet[Case]) -> str:
    """How the engine would go about it; on PostgreSQL as it would with too many rows to read them all."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE review_case")
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SET LOCAL enable_bitmapscan = off")
    return found.explain()


@pytest.mark.parametrize("order", INDEXES)
def test_each_step_of_a_page_is_a_range_of_an_index(many: list[Case], reviewer: Principal, order: str) -> None:
    found = queries.queue(reviewer, Filters(order=order)).select_related(None)
    middle = found[600]
    for step in [found, *_behind(found, middle, order)]:
        how = plan(step[:51])
        assert any(index in how for index in INDEXES[order]), how
        assert "TEMP B-TREE" not in how, how
        assert "Sort Key: review_case" not in how or "Incremental" in how, how


def test_counts_stop_where_nobody_counts_on(many: list[Case], reviewer: Principal) -> None:
    waiting = queries.waiting(reviewer)
    assert (int(waiting.total), str(waiting.total)) == (BOUND + 1, "1,000+")
    assert str(queries.matching(reviewer, Filters(kind="letter_pair"))) == "1,000+"
    assert (str(Count(999)), f"{Count(7)}") == ("999", "7")


def test_a_deep_page_starts_where_the_one_before_ended(many: list[Case], reviewer: Principal) -> None:
    whole = list(queries.queue(reviewer))
    page = queries.listed(reviewer, size=50, after=whole[899])
    assert page.cases == whole[900:950]
    assert (page.before, page.after) == (True, True)
    assert queries.listed(reviewer, size=50, before=whole[900]).cases == whole[850:900]
    assert queries.next_after(reviewer, whole[-1]) == whole[0]
