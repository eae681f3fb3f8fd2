"""From what was said or typed to what is kept: exactly, with a note when it was coerced, or with a reason why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from formsengine.definition.model import ATTACHED, Question
from formsengine.definition.plan import PlannedList
from formsengine.values import contacts, places
from formsengine.values.choosing import read_choice, read_choices
from formsengine.values.numbers import about, known_locale, read_number
from formsengine.values.refusing import Unreadable
from formsengine.values.runtime import day

LONGEST = 100_000
"""Characters of one answer."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept answer, as plain data. `coerced` when it is not what was given; None is no answer."""

    value: Any
    coerced: bool = False
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """What reading an answer may need to know. Without a locale nothing ambiguous is guessed."""

    locale: str | None = None
    zone: str = "UTC"
    language: str = "en"
    choices: PlannedList | None = None
    rows: Mapping[str, str] = field(default_factory=dict)


def read_answer(question: Question, raw: Any, setting: Setting) -> Kept:
    """The kept answer. Raises Unreadable with what would be accepted; nothing is guessed and nothing emptied."""
    if isinstance(raw, str) and len(raw) > LONGEST:
        raise Unreadable("too-long", f"An answer has at most {LONGEST} characters.")
    if raw is None or raw == [] or (isinstance(raw, str) and not raw.strip()):
        return Kept(None)
    if question.type in ATTACHED:
        return Kept(_attached(raw, question.type))
    return READERS[question.type](question, raw, setting)


def _text(question: Question, raw: Any, setting: Setting) -> Kept:
    if isinstance(raw, str):
        return Kept(raw)
    if isinstance(raw, int | Decimal) and not isinstance(raw, bool):
        return Kept(str(raw), coerced=True)
    raise Unreadable("type", f"{question.name} is a text.", "a text")


def _exact(raw: Any, setting: Setting) -> tuple[Decimal | None, bool, bool]:
    """A number from a number or a text, whether it was coerced, and whether it was said to be about that."""
    if isinstance(raw, bool):
        return None, False, False
    if isinstance(raw, int | float | Decimal):
        return read_number(str(raw), None), isinstance(raw, float), False
    if not isinstance(raw, str):
        return None, False, False
    text, nearly = about(raw.strip())
    return read_number(text, setting.locale), True, nearly


def _integer(question: Question, raw: Any, setting: Setting) -> Kept:
    value, coerced, nearly = _exact(raw, setting)
    if value is None or value != value.to_integral_value():
        raise Unreadable("number", f"{question.name} is a whole number.", "410", "1 200")
    return Kept(int(value), coerced, nearly)


def _decimal(question: Question, raw: Any, setting: Setting) -> Kept:
    value, coerced, nearly = _exact(raw, setting)
    if value is None:
        comma = isinstance(raw, str) and "," in raw and known_locale(setting.locale) is None
        hint = " A comma is read only when the language of numbers is declared." if comma else ""
        raise Unreadable("number", f"{question.name} is a number.{hint}", "1.23", "1 200")
    return Kept(format(value, "f"), coerced, nearly)


def _amount(key: str, sample: str) -> Callable[[Question, Any, Setting], Kept]:
    def read(question: Question, raw: Any, setting: Setting) -> Kept:
        if isinstance(raw, str):
            head, _, tail = raw.strip().rpartition(" ")
            raw, coerced = {"amount": head or tail, key: tail if head else ""}, True
        else:
            coerced = False
        if not isinstance(raw, Mapping):
            raise Unreadable("type", f"{question.name} is an amount and a {key}.", sample)
        value, _, nearly = _exact(raw.get("amount"), setting)
        unit = str(raw.get(key) or "").strip()
        if not unit and len(question.units) == 1:
            unit = question.units[0]
        if value is None or not unit:
            raise Unreadable("number", f"{question.name} is an amount and a {key}.", sample)
        if question.units and unit not in question.units:
            raise Unreadable("unit", f"{question.name} is measured otherwise.", *question.units)
        return Kept({"amount": format(value, "f"), key: unit}, coerced, nearly)

    return read


YES = {"yes": True, "true": True, "1": True, "y": True, "no": False, "false": False, "0": False, "n": False}


def _boolean(question: Question, raw: Any, setting: Setting) -> Kept:
    if isinstance(raw, bool):
        return Kept(raw)
    word = str(raw).strip().casefold() if isinstance(raw, int | str) else ""
    if word in YES:
        return Kept(YES[word], coerced=True)
    for choice in setting.choices.choices if setting.choices else ():
        if choice.code.casefold() in YES and word in {text.casefold() for text in choice.label.values()}:
            return Kept(YES[choice.code.casefold()], coerced=True)
    raise Unreadable("type", f"{question.name} is yes or no.", "yes", "no")


def _date(question: Question, raw: Any, setting: Setting) -> Kept:
    text, nearly = about(str(raw).strip()) if isinstance(raw, str) else ("", False)
    if day(text) is not None:
        return Kept(text, approximate=nearly)
    if (found := _by_order(text, setting)) is not None:
        return Kept(found.isoformat(), coerced=True)
    if len(text) > 10 and text[10:11] in ("T", " ") and day(text[:10]):
        return Kept(text[:10], coerced=True)
    hint = " 12/05 may be May or December." if "/" in text or text.count(".") == 2 else ""
    raise Unreadable("date", f"{question.name} is a date.{hint}", "2026-05-12", "2026-05", "2026")


def _by_order(text: str, setting: Setting) -> date | None:
    """Day, month and year in the order of a declared locale."""
    locale = known_locale(setting.locale)
    parts = text.replace(".", "/").replace("-", "/").split("/")
    if locale is None or len(parts) != 3 or not all(part.strip().isdigit() for part in parts):
        return None
    first, second, year = (int(part) for part in parts)
    pattern = locale.date_formats["short"].pattern.lower()
    month, monthday = (first, second) if pattern.find("m") < pattern.find("d") else (second, first)
    try:
        return date(year, month, monthday) if year >= 1000 else None
    except ValueError:
        return None


def _time(question: Question, raw: Any, setting: Setting) -> Kept:
    try:
        return Kept(time.fromisoformat(str(raw).strip()).isoformat())
    except ValueError:
        raise Unreadable("time", f"{question.name} is a time of day.", "09:30") from None


def _datetime(question: Question, raw: Any, setting: Setting) -> Kept:
    try:
        found = datetime.fromisoformat(str(raw).strip())
    except ValueError:
        raise Unreadable("datetime", f"{question.name} is a date and a time.", "2026-05-12T09:30+02:00") from None
    bare = found.tzinfo is None
    found = found.replace(tzinfo=ZoneInfo(setting.zone)) if bare else found
    return Kept(found.isoformat(), coerced=bare)


def _range(question: Question, raw: Any, setting: Setting) -> Kept:
    if isinstance(raw, str):
        start, _, end = raw.partition("/")
        raw = {"start": start.strip(), "end": end.strip()}
    ends = {key: str(raw.get(key) or "") for key in ("start", "end")} if isinstance(raw, Mapping) else {}
    days = {key: day(text) for key, text in ends.items() if text}
    if not days or None in days.values():
        raise Unreadable("range", f"{question.name} is a span of dates.", '{"start": "2026-05", "end": "2026-07"}')
    start_day, end_day = days.get("start"), days.get("end")
    if start_day and end_day and end_day.last < start_day.first:
        raise Unreadable("range", f"{question.name} ends before it starts.")
    return Kept({key: text for key, text in ends.items() if text})


def _choice(question: Question, raw: Any, setting: Setting) -> Kept:
    value, coerced = read_choice(question, raw, setting.choices)
    return Kept(value, coerced)


def _choices(question: Question, raw: Any, setting: Setting) -> Kept:
    value, coerced = read_choices(question, raw, setting.choices)
    return Kept(value, coerced)


def _entity(question: Question, raw: Any, setting: Setting) -> Kept:
    if isinstance(raw, Mapping) and isinstance(raw.get("id"), str) and raw["id"]:
        return Kept({"id": raw["id"], "label": str(raw.get("label") or raw["id"])})
    raise Unreadable("entity", f"{question.name} names one thing in memory.", '{"id": "...", "label": "..."}')


def _row(question: Question, raw: Any, setting: Setting) -> Kept:
    if isinstance(raw, str) and raw in setting.rows:
        return Kept(raw)
    word = str(raw).strip().casefold()
    found = [row for row, label in setting.rows.items() if label.casefold() == word]
    if len(found) == 1:
        return Kept(found[0], coerced=True)
    candidates = [f"{row} ({label})" for row, label in setting.rows.items() if not found or row in found]
    raise Unreadable("row", f"{question.name} is one row of {question.rows_of}.", *candidates[:8])


def _contact(read: Callable[[str, str | None], str | None], sample: str) -> Callable[[Question, Any, Setting], Kept]:
    def run(question: Question, raw: Any, setting: Setting) -> Kept:
        found = read(raw.strip(), setting.locale) if isinstance(raw, str) else None
        if found is None:
            raise Unreadable(question.type, f"{question.name} is no {question.type} as given.", sample)
        return Kept(found, coerced=found != raw)

    return run


def _place(question: Question, raw: Any, setting: Setting) -> Kept:
    found = places.read_point(raw) if question.type == "point" else places.read_points(raw, question.type)
    if found is None:
        raise Unreadable("place", f"{question.name} is a {question.type}.", '{"lat": "41.15", "lon": "-8.61"}')
    return Kept(found, coerced=found != raw)


TAKES = {"photo": "image/", "signature": "image/", "audio": "audio/", "file": ""}
"""What the kind of a file that answers a field begins with."""
PICTURES, SOUNDS = "png, jpeg, gif or webp", "mp3, ogg, flac, wav, m4a or webm"
WANTED = {"photo": PICTURES, "signature": PICTURES, "audio": SOUNDS}


def _attached(raw: Any, wanted: str) -> dict[str, str]:
    if not (isinstance(raw, Mapping) and isinstance(raw.get("id"), str) and isinstance(raw.get("digest"), str)):
        said = "An attachment is stored first, then named by id and digest."
        raise Unreadable("attachment", said, '{"id", "digest"}')
    made = {key: str(raw[key]) for key in ("id", "digest", "name", "type") if raw.get(key)}
    if not made.get("type", TAKES[wanted]).startswith(TAKES[wanted]):
        raise Unreadable("wrong_media", "This is another kind of file.", WANTED[wanted])
    return made


def _consent(question: Question, raw: Any, setting: Setting) -> Kept:
    given = raw.get("given") if isinstance(raw, Mapping) else raw
    word = YES.get(str(given).strip().casefold()) if not isinstance(given, bool) else given
    if word is None:
        raise Unreadable("type", f"{question.name} is consent: yes or no.", "yes", "no")
    shown = raw.get("text") if isinstance(raw, Mapping) else None
    statement = question.statement.get(setting.language) or next(iter(question.statement.values()), "")
    if shown is not None and shown not in (statement, *question.statement.values()):
        raise Unreadable("consent", "This is not the text that is consented to.", statement)
    return Kept({"given": word, "text": shown or statement}, coerced=not isinstance(raw, Mapping))


def _never(question: Question, raw: Any, setting: Setting) -> Kept:
    raise Unreadable("not-writable", f"{question.name} is not answered: it is a {question.type}.")


READERS: dict[str, Callable[[Question, Any, Setting], Kept]] = {
    **dict.fromkeys(("text", "longtext"), _text),
    **{"integer": _integer, "decimal": _decimal, "boolean": _boolean, "date": _date, "time": _time},
    **{"quantity": _amount("unit", "12 kg"), "money": _amount("currency", "12.50 EUR")},
    **{"datetime": _datetime, "range": _range, "choice": _choice, "choices": _choices, "rank": _choices},
    **{"entity": _entity, "row": _row, "consent": _consent},
    **dict.fromkeys(("point", "line", "area"), _place),
    **dict.fromkeys(("note", "meta"), _never),
    "computed": lambda question, raw, setting: Kept(raw if isinstance(raw, bool | int | str) else str(raw)),
    "email": _contact(contacts.read_email, "ana@example.org"),
    "phone": _contact(contacts.read_phone, "+351 912 345 678"),
    "url": _contact(contacts.read_url, "https://example.org/"),
}
"""How each type is read. A computed field is read only where a person may override it."""
