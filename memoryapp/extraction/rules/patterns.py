"""Every expression of the rules is compiled here: RE2, so that matching is linear in the text whatever the text is."""

from typing import Any

import re2
from django.utils.functional import SimpleLazyObject

_OPTIONS = re2.Options()
_OPTIONS.max_mem = 256 << 20
_OPTIONS.log_errors = False


def pattern(expression: str) -> Any:
    """The expression, compiled when it is first asked: most processes read no turn. RE2 refuses it then if it must."""
    return SimpleLazyObject(lambda: re2.compile(expression, _OPTIONS))


def words(listed: str) -> frozenset[str]:
    """A set of words written as one line of text."""
    return frozenset(listed.split())


def span_of(found: Any, name: str) -> tuple[int, int]:
    """Where a named group matched; (-1, -1) when it did not take part."""
    low, high = found.span(found.re.groupindex[name])
    return low, high
