"""Every read of the room: who is in a workspace, its agents, their keys, and what was changed about them."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import TypeVar

from django.db.models import F, Q, QuerySet

from memoryapp.access import capabilities
from memoryapp.access.models import AccessChange, Agent, AgentKey, Membership, SavedView
from memoryapp.access.paths import PathPolicy
from memoryapp.doors.errors import NotFound
from memoryapp.ledger.models import WorkspaceRow
from memoryapp.ledger.principal import Principal

Row = TypeVar("Row", bound=WorkspaceRow)


def members(by: Principal) -> QuerySet[Membership]:
    """Present and former members of the caller's workspace, the present ones first."""
    found = Membership.objects.filter(workspace=by.workspace).select_related("user", "actor")
    return found.order_by(F("ended_at").desc(nulls_first=True), "joined_at", "id")


def views(by: Principal, place: str) -> QuerySet[SavedView]:
    """The caller's own views of a list, and those that others share, by name."""
    mine = Q(owner=by.actor) | Q(shared=True)
    return SavedView.objects.filter(mine, workspace=by.workspace, place=place).select_related("owner").order_by("name")


def agents(by: Principal) -> QuerySet[Agent]:
    """Agents of the caller's workspace by name, with their keys."""
    return Agent.objects.filter(workspace=by.workspace).prefetch_related("keys").order_by("name", "id")


def agent(by: Principal, agent_id: uuid.UUID) -> Agent:
    """One agent of the caller's workspace, or NotFound."""
    return _one(agents(by), agent_id, "agent")


def key(by: Principal, key_id: uuid.UUID) -> AgentKey:
    """One key of the caller's workspace, or NotFound."""
    return _one(AgentKey.objects.filter(workspace=by.workspace).select_related("agent"), key_id, "key")


def membership(by: Principal, membership_id: uuid.UUID) -> Membership:
    """One membership of the caller's workspace, or NotFound."""
    return _one(members(by), membership_id, "member")


def changes(by: Principal) -> QuerySet[AccessChange]:
    """What was changed about who may do what, newest first, with who changed it."""
    found = AccessChange.objects.filter(workspace=by.workspace)
    return found.select_related("write__actor", "membership__user", "agent", "key").order_by("-id")


def under_paths(by: Principal, actor_id: uuid.UUID) -> Agent | Membership | None:
    """The agent or present member that is this actor; None for anybody else. Two queries at most."""
    agent = Agent.objects.filter(workspace=by.workspace, actor=actor_id).first()
    if agent is not None:
        return agent
    return Membership.objects.filter(workspace=by.workspace, actor=actor_id, ended_at__isnull=True).first()


def rules_of_paths(by: Principal, actors: Collection[uuid.UUID] | None = None, *, able: str) -> set[PathPolicy]:
    """The rules of paths that present members and agents with the capability `able` are under, each once; of `actors`
    alone, when they are named. Two queries."""
    members = Membership.objects.filter(workspace=by.workspace, ended_at__isnull=True)
    agents = Agent.objects.filter(workspace=by.workspace, retired_at__isnull=True)
    if actors is not None:
        members, agents = members.filter(actor__in=actors), agents.filter(actor__in=actors)
    found = {one.paths for one in members if able in capabilities.of_role(one.role)}
    return found | {one.paths for one in agents if able in capabilities.of_surfaces(one.surfaces)}


def ruled(by: Principal, actor_id: uuid.UUID) -> Agent | Membership:
    """The agent or present member that is this actor, or NotFound."""
    found = under_paths(by, actor_id)
    if found is None:
        raise NotFound("There is no such agent or member in this workspace.", code="no_such_actor")
    return found


def _one(rows: QuerySet[Row], wanted: uuid.UUID, word: str) -> Row:
    found = rows.filter(pk=wanted).first()
    if found is None:
        raise NotFound(f"There is no such {word} in this workspace.", code=f"no_such_{word}")
    return found
