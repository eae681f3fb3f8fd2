"""Whatever is sent to any address, the answer is one that its description announces, and never a failure of ours.

Requests are generated from the description itself, the same ones on every run.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any
from urllib.parse import urlencode

import pytest
import schemathesis
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator
from schemathesis.generation import GenerationMode

from tests.api.calling import Caller
from tests.api.conftest import Things

pytestmark = pytest.mark.django_db

EACH = 1
"""Requests of each mode (as described, and not as described) to each operation."""

settings.register_profile(
    "any request",
    max_examples=EACH,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
SAME_EVERY_RUN = settings.get_profile("any request")


@cache
def described() -> dict[str, Any]:
    """The description as a program reads it."""
    found: dict[str, Any] = json.loads(json.dumps(SchemaGenerator().get_schema(request=None, public=True), default=str))
    return found


def operations() -> list[Any]:
    found: Any = schemathesis.openapi.from_dict(described()).get_all_operations()
    return [operation.ok() for operation in found]


def test_every_answer_is_described() -> None:
    bare = [
        (path, verb, status)
        for path, verbs in described()["paths"].items()
        for verb, operation in verbs.items()
        for status, answer in operation["responses"].items()
        if "content" not in answer and status != "304"
    ]
    assert bare == []


@pytest.mark.sql
def test_any_request_gets_an_answer_that_is_announced(curator: Caller, things: Things) -> None:
    found = operations()
    assert len(found) > 30
    wrong: list[Any] = []
    for operation in found:
        named = {name: str(ids[0]) for name, ids in things.items() if f"{{{name}}}" in operation.path}
        if "{name}" in operation.path:
            named["name"] = "preferences"
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

            @SAME_EVERY_RUN
            @given(operation.as_strategy(generation_mode=mode, path_parameters=named))
            def ask(case: Any) -> None:
                answer = _sent(curator, case)
                wrong.extend((case.method, case.operation.path, case.body, fault) for fault in _faults(case, answer))

            ask()
    assert not wrong, "\n".join(sorted({f"{verb} {path}: {fault[:300]}" for verb, path, _, fault in wrong}))


def _sent(caller: Caller, case: Any) -> Any:
    query = urlencode(dict(case.query or {}), doseq=True, errors="surrogatepass")
    named = {
        name.replace("-", "_"): value
        for name, value in dict(case.headers or {}).items()
        if name in ("Idempotency-Key", "If-Match") and value.isascii() and value.isprintable()
    }
    named.setdefault("If_Match", '"1"')
    address = case.formatted_path + (f"?{query}" if query else "")
    return caller.send(case.method.upper(), address, _body(case.body), **named)


def _body(generated: Any) -> bytes:
    if isinstance(generated, bytes):
        return generated
    return b"" if isinstance(generated, schemathesis.core.NotSet) else json.dumps(generated).encode()


def _faults(case: Any, answer: Any) -> list[str]:
    """What of the answer the description does not announce. That a problem is well formed was checked on its way."""
    if answer.status_code >= 500:
        return [answer.content.decode()]
    if answer.status_code >= 400:
        return []
    announced = described()["paths"][case.operation.path][case.method.lower()]["responses"]
    if str(answer.status_code) not in announced:
        return [f"{answer.status_code} is not announced"]
    content = announced[str(answer.status_code)]["content"]
    if "application/json" not in content:
        return [] if answer.headers["Content-Type"].partition(";")[0] in content else ["its kind is not announced"]
    schema = content["application/json"]["schema"]
    checked = Draft202012Validator(schema | {"components": described()["components"]})
    return [error.message for error in checked.iter_errors(answer.json())]
