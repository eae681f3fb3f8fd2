"""Secrets of one machine, made once, so that the product can be tried with one command and stay closed.

They are for a product reached at 127.0.0.1. A server is given its own by the environment, which always wins.
"""

import os
import secrets
from pathlib import Path


def prepare(base: Path) -> Path:
    """Make `var/machine.env`, readable by its owner alone, unless it is there. Returns its path."""
    var = Path(os.environ.get("COMMONPLACE_VAR", str(base / "var")))
    var.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = var / "machine.env"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(
            "# Made by `manage.py up` for this machine. The environment wins over it. Keep it: with another pepper,\n"
            "# every agent's key stops working.\n"
            f"SECRET_KEY={secrets.token_urlsafe(48)}\n"
            f"KEY_PEPPER={secrets.token_urlsafe(48)}\n"
            "ALLOWED_HOSTS=127.0.0.1,localhost,[::1]\n"
            "TLS=off\n"
        )
    return path
