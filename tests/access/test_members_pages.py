"""Members in the console: let in, given another role, taken out; in force from their next request."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from memoryapp.access.models import AccessChange, Membership, User
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from tests.visiting import client_of

pytestmark = pytest.mark.django_db(transaction=True)

MEMBERS = "/w/harbour/members/"


def text_of(response: Any) -> str:
    words: str = response.content.decode()
    return words


def page_of(by: Principal) -> str:
    return f"{MEMBERS}{by.actor.membership.pk}/"


def test_somebody_new_gets_an_account_whose_password_is_shown_once_and_works(administrator: Principal) -> None:
    client = client_of(administrator)
    made = client.post(MEMBERS, {"username": "ines", "name": "Ines Ferro", "role": "reviewer"})
    found = re.search(r'<code id="new-password">([^<]+)</code>', text_of(made))
    assert found
    assert "no-store" in made["Cache-Control"]
    assert found.group(1) not in text_of(client.get(MEMBERS))
    theirs = Client()
    theirs.post("/sign-in/", {"username": "ines", "password": found.group(1)})
    assert theirs.get("/w/harbour/queue/").status_code == 200
    assert theirs.get(MEMBERS).status_code == 403


def test_somebody_with_an_account_is_let_in_with_it(
    administrator: Principal, other_workspace: Workspace, person: Callable[..., Principal]
) -> None:
    elsewhere = person(other_workspace, "admin", "Otto")
    made = client_of(administrator).post(MEMBERS, {"username": "OTTO", "role": "viewer"})
    assert "new-password" not in text_of(made)
    assert User.objects.filter(username__iexact="otto").count() == 1
    assert client_of(elsewhere).get("/w/harbour/").status_code == 200
    assert client_of(elsewhere).get(MEMBERS).status_code == 403, "an administrator elsewhere is a viewer here"


def test_a_changed_role_is_in_force_at_the_next_request_and_is_kept(
    administrator: Principal, reviewer: Principal
) -> None:
    theirs = client_of(reviewer)
    assert theirs.get("/w/harbour/conversations/statements/new/").status_code == 200
    changed = client_of(administrator).post(page_of(reviewer), {"role": "viewer"})
    assert changed["Location"] == page_of(reviewer)
    assert theirs.get("/w/harbour/conversations/statements/new/").status_code == 403
    assert "From reviewer to viewer" in text_of(client_of(administrator).get(page_of(reviewer)))


def test_whoever_is_taken_out_is_out_at_once_and_comes_back_as_the_same_person(
    administrator: Principal, reviewer: Principal
) -> None:
    theirs = client_of(reviewer)
    client_of(administrator).post(f"{page_of(reviewer)}end/")
    assert theirs.get("/w/harbour/").status_code == 404
    client_of(administrator).post(MEMBERS, {"username": "reviewer", "role": "curator"})
    assert theirs.get("/w/harbour/").status_code == 200
    assert Membership.objects.get(user__username="reviewer").actor_id == reviewer.actor.pk
    told = text_of(client_of(administrator).get(page_of(reviewer)))
    assert "Came back" in told
    assert "Left" in told


def test_the_last_administrator_is_told_why_they_stay(administrator: Principal) -> None:
    client = client_of(administrator)
    for answer in (
        client.post(page_of(administrator), {"role": "viewer"}),
        client.post(f"{page_of(administrator)}end/"),
    ):
        assert answer.status_code == 409
        assert "A workspace keeps at least one administrator." in text_of(answer)
    assert client.get(MEMBERS).status_code == 200


@pytest.mark.parametrize(
    ("sent", "status", "told"),
    [
        ({"username": "", "role": "viewer"}, 422, "Say under which user name they sign in."),
        ({"username": "two words", "role": "viewer"}, 422, "valid username"),
        ({"username": "ines", "role": "owner"}, 422, "There is no role"),
        ({"username": "administrator", "role": "owner"}, 422, "There is no role"),
        ({"username": "admin", "role": "viewer"}, 409, "already is a member"),
    ],
)
def test_who_cannot_be_let_in_is_refused_in_words_and_nothing_is_made(
    administrator: Principal, sent: dict[str, str], status: int, told: str
) -> None:
    refused = client_of(administrator).post(MEMBERS, sent)
    assert refused.status_code == status
    assert told in text_of(refused)
    assert User.objects.count() == 1
    assert AccessChange.objects.filter(membership__isnull=False).count() == 1


def test_members_of_another_workspace_are_out_of_reach(
    administrator: Principal, other_workspace: Workspace, person: Callable[..., Principal]
) -> None:
    stranger = person(other_workspace, "reviewer", "Otto")
    client = client_of(administrator)
    assert client.get(page_of(stranger)).status_code == 404
    assert client.post(page_of(stranger), {"role": "viewer"}).status_code == 404
    assert client.post(f"{page_of(stranger)}end/").status_code == 404
    stranger.actor.membership.refresh_from_db()
    assert (stranger.actor.membership.role, stranger.actor.membership.ended_at) == ("reviewer", None)
