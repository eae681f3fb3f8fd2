"""The one form of a path: absolute, NFC, single slashes, no end slash; letters keep their case."""

from __future__ import annotations

import unicodedata

from django.db.models import Q

from memoryapp.doors.errors import Invalid

ROOT = "/"
LONGEST_PATH = 1024
LONGEST_SEGMENT = 255
"""Bytes of UTF-8."""
ACCEPTED = f"an absolute path such as /notes/harbour.md, at most {LONGEST_PATH} bytes, {LONGEST_SEGMENT} a name"

_TURNS_THE_LINE = {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"}
"""Characters that make a name look like another one."""


def normal(text: str, place: str = "/path") -> str:
    """The normal form of a path. Raises Invalid for what is no path here, and says why."""
    path = unicodedata.normalize("NFC", text)
    if not path.startswith("/"):
        raise _wrong(place, "not_absolute", "A path begins with a slash.")
    if any(_unfit(character) for character in path):
        raise _wrong(place, "unreadable_path", "The path holds a character that no name may have.")
    names = [name for name in path.split("/") if name]
    for name in names:
        if name in (".", ".."):
            raise _wrong(place, "relative_path", f"The path may not hold “{name}”.")
        if len(name.encode()) > LONGEST_SEGMENT:
            raise _wrong(place, "name_too_long", "A name in the path is too long.")
    path = "/" + "/".join(names)
    if len(path.encode()) > LONGEST_PATH:
        raise _wrong(place, "path_too_long", "The path is too long.")
    return path


def parent(path: str) -> str:
    """The directory that a path is in."""
    return path.rpartition("/")[0] or ROOT


def name_of(path: str) -> str:
    return path.rpartition("/")[2]


def above(path: str) -> list[str]:
    """Every directory on the way to a path but the root, the nearest last."""
    names = path.split("/")[1:-1]
    return ["/" + "/".join(names[: count + 1]) for count in range(len(names))]


def territory(path: str, column: str = "path") -> Q:
    """That a column names the path or something below it: a range of an index, never a scan.

    The range from the path to its last descendant also holds what merely begins alike (`/a-b` is between `/a` and
    `/a/b`): that is taken out of it row by row.
    """
    if path == ROOT:
        return Q()
    within = Q(**{f"{column}__gte": path, f"{column}__lt": f"{path}0"})
    return within & (Q(**{column: path}) | Q(**{f"{column}__gte": f"{path}/"}))


def below(path: str, column: str = "path") -> Q:
    """That a column names something below the path: a range of an index."""
    return Q() if path == ROOT else Q(**{f"{column}__gte": f"{path}/", f"{column}__lt": f"{path}0"})


def _unfit(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in _TURNS_THE_LINE


def _wrong(place: str, code: str, message: str) -> Invalid:
    return Invalid.at(place, code, message, ACCEPTED)
