"""What must be right before the protocol is spoken."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from django.test import AsyncRequestFactory, override_settings

from memoryapp.doors.errors import DomainError
from memoryapp.mcp import door
from tests.api.calling import Caller
from tests.house.running import ROOT


def asked(caller: Caller, **headers: str) -> Any:
    return AsyncRequestFactory().post("/mcp", headers={"Authorization": f"Bearer {caller.key}"} | headers)


@override_settings(SECURE_SSL_REDIRECT=True, SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https"))
def test_a_key_is_not_taken_unencrypted_where_encryption_is_demanded(reader: Caller) -> None:
    with pytest.raises(DomainError) as refused:
        door._check(asked(reader))
    assert refused.value.code == "not_encrypted"
    door._check(asked(reader, X_Forwarded_Proto="https"))


@override_settings(CSRF_TRUSTED_ORIGINS=["https://desk.example"])
@pytest.mark.parametrize(
    ("origin", "taken"),
    [
        ("http://testserver", True),
        ("https://desk.example", True),
        ("http://testserver.elsewhere.example", False),
        ("http://desk.example", False),
        ("null", False),
        ("", False),
    ],
)
def test_an_origin_is_ours_or_one_that_is_trusted(reader: Caller, origin: str, taken: bool) -> None:
    if taken:
        door._check(asked(reader, Origin=origin))
        return
    with pytest.raises(DomainError) as refused:
        door._check(asked(reader, Origin=origin))
    assert refused.value.code == "foreign_origin"


def test_a_process_that_nobody_asks_for_tools_does_not_carry_them() -> None:
    """Web, worker and scheduler stay small: neither the tool server's SDK nor the model's client is loaded unasked.
    What they did load, the collector of cycles does not go through again."""
    written = (
        "import gc, sys, memoryapp.asgi;"
        "print([name for name in ('starlette', 'httpx2') if name in sys.modules], gc.get_freeze_count() > 100_000)"
    )
    done = subprocess.run(
        [sys.executable, "-c", written], cwd=ROOT, capture_output=True, text=True, check=False, env=os.environ
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[] True"), done.stderr
