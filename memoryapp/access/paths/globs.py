"""Patterns of paths: `?` one character, `*` any within a name, `**` any number of names, none included."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import re2

from memoryapp.access.paths.normal import ROOT, normal
from memoryapp.doors.errors import Invalid

LONGEST = 1024
MOST_WILD = 12
"""Wildcards in one pattern."""
ACCEPTED = "an absolute pattern such as /notes/**/*.md"


@dataclass(frozen=True)
class Glob:
    """A pattern in its normal form. What is not `?`, `*` or `**` stands for itself."""

    text: str

    @classmethod
    def read(cls, text: str, place: str = "/pattern") -> Glob:
        """The pattern of a text. Raises Invalid."""
        stars = text.count("*") + text.count("?")
        if len(text) > LONGEST or stars > MOST_WILD:
            raise Invalid.at(place, "pattern_too_long", "This pattern is too long.", f"at most {MOST_WILD} wildcards")
        try:
            return cls(normal(text, place))
        except Invalid as error:
            raise Invalid.at(place, error.code, error.detail.replace("path", "pattern"), ACCEPTED) from error

    @property
    def is_literal(self) -> bool:
        return "*" not in self.text and "?" not in self.text

    @cached_property
    def head(self) -> str:
        """The longest path above everything that it can match."""
        names: list[str] = []
        for name in self.text.split("/")[1:]:
            if "*" in name or "?" in name:
                break
            names.append(name)
        return "/" + "/".join(names) if names else ROOT

    @property
    def flat_directory(self) -> str | None:
        """The one directory that holds everything it can match, where only its last name is wild."""
        above, _, last = self.text.rpartition("/")
        return (above or ROOT) if last != "**" and "*" not in above and "?" not in above else None

    @cached_property
    def expression(self) -> str:
        """A regular expression for whole paths, in words that every engine here reads alike."""
        if self.text == ROOT:
            return "^/$"
        written = ""
        for name in self.text.split("/")[1:]:
            written += "(/[^/]+)*" if name == "**" else "/" + "".join(_written(one) for one in _split(name))
        return f"^{written}$" if written.strip("/") else "^/.*$"

    @cached_property
    def with_all_below(self) -> str:
        """The expression for what it matches and everything below that."""
        return self.expression[:-1] + "(/.*)?$" if self.text != ROOT else "^/.*$"

    def matches(self, path: str) -> bool:
        return self._whole.search(path) is not None

    def among(self, paths: Sequence[str]) -> Iterator[str]:
        """Those of these paths that match, in their order: all are looked at in one go. A path holds no line feed."""
        for found in self._each.finditer("\n".join(paths).encode()):
            yield found.group().decode()

    def covers(self, path: str) -> bool:
        """Whether it matches the path or a directory above it."""
        return self._covering.search(path) is not None

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        return re2.compile(self.expression)  # type: ignore[no-any-return]

    @cached_property
    def _each(self) -> re.Pattern[bytes]:
        options = re2.Options()
        options.never_nl = True
        return re2.compile(f"(?m){self.expression}".encode(), options)  # type: ignore[no-any-return]

    @cached_property
    def _covering(self) -> re.Pattern[str]:
        return re2.compile(self.with_all_below)  # type: ignore[no-any-return]


def _split(name: str) -> list[str]:
    return re.findall(r"\*+|\?|[^*?]+", name)


def _written(part: str) -> str:
    if part[0] == "*":
        return "[^/]*"
    return "[^/]" if part == "?" else re.sub(r"[.^$+{}()\[\]|\\]", r"\\\g<0>", part)
