"""The types of spreadsheet forms: their many spellings, and what each is here."""

from __future__ import annotations

import re
from dataclasses import dataclass

PLAIN = {
    **dict.fromkeys(("text", "string", "hidden", "barcode", "username", "add text prompt"), "text"),
    **dict.fromkeys(("integer", "int", "add integer prompt"), "integer"),
    **dict.fromkeys(("decimal", "add decimal prompt", "q decimal"), "decimal"),
    **dict.fromkeys(("acknowledge", "trigger", "add acknowledge prompt"), "boolean"),
    **{"boolean": "boolean", "date": "date", "add date prompt": "date", "time": "time", "add time prompt": "time"},
    **dict.fromkeys(("datetime", "datetime prompt", "add datetime prompt"), "datetime"),
    **dict.fromkeys(("geopoint", "gps", "location", "add location prompt"), "point"),
    **{"geotrace": "line", "geoshape": "area"},
    **dict.fromkeys(("image", "photo", "add photo prompt", "add image prompt"), "photo"),
    **dict.fromkeys(("audio", "background-audio", "add audio prompt"), "audio"),
    **dict.fromkeys(("video", "file", "add video prompt"), "file"),
    **dict.fromkeys(("note", "add note prompt"), "note"),
    **dict.fromkeys(("calculate", "add calculate prompt", "calculation", "add calculation prompt"), "computed"),
    **{"email": "email", "phone number": "phone"},
}
STAMPS = {
    **{"start": "started", "end": "submitted", "today": "started", "deviceid": "device", "imei": "device"},
    **dict.fromkeys(("start time", "get start time"), "started"),
    **dict.fromkeys(("end time", "get end time"), "submitted"),
    **dict.fromkeys(("device id", "get device id"), "device"),
    **{"user": "user", "email_of_user": "user", "phonenumber": "user", "get phone number": "user"},
}
"""What a device notes by itself. A day, a number and a device are kept as the stamp nearest to it, and reported."""
INEXACT = {"today", "phonenumber", "get phone number"}

ONE = re.compile(r"^(?:add )?(?:select[ _]one|select1|select one)(?: prompt)?(?: from| using)?\s+(.+)$", re.IGNORECASE)
MANY = re.compile(
    r"^(?:add )?(?:select[ _]multiple|select all that apply|select)(?: prompt)?(?: from| using)?\s+(.+)$",
    re.IGNORECASE,
)
RANK = re.compile(r"^(?:odk:)?rank\s+(.+)$", re.IGNORECASE)
FROM_FILE = re.compile(r"^select_(one|multiple)_from_file\s+(.+)$", re.IGNORECASE)
EXTERNAL = re.compile(r"^select_one_external\s+(.+)$", re.IGNORECASE)
OTHER = re.compile(r"\s+(?:or[ _]specify[ _]other|or[ _]other)$", re.IGNORECASE)
BLOCK = re.compile(r"^(begin|end)[ _](group|repeat|lgroup|looped group)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Typed:
    """A field's type here; the list it chooses from, or the file; whether other answers are taken."""

    type: str
    list_name: str = ""
    file: str = ""
    other: bool = False
    stamp: str = ""
    why: str = ""


def read_type(text: str) -> Typed | None:
    """None for a type without a meaning here."""
    text = " ".join(text.split())
    folded = text.lower()
    if folded in PLAIN:
        return Typed(PLAIN[folded])
    if folded in STAMPS:
        return Typed("meta", stamp=STAMPS[folded], why="kept as the nearest stamp" if folded in INEXACT else "")
    if folded == "range":
        return Typed("decimal", why="a range is a number within limits")
    if found := FROM_FILE.match(text):
        file = found[2].strip()
        return Typed("choice" if found[1].lower() == "one" else "choices", re.sub(r"\W+", "_", file), file)
    if found := EXTERNAL.match(text):
        return Typed("choice", found[1].strip())
    for pattern, kind in ((RANK, "rank"), (ONE, "choice"), (MANY, "choices")):
        if found := pattern.match(text):
            name = OTHER.sub("", found[1]).strip()
            return Typed(kind, name, other=name != found[1].strip())
    return None
