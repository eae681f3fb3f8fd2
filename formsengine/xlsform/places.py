"""Where something stands in a sheet or in the form made of it, and what it is called there."""

from __future__ import annotations

import re
from typing import Any


def item_at(data: Any, parts: list[str]) -> str:
    """The name of the innermost item on the way."""
    name, at = "", data
    for part in parts[:-1]:
        at = at[int(part)] if isinstance(at, list) else at[part]
        if isinstance(at, dict) and "kind" in at and "name" in at:
            name = str(at["name"])
    return name


def name_of(text: str) -> str:
    """A name as forms have it."""
    made = re.sub(r"[^\w.-]+", "_", text.strip()).strip("_") or "form"
    return (made if not made[0].isdigit() and made[0] not in ".-" else f"q_{made}")[:120]
