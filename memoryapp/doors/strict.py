"""Reading a JSON body without guessing: everything that is not plainly one JSON value is refused, with its place."""

import itertools
import json
import math
import re
from collections.abc import Iterator
from typing import Any

import yaml

from memoryapp.doors.errors import Invalid, Malformed, TooLarge, Violation

LARGEST_BODY = 8 * 1024 * 1024
DEEPEST = 32
LARGEST_INTEGER = 2**53 - 1
MOST_VIOLATIONS = 50

_MARKS = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[\[{]|[\]}]', re.DOTALL)


class _NotFinite:
    """Stands for NaN or Infinity until its place is known."""


class _Repeated(dict[str, Any]):
    """An object that named a key more than once."""

    repeated: list[str]


def read(body: bytes) -> Any:
    """The value of a JSON body.

    Raises TooLarge over 8 MiB and Malformed for: text that is not UTF-8 or not JSON, nesting deeper than 32, a key
    named twice in one object, NaN and Infinity, an integer beyond 2^53 - 1, a NUL character or half a surrogate pair.
    """
    if len(body) > LARGEST_BODY:
        raise too_large()
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(
            f"The body is not UTF-8: byte {error.start} cannot be read.", code="not_utf8", violations=()
        ) from error
    _check_depth(text)
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=lambda _: _NotFinite())
    except json.JSONDecodeError as error:
        raise Malformed(
            f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.", code="not_json"
        ) from error
    except ValueError as error:
        raise Malformed("The body holds a number with too many digits.", code="number_too_long") from error
    found = []
    for violation in _violations(value, ""):
        found.append(violation)
        if len(found) == MOST_VIOLATIONS:
            break
    if found:
        detail = found[0].message if len(found) == 1 else f"{len(found)} things in the body cannot be read."
        code = found[0].code if len(found) == 1 else "not_readable"
        raise Malformed(detail, code=code, violations=tuple(found))
    return value


def read_yaml(text: str, place: str = "") -> Any:
    """The value of one document of YAML or JSON, by the rules of a JSON body: plain values alone, no aliases,
    and a date is a text. Raises Invalid that names every place below `place`.
    """
    try:
        if "&" in text and any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, _Plain)):
            raise Invalid.at(place, "aliases", "It uses YAML aliases.", "YAML or JSON without aliases")
        value = yaml.load(text, _Plain)
    except _Twice as error:
        raise Invalid.at(place, "repeated_key", str(error), "each key once") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Invalid.at(place, "not_yaml", "This is neither YAML nor JSON.", "one document of either") from error
    found = list(itertools.islice(_not_plain(value, place, 0), MOST_VIOLATIONS))
    found = found or list(itertools.islice(_violations(value, place), MOST_VIOLATIONS))
    if found:
        raise Invalid.all(found)
    return value


class _Twice(Exception):
    """A key that is named twice."""


class _Plain(yaml.SafeLoader):
    """YAML whose dates are texts, and whose keys are named once."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for number, key in enumerate(keys):
            if key in keys[:number]:
                raise _Twice(f"The key {str(key)[:60]} is named twice, in line {node.start_mark.line + 1}.")
        return super().construct_mapping(node, deep)


def _not_plain(value: Any, place: str, depth: int) -> Iterator[Violation]:
    """What no JSON could say."""
    if depth > DEEPEST:
        yield Violation(place, "too_deep", f"This is nested deeper than {DEEPEST} levels.", f"at most {DEEPEST} levels")
    elif isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(key, str):
                yield from _not_plain(inner, place + pointer(key), depth + 1)
            else:
                yield Violation(place, "not_a_text", f"The key {str(key)[:60]} is no text.", "a text; quote it")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _not_plain(inner, f"{place}/{index}", depth + 1)
    elif not isinstance(value, str | bool | int | float | None):
        yield Violation(place, "not_plain", "This is no plain value.", "a text, a number, true, false or null")


def too_large() -> TooLarge:
    return TooLarge(
        f"The body is larger than {LARGEST_BODY // 1024 // 1024} MiB. Send it in parts.",
        code="body_too_large",
        extra={"largest": LARGEST_BODY},
    )


def pointer(*steps: str | int) -> str:
    """A JSON pointer (RFC 6901) to a place in the body."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def unreadable_characters(text: str) -> str | None:
    """What is wrong with the characters of a text, if anything."""
    if "\x00" in text:
        return "a NUL character"
    if any("\ud800" <= character <= "\udfff" for character in text):
        return "half a surrogate pair"
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    seen: set[str] = set()
    marked = _Repeated(plain)
    marked.repeated = [key for key, _ in pairs if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
    return marked


def _check_depth(text: str) -> None:
    depth = 0
    for mark in _MARKS.finditer(text):
        first = text[mark.start()]
        if first in "[{":
            depth += 1
            if depth > DEEPEST:
                raise Malformed(
                    f"The body is nested deeper than {DEEPEST} levels, at character {mark.start()}.",
                    code="too_deep",
                    extra={"deepest": DEEPEST},
                )
        elif first in "]}":
            depth -= 1


def _violations(value: Any, place: str) -> Iterator[Violation]:
    if isinstance(value, str):
        wrong = _characters(value)
        if wrong:
            yield Violation(place, "unreadable_text", f"The text holds {wrong}.", "text without it")
    elif isinstance(value, dict):
        if isinstance(value, _Repeated):
            for key in value.repeated:
                yield Violation(place + pointer(key), "repeated_key", "This key is named twice.", "each key once")
        for key, inner in value.items():
            wrong = _characters(key)
            if wrong:
                yield Violation(place or "/", "unreadable_text", f"A key holds {wrong}.", "text without it")
            else:
                yield from _violations(inner, place + pointer(key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _violations(inner, f"{place}/{index}")
    elif isinstance(value, _NotFinite) or (isinstance(value, float) and not math.isfinite(value)):
        yield Violation(place, "not_finite", "This number is not finite.", "a finite number")
    elif isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        yield Violation(place, "integer_too_large", "This integer is too large to be exact.", "at most 2^53 - 1")


_UNREADABLE = re.compile("[\x00\ud800-\udfff]")


def _characters(text: str) -> str | None:
    return unreadable_characters(text) if _UNREADABLE.search(text) else None
