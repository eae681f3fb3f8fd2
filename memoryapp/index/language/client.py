"""The one place that speaks to a model's server: the OpenAI form over HTTP, bounded in every way.

Nothing is retried here: the job that asks is. A server that answers slowly, too much, badly or not at all is `Trouble`,
with whether asking again can help.
"""

from __future__ import annotations

import datetime as dt
import email.utils
import json
import time
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.utils import timezone

LARGEST_ANSWER = 4 * 1024 * 1024
CONNECT_SECONDS = 5.0
LONGEST_WAIT = 3600.0
"""Seconds that a server which names a longer pause is left alone."""
WORTH_ANOTHER_TRY = frozenset({408, 409, 425, 429})


@dataclass(frozen=True)
class Question:
    """What is asked: the task, what it is about, and the JSON schema that an answer keeps to."""

    task: str
    about: str
    name: str
    schema: dict[str, Any]

    @property
    def tokens(self) -> int:
        """About how many tokens it has: a quarter of its bytes."""
        return (len(self.task.encode()) + len(self.about.encode()) + len(json.dumps(self.schema))) // 4


@dataclass(frozen=True)
class Reply:
    """What came back. `content` is the model's own words, not looked at yet; `whole` says that they are not cut."""

    content: str
    whole: bool
    tokens_in: int
    tokens_out: int
    milliseconds: int


@dataclass
class Trouble(Exception):
    """No usable reply. `said` is a sentence for people; `raw` what came, as it came."""

    code: str
    said: str
    hopeless: bool = False
    wait: float | None = None
    status: int | None = None
    raw: str = ""
    milliseconds: int = 0
    tokens_in: int = field(default=0)
    tokens_out: int = field(default=0)


def configured() -> bool:
    """Whether there is a model to ask."""
    return bool(settings.MODEL_URL and settings.MODEL_NAME)


@dataclass(frozen=True)
class Server:
    """Where a model is asked: the address up to and with `/v1`, its key, and how many seconds an answer may take."""

    url: str
    key: str
    seconds: float


@dataclass(frozen=True)
class Sent:
    """What a server answered with status 200, as it came, and how long it took."""

    body: str
    milliseconds: int


def complete(question: Question) -> Reply:
    """Ask the model. Raises Trouble, within about `MODEL_SECONDS`."""
    server = Server(settings.MODEL_URL, settings.MODEL_KEY, settings.MODEL_SECONDS)
    asked = {
        "model": settings.MODEL_NAME,
        "messages": [{"role": "system", "content": question.task}, {"role": "user", "content": question.about}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": question.name, "schema": question.schema, "strict": True},
        },
    }
    sent = send(server, "chat/completions", settings.MODEL_OPTIONS | asked)
    return _read(question, sent.body, sent.milliseconds)


def send(server: Server, path: str, asked: dict[str, Any]) -> Sent:
    """Post to a model's server. Raises Trouble unless it answers 200, within about the server's seconds.

    The HTTP client is loaded here, so that a process that never asks does not carry it.
    """
    import httpx2

    began = time.monotonic()
    try:
        status, headers, body = _post(server, path, asked, began + server.seconds)
    except Trouble as trouble:
        trouble.milliseconds = _since(began)
        raise
    except httpx2.TimeoutException as error:
        raise Trouble("model_slow", "The model did not answer in time.", milliseconds=_since(began)) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise Trouble("model_unreachable", "The model cannot be reached.", milliseconds=_since(began)) from error
    if status != 200:
        raise _refused(status, headers, body, _since(began))
    return Sent(body, _since(began))


def _post(server: Server, path: str, asked: dict[str, Any], until: float) -> tuple[int, Any, str]:
    import httpx2

    headers = {"Authorization": f"Bearer {server.key}"} if server.key else {}
    timeout = httpx2.Timeout(server.seconds, connect=min(CONNECT_SECONDS, server.seconds))
    with _client().stream("POST", f"{server.url}/{path}", json=asked, headers=headers, timeout=timeout) as response:
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > LARGEST_ANSWER:
                raise Trouble("model_too_much", "The model's answer is too long.", status=response.status_code)
            if time.monotonic() > until:
                raise Trouble("model_slow", "The model did not answer in time.", raw=_text(body))
        return response.status_code, response.headers, _text(body)


@lru_cache(maxsize=1)
def _client() -> Any:
    """One for the process: making one takes longer than many an answer. Threads share it."""
    import httpx2

    return httpx2.Client(follow_redirects=False)


def _refused(status: int, headers: Any, body: str, milliseconds: int) -> Trouble:
    about: dict[str, Any] = {"status": status, "raw": body, "milliseconds": milliseconds}
    if status in WORTH_ANOTHER_TRY or status >= 500:
        wait = _pause(headers.get("Retry-After"))
        if status == 429 or wait is not None:
            wait = wait or 10.0
            return Trouble("model_busy", f"The model asks to wait {wait:.0f} s.", wait=wait, **about)
        return Trouble("model_failed", f"The model's server failed ({status}).", **about)
    return Trouble("model_refused", f"The model's server refuses the request ({status}).", hopeless=True, **about)


def _pause(named: str | None) -> float | None:
    """The seconds that a Retry-After names, in either of its forms."""
    if not named:
        return None
    try:
        seconds = float(named)
    except ValueError:
        try:
            at = email.utils.parsedate_to_datetime(named)
        except ValueError:
            return None
        at = at if at.tzinfo else at.replace(tzinfo=dt.UTC)
        seconds = (at - timezone.now()).total_seconds()
    return min(max(seconds, 1.0), LONGEST_WAIT) if seconds == seconds else None


def _read(question: Question, body: str, milliseconds: int) -> Reply:
    try:
        told = json.loads(body)
        choice = told["choices"][0]
        content = choice["message"]["content"]
        if not isinstance(content, str):
            raise TypeError
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise Trouble(
            "model_not_understood",
            "What the model's server sent is no chat completion.",
            status=200,
            raw=body,
            milliseconds=milliseconds,
            tokens_in=question.tokens,
        ) from error
    usage = told.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Reply(
        content=content,
        whole=choice.get("finish_reason") in (None, "stop"),
        tokens_in=counted(usage.get("prompt_tokens"), question.tokens),
        tokens_out=counted(usage.get("completion_tokens"), len(content.encode()) // 4),
        milliseconds=milliseconds,
    )


def counted(told: Any, otherwise: int) -> int:
    """What the server counted, or about as much when it did not."""
    usable = isinstance(told, int) and not isinstance(told, bool) and 0 <= told < 10**9
    return told if usable else otherwise


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


def _text(body: bytes | bytearray) -> str:
    """The body as text that any database keeps."""
    return bytes(body).decode("utf-8", "replace").replace("\x00", "\ufffd")
