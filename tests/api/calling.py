"""Calling the REST door in tests as an agent does: with a key, over HTTP."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from typing import Any, cast

from django.http import HttpResponse
from django.test import Client

from memoryapp.access import services
from memoryapp.access.models import Agent
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.services import record

PROBLEM = "application/problem+json"


class Caller:
    """An agent with its key. Answers are Django test responses; a problem is checked to be one wherever it shows."""

    def __init__(self, workspace: Workspace, surfaces: Iterable[str], name: str = "Clerk") -> None:
        self.workspace = workspace
        self.operator = services.operator(workspace)
        self.agent: Agent = record(
            self.operator, "a", lambda write: services.create_agent(write, name=name, surfaces=surfaces)
        )
        self.issued = record(self.operator, "k", lambda write: services.issue_key(write, agent=self.agent))
        self.key = self.issued.text
        self.client = Client(raise_request_exception=False)

    def get(self, address: str, **headers: str) -> Any:
        return self.send("GET", address, b"", "application/json", **headers)

    def post(self, address: str, body: Any = None, **headers: str) -> Any:
        return self.send(
            "POST", address, json.dumps(body).encode() if body is not None else b"", "application/json", **headers
        )

    def send(
        self, verb: str, address: str, body: bytes = b"", content_type: str = "application/json", **headers: str
    ) -> Any:
        """Header names are written with underscores: `Idempotency_Key="one"`."""
        sent = {"Authorization": f"Bearer {self.key}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        answer = self.client.generic(
            verb,
            address if address.startswith("/") else f"/api/v1/{address}",
            body,
            content_type=content_type,
            headers=sent,
        )
        return is_well_formed(_whole(answer) if answer.streaming else answer)

    def revoke(self) -> None:
        record(self.operator, "x", lambda write: services.revoke_key(write, key=self.issued.key))

    def expire(self) -> None:
        from memoryapp.access.models import AgentKey

        long_ago = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
        AgentKey.objects.filter(pk=self.issued.key.pk).update(expires_at=long_ago)


def _whole(sent: Any) -> HttpResponse:
    """What is sent in pieces, as one. Its JSON is the list of its lines."""
    answer: Any = HttpResponse(b"".join(sent), status=sent.status_code, headers=sent.headers)
    answer.wsgi_request = sent.wsgi_request
    answer.json = lambda: [json.loads(line) for line in answer.content.splitlines()]
    return cast(HttpResponse, answer)


def is_well_formed(answer: Any) -> Any:
    """Every failure is a problem document that says its own status and shows nothing of the inside."""
    if answer.status_code >= 400:
        assert answer["Content-Type"].startswith(PROBLEM), answer.content[:300]
        problem = answer.json()
        assert problem["status"] == answer.status_code
        assert problem["code"]
        assert problem["detail"]
        assert problem["trace_id"] == answer["Commonplace-Trace"]
        assert "Traceback" not in answer.content.decode()
    return answer
