"""The queue: what matters most first, then what has waited longest; claimed softly, snoozed, counted."""

import datetime as dt
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.doors.errors import Conflict, Denied, Invalid
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import queries, services
from memoryapp.review.models import Case
from memoryapp.review.queries import Filters, counting, holding
from memoryapp.review.services import Subject
from memoryapp.sources.models import Thread
from tests.review.conftest import Letters

pytestmark = pytest.mark.django_db
Open = Callable[..., Case]


def keys(by: Principal, **filters: object) -> list[str]:
    return [case.key for case in queries.queue(by, Filters(**filters))]  # type: ignore[arg-type]


def test_the_queue_is_in_the_order_of_priority_then_age(opened: Open, reviewer: Principal) -> None:
    opened("old"), opened("urgent", priority=90), opened("new")
    assert keys(reviewer) == ["urgent", "old", "new"]


def test_after_one_case_comes_the_next_and_after_the_last_the_first(opened: Open, reviewer: Principal) -> None:
    old, urgent, new = opened("old"), opened("urgent", priority=90), opened("new")
    assert queries.next_after(reviewer, urgent) == old
    assert queries.next_after(reviewer, old) == new
    assert queries.next_after(reviewer, new) == urgent
    for case in (old, urgent):
        record(reviewer, "decide", lambda write, case=case: services.decide(write, case.pk, lock=1, verdict="same"))  # type: ignore[misc]
    assert queries.next_after(reviewer, urgent) == new
    assert queries.next_after(reviewer, new) is None


def test_a_claim_is_seen_ends_by_itself_and_may_be_taken_over(
    opened: Open, reviewer: Principal, administrator: Principal
) -> None:
    case, free = opened("mine"), opened("free")
    claimed = record(reviewer, "claim", lambda write: services.claim(write, case.pk))
    assert claimed.claimed_until is not None
    assert claimed.claimed_until - claimed.opened_at > dt.timedelta(minutes=14)
    assert keys(reviewer, assignee="me") == ["mine"]
    assert keys(reviewer, assignee="nobody") == ["free"]
    assert keys(reviewer, assignee=str(reviewer.actor.pk)) == ["mine"]
    assert queries.waiting(reviewer).mine == 1
    record(administrator, "claim", lambda write: services.claim(write, case.pk))
    assert keys(reviewer, assignee="me") == []
    record(reviewer, "release", lambda write: services.release(write, case.pk))
    assert keys(administrator, assignee="me") == ["mine"]
    record(administrator, "release", lambda write: services.release(write, case.pk))
    assert keys(reviewer, assignee="nobody") == ["mine", "free"]
    assert queries.case(reviewer, free.pk).lock == 1


def test_a_lease_that_has_run_out_claims_nothing(opened: Open, reviewer: Principal) -> None:
    case = opened()
    record(reviewer, "claim", lambda write: services.claim(write, case.pk))
    Case.objects.filter(pk=case.pk).update(claimed_until=dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
    assert keys(reviewer, assignee="me") == []
    assert keys(reviewer, assignee="nobody") == ["a|b"]


def test_a_snoozed_case_is_out_of_the_queue_until_its_time(opened: Open, reviewer: Principal) -> None:
    case = opened("later")
    opened("now")
    tomorrow = case.opened_at + dt.timedelta(days=1)
    record(reviewer, "snooze", lambda write: services.snooze(write, case.pk, tomorrow))
    assert keys(reviewer) == ["now"]
    assert keys(reviewer, snoozed=True) == ["later", "now"]
    assert (queries.waiting(reviewer).total, queries.waiting(reviewer).snoozed) == (1, 1)
    record(reviewer, "wake", lambda write: services.wake(write, case.pk))
    assert keys(reviewer) == ["later", "now"]
    with pytest.raises(Invalid):
        record(reviewer, "snooze", lambda write: services.snooze(write, case.pk, case.opened_at))


def test_a_closed_case_is_neither_claimed_nor_snoozed(opened: Open, reviewer: Principal, viewer: Principal) -> None:
    case = opened()
    with pytest.raises(Denied):
        record(viewer, "claim", lambda write: services.claim(write, case.pk))
    record(reviewer, "decide", lambda write: services.decide(write, case.pk, lock=1, verdict="same"))
    with pytest.raises(Conflict):
        record(reviewer, "claim", lambda write: services.claim(write, case.pk))


def test_filters_find_by_kind_state_age_words_and_subject(
    opened: Open, reviewer: Principal, operator: Principal
) -> None:
    thread = record(
        operator,
        "tell",
        lambda write: Thread.objects.create(
            workspace=write.workspace, title="Harbour dues", write=write, recorded_at=write.recorded_at
        ),
    )
    letter = new_id()
    opened("letters", subjects=[Subject("letter", "letter", letter)])
    opened("thread", subjects=[Subject("thread", "thread", thread.pk)])
    assert keys(reviewer, kind="letter_pair") == ["letters", "thread"]
    assert keys(reviewer, text="HARBOUR") == ["thread"]
    assert keys(reviewer, text="look alike") == ["letters", "thread"]
    assert keys(reviewer, subject=letter) == ["letters"]
    assert keys(reviewer, older_than=dt.timedelta(hours=1)) == []
    assert keys(reviewer, state="decided") == []
    for wrong in ({"kind": "nonsense"}, {"assignee": "everybody"}, {"state": "lost"}):
        with pytest.raises(Invalid) as refused:
            keys(reviewer, **wrong)
        assert refused.value.violations[0].accepted


@pytest.mark.sql
@pytest.mark.parametrize("few", [2000, 2, 1])
def test_words_are_looked_for_once_and_found_alike_however_many_cases_hold_them(
    opened: Open, reviewer: Principal, operator: Principal, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """Known by their ids where they are few, and of too many only the first: the list, its order and its count are the
    same, and of few no second question goes through any words."""
    monkeypatch.setattr(holding, "FEW", few)
    monkeypatch.setattr(counting, "BOUND", 1)
    for number, priority in enumerate((10, 70, 40)):
        opened(f"{number}|x", priority=priority)
    opened("other", reason="Something else.")
    plain = Filters(text="look alike")
    with CaptureQueriesContext(connection) as asked:
        sought = queries.narrowed(reviewer, plain)
        found = queries.listed(reviewer, sought, size=50)
        queries.matching(reviewer, sought)
        following = queries.next_after(reviewer, found.cases[0], sought)
    assert [case.key for case in found.cases] == keys(reviewer, text="look alike") == ["1|x", "2|x", "0|x"]
    assert following == found.cases[1]
    assert queries.matching(reviewer, sought) == queries.matching(reviewer, plain) == 2
    if few == 2000:
        assert sum("look alike" in query["sql"].lower() for query in asked) == 1
        assert queries.narrowed(reviewer, sought) is sought
    assert queries.narrowed(reviewer, Filters()) == Filters()


def test_the_counts_say_how_much_waits_and_since_when(opened: Open, reviewer: Principal, letters: Letters) -> None:
    assert queries.waiting(reviewer).oldest is None
    first = opened("a")
    opened("b")
    with CaptureQueriesContext(connection) as counting:
        waiting = queries.waiting(reviewer)
    assert (waiting.total, waiting.by_kind, waiting.oldest) == (2, {"letter_pair": 2}, first.opened_at)
    assert len(counting) == 1


def test_a_case_is_shown_with_its_verdicts_a_suggestion_and_its_history(
    opened: Open, reviewer: Principal, letters: Letters
) -> None:
    case = opened("a|b")
    letters.blocked = {"different": "They are the same paper."}
    shown = queries.presented(reviewer, case.pk)
    assert shown.view == {"key": "a|b"}
    assert [(choice.digit, choice.verdict.key, choice.blocked) for choice in shown.choices] == [
        (1, "same", ""),
        (2, "at_times", ""),
        (3, "different", "They are the same paper."),
    ]
    assert shown.suggestion is not None
    assert shown.suggestion.verdict == "same"
    record(reviewer, "decide", lambda write: services.decide(write, case.pk, lock=1, verdict="same"))
    after = queries.presented(reviewer, case.pk)
    assert [change.change for change in after.changes] == ["opened", "decided"]
    assert [decision.decided_by for decision in after.decisions] == [reviewer.actor]
    assert after.suggestion is None


def test_a_case_of_a_sort_nobody_registered_is_a_mistake_of_the_product(opened: Open) -> None:
    with pytest.raises(ValueError, match="not registered"):
        opened(subjects=[Subject("ghost", "ghost", new_id())])
