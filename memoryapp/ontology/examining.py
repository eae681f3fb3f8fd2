"""What another edition would do to a workspace: which rows would follow, which would not fit, and what names what goes.

The same questions are asked before a change is made in earnest, so that a dry run says what would be refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from memoryapp.doors.errors import Conflict, DomainError, Violation
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import following, rules
from memoryapp.ontology.changes import PARTS, keys_gone, roots_moved, taken_away, types_below
from memoryapp.ontology.changeset.moves import Follow, Move
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.mentions import Mention, mentions_of, of_views
from memoryapp.ontology.rules import Broken
from memoryapp.ontology.tightening import required_anew, tightened
from memoryapp.ontology.usage import Part, rows_using

NAMING = 50
"""Views, policies and forms that name what changes, of which a dry run tells."""


@dataclass(frozen=True)
class Used:
    """A part that goes and that stored rows use, or other things mention; or one that is to be told from then on, and
    that these do not tell."""

    part: Part
    count: int
    mentions: tuple[Mention, ...]

    @property
    def does(self) -> str:
        """What the mentions do with it."""
        return "tells of" if self.part.part == "required" else "names"


@dataclass(frozen=True)
class Examined:
    """What would happen. `moving` counts rows by table; `used` and `broken` stand in the way."""

    moving: dict[str, int] = field(default_factory=dict)
    used: tuple[Used, ...] = ()
    broken: tuple[Broken, ...] = ()

    @property
    def severity(self) -> str:
        return "breaking" if self.used or self.broken else "changing" if self.moving else "safe"

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Everything that stands in the way, each with its place."""
        return (*self._used(), *self._mentioned(), *self._broken())

    def _used(self) -> list[Violation]:
        return [
            Violation(one.part.path, "in_use", f"{_rows_use(one.count)} {one.part}.", "what they use kept as it is")
            for one in self.used
            if one.count
        ]

    def _mentioned(self) -> list[Violation]:
        return [
            Violation(
                one.part.path, "mentioned", f"{_capital(str(mention))} {one.does} {one.part}.", "another change of it"
            )
            for one in self.used
            for mention in one.mentions
        ]

    def _broken(self) -> list[Violation]:
        return [
            Violation(one.rule.path, "rows_do_not_fit", f"{_rows(one.count)} would not fit: {one.rule.message}.", "")
            for one in self.broken
        ]

    def as_data(self) -> dict[str, Any]:
        return {
            "severity": self.severity,
            "rows_moving": self.moving,
            "in_use": [
                {"path": one.part.path, "what": str(one.part), "rows": one.count} for one in self.used if one.count
            ],
            "mentioned": [mention.as_data() | {"path": one.part.path} for one in self.used for mention in one.mentions],
            "not_fitting": [
                {
                    "path": one.rule.path,
                    "rule": one.rule.message,
                    "count": one.count,
                    "rows": [row.as_data() for row in one.rows],
                }
                for one in self.broken
            ],
        }


def examine(by: Principal, old: Ontology, new: Ontology, moves: Sequence[Move] = ()) -> Examined:
    """What putting `new` in the place of `old` would do to what is stored."""
    follow = Follow(moves)
    return Examined(
        following.rows_moving(by.workspace, moves),
        tuple(_used(by, old, new, follow)),
        tuple(rules.broken(by, tightened(old, new, follow))),
    )


def refuse(examined: Examined) -> None:
    """Raise Conflict with everything that stands in the way: `in_use`, `mentioned` or `rows_do_not_fit`."""
    found = examined.violations
    if not found:
        return
    code = found[0].code
    message = {
        "in_use": f"{_changes(len(examined._used()))} would leave stored rows without their type.",
        "mentioned": "Something names what would go.",
        "rows_do_not_fit": f"{_rows(sum(one.count for one in examined.broken))} would not fit.",
    }[code]
    raise Conflict(message, code, found, extra={"examined": examined.as_data()})


def _used(by: Principal, old: Ontology, new: Ontology, follow: Follow) -> list[Used]:
    found: list[Used] = []
    seen: set[str] = set()
    for part in (*taken_away(old, new, follow), *_retired(old, new, follow)):
        if (where := f"{part.path}={part.value}") in seen:
            continue
        seen.add(where)
        named = (*of_views(new.document.views, part), *mentions_of(by.workspace, part))
        one = Used(part, rows_using(by.workspace, part), tuple(dict.fromkeys(named)))
        if one.count or one.mentions:
            found.append(one)
    others = (*keys_gone(old, new, follow), *required_anew(old, new, follow), *roots_moved(old, follow))
    named_by = ((part, mentions_of(by.workspace, part)) for part in others)
    return found + [Used(part, 0, tuple(named)) for part, named in named_by if named]


def _retired(old: Ontology, new: Ontology, follow: Follow) -> Iterator[Part]:
    """Types that are to be used no more for what is new."""
    for family in PARTS:
        was, now = getattr(old.document, family), getattr(new.document, family)
        for name, declared in was.items():
            as_now = now.get(follow.type(family, name))
            if as_now is not None and as_now.retired and not declared.retired:
                yield Part(family, name, frozenset((name,)))


def named(by: Principal, old: Ontology, new: Ontology, follow: Follow) -> tuple[Mention, ...]:
    """What names the types that are declared otherwise, and goes on naming them; what can not stands in the way."""
    found: dict[Mention, None] = {}
    for family in PARTS:
        below, after = types_below(old, family), getattr(new.document, family)
        for name, declared in list(getattr(old.document, family).items()):
            if len(found) < NAMING and after.get(follow.type(family, name)) != declared:
                part = Part(family, name, below[name])
                found |= dict.fromkeys((*of_views(old.document.views, part), *mentions_of(by.workspace, part)))
    return tuple(found)[:NAMING]


def problems(error: DomainError) -> list[dict[str, Any]]:
    """What does not fit together in a document, as plain data."""
    return [one.as_dict() for one in error.violations] or [{"code": error.code, "message": error.detail}]


def _rows(count: int) -> str:
    return "1 stored row" if count == 1 else f"{count} stored rows"


def _rows_use(count: int) -> str:
    return "1 stored row uses" if count == 1 else f"{count} stored rows use"


def _changes(count: int) -> str:
    return f"{count} of the changes"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
