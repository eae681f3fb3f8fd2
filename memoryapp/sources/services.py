"""Every write of the room: conversations told, statements made, documents and pages read.

A source is stored once, raw, before anything clever happens to it, and never changes. Telling or reading the same again
stores nothing. Who wants to know of new sources is told in the same transaction (see `arrivals`).
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import uuid
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from django.db.models import F, Max, QuerySet

from memoryapp.doors.errors import Conflict, Denied, DomainError, Invalid, Violation
from memoryapp.ledger.models import Actor, Write
from memoryapp.sources import arrivals, audiences, rules
from memoryapp.sources.audiences import Audiences, Readers
from memoryapp.sources.inputs import ParticipantInput, SourceInput, ThreadInput, TurnInput
from memoryapp.sources.models import Participant, Source, Thread

Item = TypeVar("Item")

CHUNK = 500
"""How many digests or message ids one query looks up."""


@dataclass(frozen=True)
class Told:
    """What came of telling a conversation: the turns that are new, and those that were there already.

    `turns` holds the stored turn of each one told, in the order told.
    """

    thread: Thread
    turns_new: list[Source]
    turns_repeated: list[Source]
    turns: list[Source]


@dataclass(frozen=True)
class Read:
    """What came of reading one thing. `repeated` when the very same was read before: nothing was stored."""

    source: Source
    repeated: bool


def tell(
    write: Write,
    thread: ThreadInput,
    participants: Sequence[ParticipantInput] = (),
    turns: Sequence[TurnInput] = (),
) -> Told:
    """Store the turns of a conversation, in the order given; append when its `external_id` is known.

    All or nothing. A turn is a repeat when its `message_id` is in the thread already, or, without one, when the same
    words by the same participant at the same time are: two alike in one telling are two. Title and time zone are those
    of the first telling, and so are its readers. Raises Invalid with every violation by row, and Conflict
    `message_changed`, `participant_changed` or `audience_differs` when what is there says something else. A
    conversation out of sight is another one, whatever it is called.
    """
    write.by.require("tell")
    found = _thread_named(write, thread)
    known = {participant.key: participant for participant in found.participants.all()} if found else {}
    roles = {key: participant.role for key, participant in known.items()} | {
        participant.key: participant.role for participant in participants if participant.key not in known
    }
    time_zone = thread.time_zone or (found.time_zone if found else "")
    wrong = audiences.violations(write, [("/thread/readers", None, thread.readers)])
    wrong += [*rules.thread_violations(thread), *rules.participant_violations(write.workspace, participants, known)]
    if not any(violation.path == "/thread/time_zone" for violation in wrong):
        wrong.extend(rules.turn_violations(turns, roles, time_zone))
    if wrong:
        raise Invalid.all(wrong)
    _refuse_changed_participants(participants, known)
    _refuse_other_readers(write, thread, found)
    stored = found or _new_thread(write, thread)
    known |= _new_participants(write, stored, participants, known)
    drafts = [_turn(write, stored, known, turn, time_zone) for turn in turns]
    new, repeated, all_told = _apart(stored, drafts) if found else _sorted_out(drafts, {}, {})
    _number(stored, new, first=not found)
    Source.objects.bulk_create(new)
    arrivals.announce(write, new)
    return Told(stored, new, repeated, all_told)


def state(
    write: Write,
    content: str,
    said_at: dt.datetime | None = None,
    said_zone: str = "",
    *,
    readers: Collection[uuid.UUID] | None = None,
) -> Source:
    """Store what a member writes down in their own words, as said now unless they say when.

    `readers` may be served it besides themselves; without them that is everybody. Only people state; what an agent
    holds true it tells or remembers (Denied `only_members_state`).
    """
    write.by.require("tell")
    if write.by.actor.kind != Actor.Kind.PERSON:
        raise Denied("Only a member can make a statement of their own.", code="only_members_state")
    wrong = list(rules.text("/content", content, None, blank=False))
    zone = said_zone or write.workspace.time_zone
    said = rules.moment(said_at or write.recorded_at, zone if said_zone or not said_at else "", "", "/said_at")
    if isinstance(said, Violation) or wrong:
        raise Invalid.all([*wrong, *([said] if isinstance(said, Violation) else [])])
    source = _source(
        write,
        kind=Source.Kind.STATEMENT,
        content=content,
        said=rules.Said(said.at, said_zone or said.zone),
        digest=_digest(Source.Kind.STATEMENT, str(write.actor_id), content, said.at),
        member=write.by.actor,
        audience=Audiences(write).of(Audiences(write).readers(readers)),
    )
    source.save(force_insert=True)
    arrivals.announce(write, [source])
    return source


def keep_answer(
    write: Write,
    *,
    content: str,
    title: str,
    said_at: dt.datetime,
    said_zone: str,
    external_id: str,
    readers: Sequence[uuid.UUID] = (),
) -> Source:
    """Store an answer given in a form, for whoever has a right of its own to it. The same one again stores nothing."""
    known = _sources(write).filter(kind=Source.Kind.FORM_ANSWER, external_id=external_id).first()
    if known is not None:
        return known
    source = _source(
        write,
        kind=Source.Kind.FORM_ANSWER,
        content=content,
        said=rules.Said(said_at.astimezone(dt.UTC), said_zone),
        digest=_digest(Source.Kind.FORM_ANSWER, external_id, content, None),
        title=title[:300],
        external_id=external_id,
        audience=Audiences(write).of(Audiences(write).readers(readers or None)),
    )
    source.save(force_insert=True)
    arrivals.announce(write, [source])
    return source


def read(write: Write, source: SourceInput) -> Read:
    """Store one document, file, web page or system note; see `read_all`. Violations name no row."""
    try:
        return read_all(write, [source])[0]
    except DomainError as error:
        error.violations = tuple(replace(violation, row=None) for violation in error.violations)
        raise


def read_all(write: Write, sources: Sequence[SourceInput]) -> list[Read]:
    """Store what was read: all or nothing, every violation with its place in the source and the source's row.

    The same words from the same place (`external_id`, path or url) for the same readers are the same source, whenever
    they are read again.
    A system note comes from no place and is the same only at the same time. Raises Conflict `source_changed` when an
    `external_id` is known with other content.
    """
    write.by.require("tell")
    wrong = [violation for row, source in enumerate(sources) for violation in rules.source_violations(source, "", row)]
    wrong += audiences.violations(write, [("/readers", row, source.readers) for row, source in enumerate(sources)])
    if wrong or not sources:
        raise Invalid.all(wrong or [Violation("", "nothing_read", "There is no source.", "at least one source")])
    kept = Audiences(write)
    drafts = [(_reading(write, source), kept.readers(source.readers)) for source in sources]
    known = _Known(write, [draft for draft, _ in drafts])
    new: dict[tuple[str, Readers], Source] = {}
    read: list[Read] = []
    for row, (draft, readers) in enumerate(drafts):
        same = known.by_digest.get((draft.digest, readers)) or new.get((draft.digest, readers))
        known.refuse_changed(draft, readers, row)
        if same is None:
            draft.audience = kept.of(readers)
            new[draft.digest, readers] = draft
            known.name(draft, readers)
        read.append(Read(same or draft, repeated=same is not None))
    Source.objects.bulk_create(new.values())
    arrivals.announce(write, list(new.values()))
    return read


class _Known:
    """What is stored already of the same words or under the same external ids, for the same readers and in sight."""

    def __init__(self, write: Write, drafts: Sequence[Source]) -> None:
        stored = [
            *_having(_sources(write), "digest", (draft.digest for draft in drafts)),
            *_having(_sources(write), "external_id", (draft.external_id for draft in drafts if draft.external_id)),
        ]
        readers = audiences.audience_of(stored)
        self.by_digest = {(source.digest, readers[source.pk]): source for source in stored}
        self.named: dict[tuple[str, str, Readers], Source] = {}
        for source in stored:
            self.name(source, readers[source.pk])

    def name(self, source: Source, readers: Readers) -> None:
        """Keep it by its external id, where it has one."""
        if source.external_id:
            self.named[source.kind, source.external_id, readers] = source

    def refuse_changed(self, draft: Source, readers: Readers, row: int) -> None:
        """One external id is one text."""
        other = self.named.get((draft.kind, draft.external_id, readers))
        if other is not None and other.digest != draft.digest:
            message = f"“{draft.external_id}” is stored with other content."
            violation = Violation("/external_id", "source_changed", message, "a new external_id", row)
            raise Conflict(message, code="source_changed", violations=(violation,), extra={"source": str(other.pk)})


def _thread_named(write: Write, thread: ThreadInput) -> Thread | None:
    if not thread.external_id or "\x00" in thread.external_id:
        return None
    named = Thread.objects.visible_to(write.by).filter(external_id=thread.external_id)
    return named.order_by(F("audience").asc(nulls_last=True), "pk").first()


def _refuse_other_readers(write: Write, given: ThreadInput, found: Thread | None) -> None:
    """What was told to few is not told to more by going on with it."""
    if found is None or given.readers is None:
        return
    if Audiences(write).readers(given.readers) != audiences.audience_of([found])[found.pk]:
        message = "This conversation was begun for other readers."
        accepted = "the readers it was begun with, or none to leave them as they are"
        violation = Violation("/thread/readers", "audience_differs", message, accepted)
        raise Conflict(message, code="audience_differs", violations=(violation,))


def _new_thread(write: Write, thread: ThreadInput) -> Thread:
    return Thread.objects.create(
        workspace=write.workspace,
        external_id=thread.external_id,
        title=thread.title,
        time_zone=thread.time_zone,
        audience=Audiences(write).of(Audiences(write).readers(thread.readers)),
        write=write,
        recorded_at=write.recorded_at,
    )


def _refuse_changed_participants(given: Sequence[ParticipantInput], known: dict[str, Participant]) -> None:
    wrong = []
    for row, participant in enumerate(given):
        before = known.get(participant.key)
        if before is None:
            continue
        same_identity = not participant.identity or participant.identity == before.identity
        if participant.role != before.role or not same_identity:
            message = f"“{participant.key}” takes part in this thread with another role or identity."
            accepted = f"role {before.role} and the identity told first, or another key"
            wrong.append(Violation(f"/participants/{row}", "participant_changed", message, accepted, row))
    if wrong:
        raise Conflict(wrong[0].message, code="participant_changed", violations=tuple(wrong))


def _new_participants(
    write: Write, thread: Thread, given: Sequence[ParticipantInput], known: dict[str, Participant]
) -> dict[str, Participant]:
    made = [
        Participant(
            workspace=write.workspace,
            thread=thread,
            key=participant.key,
            name=participant.name,
            role=participant.role,
            node_class=participant.node_class,
            identity=participant.identity,
            write=write,
        )
        for participant in given
        if participant.key not in known
    ]
    return {participant.key: participant for participant in Participant.objects.bulk_create(made)}


def _turn(write: Write, thread: Thread, known: dict[str, Participant], turn: TurnInput, time_zone: str) -> Source:
    said = rules.moment(turn.said_at, turn.said_zone, time_zone, "")
    assert isinstance(said, rules.Said)
    return _source(
        write,
        kind=Source.Kind.CHAT_TURN,
        content=turn.content,
        said=said,
        digest=_digest(turn.speaker, turn.by, turn.content, said.at),
        thread=thread,
        audience=thread.audience,
        participant=known[turn.by] if turn.by else None,
        speaker=turn.speaker,
        message_id=turn.message_id,
    )


def _reading(write: Write, source: SourceInput) -> Source:
    said = rules.moment(source.said_at, source.said_zone, "", "")
    assert isinstance(said, rules.Said)
    place = source.external_id or source.path.strip() or source.url.strip()
    return _source(
        write,
        kind=Source.Kind(source.kind),
        content=source.content,
        said=said,
        digest=_digest(source.kind, place, source.content, None if place else said.at),
        title=source.title,
        path=source.path.strip(),
        url=source.url.strip(),
        external_id=source.external_id,
    )


def _source(write: Write, *, said: rules.Said, **columns: object) -> Source:
    return Source(
        workspace=write.workspace,
        said_at=said.at,
        said_zone=said.zone,
        write=write,
        recorded_at=write.recorded_at,
        **columns,
    )


def _digest(kind: str, place: str, content: str, said_at: dt.datetime | None) -> str:
    parts = [kind, place, content, said_at.isoformat() if said_at else None]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


Apart = tuple[list[Source], list[Source], list[Source]]
"""The drafts that are new, the stored turns that the others repeat, and both in the order told."""


def _apart(thread: Thread, drafts: list[Source]) -> Apart:
    of_thread = Source.objects.filter(workspace=thread.workspace, thread=thread).select_related("participant")
    by_message = {
        turn.message_id: turn
        for turn in _having(of_thread, "message_id", (d.message_id for d in drafts if d.message_id))
    }
    unnamed: dict[str, list[Source]] = defaultdict(list)
    wanted = (draft.digest for draft in drafts if not draft.message_id)
    for turn in _having(of_thread.filter(message_id=""), "digest", wanted):
        unnamed[turn.digest].append(turn)
    return _sorted_out(drafts, by_message, unnamed)


def _sorted_out(drafts: list[Source], by_message: dict[str, Source], unnamed: dict[str, list[Source]]) -> Apart:
    new: list[Source] = []
    repeated: list[Source] = []
    told: list[Source] = []
    changed: list[Violation] = []
    occurrence: Counter[str] = Counter()
    for row, draft in enumerate(drafts):
        if draft.message_id:
            before = by_message.setdefault(draft.message_id, draft)
            if before.digest != draft.digest:
                changed.append(_message_changed(row, draft, before))
        else:
            there = unnamed.get(draft.digest, [])
            before = there[occurrence[draft.digest]] if occurrence[draft.digest] < len(there) else draft
            occurrence[draft.digest] += 1
        (new if before is draft else repeated).append(before)
        told.append(before)
    if changed:
        raise Conflict(changed[0].message, code="message_changed", violations=tuple(changed))
    return new, repeated, told


def _message_changed(row: int, draft: Source, before: Source) -> Violation:
    differs = [
        word
        for word, was, now in (
            ("content", before.content, draft.content),
            ("speaker", before.speaker, draft.speaker),
            ("by", before.participant, draft.participant),
            ("said_at", before.said_at, draft.said_at),
        )
        if was != now
    ]
    message = f"Message “{draft.message_id}” was told before with another {' and '.join(differs)}."
    return Violation(f"/turns/{row}", "message_changed", message, "the same turn as before, or a new message_id", row)


def _number(thread: Thread, turns: list[Source], first: bool) -> None:
    """Give new turns the thread's next positions, in the order told."""
    last = None if first else thread.turns.aggregate(last=Max("position"))["last"]
    start = 0 if last is None else last + 1
    for position, turn in enumerate(turns, start):
        turn.position = position


def _sources(write: Write) -> QuerySet[Source]:
    return Source.objects.visible_to(write.by).filter(thread__isnull=True)


def _having(rows: QuerySet[Source], column: str, values: Iterable[str]) -> Iterator[Source]:
    """The rows whose column has one of the values, looked up a chunk at a time, in the order they were stored."""
    for chunk in _chunks(sorted(set(values))):
        yield from rows.filter(**{f"{column}__in": chunk}).order_by("position", "pk")


def _chunks(items: list[Item]) -> Iterator[list[Item]]:
    for start in range(0, len(items), CHUNK):
        yield items[start : start + CHUNK]
