"""Every write of the room: members and roles, agents and keys.

A service takes the `write` it belongs to (see `ledger.services.record`), asks the actor's right, and leaves an
AccessChange that names the write. Times are the write's own.
"""

import datetime as dt
import secrets
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from memoryapp.access import capabilities, keys
from memoryapp.access.models import AccessChange, Agent, AgentKey, Membership, SavedView, User
from memoryapp.access.paths import OPEN, read_rules
from memoryapp.access.sessions import memberships_of
from memoryapp.doors.errors import Conflict, Denied, Invalid, NotFound
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Actor, Workspace, WorkspaceRow, Write
from memoryapp.ledger.principal import Principal

Row = TypeVar("Row", bound=WorkspaceRow)

PLACES = {
    "queue": "review:queue",
    "beliefs": "graph:beliefs",
    "nodes": "graph:nodes",
    "responses": "forms:responses",
}
"""The lists of which a member may keep views, each with the name of its page."""


@dataclass(frozen=True)
class IssuedKey:
    """A key at the only moment its full text exists outside the agent that uses it."""

    key: AgentKey
    text: str


@dataclass(frozen=True)
class Admitted:
    """Somebody who was let in. The password is that of an account made for them, at the only moment it is known."""

    membership: Membership
    password: str = ""


def operator(workspace: Workspace, *, trace_id: str = "") -> Principal:
    """Whoever runs commands on this machine: may do everything in any workspace. Never reachable over a network."""
    actor, _ = Actor.objects.get_or_create(
        workspace=workspace, kind=Actor.Kind.SYSTEM, key="operator", defaults={"name": "Operator"}
    )
    return Principal(
        workspace=workspace,
        actor=actor,
        channel="command",
        capabilities=capabilities.everything(),
        trace_id=trace_id,
    )


def principal_for_member(user: User, workspace_slug: str, *, channel: str = "console", trace_id: str = "") -> Principal:
    """The principal of a signed-in person in a workspace.

    Raises NotFound when there is no such workspace or the person is no member of it: the two cannot be told apart.
    """
    mine = memberships_of(user) if user.is_active else []
    membership = next((one for one in mine if one.workspace.slug == workspace_slug), None)
    if membership is None:
        raise NotFound("There is no such workspace, or you are not a member of it.", code="workspace_not_found")
    return principal_of(membership, channel=channel, trace_id=trace_id)


def principal_of(membership: Membership, *, channel: str = "console", trace_id: str = "") -> Principal:
    """A present member as the console knows them: with the rights of their role."""
    return Principal(
        workspace=membership.workspace,
        actor=membership.actor,
        channel=channel,
        capabilities=capabilities.of_role(membership.role),
        trace_id=trace_id,
        path_rules=membership.paths.rules,
        path_default=membership.path_default,
    )


def principal_of_actor(actor: Actor, *, channel: str, trace_id: str = "") -> Principal:
    """An actor with what it may do and see today: a member by its role, an agent by its surfaces, and either by its
    rules of paths; a job by its kind.

    Raises Denied `no_longer_here` for who has left, was retired or is neither."""
    membership = Membership.objects.filter(actor=actor, ended_at__isnull=True, user__is_active=True).first()
    agent = Agent.objects.filter(actor=actor, retired_at__isnull=True).first()
    if membership is not None:
        return principal_of(membership, channel=channel, trace_id=trace_id)
    if agent is not None:
        granted = capabilities.of_surfaces(agent.surfaces)
        rules, default = agent.paths.rules, agent.path_default
    elif actor.kind == Actor.Kind.SYSTEM and actor.key == "operator":
        granted = capabilities.everything()
        rules, default = OPEN.rules, OPEN.default
    elif actor.kind == Actor.Kind.JOB and actor.key in jobs.kinds():
        granted = jobs.kinds()[actor.key].capabilities
        rules, default = OPEN.rules, OPEN.default
    else:
        raise Denied(f"{actor.name} is no longer here.", code="no_longer_here")
    return Principal(actor.workspace, actor, channel, granted, trace_id, path_rules=rules, path_default=default)


def create_account(*, username: str, password: str, email: str = "", operator_account: bool = False) -> User:
    """A new account that may sign in but sees no workspace until it becomes a member.

    Raises Conflict (`account_exists`) and Invalid (`weak_password`). `operator_account` also opens the admin site.
    """
    if User.objects.filter(username__iexact=username).exists():
        raise Conflict(f"There already is an account “{username}”.", code="account_exists")
    user = User(username=username, email=email, is_staff=operator_account, is_superuser=operator_account)
    try:
        user.full_clean(exclude=["password"])
        validate_password(password, user)
    except ValidationError as error:
        raise Invalid.at("/password", "account_not_valid", " ".join(error.messages)) from error
    user.set_password(password)
    user.save()
    return user


def new_password() -> str:
    """A password to print once: four groups of four that can be read over the telephone."""
    alphabet = "abcdefghjkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(alphabet) for _ in range(4)) for _ in range(4))


def create_member(write: Write, *, user: User, role: str, name: str = "") -> Membership:
    """Let a person into the workspace with a role. Somebody who left comes back as the same actor.

    Raises Conflict (`already_member`) and Invalid (`unknown_role`).
    """
    write.by.require("manage_members")
    _known_role(role)
    existing = Membership.objects.filter(workspace=write.workspace, user=user).first()
    if existing and existing.ended_at is None:
        raise Conflict(f"{user.username} already is a member.", code="already_member")
    if existing:
        before = {"role": existing.role, "ended_at": existing.ended_at.isoformat() if existing.ended_at else None}
        existing.role, existing.ended_at = role, None
        existing.save(update_fields=["role", "ended_at"])
        _changed(write, membership=existing, before=before, after={"role": role, "ended_at": None})
        return existing
    shown = name or user.get_full_name() or user.username
    actor = Actor.objects.create(workspace=write.workspace, kind=Actor.Kind.PERSON, key=str(user.pk), name=shown)
    membership = Membership.objects.create(workspace=write.workspace, user=user, actor=actor, role=role)
    _changed(write, membership=membership, after={"role": role})
    return membership


def admit(write: Write, *, username: str, role: str, name: str = "") -> Admitted:
    """Let somebody in by user name: with the account of that name, or with a new one and a password to hand over.

    Raises what `create_member` and `create_account` raise, and Invalid (`blank_username`).
    """
    write.by.require("manage_members")
    _known_role(role)
    if not username:
        raise Invalid.at("/username", "blank_username", "Say under which user name they sign in.", "letters and digits")
    user = User.objects.filter(username__iexact=username).first()
    if user is not None:
        return Admitted(create_member(write, user=user, role=role, name=name))
    password = new_password()
    user = create_account(username=username, password=password)
    return Admitted(create_member(write, user=user, role=role, name=name), password)


def change_role(write: Write, *, membership: Membership, role: str) -> Membership:
    """Give a member another role, in force from their next request. The same role again changes nothing.

    Raises Conflict: `last_administrator` keeps theirs, `membership_ended`.
    """
    write.by.require("manage_members")
    _known_role(role)
    membership = _as_it_stands(write, membership)
    if membership.ended_at:
        raise Conflict("They are no member any more. Let them in again with the role.", code="membership_ended")
    if membership.role == role:
        return membership
    if role != Membership.Role.ADMIN:
        _keep_an_administrator(write, membership)
    before = membership.role
    membership.role = role
    membership.save(update_fields=["role"])
    _changed(write, membership=membership, before={"role": before}, after={"role": role})
    return membership


def end_membership(write: Write, *, membership: Membership) -> Membership:
    """Take a person out of the workspace at once. What they did stays theirs. Ending it again changes nothing."""
    write.by.require("manage_members")
    membership = _as_it_stands(write, membership)
    if membership.ended_at:
        return membership
    _keep_an_administrator(write, membership)
    membership.ended_at = write.recorded_at
    membership.save(update_fields=["ended_at"])
    _changed(write, membership=membership, before={"ended_at": None}, after={"ended_at": _iso(write.recorded_at)})
    return membership


def create_agent(write: Write, *, name: str, surfaces: Iterable[str]) -> Agent:
    """A new agent with the slices of tools it is granted. It can do nothing until a key is issued.

    Raises Conflict (`agent_exists`) and Invalid (`unknown_surface`, `blank_name`).
    """
    write.by.require("manage_agents")
    granted = capabilities.known_surfaces(surfaces)
    name = name.strip()
    if not name or len(name) > 200:
        raise Invalid.at("/name", "blank_name", "An agent needs a name.", "1 to 200 characters")
    if Agent.objects.filter(workspace=write.workspace, name=name).exists():
        raise Conflict(f"There already is an agent “{name}”.", code="agent_exists")
    agent = Agent(workspace=write.workspace, name=name, surfaces=granted)
    agent.actor = Actor.objects.create(workspace=write.workspace, kind=Actor.Kind.AGENT, key=str(agent.pk), name=name)
    agent.save(force_insert=True)
    _changed(write, agent=agent, after={"name": name, "surfaces": granted})
    return agent


def grant_surfaces(write: Write, *, agent: Agent, surfaces: Iterable[str]) -> Agent:
    """Replace the surfaces of an agent; in force from its next request."""
    write.by.require("manage_agents")
    agent = _as_it_stands(write, agent)
    before, granted = list(agent.surfaces), capabilities.known_surfaces(surfaces)
    agent.surfaces = granted
    agent.save(update_fields=["surfaces"])
    _changed(write, agent=agent, before={"surfaces": before}, after={"surfaces": granted})
    return agent


def rule_paths(
    write: Write, *, of: Agent | Membership, rules: Iterable[Sequence[str]], default: str = "write"
) -> Agent | Membership:
    """Replace the path policy of an agent or a member; in force from their next request.

    `rules` are pairs of a path or pattern and a level, in order: the last that matches wins. Raises Invalid.
    """
    write.by.require("manage_agents" if isinstance(of, Agent) else "manage_members")
    policy = read_rules(rules, default)
    row = _as_it_stands(write, of)
    before = {"path_rules": row.path_rules, "path_default": row.path_default}
    row.path_rules, row.path_default = [list(one) for one in policy.rules], policy.default
    row.save(update_fields=["path_rules", "path_default"])
    after = {"path_rules": row.path_rules, "path_default": row.path_default}
    _changed(write, before=before, after=after, **{"agent" if isinstance(of, Agent) else "membership": row})
    return row


def retire_agent(write: Write, *, agent: Agent) -> Agent:
    """End an agent: every key of it stops working at once. What it wrote stays its own."""
    write.by.require("manage_agents")
    agent = _as_it_stands(write, agent)
    for key in agent.keys.filter(revoked_at__isnull=True):
        revoke_key(write, key=key)
    agent.retired_at = write.recorded_at
    agent.save(update_fields=["retired_at"])
    _changed(write, agent=agent, before={"retired_at": None}, after={"retired_at": _iso(write.recorded_at)})
    return agent


def issue_key(write: Write, *, agent: Agent, expires_at: dt.datetime | None = None) -> IssuedKey:
    """A new key for the agent. Its text is in the answer and nowhere else: it cannot be shown again."""
    write.by.require("manage_agents")
    agent = _as_it_stands(write, agent)
    if agent.retired_at:
        raise Conflict(f"{agent.name} is retired.", code="agent_retired")
    if expires_at is not None and expires_at <= write.recorded_at:
        raise Invalid.at("/expires_at", "already_over", "That time has passed.", "a time in the future, or none")
    prefix, text = keys.new_key()
    key = AgentKey.objects.create(
        workspace=write.workspace, agent=agent, prefix=prefix, digest=keys.digest(text), expires_at=expires_at
    )
    _changed(write, agent=agent, key=key, after={"prefix": prefix, "expires_at": _iso(expires_at)})
    return IssuedKey(key, text)


def rotate_key(
    write: Write,
    *,
    key: AgentKey,
    overlap: dt.timedelta = dt.timedelta(days=1),
    expires_at: dt.datetime | None = None,
) -> IssuedKey:
    """A successor of a key. The old one goes on working for the overlap, so that the agent can change over."""
    key = _as_it_stands(write, key)
    if key.revoked_at:
        raise Conflict("This key is revoked; issue a new one.", code="key_revoked")
    issued = issue_key(write, agent=key.agent, expires_at=expires_at)
    end = write.recorded_at + max(overlap, dt.timedelta(0))
    if key.expires_at is None or key.expires_at > end:
        before = key.expires_at
        key.expires_at = end
        key.save(update_fields=["expires_at"])
        _changed(write, key=key, before={"expires_at": _iso(before)}, after={"expires_at": _iso(end)})
    return issued


def revoke_key(write: Write, *, key: AgentKey) -> AgentKey:
    """End a key at once. Revoking it again changes nothing."""
    write.by.require("manage_agents")
    key = _as_it_stands(write, key)
    if key.revoked_at is None:
        key.revoked_at = write.recorded_at
        key.save(update_fields=["revoked_at"])
        _changed(write, key=key, before={"revoked_at": None}, after={"revoked_at": _iso(write.recorded_at)})
    return key


def keep_view(write: Write, *, place: str, name: str, query: str, shared: bool = False) -> SavedView:
    """Keep a list as it is looked at now under a name; the same name again means the newer one."""
    name, query = " ".join(name.split()), query.replace("\x00", "")
    if place not in PLACES:
        raise Invalid.at("/place", "unknown_place", "That list keeps no views.", ", ".join(PLACES))
    if not 1 <= len(name) <= 60 or "\x00" in name:
        raise Invalid.at("/name", "bad_name", "A view needs a name.", "1 to 60 characters")
    if len(query) > 500:
        raise Invalid.at("/query", "too_long", "These filters are too long to be kept.", "500 characters")
    SavedView.objects.filter(workspace=write.workspace, owner=write.by.actor, place=place, name=name).delete()
    return SavedView.objects.create(
        workspace=write.workspace,
        place=place,
        name=name,
        query=query,
        shared=shared,
        owner=write.by.actor,
        write=write,
    )


def forget_view(write: Write, view_id: uuid.UUID) -> SavedView:
    """Forget a view of one's own."""
    found = SavedView.objects.filter(workspace=write.workspace, owner=write.by.actor, pk=view_id).first()
    if found is None:
        raise NotFound("There is no such view of yours.", code="no_such_view")
    kept = SavedView(place=found.place, name=found.name, query=found.query)
    found.delete()
    return kept


def note_change(write: Write, *, actor: Actor, before: dict[str, Any] | None = None, after: dict[str, Any]) -> None:
    """Keep with a member or agent what another room changed about what they may read. Ids only, no words."""
    agent = Agent.objects.filter(workspace=write.workspace, actor=actor).first()
    subject = {"agent": agent} if agent else {"membership": Membership.objects.get(actor=actor)}
    _changed(write, before=before, after=after, **subject)


def _changed(write: Write, *, before: dict[str, Any] | None = None, after: dict[str, Any], **subject: Any) -> None:
    AccessChange.objects.create(workspace=write.workspace, write=write, before=before or {}, after=after, **subject)


def _known_role(role: str) -> None:
    if role not in capabilities.ROLES:
        raise Invalid.at("/role", "unknown_role", f"There is no role “{role}”.", ", ".join(capabilities.ROLES))


def _as_it_stands(write: Write, row: Row) -> Row:
    """The row as the database has it now, so that a repeated attempt never builds on what a lost one left behind."""
    fresh = type(row)._default_manager.filter(pk=row.pk, workspace=write.workspace).first()
    if fresh is None:
        raise NotFound("There is no such thing in this workspace.", code="not_found")
    return fresh


def _keep_an_administrator(write: Write, leaving: Membership) -> None:
    if leaving.role != Membership.Role.ADMIN or leaving.ended_at:
        return
    others = Membership.objects.filter(
        workspace=write.workspace, role=Membership.Role.ADMIN, ended_at__isnull=True
    ).exclude(pk=leaving.pk)
    if not others.exists():
        raise Conflict("A workspace keeps at least one administrator.", code="last_administrator")


def _iso(moment: dt.datetime | None) -> str | None:
    return moment.isoformat() if moment else None
