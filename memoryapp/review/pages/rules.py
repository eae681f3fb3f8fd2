"""The rules of a policy as a form: rows that are added, moved and taken away, each mistake at its field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from memoryapp.doors.errors import Violation
from memoryapp.review.policies import Part, Policy, Takes

MOST = 50
"""Rules of one policy that a form holds."""
LONGEST = 300
STEPS = {"up": -1, "down": 1}


@dataclass
class Sheet:
    """What a form of rules holds, as it was typed: for each row what stands in each of its parts, as texts.

    `moved` is the row in which focus belongs after it was drawn anew; `left_out` are rows beyond those it holds.
    """

    rows: list[dict[str, list[str]]] = field(default_factory=list)
    moved: int | None = None
    left_out: int = 0


def written(parts: Sequence[Part], document: Iterable[Mapping[str, Any]]) -> Sheet:
    """Rules as the settings hold them, as a form shows them."""
    return Sheet([{part.name: _texts(part, rule.get(part.name)) for part in parts} for rule in document])


def typed(parts: Sequence[Part], given: QueryDict) -> Sheet:
    """What was typed, after what its button asks for was done with the rows: one added, moved or taken away."""
    count = _number(given.get("rows", "")) or 0
    sheet = Sheet(
        [
            {part.name: [_clean(one) for one in given.getlist(f"{row}.{part.name}")] for part in parts}
            for row in range(min(count, MOST))
        ],
        left_out=max(count - MOST, 0),
    )
    what, _, place = given.get("do", "").partition(":")
    at = _number(place)
    if what == "add" and len(sheet.rows) < MOST:
        sheet.rows.append({part.name: _texts(part, None) for part in parts})
        sheet.moved = len(sheet.rows) - 1
    elif at is not None and at < len(sheet.rows):
        _change(sheet, what, at)
    return sheet


def document_of(policy: Policy, parts: Sequence[Part], sheet: Sheet) -> tuple[list[dict[str, Any]], list[Violation]]:
    """The rules that were typed as the settings hold them, and what of them cannot be, each with its place."""
    document: list[dict[str, Any]] = []
    wrong: list[Violation] = []
    if sheet.left_out:
        message = f"{len(sheet.rows) + sheet.left_out} rules are too many."
        wrong.append(Violation(f"/{policy.setting}", "too_many", message, f"at most {MOST}"))
    for number, row in enumerate(sheet.rows):
        rule: dict[str, Any] = {}
        for part in parts:
            path = f"/{policy.setting}/{number}/{part.name}"
            value, violation = _value(part, row[part.name], path)
            if violation:
                wrong.append(violation)
            elif value not in (None, "", []) and not (part.takes == Takes.FLAG and value == part.otherwise):
                rule[part.name] = value
        document.append(rule)
    return document, wrong


def drawn(parts: Sequence[Part], sheet: Sheet, setting: str, wrong: Iterable[Violation]) -> list[dict[str, Any]]:
    """The rows for the template, each part with its id, what stands in it, and what is wrong with it."""
    mistakes: dict[str, list[Violation]] = {}
    for one in wrong:
        mistakes.setdefault("/".join(one.path.split("/")[:4]), []).append(one)
    last = len(sheet.rows) - 1
    return [
        {
            "number": number,
            "title": row["name"][0] if row["name"] and row["name"][0] else f"Rule {number + 1}",
            "first": number == 0,
            "last": number == last,
            "moved": number == sheet.moved,
            "errors": mistakes.get(f"/{setting}/{number}", []),
            "then": [_shown(part, row, setting, number, mistakes) for part in parts if part.then],
            "name": _shown(parts[0], row, setting, number, mistakes),
            "when": [_shown(part, row, setting, number, mistakes) for part in parts[1:] if not part.then],
        }
        for number, row in enumerate(sheet.rows)
    ]


def _shown(
    part: Part, row: Mapping[str, list[str]], setting: str, number: int, mistakes: Mapping[str, list[Violation]]
) -> dict[str, Any]:
    held = row[part.name]
    chosen = [words for value, words in part.options if value in held]
    return {
        "part": part,
        "takes": part.takes.value,
        "id": f"{setting}-{number}-{part.name}",
        "field": f"{number}.{part.name}",
        "value": ", ".join(held) if part.takes in (Takes.NAMES,) else (held[0] if held else ""),
        "options": [(value, words, value in held) for value, words in part.options],
        "chosen": ", ".join(chosen),
        "errors": mistakes.get(f"/{setting}/{number}/{part.name}", []),
    }


def _change(sheet: Sheet, what: str, at: int) -> None:
    if what == "remove":
        del sheet.rows[at]
        sheet.moved = min(at, len(sheet.rows) - 1) if sheet.rows else None
    elif what in STEPS and 0 <= (to := at + STEPS[what]) < len(sheet.rows):
        sheet.rows[at], sheet.rows[to] = sheet.rows[to], sheet.rows[at]
        sheet.moved = to


def _value(part: Part, held: list[str], path: str) -> tuple[Any, Violation | None]:
    """What stands in a part as a rule holds it, or why it cannot."""
    first = held[0] if held else ""
    if part.takes == Takes.FLAG:
        return bool(held), None
    if any(len(one) > LONGEST for one in held):
        return None, Violation(path, "too_long", f"{part.label} is too long.", f"at most {LONGEST} characters")
    if part.required and not first:
        return None, Violation(path, "missing", f"{part.label} is needed.", _accepted(part))
    if part.takes == Takes.NAMES:
        return [one.strip() for one in ",".join(held).split(",") if one.strip()], None
    if part.takes == Takes.NUMBER:
        return _percentage(part, first, path)
    if part.takes in (Takes.ONE, Takes.ANY):
        known = {value for value, _ in part.options}
        if unknown := [one for one in held if one and one not in known]:
            return None, Violation(path, "not_a_choice", f"There is no “{unknown[0][:60]}” here.", _accepted(part))
        return (first if part.takes == Takes.ONE else [one for one in held if one]), None
    return first, None


def _percentage(part: Part, text: str, path: str) -> tuple[Any, Violation | None]:
    if not text:
        return None, None
    whole = _number(text.removesuffix("%").strip())
    if whole is None or whole > 100:
        return None, Violation(path, "not_a_number", f"“{text[:20]}” is no percentage.", _accepted(part))
    return whole, None


def _accepted(part: Part) -> str:
    if part.options:
        return ", ".join(words for _, words in part.options)
    return "a whole number from 0 to 100" if part.takes == Takes.NUMBER else "a few words"


def _texts(part: Part, value: Any) -> list[str]:
    if part.takes == Takes.FLAG:
        return ["yes"] if (part.otherwise if value is None else value) else []
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return [str(one) for one in value]
    return [f"{value:g}" if isinstance(value, float) else str(value)]


def _clean(text: str) -> str:
    return text.replace("\x00", "").strip()


def _number(text: str) -> int | None:
    return int(text) if len(text) < 6 and text.isascii() and text.isdigit() else None
