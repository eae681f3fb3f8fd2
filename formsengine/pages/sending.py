"""What is sent twice from one page, by a second click or a repeated request, is done once."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.db.models import F
from django.http import HttpRequest

from formsengine import queries, services
from formsengine.bindings.offers import look_ahead
from formsengine.inputs import Opening
from memoryapp.ledger.idempotency import Answer, digest
from memoryapp.ledger.idempotency import once as done_once
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal


def page_key() -> str:
    """What a page sends along as `page`: another one each time it is drawn."""
    return uuid.uuid4().hex


def once(request: HttpRequest, by: Principal, action: str, act: Callable[[Write], Any], after: str = "") -> Answer:
    """What the write gives, as the body of an answer. The same sent again from the same page is answered the same.

    `after` is what an earlier one gave that is done with: the same sent after that is another.
    """
    sent = sorted((name, values) for name, values in request.POST.lists() if name != "csrfmiddlewaretoken")
    asked = digest(request.path, sent, *([after] if after else []))
    key = f"page-{asked}" if request.POST.get("page") else None
    return done_once(by, action, lambda write: Answer(act(write)), key=key, request_digest=asked)


def opened(request: HttpRequest, by: Principal, opening: Opening) -> uuid.UUID:
    """A response begun from a page, by its id.

    Another one, where the page was gone back to after something was answered in the one that was begun from it.
    """

    def act(write: Write) -> str:
        return str(services.open_response(write, opening).row.pk)

    look_ahead(by, opening)
    answer = once(request, by, "open_response", act)
    while answer.replayed and not _untouched(by, answer.body):
        answer = once(request, by, "open_response", act, after=answer.body)
    return uuid.UUID(answer.body)


def _untouched(by: Principal, response: str) -> bool:
    return queries.responses(by).filter(pk=response, changed_at=F("recorded_at")).exists()
