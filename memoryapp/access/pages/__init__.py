"""How a signed-in account becomes a principal in the console; the pages of members, and of agents and their keys."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest

from memoryapp.access.models import User
from memoryapp.access.services import principal_for_member
from memoryapp.ledger.principal import Principal


def admit(request: HttpRequest, workspace: str) -> Principal:
    """The principal of whoever is signed in, in this workspace. Raises NotFound for a stranger."""
    return principal_for_member(cast(User, request.user), workspace, channel="console")
