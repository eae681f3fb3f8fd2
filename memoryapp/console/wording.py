"""How the console words time, states and differences. Pure functions: no request, no database."""

from __future__ import annotations

import datetime as dt
import difflib
import re
from dataclasses import dataclass
from typing import Literal

from django.utils import timezone

MINUTE, HOUR, DAY = 60, 3600, 86400

STATES = {
    # what a belief may be
    "activated": ("good", "Activated"),
    "current": ("good", "Current"),
    "resolving": ("warn", "Resolving"),
    "archived": ("done", "Archived"),
    "ended": ("done", "Ended"),
    "upcoming": ("plain", "Not yet"),
    "withdrawn": ("bad", "Source withdrawn"),
    "retracted": ("bad", "Never was right"),
    "unset": ("done", "Unset"),
    "deleted": ("bad", "Deleted"),
    # candidates
    "pending": ("warn", "Pending"),
    "held": ("warn", "Held"),
    "accepted": ("good", "Accepted"),
    "merged": ("done", "Merged"),
    "rejected": ("bad", "Rejected"),
    "parked": ("warn", "Parked"),
    # proposals
    "proposed": ("warn", "Proposed"),
    "needs_changes": ("warn", "Needs changes"),
    "approved": ("good", "Approved"),
    "applied": ("good", "Applied"),
    "superseded": ("done", "Superseded"),
    "safe": ("good", "Changes no row"),
    "changing": ("warn", "Changes rows"),
    "breaking": ("bad", "Would break"),
    "noted": ("plain", "Noted"),
    "replayed": ("good", "Written"),
    "refused": ("bad", "Refused"),
    "dropped": ("done", "Dropped"),
    # cases
    "open": ("warn", "Open"),
    "decided": ("good", "Decided"),
    "void": ("done", "No longer needed"),
    "not_a_conflict": ("done", "Not a conflict"),
    # forms, their versions, and what a submission writes
    "draft": ("plain", "Draft"),
    "live": ("good", "Live"),
    "ready": ("good", "Ready"),
    "blocked": ("warn", "Not ready"),
    "submitted": ("warn", "Submitted"),
    "returned": ("warn", "Returned"),
    "reopened": ("warn", "Reopened"),
    "create": ("good", "New"),
    "update": ("good", "Changes"),
    "supersede": ("good", "Replaces"),
    "append": ("good", "Adds"),
    "corroborate": ("plain", "Confirms"),
    "retract": ("bad", "Takes back"),
    "review": ("warn", "A person decides"),
    "nothing": ("done", "Not written"),
    # jobs
    "queued": ("plain", "Queued"),
    "running": ("warn", "Running"),
    "succeeded": ("good", "Done"),
    "failed": ("bad", "Failed"),
    "cancelled": ("done", "Cancelled"),
    # members
    "present": ("good", "Member"),
    "locked": ("warn", "Account locked"),
    "left": ("done", "Left"),
    # keys and agents
    "in_use": ("good", "In use"),
    "no_key": ("warn", "Has no key"),
    "expired": ("done", "Expired"),
    "revoked": ("bad", "Revoked"),
    "retired": ("done", "Retired"),
}


def state_words(state: str) -> tuple[str, str]:
    """The tone and the word a state is shown with; a state without an entry is shown as it is."""
    return STATES.get(state, ("plain", state.replace("_", " ").capitalize()))


def name_words(name: str) -> str:
    """A declared name as words: `long_term` is `long term`, `reportsTo` is `reports to`."""
    return re.sub(r"(?<=[a-z])([A-Z])", lambda found: " " + found.group(1).lower(), name).replace("_", " ")


def day_words(moment: dt.datetime, precision: str = "instant") -> str:
    """`9 March 2026`, or `March 2026` and `2026` for what is only known to the month or the year.

    A date without a time of day is the same date in every zone; an instant is told in the zone of the page.
    """
    local = _local(moment) if precision == "instant" else moment
    if precision == "year":
        return f"{local.year}"
    if precision == "month":
        return f"{local:%B} {local.year}"
    return f"{local.day} {local:%B} {local.year}"


def clock_words(moment: dt.datetime) -> str:
    """`9 March 2026, 14:02`, in the zone of the page."""
    local = _local(moment)
    return f"{local.day} {local:%b} {local.year}, {local:%H:%M}"


def ago_words(moment: dt.datetime, now: dt.datetime | None = None) -> str:
    """`just now`, `4 min ago`, `3 h ago`, `5 d ago`, then the day itself; `in 4 min` for what lies ahead."""
    seconds = ((now or timezone.now()) - moment).total_seconds()
    ahead, distance = seconds < 0, abs(seconds)
    if distance < MINUTE:
        return "in a moment" if ahead else "just now"
    if distance >= 30 * DAY:
        return day_words(moment)
    for unit, size in (("d", DAY), ("h", HOUR), ("min", MINUTE)):
        if distance >= size:
            amount = f"{int(distance // size)} {unit}"
            return f"in {amount}" if ahead else f"{amount} ago"
    return "just now"


def age_words(moment: dt.datetime, now: dt.datetime | None = None) -> str:
    """How long something has waited, short: `now`, `4 min`, `3 h`, `12 d`, `5 mo`, `2 y`."""
    seconds = max(0.0, ((now or timezone.now()) - moment).total_seconds())
    for unit, size in (("y", 365 * DAY), ("mo", 60 * DAY), ("d", DAY), ("h", HOUR), ("min", MINUTE)):
        if seconds >= size:
            return f"{int(seconds // (30 * DAY if unit == 'mo' else size))} {unit}"
    return "now"


def machine_words(moment: dt.datetime) -> str:
    """ISO 8601 with the offset of the page's zone: what a program would read."""
    return _local(moment).isoformat(timespec="seconds")


def _local(moment: dt.datetime) -> dt.datetime:
    """In the zone of the page, unless that has no such year."""
    try:
        return timezone.localtime(moment) if timezone.is_aware(moment) else moment
    except OverflowError:
        return moment


@dataclass(frozen=True)
class Stretch:
    """A run of words that both texts share, or that only one of them has."""

    kind: Literal["same", "ins", "del"]
    text: str


WORD = re.compile(r"\s+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+|[^\w\s]")
LONGEST = 4000


def word_diff(old: str, new: str) -> list[Stretch]:
    """What changed, word by word. Scripts without spaces are compared by character.

    Texts of more than 4000 words and signs are shown as replaced whole, so that a page stays quick."""
    before, after = WORD.findall(old), WORD.findall(new)
    if max(len(before), len(after)) > LONGEST:
        return [Stretch("del", old), Stretch("ins", new)]
    stretches: list[Stretch] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, from_old, to_old, from_new, to_new in matcher.get_opcodes():
        if tag == "equal":
            stretches.append(Stretch("same", "".join(before[from_old:to_old])))
            continue
        if to_old > from_old:
            stretches.append(Stretch("del", "".join(before[from_old:to_old])))
        if to_new > from_new:
            stretches.append(Stretch("ins", "".join(after[from_new:to_new])))
    return _bridge_spaces(stretches)


def _bridge_spaces(stretches: list[Stretch]) -> list[Stretch]:
    """Join changes that only a space keeps apart: `del ins space del ins` reads as one change, not as two."""
    joined: list[Stretch] = []
    removed, added, waiting = "", "", ""

    def close() -> None:
        nonlocal removed, added, waiting
        if removed:
            joined.append(Stretch("del", removed))
        if added:
            joined.append(Stretch("ins", added))
        if waiting:
            joined.append(Stretch("same", waiting))
        removed = added = waiting = ""

    for stretch in stretches:
        changing = bool(removed or added)
        if stretch.kind == "same":
            if changing and not stretch.text.strip() and not waiting:
                waiting = stretch.text
            else:
                close()
                joined.append(stretch)
            continue
        if waiting:
            removed, added, waiting = removed + waiting, added + waiting, ""
        if stretch.kind == "del":
            removed += stretch.text
        else:
            added += stretch.text
    close()
    return joined


def around(text: str, start: int | None, end: int | None) -> tuple[str, str, str]:
    """A text cut before, within and after a span, in characters. A span outside the text marks nothing."""
    if start is None or end is None or not 0 <= start < end <= len(text):
        return text, "", ""
    return text[:start], text[start:end], text[end:]
