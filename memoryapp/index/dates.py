"""Dates that a question names outright. No clock is read: `last week` names nothing here."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENGLISH = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_SOFT, _HARD = "ь|я|е|ю|ем|ём", "|а|е|у|ом"
_RUSSIAN = (
    *(("январ", _SOFT), ("феврал", _SOFT), ("март", _HARD), ("апрел", _SOFT), ("ма", "й|я|е|ю|ем"), ("июн", _SOFT)),
    *(("июл", _SOFT), ("август", _HARD), ("сентябр", _SOFT), ("октябр", _SOFT), ("ноябр", _SOFT), ("декабр", _SOFT)),
)

_MONTH = "|".join([*_ENGLISH, *(f"{stem}(?:{ending})" for stem, ending in _RUSSIAN)])
_ORDINAL = r"(\d{1,2})(?:st|nd|rd|th|-?го|-?е)?"
_BY_MONTH = re.compile(
    rf"(?:\b{_ORDINAL}\s+(?:of\s+)?)?\b({_MONTH})\b\.?(?:\s+{_ORDINAL}(?!\d))?(?:,?\s+(\d{{4}})\b)?", re.IGNORECASE
)
_ISO = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_DOTTED = re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b")
_YEAR = re.compile(r"\b((?:19|20)\d{2})\b")
_ALSO_WORDS = {"may", "march"}


@dataclass(frozen=True)
class NamedDate:
    """A date as far as it was named: what was left out fits any."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def fits(self, day: str) -> bool:
        """Whether an ISO day is, or lies in, what was named."""
        if len(day) != 10:
            return False
        parts = (int(day[:4]), int(day[5:7]), int(day[8:]))
        return all(named in (None, part) for named, part in zip((self.year, self.month, self.day), parts, strict=True))


def named_dates(question: str) -> list[NamedDate]:
    """Days, months and years named in English, Russian or ISO form, the most exact first; years alone only when
    nothing more exact is named."""
    text = question[:2000]
    found = [NamedDate(int(y), int(m), int(d) if d else None) for y, m, d in _ISO.findall(text)]
    found += [NamedDate(int(y), int(m), int(d)) for d, m, y in _DOTTED.findall(text)]
    for match in _BY_MONTH.finditer(text):
        before, name, after, year = match.groups()
        if name.lower() in _ALSO_WORDS and not (before or after or year) and not _written_as_name(text, match.start(2)):
            continue
        day = before or after
        found.append(NamedDate(int(year) if year else None, _month(name), int(day) if day else None))
    return found or [NamedDate(year=int(year)) for year in _YEAR.findall(text)]


def _written_as_name(text: str, start: int) -> bool:
    """`in May` is a month; `may I` and `May I` are not."""
    return text[start].isupper() and bool(text[:start].strip())


def _month(name: str) -> int:
    lowered = name.lower()
    if lowered in _ENGLISH:
        return _ENGLISH.index(lowered) + 1
    return next(number for number, (stem, ending) in enumerate(_RUSSIAN, 1) if _is(lowered, stem, ending))


def _is(word: str, stem: str, ending: str) -> bool:
    return re.fullmatch(f"{stem}(?:{ending})", word) is not None
