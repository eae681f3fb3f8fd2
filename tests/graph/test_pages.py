"""Beliefs in the console: looked through, explained in full, and changed by people who may."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.graph.models import Belief, Node
from memoryapp.graph.models.beliefs import Audience
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from tests.graph.telling import Memory
from tests.visiting import client_of, tell_a_story

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def curator(workspace: Workspace, person: Callable[..., Principal]) -> Principal:
    return person(workspace, "curator", "Nadia")


@pytest.fixture
def story(curator_agent: Principal, work: Callable[[], int]) -> Any:
    return tell_a_story(curator_agent, work)


def belief_about(words: str) -> Belief:
    return Belief.objects.get(content__icontains=words)


def text_of(response: Any) -> str:
    words: str = response.content.decode()
    return words


def test_the_list_shows_what_is_current_and_the_past_only_when_asked(story: Any, curator: Principal) -> None:
    client = client_of(curator)
    current = text_of(client.get("/w/harbour/beliefs/"))
    assert "weekly status emails" in current
    assert "monthly summary is enough" not in current
    waiting = text_of(client.get("/w/harbour/beliefs/?show=resolving"))
    assert "monthly summary is enough" in waiting
    assert "weekly status emails" not in waiting


def test_filters_live_in_the_address_and_each_can_be_taken_away(story: Any, curator: Principal) -> None:
    client = client_of(curator)
    ines = Node.objects.get(label="Ines Ferro")
    shown = text_of(client.get(f"/w/harbour/beliefs/?q=oak+library&kind=decision&owner={ines.pk}"))
    assert "oak for the library stairs" in shown
    assert "bullet points" not in shown
    assert "About Ines Ferro" in shown
    nothing = text_of(client.get("/w/harbour/beliefs/?q=zebra"))
    assert "Nothing matches these filters" in nothing
    assert client.get("/w/harbour/beliefs/?kind=no_such_kind").status_code == 422
    assert client.get("/w/harbour/beliefs/?owner=nobody").status_code == 422
    assert client.get("/w/harbour/beliefs/?after=forged").status_code == 400


def test_a_belief_is_explained_in_full(story: Any, curator: Principal) -> None:
    """R10, R11"""
    shown = text_of(client_of(curator).get(f"/w/harbour/beliefs/{belief_about('monthly summary').pk}/"))
    assert "<mark>A monthly summary is enough from now on</mark>" in shown
    assert "Anything to change?" in shown, "the turn before"
    assert "I prefer bullet points" in shown, "the turn after"
    assert "It waits for a verdict" in shown
    assert "weekly status emails" in shown, "what it contradicts"
    assert "How it was proposed" in shown
    assert "acceptance policy" in shown, "who recorded it"


def test_a_conclusion_shows_what_it_was_drawn_from_and_premises_what_was_drawn_from_them(
    story: Any, curator: Principal, operator: Principal
) -> None:
    memory = Memory(curator, operator)
    weekly, bullets = belief_about("weekly"), belief_about("bullet points")
    first = memory.conclude("Ines Ferro reads short, regular pieces.", weekly, bullets)
    second = memory.conclude("Send Ines Ferro three points a week.", first)
    client = client_of(curator)
    shown = text_of(client.get(f"/w/harbour/beliefs/{second.pk}/"))
    for words in (first.content, weekly.content, "weekly status emails", 'id="opens-graph"'):
        assert words in shown
    assert second.content in text_of(client.get(f"/w/harbour/beliefs/{weekly.pk}/")) or first.content in text_of(
        client.get(f"/w/harbour/beliefs/{weekly.pk}/")
    )


def test_an_edit_becomes_a_belief_of_its_own_and_both_name_each_other(story: Any, curator: Principal) -> None:
    """R9: supersession both ways."""
    client = client_of(curator)
    old = belief_about("bullet points")
    address = f"/w/harbour/beliefs/{old.pk}/edit/"
    form = text_of(client.get(address))
    assert old.content in form
    typed = {"said": "Ines Ferro prefers lists to paragraphs", "reason": "Her words.", "lock": old.lock}
    saved = client.post(address, typed | {"valid_from": "2026-06-15T18:23", "valid_to": ""})
    new = belief_about("prefers lists")
    assert saved["Location"] == f"/w/harbour/beliefs/{new.pk}/"
    assert "It took the place of" in text_of(client.get(saved["Location"]))
    assert "Its place was taken by" in text_of(client.get(f"/w/harbour/beliefs/{old.pk}/"))


def test_a_change_drawn_against_an_older_state_is_refused_and_keeps_what_was_typed(
    story: Any, curator: Principal
) -> None:
    client = client_of(curator)
    belief = belief_about("bullet points")
    typed = {"reason": "She changed her mind.", "lock": belief.lock, "at": ""}
    assert client.post(f"/w/harbour/beliefs/{belief.pk}/retire/", typed).status_code == 302
    late = client.post(f"/w/harbour/beliefs/{belief.pk}/retract/", typed)
    assert late.status_code == 412
    assert "It changed since you opened this page" in text_of(late)
    assert "She changed her mind." in text_of(late)
    belief.refresh_from_db()
    assert belief.standing == "ended"


def test_what_is_over_can_be_held_again(story: Any, curator: Principal) -> None:
    """R15"""
    client = client_of(curator)
    belief = belief_about("bullet points")
    client.post(f"/w/harbour/beliefs/{belief.pk}/retire/", {"reason": "Over.", "lock": belief.lock, "at": ""})
    belief.refresh_from_db()
    assert belief.status == "archived"
    client.post(f"/w/harbour/beliefs/{belief.pk}/reinstate/", {"reason": "A slip.", "lock": belief.lock})
    belief.refresh_from_db()
    assert belief.status == "activated"
    history = text_of(client.get(f"/w/harbour/beliefs/{belief.pk}/"))
    assert "A slip." in history
    assert "Over." in history


@pytest.mark.parametrize(
    ("typed", "told"),
    [({"reason": " "}, "without a reason"), ({"reason": "Over.", "at": "last week"}, "is not a time"), ({}, "reason")],
)
def test_a_change_that_cannot_be_is_refused_in_words_and_changes_nothing(
    story: Any, curator: Principal, typed: dict[str, str], told: str
) -> None:
    belief = belief_about("bullet points")
    sent = {"lock": belief.lock, "at": ""} | typed
    refused = client_of(curator).post(f"/w/harbour/beliefs/{belief.pk}/retire/", sent)
    assert refused.status_code == 422
    assert told in text_of(refused)
    assert Belief.objects.get(pk=belief.pk).lock == belief.lock


def test_who_may_only_look_sees_no_way_to_change_and_is_refused(story: Any, viewer: Principal) -> None:
    """L4"""
    client = client_of(viewer)
    belief = belief_about("bullet points")
    shown = text_of(client.get(f"/w/harbour/beliefs/{belief.pk}/"))
    assert "/edit/" not in shown
    for verb in ("edit", "retire", "retract", "reinstate"):
        assert client.get(f"/w/harbour/beliefs/{belief.pk}/{verb}/").status_code == 403
        assert client.post(f"/w/harbour/beliefs/{belief.pk}/{verb}/", {"reason": "x"}).status_code == 403


def test_a_belief_outside_the_audience_does_not_exist(story: Any, curator: Principal, operator: Principal) -> None:
    """R6"""
    from memoryapp.graph.services import change_audience

    belief = belief_about("bullet points")
    record(
        operator,
        "narrow",
        lambda write: change_audience(write, belief, audience=Audience.OWNERS, reason="Only for her."),
    )
    client = client_of(curator)
    assert client.get(f"/w/harbour/beliefs/{belief.pk}/").status_code == 404
    assert client.get(f"/w/harbour/beliefs/{belief.pk}/edit/").status_code == 404
    for page in ("beliefs/?show=everything", f"conversations/{story['Fewer emails'].pk}/", ""):
        assert "bullet points to long paragraphs</a>" not in text_of(client.get(f"/w/harbour/{page}"))


def test_a_node_shows_what_is_held_of_it_now_and_on_an_earlier_day(story: Any, curator: Principal) -> None:
    ines = Node.objects.get(label="Ines Ferro")
    client = client_of(curator)
    now = text_of(client.get(f"/w/harbour/nodes/{ines.pk}/"))
    assert "ines@ferro.example" in now
    assert "bullet points" in now
    then = text_of(client.get(f"/w/harbour/nodes/{ines.pk}/?at=2026-04-01"))
    assert "weekly status emails" in then
    assert "bullet points" not in then
    assert client.get(f"/w/harbour/nodes/{ines.pk}/?at=soon").status_code == 422
