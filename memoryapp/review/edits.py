"""What a verdict asks for, checked against what was given."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from memoryapp.doors import moments
from memoryapp.doors.errors import Invalid, Violation
from memoryapp.doors.strict import unreadable_characters
from memoryapp.review.registry import Asks, Field, Verdict

LONGEST = 20_000
"""Characters in one edited text."""


def checked(verdict: Verdict, given: Mapping[str, Any]) -> dict[str, Any]:
    """The edits with every value read: an unknown or missing one, or one of the wrong sort, is Invalid by name.

    Empty optional values are left out.
    """
    fields = {field.name: field for field in verdict.asks}
    wrong = list(_unknown(given, fields))
    read: dict[str, Any] = {}
    for field in fields.values():
        value = given.get(field.name)
        path = f"/edits/{field.name}"
        if value is None or (isinstance(value, str) and not value.strip()):
            if field.required:
                wrong.append(Violation(path, "missing", f"{field.label} is needed for this.", _accepted(field)))
            continue
        answer = _read(field, value, path)
        if isinstance(answer, Violation):
            wrong.append(answer)
        else:
            read[field.name] = answer
    if wrong:
        raise Invalid.all(wrong)
    return read


def _unknown(given: Mapping[str, Any], fields: Mapping[str, Field]) -> Iterator[Violation]:
    accepted = ", ".join(fields) or "nothing"
    for name in given:
        if name not in fields:
            message = f"This verdict does not ask for “{name[:100]}”."
            yield Violation(f"/edits/{name[:100]}", "unknown_field", message, accepted)


def _read(field: Field, value: Any, path: str) -> Any:
    if field.asks == Asks.FLAG:
        return value if isinstance(value, bool) else _wrong(field, path)
    if not isinstance(value, str) or len(value) > LONGEST or unreadable_characters(value):
        return _wrong(field, path)
    if field.asks == Asks.CHOICE:
        return value if value in dict(field.choices) else _wrong(field, path)
    if field.asks == Asks.REFERENCE:
        try:
            return uuid.UUID(value)
        except ValueError:
            return _wrong(field, path)
    if field.asks == Asks.MOMENT:
        try:
            return moments.parse(value.strip())
        except moments.NotAMoment as error:
            return Violation(path, error.code, str(error), error.accepted)
    return value


def _wrong(field: Field, path: str) -> Violation:
    return Violation(path, "not_accepted", f"{field.label} cannot be this.", _accepted(field))


def _accepted(field: Field) -> str:
    if field.asks == Asks.CHOICE:
        return ", ".join(value for value, _ in field.choices)
    words = {
        Asks.FLAG: "true or false",
        Asks.MOMENT: moments.ACCEPTED,
        Asks.REFERENCE: "an id",
        Asks.TEXT: f"a text of at most {LONGEST} characters, without NUL",
    }
    return words[field.asks]
