"""Points on the earth, and lines and areas of them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from formsengine.values.runtime import number

LIMITS = {"lat": Decimal(90), "lon": Decimal(180)}
MOST_POINTS = 10_000


def read_point(raw: Any) -> dict[str, str] | None:
    """Latitude and longitude in degrees, with altitude and accuracy in metres where given."""
    if isinstance(raw, str):
        parts = raw.replace(",", " ").split()
        raw = dict(zip(("lat", "lon", "alt", "acc"), parts, strict=False)) if 2 <= len(parts) <= 4 else None
    if not isinstance(raw, Mapping) or not {"lat", "lon"} <= set(raw):
        return None
    made = {}
    for key in ("lat", "lon", "alt", "acc"):
        if raw.get(key) in (None, ""):
            continue
        value = number(str(raw[key]))
        if value is None or (key in LIMITS and abs(value) > LIMITS[key]):
            return None
        made[key] = format(value, "f")
    return made


def read_points(raw: Any, kind: str) -> list[dict[str, str]] | None:
    """A line of two points or more; an area of three or more, closed by itself."""
    found = raw.split(";") if isinstance(raw, str) else raw
    if not isinstance(found, list) or len(found) > MOST_POINTS:
        return None
    points = [read_point(each) for each in found if each != ""]
    if None in points or len(points) < (3 if kind == "area" else 2):
        return None
    return [point for point in points if point is not None]
