"""JSON Schema (2020-12) as declarations use it: checked when declared, bounded when it validates.

Patterns run in linear time. References, which could lead out of the document, are not taken.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import re2
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend

from memoryapp.doors.errors import Violation

REFUSED = ("$ref", "$dynamicRef", "$recursiveRef", "$id", "$schema", "patternProperties")
DEEPEST = 20

_PARTIAL = re.compile(
    r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?)?)?"
)

formats = FormatChecker()


@formats.checks("partial-date-time")
def _partial(value: object) -> bool:
    return not isinstance(value, str) or _PARTIAL.fullmatch(value) is not None


@formats.checks("email")
def _email(value: object) -> bool:
    if not isinstance(value, str):
        return True
    name, at, domain = value.strip().rpartition("@")
    return bool(at and name and domain) and not any(letter.isspace() for letter in name + domain) and "@" not in name


_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")


@formats.checks("iri")
def _iri(value: object) -> bool:
    """A scheme and something after it: enough to tell a name from a sentence, for a key that is never opened."""
    return not isinstance(value, str) or _IRI.fullmatch(value) is not None


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not re2.search(pattern, instance):
        yield ValidationError(f"{instance[:60]!r} does not match {pattern!r}")


Validator = extend(Draft202012Validator, {"pattern": _pattern})  # type: ignore[no-untyped-call]


def problems_of(schema: Any, path: str) -> list[Violation]:
    """What is wrong with a declared schema."""
    found = list(_refused(schema, path, 0))
    if found:
        return found
    try:
        malformed = _malformed(json.dumps(schema))
    except TypeError:
        return [Violation(path, "malformed_schema", "This is no JSON.", "a JSON Schema of draft 2020-12")]
    if malformed is None:
        return []
    step, message = malformed
    return [Violation(path + step, "malformed_schema", message, "a JSON Schema of draft 2020-12")]


@lru_cache(maxsize=4096)
def _malformed(schema: str) -> tuple[str, str] | None:
    """Where a schema is none, and why. A document is checked with every change, and most of its schemas stay."""
    try:
        Validator.check_schema(json.loads(schema))
    except SchemaError as error:
        return "".join(f"/{step}" for step in error.absolute_path), error.message[:300]
    return None


def _refused(schema: Any, path: str, depth: int) -> Iterator[Violation]:
    if depth > DEEPEST:
        yield Violation(path, "malformed_schema", "The schema is nested too deeply.", f"at most {DEEPEST} levels")
    elif isinstance(schema, Mapping):
        for word, value in schema.items():
            if word in REFUSED:
                yield Violation(f"{path}/{word}", "malformed_schema", f"{word} is not taken here.", "a plain schema")
            elif word == "pattern" and isinstance(value, str) and not _compiles(value):
                yield Violation(f"{path}/pattern", "malformed_schema", "The pattern cannot be used.", "RE2 syntax")
            else:
                yield from _refused(value, f"{path}/{word}", depth + 1)
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from _refused(value, f"{path}/{index}", depth + 1)


def _compiles(pattern: str) -> bool:
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error:
        return False
    return True


PLAIN = {"type", "enum", "format", "minLength", "maxLength", "minimum", "maximum", "title", "description", "examples"}
"""Words of a schema of which a look says whether a value fits; of any other the validator does."""


def _plainly(schema: Mapping[str, Any]) -> Callable[[Any], bool] | None:
    """What tells at a look that a value fits and can be stored; None for a schema that has to be gone through.

    It never says so of one that does not; of one that it does not say so of, the validator says why.
    """
    kind = schema.get("type")
    if not set(schema) <= PLAIN or kind not in ("string", "integer", "number", "boolean"):
        return None
    sorts = {"string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,)}[kind]
    allowed = {one for one in schema["enum"] if type(one) in sorts} if "enum" in schema else None
    least, most = schema.get("minLength", 0), schema.get("maxLength", math.inf)
    lowest, highest = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    format_ = schema.get("format")

    def fits(value: Any) -> bool:
        if type(value) not in sorts or (allowed is not None and value not in allowed):
            return False
        if kind == "string":
            plain = _is_text(value) and least <= len(value) <= most
            return plain and (format_ is None or formats.conforms(value, format_))
        finite = type(value) is int or math.isfinite(value)
        return kind == "boolean" or (format_ is None and finite and lowest <= value <= highest)

    return fits


_NO_TEXT = re.compile("[\x00\ud800-\udfff]")


def _is_text(value: str) -> bool:
    return _NO_TEXT.search(value) is None


class ValueCheck:
    """Whether a value fits one declared schema."""

    def __init__(self, schema: Mapping[str, Any], gap: Any = None) -> None:
        """`gap` says which property it is of: a value outside its list of values is one that could be declared."""
        self._gap = gap if "enum" in schema else None
        self._fits = _plainly(schema)
        self._validator = Validator(schema, format_checker=formats)
        self.accepted = in_words(schema)

    def violations(self, value: Any, path: str) -> list[Violation]:
        if self._fits is not None and self._fits(value):
            return []
        if fault := _unstorable(value, 0):
            return [Violation(path, "value_not_accepted", fault, self.accepted)]
        return [
            Violation(
                path + "".join(f"/{step}" for step in error.absolute_path),
                "value_not_accepted",
                _worded(error),
                self.accepted,
                gap=self._gap_of(error),
            )
            for error in sorted(self._validator.iter_errors(value), key=lambda one: [str(s) for s in one.absolute_path])
        ]

    def _gap_of(self, error: ValidationError) -> Any:
        """The value that would have to be allowed, where nothing else is wrong with it."""
        if self._gap is None or error.validator != "enum" or error.absolute_path:
            return None
        if isinstance(error.instance, dict | list) or error.instance is None:
            return None
        return replace(self._gap, value=error.instance)


def _unstorable(value: Any, depth: int) -> str:
    """Why no database could keep the value; nothing when one can."""
    if depth > DEEPEST:
        return f"This is nested deeper than {DEEPEST} levels."
    if isinstance(value, float) and not math.isfinite(value):
        return "This is not a finite number."
    if isinstance(value, str) and not _is_text(value):
        return "The text holds characters that are no text."
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    return next((fault for one in inner if (fault := _unstorable(one, depth + 1))), "")


def _worded(error: ValidationError) -> str:
    if error.validator == "format":
        return f"This is no {error.validator_value}."
    if error.validator == "type":
        wanted: Any = error.validator_value
        return f"This must be {wanted if isinstance(wanted, str) else ' or '.join(wanted)}."
    if error.validator == "enum":
        return "This is not one of the declared values."
    return error.message[:300]


@lru_cache(maxsize=4096)
def _joined(values: tuple[str, ...]) -> str:
    return ", ".join(values)


def in_words(schema: Mapping[str, Any]) -> str:
    """What a schema accepts, in a few words for whoever sent something else."""
    if "enum" in schema:
        return _joined(tuple(str(value) for value in schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    kind = schema.get("format") or schema.get("type") or "any value"
    words = " or ".join(kind) if isinstance(kind, list) else str(kind)
    limits = [
        f"{name} {schema[key]}"
        for key, name in (
            ("minimum", "at least"),
            ("maximum", "at most"),
            ("minLength", "characters at least"),
            ("maxLength", "characters at most"),
            ("pattern", "matching"),
        )
        if key in schema
    ]
    return ", ".join([words, *limits])
