"""Members, agents and keys: who is let in, and what the database keeps of a key."""

import datetime as dt
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from memoryapp.access import capabilities, keys, services
from memoryapp.access.models import AccessChange, AgentKey, Membership
from memoryapp.doors.errors import Conflict, Denied, Invalid, NotFound
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import create_workspace, record

pytestmark = pytest.mark.django_db

PASSWORD = "four-calm-herons-walk"


@pytest.fixture
def workspace() -> Workspace:
    return create_workspace("harbour", "Harbour")


@pytest.fixture
def operator(workspace: Workspace) -> Principal:
    return services.operator(workspace)


def member(operator: Principal, username: str, role: str) -> Membership:
    user = services.create_account(username=username, password=PASSWORD)
    return record(operator, "create_member", lambda write: services.create_member(write, user=user, role=role))


def test_a_member_has_the_rights_of_the_role_in_that_workspace_alone(operator: Principal) -> None:
    create_workspace("quay", "Quay")
    joined = member(operator, "ines", "reviewer")
    by = services.principal_for_member(joined.user, "harbour")
    assert by.may("decide_cases")
    assert not by.may("manage_members")
    for slug in ("quay", "nowhere"):
        with pytest.raises(NotFound, match="no such workspace"):
            services.principal_for_member(joined.user, slug)


def test_somebody_who_left_is_out_at_once_and_returns_as_the_same_actor(operator: Principal) -> None:
    member(operator, "ada", "admin")
    joined = member(operator, "ines", "reviewer")
    record(operator, "end", lambda write: services.end_membership(write, membership=joined))
    with pytest.raises(NotFound):
        services.principal_for_member(joined.user, "harbour")
    again = record(operator, "back", lambda write: services.create_member(write, user=joined.user, role="viewer"))
    assert again.actor_id == joined.actor_id
    assert AccessChange.objects.filter(membership=again).count() == 3


def test_the_last_administrator_stays(operator: Principal) -> None:
    joined = member(operator, "ada", "admin")
    with pytest.raises(Conflict, match="at least one administrator"):
        record(operator, "demote", lambda write: services.change_role(write, membership=joined, role="viewer"))
    with pytest.raises(Conflict, match="at least one administrator"):
        record(operator, "end", lambda write: services.end_membership(write, membership=joined))


def test_only_who_manages_members_lets_anybody_in(operator: Principal) -> None:
    reviewer = services.principal_for_member(member(operator, "ines", "reviewer").user, "harbour")
    stranger = services.create_account(username="otto", password=PASSWORD)
    with pytest.raises(Denied):
        record(reviewer, "let in", lambda write: services.create_member(write, user=stranger, role="admin"))
    assert not Membership.objects.filter(user=stranger).exists()


def test_a_key_is_shown_once_and_kept_as_a_digest(operator: Principal) -> None:
    agent = record(operator, "a", lambda write: services.create_agent(write, name="Clerk", surfaces=["lookup"]))
    issued = record(operator, "k", lambda write: services.issue_key(write, agent=agent))
    stored = AgentKey.objects.get()
    assert issued.text.startswith(f"cpl_{stored.prefix}_")
    assert issued.text.rsplit("_", 1)[1] not in str(AgentKey.objects.values().get())
    assert keys.matches(issued.text, stored.digest)
    assert not keys.matches(issued.text[:-1] + ("a" if issued.text[-1] != "a" else "b"), stored.digest)
    assert not keys.matches(issued.text, None)


def test_a_rotated_key_goes_on_for_the_overlap_and_a_revoked_one_ends(operator: Principal) -> None:
    agent = record(operator, "a", lambda write: services.create_agent(write, name="Clerk", surfaces=["lookup"]))
    first = record(operator, "k", lambda write: services.issue_key(write, agent=agent))
    hour = dt.timedelta(hours=1)
    second = record(operator, "r", lambda write: services.rotate_key(write, key=first.key, overlap=hour))
    old = AgentKey.objects.get(pk=first.key.pk)
    assert old.expires_at is not None
    assert old.expires_at - second.key.created_at < dt.timedelta(hours=1, minutes=5)
    record(operator, "x", lambda write: services.revoke_key(write, key=old))
    assert AgentKey.objects.get(pk=old.pk).revoked_at is not None


def test_an_unknown_surface_is_an_error_and_makes_no_agent(operator: Principal) -> None:
    """L3: a selection that names what does not exist is refused, not ignored."""
    with pytest.raises(Invalid) as refused:
        record(operator, "a", lambda write: services.create_agent(write, name="Clerk", surfaces=["lookup", "lokup"]))
    assert "lokup" in str(refused.value)
    assert not AccessChange.objects.exists()


def test_readers_hold_no_writing_capability() -> None:
    writes = {"tell", "remember", "relate", "upsert_nodes", "connect_nodes", "withdraw", "merge_nodes"}
    assert not writes & capabilities.of_surfaces(capabilities.AGENT_ROLES["reader"])
    assert not writes & capabilities.of_role("viewer")


def test_no_agent_decides_approves_manages_or_erases() -> None:
    """A2: what only people may do is in no surface."""
    people = {"decide_cases", "apply_schema", "manage_members", "manage_agents", "manage_settings", "erase"}
    assert not people & capabilities.of_surfaces(capabilities.SURFACES)


def test_the_commands_print_what_is_shown_once(workspace: Workspace) -> None:
    out = StringIO()
    call_command("create_member", "harbour", "ada", "--role", "admin", stdout=out)
    call_command("create_agent", "harbour", "Clerk", stdout=out)
    call_command("issue_key", "harbour", "Clerk", "--days", "30", stdout=out)
    text = out.getvalue()
    assert "Password (shown once): " in text
    assert text.count("Key (shown once): cpl_") == 2
    assert AgentKey.objects.filter(expires_at__isnull=False).count() == 1


def test_the_documentation_shows_the_table_in_force() -> None:
    page = (settings.BASE_DIR / "docs" / "access.md").read_text(encoding="utf-8")
    assert capabilities.as_table() in page
    assert capabilities.as_matrix() in page
    for role, meaning in capabilities.ROLE_WORDS.items():
        assert f"| {role} | {meaning} |" in page
    for surface, meaning in capabilities.SURFACES.items():
        assert f"| {surface} | {meaning} |" in page


def test_operators_see_a_key_but_not_its_digest(operator: Principal, client: Client) -> None:
    agent = record(operator, "a", lambda write: services.create_agent(write, name="Clerk", surfaces=["lookup"]))
    issued = record(operator, "k", lambda write: services.issue_key(write, agent=agent))
    client.force_login(services.create_account(username="root", password=PASSWORD, operator_account=True))
    for address in ("/admin/access/agentkey/", f"/admin/access/agentkey/{issued.key.pk}/change/"):
        page = client.get(address)
        assert page.status_code == 200
        assert issued.key.prefix in page.content.decode()
        assert issued.key.digest not in page.content.decode()
