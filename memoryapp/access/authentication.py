"""Who calls: the key of an agent becomes its principal in the key's own workspace."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

from django.db import InterfaceError, OperationalError
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from memoryapp.access import capabilities, keys, rate
from memoryapp.access.models import AgentKey
from memoryapp.doors.errors import Malformed, NotFound, Unauthenticated
from memoryapp.doors.trace import trace_id
from memoryapp.ledger import prepared
from memoryapp.ledger.principal import Principal

USE_IS_NOTED_EVERY = dt.timedelta(minutes=1)
"""`last_used_at` is this exact, so that reading does not write each time."""

_SAYING = re.compile(r"[\x20-\x7e\x80-\xff]{0,200}")


class AgentKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer cpl_…`. Signed-in people are not let in here: they have pages."""

    def authenticate(self, request: Request) -> tuple[AgentKey, Principal]:
        return authenticate(request._request)

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Commonplace"'


def authenticate(request: HttpRequest) -> tuple[AgentKey, Principal]:
    """The key of a request and the principal it stands for.

    Raises Unauthenticated (`no_key`, `key_not_valid`) and TooMany; NotFound when the request names another workspace
    than the key's. A key that is unknown, revoked, expired or of a retired agent is one and the same answer.
    """
    key = known_key(request)
    rate.count(key.prefix)
    _note_use(key)
    agent = key.agent
    workspace = agent.workspace
    named = request.headers.get("Commonplace-Workspace")
    if named is not None and named != workspace.slug:
        raise NotFound("This key does not open that workspace.", code="workspace_not_found")
    principal = Principal(
        workspace=workspace,
        actor=agent.actor,
        channel="rest",
        capabilities=capabilities.of_surfaces(agent.surfaces),
        trace_id=trace_id(request),
        run=_said(request, "Commonplace-Run"),
        thread=_said(request, "Commonplace-Thread"),
        model=_said(request, "Commonplace-Model"),
        path_rules=agent.paths.rules,
        path_default=agent.path_default,
    )
    return key, principal


def as_told(by: Principal, told: dict[str, object]) -> Principal:
    """The principal with what the body says of the agent's run and model. Header and body may not disagree."""
    said: dict[str, str] = {}
    for name in ("run", "model"):
        value = told.get(name)
        if not isinstance(value, str) or not value:
            continue
        before = getattr(by, name)
        if before and before != value:
            raise Malformed.at(
                f"/{name}",
                "said_twice",
                f"The header Commonplace-{name.title()} says something else.",
                "one of the two",
            )
        said[name] = value
    return replace(by, **said) if said else by  # type: ignore[arg-type]


def known_key(request: HttpRequest) -> AgentKey:
    """The key that a request names, if it opens anything. Counts nothing. Raises Unauthenticated."""
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    text = text.strip()
    if scheme.lower() != "bearer" or not text:
        raise Unauthenticated("Send the agent's key: Authorization: Bearer cpl_…", code="no_key")
    prefix = keys.prefix_of(text)
    key = prepared.first(_with_prefix, prefix=prefix)
    known = keys.matches(text, key.digest if key else None)
    now = timezone.now()
    if (
        key is None
        or not known
        or key.revoked_at is not None
        or (key.expires_at is not None and key.expires_at <= now)
        or key.agent.retired_at is not None
    ):
        raise Unauthenticated("This key opens nothing: it is unknown, revoked or expired.", code="key_not_valid")
    return key


def _with_prefix(prefix: str) -> QuerySet[AgentKey]:
    return AgentKey.objects.select_related("agent__workspace", "agent__actor").filter(prefix=prefix).order_by("pk")[:1]


def _note_use(key: AgentKey) -> None:
    now = timezone.now()
    if key.last_used_at is not None and now - key.last_used_at < USE_IS_NOTED_EVERY:
        return
    before = Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - USE_IS_NOTED_EVERY)
    try:
        AgentKey.objects.filter(before, pk=key.pk).update(last_used_at=now)
    except (OperationalError, InterfaceError):
        return


def _said(request: HttpRequest, header: str) -> str:
    value = request.headers.get(header, "")
    if not _SAYING.fullmatch(value):
        raise Malformed.at(header, "not_readable", "This header cannot be read.", "at most 200 visible characters")
    return value
