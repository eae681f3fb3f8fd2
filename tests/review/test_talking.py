"""Cases given to somebody and talked about, and what concerns whom."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.utils import timezone

from memoryapp.access.models import User
from memoryapp.doors.errors import Denied, Invalid
from memoryapp.ledger.models import Actor, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import queries, services
from memoryapp.review.models import Case, CaseRemark
from memoryapp.review.queries import Filters

pytestmark = pytest.mark.django_db


@pytest.fixture
def nadia(workspace: Workspace, person: Callable[..., Principal]) -> Principal:
    return person(workspace, "reviewer", "Nadia")


@pytest.fixture
def rui(workspace: Workspace, person: Callable[..., Principal]) -> Principal:
    return person(workspace, "curator", "Rui")


def give(by: Principal, case: Case, to: Actor | None) -> Case:
    return record(by, "assign", lambda write: services.assign(write, case.pk, to))


def say(by: Principal, case: Case, text: str) -> CaseRemark:
    return record(by, "remark", lambda write: services.remark(write, case.pk, text))


def concerns(by: Principal) -> list[tuple[str, str, str]]:
    return [(notice.what, notice.by.name, notice.words) for notice in queries.notices(by)]


def test_a_case_given_to_somebody_is_theirs_and_they_are_told(
    nadia: Principal, rui: Principal, opened: Callable[..., Case]
) -> None:
    case, other = opened("a"), opened("b")
    give(nadia, case, rui.actor)
    assert [one.pk for one in queries.queue(rui, Filters(assignee="me"))] == [case.pk]
    assert [one.pk for one in queries.queue(nadia, Filters(assignee="nobody"))] == [other.pk]
    assert [one.pk for one in queries.queue(nadia, Filters(assignee=str(rui.actor.pk)))] == [case.pk]
    assert concerns(rui) == [("assigned", "Nadia", "")]
    assert concerns(nadia) == []


def test_giving_changes_nothing_that_is_decided_on(
    nadia: Principal, rui: Principal, opened: Callable[..., Case]
) -> None:
    case = opened("a")
    given = give(nadia, case, rui.actor)
    assert given.lock == case.lock
    again = give(nadia, case, rui.actor)
    assert [row.assignee for row in queries.talk(nadia, again)] == [rui.actor]  # type: ignore[union-attr]
    nobody = give(rui, case, None)
    assert nobody.assignee is None
    assert len(queries.talk(nadia, nobody)) == 2


def test_only_who_may_decide_it_can_be_given_a_case(
    nadia: Principal, viewer: Principal, curator_agent: Principal, opened: Callable[..., Case]
) -> None:
    case = opened("a")
    for nobody in (viewer.actor, curator_agent.actor):
        with pytest.raises(Invalid) as refused:
            give(nadia, case, nobody)
        assert refused.value.violations[0].code == "not_a_reviewer"
    with pytest.raises(Denied):
        give(viewer, case, nadia.actor)
    with pytest.raises(Denied):
        say(viewer, case, "No.")


def test_what_is_said_reaches_whoever_has_the_case_decided_it_or_spoke_of_it(
    nadia: Principal, rui: Principal, administrator: Principal, opened: Callable[..., Case]
) -> None:
    case = opened("a")
    say(nadia, case, "The second letter is from their lawyer.")
    assert concerns(rui) == []
    say(rui, case, "So it counts more.")
    assert concerns(nadia) == [("remarked", "Rui", "So it counts more.")]
    say(administrator, case, "It does.")
    assert [words for _, _, words in concerns(rui)] == ["It does.", "The second letter is from their lawyer."]
    assert Case.objects.get(pk=case.pk).remarks_count == 3


def test_a_decision_of_ones_own_taken_back_by_another_is_told(
    nadia: Principal, rui: Principal, opened: Callable[..., Case]
) -> None:
    case = opened("a")
    verdict = queries.shown(nadia, case).kind.verdicts[0].key
    decision = record(nadia, "decide", lambda w: services.decide(w, case.pk, lock=case.lock, verdict=verdict), "So.")
    record(rui, "undo", lambda write: services.undo(write, decision.pk), "They are brothers.")
    assert concerns(nadia) == [("undone", "Rui", "They are brothers.")]


def test_what_was_seen_is_no_longer_new(nadia: Principal, rui: Principal, opened: Callable[..., Case]) -> None:
    case = opened("a")
    give(nadia, case, rui.actor)
    assert queries.unread(rui)
    assert not queries.unread(nadia)
    record(rui, "read_notices", lambda write: services.read_notices(write, timezone.now()))
    assert not queries.unread(rui)
    assert [notice.new for notice in queries.notices(rui)] == [False]
    say(nadia, case, "Soon, please.")
    assert queries.unread(rui)
    assert [notice.new for notice in queries.notices(rui)] == [True, False]


@pytest.mark.parametrize("text", ["", "  \n", "\x00", "x" * 4001])
def test_a_remark_says_something_and_not_a_book(nadia: Principal, opened: Callable[..., Case], text: str) -> None:
    case = opened("a")
    with pytest.raises(Invalid):
        say(nadia, case, text)
    assert not CaseRemark.objects.exists()


def test_a_remark_is_never_changed_or_deleted(nadia: Principal, opened: Callable[..., Case]) -> None:
    said = say(nadia, opened("a"), "Ask her.")
    for act in (
        lambda: CaseRemark.objects.filter(pk=said.pk).update(text="Do not ask her."),
        lambda: CaseRemark.objects.filter(pk=said.pk).delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            act()


def browser_of(member: Principal) -> Client:
    client = Client()
    client.force_login(User.objects.get(memberships__actor=member.actor))
    return client


def test_talk_and_for_you_in_the_browser(nadia: Principal, rui: Principal, opened: Callable[..., Case]) -> None:
    case = opened("a")
    at = f"/w/harbour/queue/{case.pk}/talk/"
    hers, his = browser_of(nadia), browser_of(rui)
    refused = hers.post(f"{at}remark/", {"text": " "})
    assert refused.status_code == 422
    assert hers.post(f"{at}remark/", {"text": "Ask <b>her</b>."}).status_code == 302
    assert hers.post(f"{at}assign/", {"assignee": str(rui.actor.pk)}).status_code == 302
    page = words(hers.get(at))
    assert "Ask &lt;b&gt;her&lt;/b&gt;." in page
    assert "Given to Rui" in page
    assert "For Rui" in words(his.get(f"/w/harbour/queue/{case.pk}/"))
    assert "Something concerns you" in words(his.get("/w/harbour/"))
    assert "Given to you" in words(his.get("/w/harbour/for-you/"))
    assert his.post("/w/harbour/for-you/read/", {"until": "soon"}).status_code == 422
    assert his.post("/w/harbour/for-you/read/", {"until": "2026-01-01T00:00:00+00:00"}).status_code == 302
    assert "Something concerns you" in words(his.get("/w/harbour/"))
    shown = re.search(r'name="until" value="([^"]+)"', words(his.get("/w/harbour/for-you/")))
    assert shown
    assert his.post("/w/harbour/for-you/read/", {"until": shown.group(1)}).status_code == 302
    assert "Something concerns you" not in words(his.get("/w/harbour/"))
    assert hers.post(f"{at}assign/", {"assignee": "nonsense"}).status_code == 422


def words(response: Any) -> str:
    assert response.status_code == 200
    return str(response.content.decode())
