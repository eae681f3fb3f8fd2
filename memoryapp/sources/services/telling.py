"""Conversations told: their participants and turns, begun or gone on with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import F, Max

from memoryapp.doors.errors import Conflict, Invalid, Violation
from memoryapp.ledger.models import Write
from memoryapp.sources import arrivals, audiences, declared, rules
from memoryapp.sources.audiences import Audiences
from memoryapp.sources.declared import Drafted
from memoryapp.sources.inputs import ParticipantInput, ThreadInput, TurnInput
from memoryapp.sources.models import Participant, Source, Thread
from memoryapp.sources.services.drafting import digest_of, source_of
from memoryapp.sources.services.repeating import sorted_out, told_apart


@dataclass(frozen=True)
class Told:
    """What came of telling a conversation: the turns that are new, and those that were there already.

    `turns` holds the stored turn of each one told, in the order told.
    """

    thread: Thread
    turns_new: list[Source]
    turns_repeated: list[Source]
    turns: list[Source]


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
    declared.refuse(write.workspace, [Drafted(draft, f"/turns/{row}", row) for row, draft in enumerate(drafts)])
    new, repeated, all_told = told_apart(stored, drafts) if found else sorted_out(drafts, {}, {})
    _number(stored, new, first=not found)
    Source.objects.bulk_create(new)
    arrivals.announce(write, new)
    return Told(stored, new, repeated, all_told)


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
    return source_of(
        write,
        kind=Source.Kind.CHAT_TURN,
        content=turn.content,
        said=said,
        digest=digest_of(turn.speaker, turn.by, turn.content, said.at),
        thread=thread,
        audience=thread.audience,
        participant=known[turn.by] if turn.by else None,
        speaker=turn.speaker,
        message_id=turn.message_id,
    )


def _number(thread: Thread, turns: list[Source], first: bool) -> None:
    """Give new turns the thread's next positions, in the order told."""
    last = None if first else thread.turns.aggregate(last=Max("position"))["last"]
    start = 0 if last is None else last + 1
    for position, turn in enumerate(turns, start):
        turn.position = position
