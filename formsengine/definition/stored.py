"""A form as plain data and back: the same bytes for the same form, and a digest that names it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from formsengine.definition.model import (
    Binding,
    Choice,
    ChoiceList,
    Constraint,
    Form,
    Gate,
    Hook,
    Question,
    Repeat,
    Section,
    Step,
)
from formsengine.definition.resting import at_rest
from formsengine.problems import Problem, Refused, nearest

LARGEST = 5_000_000
"""Bytes of one stored form."""


def as_data(form: Form) -> dict[str, Any]:
    """Plain data, without what is at its default."""
    data: dict[str, Any] = form.model_dump(mode="json", exclude_defaults=True)
    return {"format": form.format, "id": form.id, "version": form.version} | data


def text(data: Mapping[str, Any]) -> str:
    """JSON in one way only: sorted keys, no spaces, no escapes of letters."""
    return json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(data: Mapping[str, Any]) -> str:
    """What names exactly this content, wherever it is stored."""
    return hashlib.sha256(text(data).encode()).hexdigest()


@at_rest()
def read(data: Mapping[str, Any] | str | bytes) -> Form:
    """The form. Raises Refused("definition") with a problem for each place that is not as `form/1` says."""
    if isinstance(data, str | bytes):
        if len(data) > LARGEST:
            raise Refused("definition", f"A form has at most {LARGEST} bytes.")
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as wrong:
            raise Refused("definition", f"This is no JSON: {wrong}.") from None
    if not isinstance(data, Mapping):
        raise Refused("definition", "A form is an object with `format`, `id` and `steps`.")
    try:
        return Form.model_validate(data)
    except ValidationError as wrong:
        problems = [_problem(each) for each in wrong.errors(include_url=False, include_context=True)]
        raise Refused("definition", f"The form has {len(problems)} problems.", problems) from None


KEYS = sorted(
    {
        key
        for part in (Form, Step, Question, Section, Repeat, Gate, Hook, Binding, Choice, ChoiceList, Constraint)
        for key in part.model_fields
    }
)


def _problem(error: Mapping[str, Any]) -> Problem:
    path = "/".join(str(each) for each in error["loc"])
    if error["type"] == "extra_forbidden":
        key = str(error["loc"][-1])
        return Problem(path, "unknown-key", f"{key!r} is not a part of a form.", tuple(nearest(key, KEYS)))
    expected = str((error.get("ctx") or {}).get("expected") or (error.get("ctx") or {}).get("expected_tags") or "")
    accepted = tuple(part.strip(" '") for part in expected.replace(" or ", ", ").split(",") if part.strip())
    return Problem(path, error["type"].replace("_", "-"), f"{error['msg']}.", accepted)


def json_schema() -> dict[str, Any]:
    """The stored form as JSON Schema 2020-12."""
    made = Form.model_json_schema(mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "form/1", **made}
