"""A path policy: ordered rules of a path or pattern and what is allowed there; the last that matches wins.

A rule is about what its pattern matches and everything below that. What no rule matches has the default. It is
compiled once in a process and asked in two ways that agree: of one path, and as the condition of a query.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from django.db.models import Q

from memoryapp.access.paths.globs import Glob
from memoryapp.access.paths.normal import territory
from memoryapp.doors.errors import Invalid, Violation
from memoryapp.ledger.principal import Principal

LEVELS = ("none", "read", "write")
"""From nothing to everything; each allows what is before it."""
MOST_RULES = 50
_WORDS = {
    "none": "{what} does not exist for it",
    "read": "it may read {what}",
    "write": "it may read and write {what}",
}

Rules = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PathPolicy:
    """Rules as pairs of a pattern and a level, in order, and the level of everything else."""

    rules: Rules = ()
    default: str = "write"

    def level(self, path: str) -> str:
        """What is allowed at a path in its normal form."""
        found = self.default
        for glob, level in self._compiled:
            if glob.covers(path):
                found = level
        return found

    def may_read(self, path: str) -> bool:
        return self.level(path) != "none"

    def may_write(self, path: str) -> bool:
        return self.level(path) == "write"

    def readable(self, column: str = "path", *, ranges: bool = True) -> Q:
        """That a column names a path that may be read; nothing at all (an empty condition) when all may be.

        Without `ranges` it is for a column that is not kept in the order of bytes.
        """
        return self._where(LEVELS[1:], column, ranges)

    def writable(self, column: str = "path") -> Q:
        """That a column names a path that may be written."""
        return self._where(LEVELS[2:], column, True)

    def granted(self) -> list[Glob]:
        """The patterns of rules that let something be read."""
        return [glob for glob, level in self._compiled if level != "none"]

    def in_words(self) -> str:
        """The policy as a person or a model reads it."""
        if not self.rules:
            return _sentence(self.default, "everything")
        said = [_sentence(level, f"{text} and all below it") for text, level in self.rules]
        said.append(_sentence(self.default, "everything else"))
        return " ".join(said) + (" Where rules overlap, the later one holds." if len(self.rules) > 1 else "")

    @cached_property
    def _compiled(self) -> list[tuple[Glob, str]]:
        return [(Glob(text), level) for text, level in self.rules]

    def _where(self, levels: Sequence[str], column: str, ranges: bool) -> Q:
        allowed: bool | Q = self.default in levels
        for glob, level in self._compiled:
            here = _covered(glob, column, ranges)
            if here is None:
                allowed = level in levels
            elif level in levels:
                allowed = True if allowed is True else here if allowed is False else here | allowed
            else:
                allowed = False if allowed is False else ~here if allowed is True else ~here & allowed
        if isinstance(allowed, bool):
            return Q() if allowed else Q(pk__in=[])
        return allowed


OPEN = PathPolicy()


def compiled(rules: Rules, default: str) -> PathPolicy:
    """The policy of these rules, compiled at most once in a process."""
    return _kept(rules, default)


def of(by: Principal) -> PathPolicy:
    """The policy that a principal is under."""
    return _kept(by.path_rules, by.path_default)


@lru_cache(maxsize=512)
def _kept(rules: Rules, default: str) -> PathPolicy:
    return PathPolicy(rules, default)


def read_rules(rules: Iterable[Sequence[str]], default: str) -> PathPolicy:
    """A policy from what was typed: pairs of a path or pattern and a level. Raises Invalid with every violation."""
    wrong: list[Violation] = []
    found: list[tuple[str, str]] = []
    for row, (pattern, level) in enumerate(rules):
        if level not in LEVELS:
            message = f"“{level[:40]}” is nothing that can be allowed."
            wrong.append(Violation(f"/rules/{row}/level", "unknown_level", message, ", ".join(LEVELS)))
        try:
            found.append((Glob.read(pattern, f"/rules/{row}/path").text, level))
        except Invalid as error:
            wrong += error.violations
    if default not in LEVELS:
        wrong.append(Violation("/default", "unknown_level", "This cannot be the default.", ", ".join(LEVELS)))
    if len(found) > MOST_RULES:
        wrong.append(Violation("/rules", "too_many", f"{len(found)} rules are too many.", f"at most {MOST_RULES}"))
    if wrong:
        raise Invalid.all(wrong)
    return _kept(tuple(found), default)


def _covered(glob: Glob, column: str, ranges: bool) -> Q | None:
    """That a column names what the pattern covers; None when that is everything."""
    if not (glob.is_literal and ranges):
        return Q(**{f"{column}__regex": glob.with_all_below})
    within = territory(glob.text, column)
    return within if within else None


def _sentence(level: str, what: str) -> str:
    said = _WORDS[level].format(what=what)
    return said[0].upper() + said[1:] + "."
