"""The same request twice is done once: the answer is kept with the write that gave it, in the same transaction."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet
from rest_framework.utils.encoders import JSONEncoder

from memoryapp.doors.errors import Conflict, Malformed
from memoryapp.ledger import prepared
from memoryapp.ledger.models import IdempotencyKey, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

_KEY = re.compile(r"[\x21-\x7e]{1,200}")


@dataclass(frozen=True)
class Answer:
    """What a write answers: a JSON body, its status and headers. `replayed` says that it was given before."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    replayed: bool = False


class _AlreadyDone(Exception):
    """Ends the transaction of a request that turned out to have been done; carries its answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


def digest(*parts: Any) -> str:
    """The digest of a request: what must be equal for two requests to be the same."""
    text = json.dumps(parts, sort_keys=True, cls=JSONEncoder, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def checked(key: str) -> str:
    """The key when it may be one: 1 to 200 visible ASCII characters."""
    if not _KEY.fullmatch(key):
        raise Malformed.at(
            "Idempotency-Key", "not_an_idempotency_key", "This cannot be a key.", "1 to 200 visible ASCII characters"
        )
    return key


def once(
    by: Principal,
    action: str,
    act: Callable[[Write], Answer],
    *,
    key: str | None,
    request_digest: str,
    rationale: str = "",
) -> Answer:
    """Record a write and its answer. A request that named this key before gets the answer it got, and writes nothing.

    Of requests with one key at the same time, one runs and the others get its answer. A refused request leaves no
    trace, so that it may be repeated with the same key. Raises Conflict (`idempotency_key_reused`) when the key was
    used for another request.
    """
    if key is None:
        return record(by, action, lambda write: _plain(act(write)), rationale=rationale)

    def act_once(write: Write) -> Answer:
        done = answered(by, key, request_digest)
        if done:
            raise _AlreadyDone(done)
        answer = _plain(act(write))
        IdempotencyKey.objects.create(
            workspace=by.workspace,
            actor=by.actor,
            key=key,
            request_digest=request_digest,
            status=answer.status,
            body={"headers": answer.headers, "json": json.dumps(answer.body)},
        )
        return answer

    done = answered(by, key, request_digest)
    if done:
        return done
    try:
        return record(by, action, act_once, rationale=rationale)
    except _AlreadyDone as already:
        return already.answer


def answered(by: Principal, key: str, request_digest: str) -> Answer | None:
    """The answer that the request of this key got; None when it got none yet. Raises Conflict as `once` does."""
    kept = prepared.first(_kept, by=by, key=key)
    if kept is None:
        return None
    if kept.request_digest != request_digest:
        raise Conflict(
            "This Idempotency-Key was used for another request. Nothing was stored.", code="idempotency_key_reused"
        )
    body = kept.body or {"headers": {}, "json": "null"}
    return Answer(json.loads(body["json"]), kept.status, body["headers"], replayed=True)


def _kept(by: Principal, key: str) -> QuerySet[IdempotencyKey]:
    return IdempotencyKey.objects.filter(workspace=by.workspace, actor=by.actor, key=key)[:1]


def _plain(answer: Answer) -> Answer:
    """The answer as JSON will carry it, so that the first and every later one are the same."""
    return Answer(json.loads(json.dumps(answer.body, cls=JSONEncoder)), answer.status, answer.headers)
