"""Where the evaluation data and the agreed checks lie: beside the repository, or where COMMONPLACE_SHARED says."""

from __future__ import annotations

import os
from pathlib import Path

SHARED = Path(os.environ.get("COMMONPLACE_SHARED") or Path(__file__).resolve().parents[2].parent / "shared")


def shared(*parts: str) -> Path:
    """A file there. These tests are run where it is; without it they fail, and are never passed over."""
    found = SHARED.joinpath(*parts)
    assert found.exists(), f"{found} is not there; say where it is with COMMONPLACE_SHARED."
    return found
