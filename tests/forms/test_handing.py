"""A form handed out: to whom, about whom, until when; and the link under which it is filled about one thing."""

from __future__ import annotations

import datetime as dt
import re

import pytest

from formsengine.models import Form, FormResponse
from memoryapp.ledger.principal import Principal
from tests.forms.telling import Forms
from tests.graph.nodes.telling import Graph
from tests.visiting import client_of

AT = "/w/harbour/forms/"


@pytest.fixture
def at(forms: Forms) -> str:
    return f"{AT}{Form.objects.get().pk}/"


def test_everybody_named_gets_a_response_about_each_until_the_time(
    at: str, graph: Graph, reviewer: Principal, administrator: Principal
) -> None:
    graph.person("Ines Ferro")
    graph.person("Rui Dias")
    staff = client_of(reviewer)
    assert "Hand out" in staff.get(at).content.decode()
    to = [str(reviewer.actor.pk), str(administrator.actor.pk)]
    sent = {"to": to, "about": "Ines Ferro\nRui Dias", "due": "2026-06-01T17:00"}
    assert staff.post(f"{at}hand-out/", sent).status_code == 302
    given = FormResponse.objects.values_list("assigned_to__name", "subject__label")
    assert sorted(given) == [
        ("Admin", "Ines Ferro"),
        ("Admin", "Rui Dias"),
        ("Reviewer", "Ines Ferro"),
        ("Reviewer", "Rui Dias"),
    ]
    assert {one.due_at.date() for one in FormResponse.objects.all() if one.due_at} == {dt.date(2026, 6, 1)}
    assert "due" in client_of(administrator).get(AT).content.decode()


def test_what_is_sent_twice_from_one_page_is_handed_out_once(at: str, reviewer: Principal) -> None:
    staff = client_of(reviewer)

    def page() -> str:
        shown = staff.get(f"{at}hand-out/").content.decode()
        return str(re.findall(r'name="page" value="(\w+)"', shown)[0])

    sent = {"to": [str(reviewer.actor.pk)], "page": page()}
    answers = [staff.post(f"{at}hand-out/", sent) for _ in range(2)]
    assert [one.status_code for one in answers] == [302, 302]
    assert FormResponse.objects.count() == 1
    staff.post(f"{at}hand-out/", sent | {"page": page()})
    assert FormResponse.objects.count() == 2


def test_a_second_click_on_fill_goes_to_the_response_that_the_first_began(at: str, reviewer: Principal) -> None:
    """Gone back to after something was answered, the same page begins another."""
    staff = client_of(reviewer)
    keys = [re.findall(r'name="page" value="(\w+)"', staff.get(page).content.decode()) for page in (at, AT)]
    assert len({one for found in keys for one in found}) == 2
    sent = {"page": keys[0][0]}
    first, second = (staff.post(f"{at}open/", sent)["Location"] for _ in range(2))
    assert (first, FormResponse.objects.count()) == (second, 1)
    staff.post(first, {"base": "0", "step": "who", "shown": "name", "f:name": "Ana"})
    another, again = (staff.post(f"{at}open/", sent)["Location"] for _ in range(2))
    assert another == again != first
    assert FormResponse.objects.count() == 2


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"about": "Nobody Known"}, "Nothing in sight is called “Nobody Known”."),
        ({"due": "next week"}, "This is not a day and time."),
        ({"due": "0001-01-01T00:00+14:00"}, "This time falls outside the years 0001 to 9999 in UTC."),
        ({"due": "9999-12-31T23:59"}, "Nothing is due then."),
        ({"to": []}, "Say who is to fill it."),
        ({"to": ["somebody"]}, "This is no member."),
    ],
)
def test_what_cannot_be_is_named_and_nothing_is_opened(
    at: str, reviewer: Principal, wrong: dict[str, object], told: str
) -> None:
    sent = {"to": [str(reviewer.actor.pk)], "about": "", "due": ""} | wrong
    refused = client_of(reviewer).post(f"{at}hand-out/", sent)
    assert refused.status_code == 422
    assert told in refused.content.decode()
    assert not FormResponse.objects.exists()


def test_who_is_to_fill_it_is_given_a_day_that_can_be_told(forms: Forms, reviewer: Principal) -> None:
    opened, staff = forms.opened(), client_of(reviewer)
    at = f"{AT}responses/{opened.row.pk}/"
    for due in ("9999-12-31T23:59", "0001-01-01T00:00", "soon"):
        assert staff.post(f"{at}assign/", {"to": "", "due": due}).status_code == 302
        assert forms.row(opened).due_at is None
        assert staff.get(f"{at}beside/").status_code == 200


def test_a_link_about_one_thing_begins_the_form_or_goes_on_with_it(
    at: str, graph: Graph, reviewer: Principal, viewer: Principal
) -> None:
    ines = graph.person("Ines Ferro")
    staff, link = client_of(reviewer), f"{at}about/{ines.pk}/"
    assert "Go on with it" not in staff.get(link).content.decode()
    begun = staff.post(link)
    row = FormResponse.objects.get()
    assert (begun["Location"], row.subject) == (f"{AT}responses/{row.pk}/", ines)
    assert f"{AT}responses/{row.pk}/" in staff.get(link).content.decode()
    assert client_of(viewer).get(link).status_code == 403
    assert staff.get(f"{at}about/{row.pk}/").status_code == 404
