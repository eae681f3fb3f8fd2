"""`POST /conversations`: the raw turns are stored before the answer, and read afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described
from memoryapp.doors import moments, strict
from memoryapp.doors.batches import named_rows
from memoryapp.doors.errors import Invalid, Violation
from memoryapp.doors.fields import Fields, Mapped, OneOf, Several, Text, Told, When, Whole
from memoryapp.extraction import agents
from memoryapp.extraction.api.proposing import Proposing, candidate_input
from memoryapp.extraction.queries import reading_job
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Job, Write
from memoryapp.sources import services
from memoryapp.sources.api import readers_field, with_readers
from memoryapp.sources.inputs import ParticipantInput, ThreadInput, TurnInput
from memoryapp.sources.models import Source, Speaker

MOST_TURNS = 10_000
MOST_CANDIDATES = 1_000

EXAMPLE = {
    "thread": {"external_id": "mail-2026-031", "title": "Status reports"},
    "participants": [
        {"key": "ines", "role": "user", "name": "Ines Duarte", "identity": {"email": "ines@ferro.example"}},
        {"key": "desk", "role": "assistant", "name": "Desk"},
    ],
    "turns": [
        {
            "message_id": "m-1",
            "speaker": "user",
            "by": "ines",
            "said_at": "2026-03-02T09:15:00-05:00",
            "content": "Please send me status emails every week.",
        },
        {
            "message_id": "m-2",
            "speaker": "assistant",
            "by": "desk",
            "said_at": "2026-03-02T09:15:20-05:00",
            "content": "I will.",
        },
    ],
    "candidates": [
        {
            "message_id": "m-1",
            "quote": "send me status emails every week",
            "kind": "preference",
            "topic": "status emails",
            "content": "Wants status emails every week.",
        }
    ],
}


class ThreadFields(Fields):
    """The conversation as its own platform knows it."""

    external_id = Text(
        required=False, allow_blank=True, max_length=200, help_text="Told again, what is new is added to it."
    )
    title = Text(required=False, allow_blank=True, max_length=300)
    time_zone = Text(
        required=False, allow_blank=True, max_length=64, help_text="Gives a said_at without offset its meaning."
    )
    readers = readers_field()


class ParticipantFields(Fields):
    """Somebody who takes part."""

    key = Text(max_length=200, help_text="What turns call them in `by`.")
    role = OneOf(choices=Speaker.values)
    name = Text(required=False, allow_blank=True, max_length=200)
    locals()["class"] = Text(required=False, max_length=100, help_text="A declared node class; person when left out.")
    identity = Mapped(
        child=Text(max_length=300), required=False, help_text="Identity keys of the class; a user needs one."
    )


class SaidAt(When):
    """When a turn was said; without an offset it is read in the time zone of the request or of the thread."""

    def to_internal_value(self, data: Any) -> tuple[Any, str]:  # type: ignore[override]
        try:
            said = super().to_internal_value(data)
        except ValidationError as error:
            if error.get_codes() != ["naive_time"]:
                raise
            return moments.parse(data, time_zone="UTC").instant.replace(tzinfo=None), ""
        return said.instant, said.zone


class TurnFields(Fields):
    """One thing said."""

    speaker = OneOf(choices=Speaker.values)
    by = Text(required=False, allow_blank=True, max_length=200, help_text="Key of the participant who speaks.")
    content = Text(max_length=strict.LARGEST_BODY)
    said_at = SaidAt(exact=True)
    message_id = Text(required=False, allow_blank=True, max_length=200, help_text="What the platform calls this turn.")


class ProposedInConversation(Proposing):
    """A candidate of your own about words of a turn, named by its message_id or by its row in `turns`."""

    message_id = Text(required=False, max_length=200)
    row = Whole(required=False, min_value=0, help_text="Index of the turn in `turns`.")

    def validate(self, told: dict[str, Any]) -> dict[str, Any]:
        if ("message_id" in told) == ("row" in told):
            raise ValidationError({"message_id": ["Name the turn: by message_id or by row."]})
        return super().validate(told)


class Conversation(Told):
    """A conversation, whole or the next part of it."""

    thread = ThreadFields(required=False)
    participants = Several(child=ParticipantFields(), required=False, max_length=1000)
    turns = Several(child=TurnFields(), max_length=MOST_TURNS)
    candidates = Several(child=ProposedInConversation(), required=False, max_length=MOST_CANDIDATES)


ANSWER = described(
    "ConversationTold",
    {
        "thread": serializers.UUIDField(),
        "turns": described(
            "TurnTold",
            {
                "id": serializers.UUIDField(),
                "message_id": serializers.CharField(),
                "position": serializers.IntegerField(),
                "repeated": serializers.BooleanField(help_text="It was stored before."),
            },
            many=True,
        ),
        "candidates": described(
            "CandidateTold",
            {"id": serializers.UUIDField(), "state": serializers.CharField(), "repeated": serializers.BooleanField()},
            many=True,
        ),
        "counts": serializers.DictField(child=serializers.IntegerField()),
        "job": serializers.UUIDField(allow_null=True, help_text="The job that reads it; also in Location."),
    },
)


class Conversations(Endpoint):
    """Telling conversations."""

    needs = {"post": "tell"}
    body = {"post": Conversation}

    @extend_schema(
        operation_id="tell_conversation",
        tags=["tell"],
        summary="Tell a conversation",
        description="The turns are stored before the answer; a job then reads them, and considers your own candidates "
        "with those it finds. What was told before is not stored again. Follow the job at Location.",
        responses={202: ANSWER, 200: ANSWER},
        examples=[OpenApiExample("Two turns, one candidate", value=EXAMPLE, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        told = self.content
        thread = ThreadInput(**with_readers(told.get("thread", {})))
        participants = [_participant(item) for item in told.get("participants", ())]
        turns = [_turn(item) for item in told["turns"]]

        def act(write: Write) -> Answer:
            stored = services.tell(write, thread, participants, turns)
            with named_rows(True, "candidates"):
                suggested = agents.suggest(write, _candidates(stored, told.get("candidates", ())))
            agents.ask_to_consider(write, [one.candidate for one in suggested if not one.repeated])
            job = reading_job(write, stored.thread.pk)
            return _answer(stored, suggested, job)

        return self.write("tell_conversation", act)


def _answer(stored: services.Told, suggested: Sequence[agents.Suggested], job: Job | None) -> Answer:
    new = {turn.pk for turn in stored.turns_new}
    turns = []
    for turn in stored.turns:
        shown = {"id": turn.pk, "message_id": turn.message_id, "position": turn.position}
        turns.append(shown | {"repeated": turn.pk not in new})
        new.discard(turn.pk)
    counts = {
        "turns": len(turns),
        "turns_new": len(stored.turns_new),
        "turns_repeated": len(stored.turns_repeated),
        "candidates": len(suggested),
        "candidates_new": sum(not one.repeated for one in suggested),
    }
    shown_candidates = [
        {"id": one.candidate.pk, "state": one.candidate.state, "repeated": one.repeated} for one in suggested
    ]
    body = {
        "thread": stored.thread.pk,
        "turns": turns,
        "candidates": shown_candidates,
        "counts": counts,
        "job": job.pk if job else None,
    }
    waiting = job is not None and job.state in (Job.State.QUEUED, Job.State.RUNNING)
    return Answer(body, 202 if waiting else 200, {"Location": f"/api/v1/jobs/{job.pk}"} if job else {})


def _participant(item: dict[str, Any]) -> ParticipantInput:
    given = {name: value for name, value in item.items() if name != "class"}
    return ParticipantInput(**given, **({"node_class": item["class"]} if "class" in item else {}))


def _turn(item: dict[str, Any]) -> TurnInput:
    said_at, zone = item["said_at"]
    return TurnInput(**(item | {"said_at": said_at, "said_zone": zone}))


def _candidates(stored: services.Told, items: Sequence[dict[str, Any]]) -> list[agents.CandidateInput]:
    """Each candidate with the turn it is about, be it told now or earlier. Raises Invalid for turns that are not."""
    by_message = {turn.message_id: turn for turn in stored.turns if turn.message_id}
    wanted = {item["message_id"] for item in items if "message_id" in item} - set(by_message)
    earlier = Source.objects.filter(thread=stored.thread, message_id__in=wanted) if wanted else []
    by_message |= {turn.message_id: turn for turn in earlier}
    wrong, found = [], []
    for row, item in enumerate(items):
        if "row" in item:
            turn = stored.turns[item["row"]] if item["row"] < len(stored.turns) else None
        else:
            turn = by_message.get(item["message_id"])
        if turn is None:
            place = "row" if "row" in item else "message_id"
            message = "There is no such turn in this conversation."
            accepted = f"0 to {len(stored.turns) - 1}" if place == "row" else "the message_id of a turn told"
            wrong.append(Violation(f"/{place}", "unknown_turn", message, accepted, row))
        else:
            found.append(candidate_input(turn, item))
    if wrong:
        raise Invalid.all(wrong)
    return found
