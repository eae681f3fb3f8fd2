"""What agents are refused is counted, day by day: that somebody can see what one keeps trying."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import structlog
from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils import timezone

from memoryapp.access.models import Refusal
from memoryapp.doors.errors import DomainError
from memoryapp.ledger.models import Actor

if TYPE_CHECKING:
    from memoryapp.access.endpoints import Endpoint

log = structlog.get_logger(__name__)


def note(endpoint: Endpoint, action: str, error: DomainError) -> None:
    """Count a refused write of an agent. Beside the writes of the workspace, as the last use of a key is noted.

    What failed here, and not for what was sent, is no refusal. A count that cannot be kept is logged, and the answer
    goes out without it.
    """
    by = endpoint.by
    if by.actor.kind != Actor.Kind.AGENT or error.status >= 500:
        return
    now = timezone.now()
    named = {
        "workspace": by.workspace,
        "actor": by.actor,
        "day": now.astimezone(dt.UTC).date(),
        "action": action[:60],
        "code": error.code[:60],
    }
    try:
        with transaction.atomic():
            refusal, _ = Refusal.objects.get_or_create(**named, defaults={"last_at": now})
            Refusal.objects.filter(pk=refusal.pk).update(times=F("times") + 1, last_at=now)
    except DatabaseError:
        log.warning("refusal_not_counted", action=action, code=error.code, exc_info=True)
