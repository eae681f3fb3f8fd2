"""Steps out of the items of a sheet, which has none of its own."""

from __future__ import annotations

from typing import Any


def steps_of(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each group at the top is a step; what stands between groups is a step of its own."""
    steps: list[dict[str, Any]] = []
    loose: list[dict[str, Any]] = []
    for item in items:
        if item["kind"] == "section":
            _put(steps, loose)
            loose = []
            steps.append({"name": item["name"], "title": item.get("label", {}), "items": [item]})
        else:
            loose.append(item)
    _put(steps, loose)
    return steps or [{"name": "questions", "items": []}]


def _put(steps: list[dict[str, Any]], items: list[dict[str, Any]]) -> None:
    if items:
        name = f"questions_{len(steps) + 1}" if steps else "questions"
        title = items[0].get("label", {}) if len(items) == 1 else {}
        steps.append({"name": name, "title": title, "items": items})
