"""Outside DEBUG nothing starts without its secrets, and what it serves over TLS it serves nowhere else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.house.running import ROOT

GIVEN = {"SECRET_KEY": "a" * 50, "KEY_PEPPER": "b" * 50, "ALLOWED_HOSTS": "memory.example"}
SHOW = """
import json
from django.conf import settings
names = (
    "DEBUG", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS",
    "SECURE_PROXY_SSL_HEADER", "ALLOWED_HOSTS", "CELERY_BROKER_URL",
)
found = {name: getattr(settings, name, None) for name in names}
print(json.dumps(found | {"engine": settings.DATABASES["default"]["ENGINE"]}))
"""


def settings_with(var: Path, **given: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "COMMONPLACE_VAR": str(var), "PYTHONPATH": str(ROOT)} | given
    environment["DJANGO_SETTINGS_MODULE"] = "memoryapp.settings"
    return subprocess.run(
        [sys.executable, "-c", SHOW], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def shown(var: Path, **given: str) -> dict[str, Any]:
    done = settings_with(var, **given)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("missing", sorted(GIVEN))
def test_production_does_not_start_without(missing: str, tmp_path: Path) -> None:
    done = settings_with(tmp_path, **{name: value for name, value in GIVEN.items() if name != missing})
    assert done.returncode != 0
    assert f"Set {missing}" in done.stderr


def test_production_is_for_tls_and_its_cookies_too(tmp_path: Path) -> None:
    found = shown(tmp_path, **GIVEN)
    assert not found["DEBUG"]
    assert found["SESSION_COOKIE_SECURE"]
    assert found["CSRF_COOKIE_SECURE"]
    assert found["SECURE_SSL_REDIRECT"]
    assert found["SECURE_HSTS_SECONDS"] > 0
    assert found["SECURE_PROXY_SSL_HEADER"] is None
    assert found["ALLOWED_HOSTS"] == ["memory.example"]


def test_a_proxy_is_believed_only_when_told_to(tmp_path: Path) -> None:
    assert shown(tmp_path, TRUST_PROXY="on", **GIVEN)["SECURE_PROXY_SSL_HEADER"] == ["HTTP_X_FORWARDED_PROTO", "https"]


def test_the_environment_wins_over_the_secrets_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "machine.env").write_text("SECRET_KEY=x\nKEY_PEPPER=y\nALLOWED_HOSTS=127.0.0.1\nTLS=off\n")
    assert shown(tmp_path)["ALLOWED_HOSTS"] == ["127.0.0.1"]
    assert not shown(tmp_path)["SESSION_COOKIE_SECURE"]
    assert shown(tmp_path, **GIVEN)["ALLOWED_HOSTS"] == ["memory.example"]


def test_two_addresses_change_the_database_and_the_broker(tmp_path: Path) -> None:
    plain = shown(tmp_path, **GIVEN)
    assert (plain["engine"], plain["CELERY_BROKER_URL"]) == ("django.db.backends.sqlite3", "filesystem://")
    moved = shown(
        tmp_path, DATABASE_URL="postgres://me@127.0.0.1:5432/memory", CELERY_BROKER_URL="redis://127.0.0.1/0", **GIVEN
    )
    assert (moved["engine"], moved["CELERY_BROKER_URL"]) == ("django.db.backends.postgresql", "redis://127.0.0.1/0")
