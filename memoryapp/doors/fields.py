"""Fields that take a value or refuse it, and never turn one type into another.

A body of `Fields` names what it takes: an unknown name is refused with the nearest known one, a wrong type with the
type that would be taken. `Parameters` is the same for a query string, whose values are read as their field says.
"""

from __future__ import annotations

import functools
import math
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from memoryapp.doors import moments, strict
from memoryapp.doors.errors import Denied, Invalid, Malformed, Violation
from memoryapp.doors.nearest import nearest
from memoryapp.doors.paging import LARGEST_SIZE, USUAL_SIZE
from memoryapp.doors.violated import violations

_NOT_YOURS = {"actor", "actor_id", "agent", "agent_id", "user", "user_id", "workspace", "workspace_id", "tenant"}
_MOST_PARAMETERS = 100


class Text(serializers.CharField):
    """A text, exactly as sent. Blank is refused unless allowed; `max_length` counts characters."""

    def __init__(self, *, max_length: int = 100_000, **options: Any) -> None:
        options.setdefault("trim_whitespace", False)
        super().__init__(max_length=max_length, **options)

    @property
    def accepted(self) -> str:
        return f"a text of at most {self.max_length} characters"

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if data is serializers.empty or data is None:
            return super().run_validation(data)
        if not isinstance(data, str):
            raise ValidationError("This must be a text.", code="wrong_type")
        if not self.allow_blank and not data.strip():
            raise ValidationError("This may not be blank.", code="blank")
        return super().run_validation(data)


class Whole(serializers.IntegerField):
    """An integer. 2.0, "2" and true are not integers."""

    @property
    def accepted(self) -> str:
        return _range("an integer", self.min_value, self.max_value)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            raise ValidationError("This must be an integer.", code="wrong_type")
        if abs(data) > strict.LARGEST_INTEGER:
            raise ValidationError("This integer is too large.", code="integer_too_large")
        return data


class Number(serializers.FloatField):
    """A finite number; an integer is one."""

    @property
    def accepted(self) -> str:
        return _range("a number", self.min_value, self.max_value)

    def to_internal_value(self, data: Any) -> float:
        if isinstance(data, bool) or not isinstance(data, int | float) or not math.isfinite(data):
            raise ValidationError("This must be a number.", code="wrong_type")
        return float(data)


class Flag(serializers.BooleanField):
    """true or false, nothing else."""

    accepted = "true or false"

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise ValidationError("This must be true or false.", code="wrong_type")
        return data


class Identifier(serializers.UUIDField):
    """The id of something here."""

    accepted = "an id such as 01890a5d-ac96-774b-bcce-b302099a8057"

    def to_internal_value(self, data: Any) -> uuid.UUID:
        if not isinstance(data, str) or not re.fullmatch(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", data):
            raise ValidationError("This is not an id.", code="not_an_id")
        return uuid.UUID(data)


class OneOf(serializers.ChoiceField):
    """One of a closed set of words."""

    @property
    def accepted(self) -> str:
        return ", ".join(str(choice) for choice in self.choices)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or data not in self.choices:
            near = nearest(data, self.choices) if isinstance(data, str) else None
            hint = f" Did you mean “{near}”?" if near else ""
            raise ValidationError(f"This is none of the words taken here.{hint}", code="not_a_choice")
        return data


class Anything(serializers.JSONField):
    """Any JSON value; what it must look like is declared elsewhere (a property's schema)."""

    accepted = "any JSON value"


class Mapped(serializers.DictField):
    """A JSON object with free names. Without `child` its values are any JSON."""

    accepted = "an object"

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict):
            raise ValidationError("This must be an object.", code="wrong_type")
        return super().to_internal_value(data)


class Several(serializers.ListField):
    """A list of one kind of value; in a query string the parameter is repeated."""

    @property
    def accepted(self) -> str:
        return _range("a list", self.min_length, self.max_length, "items")

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, list):
            raise ValidationError("This must be a list.", code="wrong_type")
        return super().to_internal_value(data)


class When(serializers.Field[Any, Any, Any, Any]):
    """A moment: exact with its offset, or a partial date. Gives a `moments.Moment`."""

    accepted = moments.ACCEPTED

    def __init__(self, *, exact: bool = False, **options: Any) -> None:
        self.exact = exact
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> moments.Moment:
        if not isinstance(data, str):
            raise ValidationError("This must be a time, as a text.", code="wrong_type")
        zones = self.context.get("zones", {})
        try:
            found = moments.parse(data, time_zone=zones.get("request"))
        except moments.NotAMoment as error:
            raise ValidationError(str(error), code=error.code) from error
        if self.exact and found.precision != moments.Precision.INSTANT:
            raise ValidationError("This must be an exact time.", code="not_exact")
        return found

    def to_representation(self, value: Any) -> str:
        return str(value)


class Zone(Text):
    """The time zone that times without an offset are in."""

    accepted = "an IANA name such as Europe/Paris, or an offset such as +02:00"

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=64, **options)

    def to_internal_value(self, data: Any) -> str:
        try:
            moments.zone_of(data)
        except moments.NotAMoment as error:
            raise ValidationError(str(error), code=error.code) from error
        return str(data)


class Fields(serializers.Serializer[Any]):
    """What a body, or an object within it, may hold. Unknown names are refused."""

    accepted = "an object"

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict):
            raise ValidationError({"": [ErrorDetail("This must be an object.", code="wrong_type")]})
        unknown: dict[str, Any] = {}
        for name in data:
            if name not in self.fields or self.fields[name].read_only:
                unknown[name] = [self._unknown(name)]
        try:
            value = super().to_internal_value(data)
        except ValidationError as error:
            raise ValidationError({**_as_dict(error.detail), **unknown}) from error
        if unknown:
            raise ValidationError(unknown)
        return value

    def _unknown(self, name: str) -> ErrorDetail:
        known = [known for known, field in self.fields.items() if not field.read_only]
        near = nearest(name, known)
        hint = f" Did you mean “{near}”?" if near else ""
        return ErrorDetail(f"There is no field “{name[:64]}” here.{hint}", code="unknown_field")


class Body(Fields):
    """A whole body. Names who cannot be named: the key says who acts, and where."""

    time_zone = Zone(required=False, help_text="The zone of times that carry no offset.")

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if isinstance(data, dict):
            named = sorted(name for name in _NOT_YOURS & data.keys() if name not in self.fields)
            if named:
                raise Denied(
                    "Who acts and in which workspace is said by the key, never by the body.",
                    code="not_yours_to_say",
                    violations=tuple(
                        Violation(strict.pointer(name), "not_yours_to_say", "Leave this out.") for name in named
                    ),
                )
            self.context["zones"]["request"] = _zone(data.get("time_zone"))
        return super().run_validation(data)


class Told(Body):
    """A body of a write: what the agent says of its own doing travels with it."""

    run = Text(required=False, allow_blank=True, max_length=200, help_text="The agent's run this belongs to.")
    model = Text(required=False, allow_blank=True, max_length=200, help_text="The model that wrote it.")
    rationale = Text(required=False, allow_blank=True, max_length=10_000, help_text="Why, in a sentence.")


class Parameters(Fields):
    """What a query string may hold. Unknown names, and repeats where one value is taken, are refused."""

    @classmethod
    def read(cls, query: str, context: dict[str, Any]) -> dict[str, Any]:
        """The values of a raw query string. Raises Malformed with every violation."""
        if not query:
            context.setdefault("zones", {})["request"] = None
            return dict(cls._unasked())
        pairs = _pairs(query)
        reader = cls(context=context)
        found: list[Violation] = []
        data: dict[str, Any] = {}
        for name, value in pairs:
            field = reader.fields.get(name)
            if field is None:
                detail = reader._unknown(name)
                text = str(detail).replace("field", "parameter")
                found.append(Violation(name[:64], "unknown_parameter", text, ", ".join(reader.fields)))
            elif isinstance(field, Several):
                data.setdefault(name, []).append(_lexical(field.child, value))
            elif name in data:
                found.append(Violation(name, "repeated_parameter", "This is given twice.", "one value"))
            else:
                data[name] = _lexical(field, value)
        context.setdefault("zones", {})["request"] = _zone(data.get("time_zone"))
        return cls._values(reader, data, found)

    @classmethod
    @functools.cache
    def _unasked(cls) -> dict[str, Any]:
        """The values where nothing is said, worked out once."""
        return cls._values(cls(context={"zones": {}}), {}, [])

    @classmethod
    def of(cls, given: Mapping[str, Any], context: dict[str, Any]) -> dict[str, Any]:
        """The same values from a JSON object, each of its own type. Raises Malformed with every violation."""
        context.setdefault("zones", {})["request"] = _zone(given.get("time_zone"))
        return cls._values(cls(context=context), dict(given), [])

    @classmethod
    def _values(cls, reader: Parameters, data: dict[str, Any], found: list[Violation]) -> dict[str, Any]:
        try:
            values = reader.run_validation(data)
        except ValidationError as error:
            found.extend(
                Violation(violation.path.lstrip("/"), violation.code, violation.message, violation.accepted)
                for violation in violations(error.detail, reader)
            )
        if found:
            raise Malformed.all(found)
        return dict(values)


class Paged(Parameters):
    """The parameters of every list."""

    cursor = Text(required=False, max_length=2000, help_text="`next` of the page before.")
    page_size = Whole(
        required=False, default=USUAL_SIZE, min_value=1, max_value=LARGEST_SIZE, help_text="Items on a page."
    )


@contextmanager
def in_query() -> Iterator[None]:
    """Turn what a query finds wrong with a question into a refusal that names the parameter."""
    try:
        yield
    except (Invalid, Malformed) as error:
        found = tuple(replace(violation, path=violation.path.lstrip("/")) for violation in error.violations)
        raise Malformed(error.detail, code=error.code, violations=found) from error


def read_body(fields: type[Body], data: Any, context: dict[str, Any]) -> dict[str, Any]:
    """The values of a body. Raises Malformed with every violation, each with its place."""
    reader = fields(context={"zones": {}} | context)
    try:
        return dict(reader.run_validation(data))
    except ValidationError as error:
        raise Malformed.all(list(violations(error.detail, reader))[: strict.MOST_VIOLATIONS]) from error


def _as_dict(detail: Any) -> dict[str, Any]:
    return dict(detail) if isinstance(detail, Mapping) else {"": detail}


def _pairs(query: str) -> list[tuple[str, str]]:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=_MOST_PARAMETERS)
    except (UnicodeDecodeError, ValueError) as error:
        raise Malformed("The query string cannot be read.", code="query_not_readable") from error
    for name, value in pairs:
        wrong = strict.unreadable_characters(name + value)
        if wrong:
            raise Malformed(f"The query string holds {wrong}.", code="query_not_readable")
    return pairs


def _lexical(field: Any, text: str) -> Any:
    """What a parameter's text says when its field is no text; the text itself when it cannot be read so."""
    if isinstance(field, Whole) and re.fullmatch(r"-?[0-9]{1,16}", text):
        return int(text)
    if isinstance(field, Number) and re.fullmatch(r"-?[0-9]{1,16}(\.[0-9]{1,16})?", text):
        return float(text)
    if isinstance(field, Flag):
        return {"true": True, "false": False}.get(text, text)
    return text


def _zone(name: Any) -> str | None:
    try:
        moments.zone_of(name)
    except (moments.NotAMoment, TypeError):
        return None
    return str(name)


def _range(what: str, least: Any, most: Any, unit: str = "") -> str:
    if least is not None and most is not None:
        return f"{what} from {least} to {most} {unit}".rstrip()
    if least is not None:
        return f"{what} of at least {least} {unit}".rstrip()
    if most is not None:
        return f"{what} of at most {most} {unit}".rstrip()
    return what
