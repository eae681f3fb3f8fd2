"""What the framework finds wrong with a body or a query string, as violations that say where and what is taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rest_framework.settings import api_settings

from memoryapp.doors import strict
from memoryapp.doors.errors import Violation


def violations(detail: Any, field: Any, steps: tuple[str | int, ...] = ()) -> Iterator[Violation]:
    """The framework's nested errors as a flat list with JSON pointers and what would be accepted at each."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            if name in ("", api_settings.NON_FIELD_ERRORS_KEY):
                yield from violations(inner, field, steps)
            else:
                yield from violations(inner, _inner(field, name) or _Unknown(field), (*steps, name))
    elif isinstance(detail, list):
        for index, inner in enumerate(detail):
            if isinstance(inner, Mapping | list):
                yield from violations(inner, _inner(field, index), (*steps, index))
            else:
                yield _violation(inner, field, steps)


class _Unknown:
    """Stands for a name that is not taken: what would be is the names that are."""

    def __init__(self, within: Any) -> None:
        fields = getattr(within, "fields", {})
        self.accepted = ", ".join(name for name, field in fields.items() if not field.read_only)


_CODES = {"required": "missing", "null": "wrong_type", "invalid": "not_valid", "not_a_list": "wrong_type"}


def _violation(detail: Any, field: Any, steps: tuple[str | int, ...]) -> Violation:
    code = getattr(detail, "code", None) or "not_valid"
    accepted = str(getattr(field, "accepted", "a list of objects" if hasattr(field, "child") else ""))
    row = steps[1] if len(steps) > 1 and steps[0] == "items" and isinstance(steps[1], int) else None
    message = "This is missing." if code == "required" else str(detail)
    return Violation(strict.pointer(*steps) or "/", _CODES.get(code, code), message, accepted, row)


def _inner(field: Any, name: str | int) -> Any:
    if isinstance(name, int) or not hasattr(field, "fields"):
        return getattr(field, "child", None)
    return field.fields.get(name)
