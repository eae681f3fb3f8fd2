"""What a new version of a form changes, and what that means for responses that are under way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from formsengine.definition.model import ChoiceList, Constraint, Form, Question, Repeat, Section
from formsengine.definition.plan import Plan, Planned


class Class(IntEnum):
    """Compatible moves by itself; review is offered and confirmed; breaking moves only by a map."""

    COMPATIBLE = 0
    REVIEW = 1
    BREAKING = 2


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs, at what it belongs to, named by its permanent uid."""

    uid: str
    what: str
    kind: Class

    def as_data(self) -> dict[str, Any]:
        return {"uid": self.uid, "what": self.what, "class": self.kind.name.lower()}


def compare(old: Plan, new: Plan) -> list[Change]:
    """Every difference that may matter to whoever fills the form, by uid; a name may change freely."""
    found = [*_items(old, new), *_lists(old.form, new.form), *_whole(old.form, new.form)]
    return sorted(found, key=lambda each: (-each.kind, each.uid, each.what))


def worst(changes: list[Change]) -> Class:
    return max((each.kind for each in changes), default=Class.COMPATIBLE)


def _items(old: Plan, new: Plan) -> Iterator[Change]:
    for uid, planned in old.items.items():
        other = new.items.get(uid)
        if other is None:
            yield Change(uid, "removed", Class.BREAKING)
        elif type(planned.item) is not type(other.item):
            yield Change(uid, "became something else", Class.BREAKING)
        else:
            yield from _item(planned, other)
    for uid, planned in new.items.items():
        if uid not in old.items:
            needed = isinstance(planned.item, Question) and planned.item.required is not False
            yield Change(uid, "new and needed" if needed else "new", Class.REVIEW if needed else Class.COMPATIBLE)


def _item(old: Planned, new: Planned) -> Iterator[Change]:
    one, other = old.item, new.item
    if old.rows_of != new.rows_of:
        yield Change(old.uid, "asked once and once a row are not the same", Class.BREAKING)
    if one.relevant != other.relevant:
        yield Change(old.uid, "when it applies", Class.REVIEW)
    if isinstance(one, Question) and isinstance(other, Question):
        yield from _question(old.uid, one, other)
    elif isinstance(one, Section | Repeat) and isinstance(other, Section | Repeat):
        yield from _constraints(old.uid, one.checks, other.checks)
    if isinstance(one, Repeat) and isinstance(other, Repeat) and _other_rows(one, other):
        yield Change(old.uid, "how many rows", Class.REVIEW)
    for what in ("name", "label", "hint"):
        if getattr(one, what) != getattr(other, what):
            yield Change(old.uid, what, Class.COMPATIBLE)


def _other_rows(old: Repeat, new: Repeat) -> bool:
    return (old.count, old.max_rows) != (new.count, new.max_rows) or (old.min_rows or 0) < (new.min_rows or 0)


def _question(uid: str, old: Question, new: Question) -> Iterator[Change]:
    if old.type != new.type:
        yield Change(uid, f"type {old.type} became {new.type}", Class.BREAKING)
    if old.required != new.required:
        yield Change(uid, "whether it is needed", Class.COMPATIBLE if new.required is False else Class.REVIEW)
    for what in ("computed", "filter", "choices", "rows_of", "recompute_on"):
        if getattr(old, what) != getattr(new, what):
            yield Change(uid, what, Class.REVIEW)
    for what in ("may_decline", "other"):
        if getattr(old, what) and not getattr(new, what):
            yield Change(uid, f"no longer {what}", Class.REVIEW)
    yield from _constraints(uid, old.constraints, new.constraints)


def _constraints(uid: str, old: tuple[Constraint, ...], new: tuple[Constraint, ...]) -> Iterator[Change]:
    """Loosened when every rule there is was there before, at least as strict."""
    before = {each.test: each.severity for each in old}
    tighter = [each for each in new if before.get(each.test) not in ("error", each.severity)]
    if tighter:
        yield Change(uid, "a tighter rule", Class.REVIEW)
    elif {each.test: each.severity for each in new} != before:
        yield Change(uid, "a looser rule", Class.COMPATIBLE)


def _lists(old: Form, new: Form) -> Iterator[Change]:
    after = {each.name: each for each in new.lists}
    for each in old.lists:
        other = after.get(each.name)
        if other is None:
            yield Change(each.name, "the list was removed", Class.REVIEW)
        else:
            yield from _choices(each, other)


def _choices(old: ChoiceList, new: ChoiceList) -> Iterator[Change]:
    before, after = {each.code: each for each in old.choices}, {each.code: each for each in new.choices}
    for code, choice in before.items():
        other = after.get(code)
        if other is None:
            yield Change(old.name, f"choice {code} was removed; retired it would stay readable", Class.BREAKING)
        elif other.retired and not choice.retired:
            yield Change(old.name, f"choice {code} was retired", Class.REVIEW)
        elif other.attributes != choice.attributes:
            yield Change(old.name, f"attributes of choice {code}", Class.REVIEW)
    for code in after.keys() - before.keys():
        yield Change(old.name, f"choice {code} is new", Class.COMPATIBLE)


def _whole(old: Form, new: Form) -> Iterator[Change]:
    yield from _constraints("", old.checks, new.checks)
    if old.gates != new.gates:
        yield Change("", "gates", Class.REVIEW)
    if old.bindings != new.bindings:
        yield Change("", "what is written into memory", Class.REVIEW)
