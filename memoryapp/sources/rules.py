"""What each kind of source must and must not have. The same rules stand in the database as constraints."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Model

from memoryapp.doors.errors import Violation
from memoryapp.doors.moments import time_zones
from memoryapp.ledger.models import Workspace
from memoryapp.sources import identities
from memoryapp.sources.inputs import ParticipantInput, SourceInput, ThreadInput, TurnInput
from memoryapp.sources.models import Participant, Source, Speaker, Thread

READ_KINDS = ("document", "file", "web", "system")
SPEAKERS = ", ".join(Speaker.values)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Said:
    """When something was said: the instant, and the zone or offset it was said in."""

    at: dt.datetime
    zone: str


def moment(said_at: Any, said_zone: str, time_zone: str, path: str, row: int | None = None) -> Said | Violation:
    """The instant of a `said_at` in UTC, with its zone; a naive one only means something in a named `time_zone`."""
    if not isinstance(said_at, dt.datetime):
        return Violation(path, "time_missing", "It does not say when.", "a time with its offset", row)
    if said_at.tzinfo is None:
        if not time_zone:
            message = f"“{said_at.isoformat()}” does not say in which time zone."
            return Violation(path, "naive_time", message, "a time with its offset, or a time_zone for the thread", row)
        said_at = said_at.replace(tzinfo=ZoneInfo(time_zone))
        said_zone = said_zone or time_zone
    try:
        said = Said(said_at.astimezone(dt.UTC), said_zone or _zone_of(said_at))
        if said.zone in time_zones():
            said.at.astimezone(ZoneInfo(said.zone))
        return said
    except (OverflowError, ValueError):
        return Violation(path, "out_of_range", "This time is out of range.", "years 0001 to 9999 in UTC", row)


def _zone_of(said_at: dt.datetime) -> str:
    if isinstance(said_at.tzinfo, ZoneInfo):
        return said_at.tzinfo.key
    written = said_at.isoformat()
    return "UTC" if written.endswith("+00:00") else written[-6:]


def text(path: str, value: Any, longest: int | None, row: int | None = None, blank: bool = True) -> Iterator[Violation]:
    """A text that can be stored: no NUL, no lone surrogate, not too long, and not blank where words are needed."""
    if not isinstance(value, str):
        yield Violation(path, "not_a_text", "This is not a text.", "a text", row)
    elif _UNSTORABLE.search(value):
        message = "This holds a NUL character or half of a surrogate pair."
        yield Violation(path, "unreadable_text", message, "Unicode text without NUL", row)
    elif longest is not None and len(value) > longest:
        yield Violation(path, "too_long", f"This has {len(value)} characters.", f"at most {longest} characters", row)
    elif not blank and not value.strip():
        yield Violation(path, "blank", "There is nothing here.", "a text that is not blank", row)


@cache
def _lengths(given: Any, model: Any) -> tuple[tuple[str, int | None], ...]:
    columns = {column.name: column.max_length for column in model._meta.concrete_fields if column.name != "content"}
    return tuple((part.name, columns[part.name]) for part in fields(given) if columns.get(part.name))


def _fits(given: object, model: type[Model], at: str, row: int | None = None) -> Iterator[Violation]:
    """Every short text of an input within the length of its column."""
    for name, longest in _lengths(type(given), model):  # type: ignore[arg-type]
        yield from text(f"{at}/{name}", getattr(given, name), longest, row)


def thread_violations(thread: ThreadInput) -> Iterator[Violation]:
    yield from _fits(thread, Thread, "/thread")
    if thread.time_zone and thread.time_zone not in time_zones():
        message = f"There is no time zone “{thread.time_zone[:64]}”."
        yield Violation("/thread/time_zone", "unknown_time_zone", message, "an IANA name, such as Europe/Lisbon")


def participant_violations(
    workspace: Workspace, given: Sequence[ParticipantInput], known: Mapping[str, Participant]
) -> Iterator[Violation]:
    """A participant has a key once and a role; a user who is new to the thread has identity keys as well."""
    seen: set[str] = set()
    for row, participant in enumerate(given):
        at = f"/participants/{row}"
        yield from _fits(participant, Participant, at, row)
        if not participant.key.strip():
            yield Violation(f"{at}/key", "blank", "A participant needs a key.", "what turns call them in `by`", row)
        if participant.key in seen:
            message = f"“{participant.key}” is already among the participants."
            yield Violation(f"{at}/key", "participant_twice", message, "each key once", row)
        seen.add(participant.key)
        if participant.role not in Speaker.values:
            message = f"There is no role “{participant.role}”."
            yield Violation(f"{at}/role", "unknown_role", message, SPEAKERS, row)
        yield from _identity_violations(workspace, participant, participant.key in known, f"{at}/identity", row)


def _identity_violations(
    workspace: Workspace, participant: ParticipantInput, known: bool, path: str, row: int
) -> Iterator[Violation]:
    for name, value in participant.identity.items():
        yield from text(f"{path}/{name}", value, 300, row, blank=False)
    needed = participant.role == Speaker.USER and not known
    if participant.identity or needed:
        found = identities.violations(workspace, participant.node_class, participant.identity, path)
        yield from (Violation(v.path, v.code, v.message, v.accepted, row) for v in found)


def turn_violations(turns: Sequence[TurnInput], roles: Mapping[str, str], time_zone: str) -> Iterator[Violation]:
    """A turn has words, a time, a speaker, and, where it names who, a participant in that role.

    `roles` are the roles of every participant of the thread by key.
    """
    if not turns:
        yield Violation("/turns", "nothing_told", "There is no turn.", "at least one turn")
    for row, turn in enumerate(turns):
        at = f"/turns/{row}"
        yield from _fits(turn, Source, at, row)
        yield from text(f"{at}/content", turn.content, None, row, blank=False)
        if turn.speaker not in Speaker.values:
            message = f"There is no speaker “{turn.speaker}”." if turn.speaker else "It does not say who speaks."
            yield Violation(f"{at}/speaker", "unknown_speaker", message, SPEAKERS, row)
        else:
            yield from _by_violations(turn, roles, f"{at}/by", row)
        said = moment(turn.said_at, turn.said_zone, time_zone, f"{at}/said_at", row)
        if isinstance(said, Violation):
            yield said


def _by_violations(turn: TurnInput, roles: Mapping[str, str], path: str, row: int) -> Iterator[Violation]:
    fitting = [key for key, role in roles.items() if role == turn.speaker]
    accepted = ", ".join(fitting[:20]) or f"a participant whose role is {turn.speaker}"
    if not turn.by:
        if turn.speaker == Speaker.USER:
            yield Violation(path, "by_missing", "A user's turn says which participant speaks.", accepted, row)
    elif turn.by not in roles:
        message = f"“{turn.by[:200]}” is not among the participants."
        yield Violation(path, "unknown_participant", message, accepted, row)
    elif roles[turn.by] != turn.speaker:
        message = f"“{turn.by}” takes part as {roles[turn.by]}, not as {turn.speaker}."
        yield Violation(path, "speaker_not_role", message, accepted, row)


def source_violations(source: SourceInput, path: str = "", row: int | None = None) -> Iterator[Violation]:
    """What a document, file, web page or system note must have, and what it may not have."""
    yield from _fits(source, Source, path, row)
    yield from text(f"{path}/content", source.content, None, row, blank=False)
    if source.kind not in READ_KINDS:
        message = f"“{source.kind}” is no kind of source that is read."
        yield Violation(f"{path}/kind", "unknown_source_kind", message, ", ".join(READ_KINDS), row)
        return
    if source.speaker:
        message = f"A {source.kind} source has no speaker; only a chat turn has."
        yield Violation(f"{path}/speaker", "not_of_this_kind", message, "nothing", row)
    for name, kinds in (("path", ("document", "file")), ("url", ("web",))):
        value = getattr(source, name).strip()
        if source.kind in kinds and not value:
            message = f"A {source.kind} source needs a {name}."
            yield Violation(f"{path}/{name}", f"{name}_missing", message, f"the {name} it was read from", row)
        elif source.kind not in kinds and value:
            message = f"A {source.kind} source has no {name}."
            yield Violation(f"{path}/{name}", "not_of_this_kind", message, "nothing", row)
    if source.kind == "web" and source.url.strip() and not source.url.lower().startswith(("http://", "https://")):
        message = "This is no web address."
        yield Violation(
            f"{path}/url", "not_a_web_address", message, "an address beginning with https:// or http://", row
        )
    said = moment(source.said_at, source.said_zone, "", f"{path}/said_at", row)
    if isinstance(said, Violation):
        yield said
