"""Who gets into the console, and what those who do not are told."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest
import time_machine
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memoryapp.access.models import User
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from tests.console.conftest import PASSWORD

pytestmark = pytest.mark.django_db


@pytest.fixture
def nadia(workspace: Workspace, person: Callable[..., Principal]) -> User:
    person(workspace, "reviewer", "Nadia")
    return User.objects.get(username="nadia")


@pytest.fixture
def client_of_nadia(nadia: User, client: Client) -> Client:
    client.force_login(nadia)
    return client


def test_signing_in_leads_to_the_page_that_was_asked_for(client: Client, nadia: User) -> None:
    asked = client.get("/w/harbour/settings/?tab=keys")
    assert asked.status_code == 302
    response = client.post(
        asked["Location"], {"username": "nadia", "password": PASSWORD, "next": "/w/harbour/settings/"}
    )
    assert response["Location"] == "/w/harbour/settings/"


def test_signing_in_never_leads_to_another_site(client: Client, nadia: User) -> None:
    response = client.post(
        "/sign-in/", {"username": "nadia", "password": PASSWORD, "next": "https://elsewhere.example/"}
    )
    assert response["Location"] == "/"


def test_a_wrong_password_does_not_say_whether_the_account_exists(client: Client, nadia: User) -> None:
    known = client.post("/sign-in/", {"username": "nadia", "password": "wrong"}).content.decode()
    unknown = client.post("/sign-in/", {"username": "nobody", "password": "wrong"}).content.decode()
    told = "That user name and password do not go together."
    assert told in known
    assert told in unknown


def test_guessing_a_password_is_braked_for_that_name_and_nobody_else(client: Client, nadia: User) -> None:
    vera = User.objects.create_user("vera", password=PASSWORD)
    wrong = {"username": "vera", "password": "wrong"}
    assert [client.post("/sign-in/", wrong).status_code for _ in range(10)] == [200] * 10
    for password in ("wrong", PASSWORD):
        held = client.post("/sign-in/", {"username": " VERA", "password": password})
        assert held.status_code == 429
        assert int(held["Retry-After"]) > 0
        assert "That was wrong 10 times." in held.content.decode()
    assert client.post("/sign-in/", {"username": "nadia", "password": PASSWORD}).status_code == 302
    client.post("/sign-out/")
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=6)):
        assert client.post("/sign-in/", {"username": vera.username, "password": PASSWORD}).status_code == 302


def test_operators_sign_in_by_the_same_door(client: Client, nadia: User) -> None:
    """There is no second place to guess a password at."""
    told = client.post("/admin/login/", {"username": "nadia", "password": PASSWORD})
    assert (told.status_code, told["Location"]) == (302, "/sign-in/?next=/admin/")
    assert client.get("/admin/")["Location"].startswith("/admin/login/")
    client.force_login(nadia)
    assert client.get("/admin/login/").status_code == 404


def test_whoever_signs_in_begins_anew(client: Client, nadia: User) -> None:
    for _ in range(3):
        for _ in range(9):
            client.post("/sign-in/", {"username": "nadia", "password": "wrong"})
        assert client.post("/sign-in/", {"username": "nadia", "password": PASSWORD}).status_code == 302
        client.post("/sign-out/")


def test_signing_out_takes_a_post(client_of_nadia: Client) -> None:
    assert client_of_nadia.get("/sign-out/").status_code == 405
    assert b"You are signed out" in client_of_nadia.post("/sign-out/").content
    assert client_of_nadia.get("/w/harbour/").status_code == 302


def test_the_front_leads_to_the_workspace_last_looked_at(
    client_of_nadia: Client, nadia: User, other_workspace: Workspace, person: Callable[..., Principal]
) -> None:
    person(other_workspace, "viewer", "Nadia")
    assert client_of_nadia.get("/")["Location"] == "/w/harbour/"
    client_of_nadia.get("/w/lighthouse/")
    assert client_of_nadia.get("/")["Location"] == "/w/lighthouse/"


def test_an_account_without_a_workspace_is_told_whom_to_ask(client: Client) -> None:
    client.force_login(User.objects.create_user("newcomer", password=PASSWORD))
    assert b"You are in no workspace yet" in client.get("/").content


@pytest.mark.parametrize("address", ["/w/lighthouse/", "/w/lighthouse/settings/", "/w/no-such-place/"])
def test_another_workspace_and_none_look_the_same(
    client_of_nadia: Client, other_workspace: Workspace, address: str
) -> None:
    """L4"""
    response = client_of_nadia.get(address)
    assert response.status_code == 404
    assert b"There is no such workspace, or you are not a member of it." in response.content
    assert b"Lighthouse" not in response.content


def test_a_swap_by_somebody_signed_out_is_told_so_and_keeps_what_was_typed(
    client: Client, workspace: Workspace
) -> None:
    response = client.get("/w/harbour/", headers={"HX-Request": "true"})
    assert response.status_code == 401
    assert response["HX-Reswap"] == "none"
    assert "signed-out" in response["HX-Trigger"]


def test_a_refused_swap_shows_a_message_and_changes_nothing_on_the_page(client_of_nadia: Client) -> None:
    response = client_of_nadia.get("/w/lighthouse/", headers={"HX-Request": "true"})
    assert response.status_code == 404
    assert response["HX-Reswap"] == "none"
    assert "not a member" in response["HX-Trigger"]


def test_one_address_serves_page_and_fragment_and_says_so_to_caches(client_of_nadia: Client) -> None:
    assert "HX-Request" in client_of_nadia.get("/w/harbour/")["Vary"]


def test_an_address_that_leads_nowhere_has_a_page_of_its_own(client_of_nadia: Client) -> None:
    response = client_of_nadia.get("/w/harbour/no/such/page/")
    assert response.status_code == 404
    assert b"There is nothing here" in response.content


def test_a_form_from_nowhere_is_refused_with_what_to_do(nadia: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(nadia)
    response = client.post("/preferences/", {"theme": "dark"})
    assert response.status_code == 403
    assert b"Please send that again" in response.content
    nadia.refresh_from_db()
    assert nadia.preferences == {}


def test_a_failure_of_ours_has_a_page_that_needs_nothing_else(client_of_nadia: Client) -> None:
    from django.template.loader import render_to_string

    assert "Something went wrong here" in render_to_string("500.html")


def test_a_choice_is_kept_in_the_account_and_leads_back(client_of_nadia: Client, nadia: User) -> None:
    response = client_of_nadia.post(
        "/preferences/", {"theme": "dark"}, headers={"Referer": "http://testserver/w/harbour/settings/?a=b"}
    )
    assert response["Location"] == "/w/harbour/settings/?a=b"
    assert b'data-theme="dark"' in client_of_nadia.get("/w/harbour/").content


@pytest.mark.parametrize("sent", [{"theme": "pink"}, {"colour": "dark"}, {}])
def test_a_choice_that_does_not_exist_is_refused(client_of_nadia: Client, nadia: User, sent: dict[str, str]) -> None:
    assert client_of_nadia.post("/preferences/", sent).status_code == 422
    nadia.refresh_from_db()
    assert nadia.preferences == {}


def test_going_back_never_leads_to_another_site(client_of_nadia: Client) -> None:
    response = client_of_nadia.post(
        "/preferences/", {"theme": "dark"}, headers={"Referer": "https://elsewhere.example/x"}
    )
    assert response["Location"] == "/"


def test_the_design_page_is_for_staff_and_shows_every_component(client_of_nadia: Client, nadia: User) -> None:
    assert client_of_nadia.get(reverse("console:design")).status_code == 404
    User.objects.filter(pk=nadia.pk).update(is_staff=True)
    shown = client_of_nadia.get(reverse("console:design"))
    assert shown.status_code == 200
    folder = Path(settings.BASE_DIR) / "templates/console/components"
    drawn = {template.name for template in shown.templates}
    assert {f"console/components/{one.name}" for one in folder.glob("*.html")} <= drawn


def test_the_navigation_leaves_out_what_a_role_may_not_see(
    workspace: Workspace, person: Callable[..., Principal]
) -> None:
    from memoryapp.console.navigation import links

    shown = {link.entry.view for link in links(person(workspace, "viewer"), "/w/harbour/")}
    assert "access:agents" not in shown
    assert "console:overview" in shown


def test_the_explorer_belongs_to_the_nodes(workspace: Workspace, person: Callable[..., Principal]) -> None:
    from memoryapp.console.navigation import links

    found = links(person(workspace, "viewer"), "/w/harbour/graph/")
    assert [link.entry.title for link in found if link.here] == ["Nodes"]


def test_every_room_has_a_key_and_a_drawing_of_its_own() -> None:
    from memoryapp.console.navigation import ENTRIES

    assert len({entry.key for entry in ENTRIES}) == len({entry.icon for entry in ENTRIES}) == len(ENTRIES)
