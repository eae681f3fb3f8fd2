"""Operators see everything stored, search it, and change nothing of a memory."""

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import models
from django.test import Client
from django.urls import reverse

from memoryapp.access.models import Agent, User
from memoryapp.access.services import create_agent
from memoryapp.ledger.models import Workspace, WorkspaceRow
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

pytestmark = pytest.mark.django_db

OURS = [model for model in apps.get_models() if model.__module__.startswith("memoryapp.")]
MEMORY = [model for model in OURS if issubclass(model, WorkspaceRow)]


@pytest.fixture
def operator_client(client: Client) -> Client:
    client.force_login(User.objects.create_superuser("olga", password="a long enough password"))
    return client


def address(model: type[models.Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def test_every_table_of_the_product_can_be_looked_at() -> None:
    assert [model for model in OURS if not admin.site.is_registered(model)] == []
    assert len(MEMORY) > 30


@pytest.mark.parametrize("model", OURS, ids=lambda model: model._meta.label_lower)
def test_it_is_listed_and_searched(operator_client: Client, workspace: Workspace, model: Any) -> None:
    for query in ("", "?q=harbour", "?q=0190a1b2-c3d4", "?q=%00", "?q=%27%22%3B--"):
        assert operator_client.get(address(model, "changelist") + query).status_code == 200


@pytest.mark.parametrize("model", MEMORY, ids=lambda model: model._meta.label_lower)
def test_nothing_of_a_memory_is_added_changed_or_deleted_even_by_a_superuser(
    operator_client: Client, model: Any
) -> None:
    assert operator_client.get(address(model, "add")).status_code == 403
    assert operator_client.post(address(model, "add"), {}).status_code == 403
    site = admin.site.get_model_admin(model)
    assert site.actions is None
    for right in ("add", "change", "delete"):
        assert not getattr(site, f"has_{right}_permission")(None)


def test_a_row_is_read_on_its_own_page_and_refuses_a_change(operator_client: Client, operator: Principal) -> None:
    agent = record(operator, "create", lambda write: create_agent(write, name="Clerk", surfaces=["lookup"]))
    page = operator_client.get(address(Agent, "change", agent.pk))
    assert page.status_code == 200
    assert b"Clerk" in page.content
    assert b'name="_save"' not in page.content
    assert operator_client.post(address(Agent, "change", agent.pk), {"name": "Other"}).status_code == 403
    assert operator_client.post(address(Agent, "delete", agent.pk), {"post": "yes"}).status_code == 403
    agent.refresh_from_db()
    assert agent.name == "Clerk"
    found = operator_client.get(address(Agent, "changelist") + f"?q={agent.pk}")
    assert b"Clerk" in found.content


def test_an_account_may_be_kept_here_but_not_deleted(operator_client: Client) -> None:
    account = User.objects.create_user("nils", password="a long enough password")
    assert operator_client.get(address(User, "change", account.pk)).status_code == 200
    assert operator_client.post(address(User, "delete", account.pk), {"post": "yes"}).status_code == 403


def test_who_is_no_operator_sees_nothing(client: Client, workspace: Workspace) -> None:
    client.force_login(User.objects.create_user("nils", password="a long enough password"))
    assert client.get(address(Agent, "changelist")).status_code == 302
