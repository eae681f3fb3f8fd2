"""Benchmarks, each with one command.

They run as the product does where people rely on it, without `DEBUG`, which would note every query. So they have
secrets of their own, unless the environment says which.
"""

import os

if "DEBUG" not in os.environ:
    for name, kept in {"SECRET_KEY": "bench", "KEY_PEPPER": "bench", "ALLOWED_HOSTS": "*", "TLS": "false"}.items():
        os.environ.setdefault(name, kept)
