"""A conversation is told once, in its order, raw; telling it again appends what is new."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.doors.errors import Conflict, Denied, Invalid, NotFound, Violation
from memoryapp.ledger import integrity, triggers
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources import arrivals, identities, queries, services
from memoryapp.sources.inputs import ParticipantInput, ThreadInput, TurnInput
from memoryapp.sources.models import Participant, Source, Thread

pytestmark = pytest.mark.django_db

INES = ParticipantInput(key="ines", role="user", name="Ines Ferro", identity={"email": "ines@ferro.example"})
DESK = ParticipantInput(key="desk", role="assistant", name="Desk")
MARCH = dt.datetime(2026, 3, 2, 9, 0, tzinfo=dt.timezone(dt.timedelta(hours=-5)))


def turn(content: str, minutes: int = 0, **changes: object) -> TurnInput:
    values = {"speaker": "user", "by": "ines", "content": content, "said_at": MARCH + dt.timedelta(minutes=minutes)}
    return TurnInput(**{**values, **changes})  # type: ignore[arg-type]


def tell(
    by: Principal,
    *turns: TurnInput,
    external_id: str = "mail-7",
    time_zone: str = "",
    participants: object = (INES, DESK),
) -> services.Told:
    thread = ThreadInput(external_id=external_id, title="Reports", time_zone=time_zone)
    return record(by, "tell", lambda write: services.tell(write, thread, participants, turns))  # type: ignore[arg-type]


def refused(by: Principal, *turns: TurnInput, **how: object) -> list[Violation]:
    with pytest.raises((Invalid, Conflict)) as error:
        tell(by, *turns, **how)  # type: ignore[arg-type]
    return list(error.value.violations)


def contents(thread: Thread) -> list[str]:
    return list(Source.objects.filter(thread=thread).order_by("position").values_list("content", flat=True))


def test_turns_are_kept_in_the_order_told_with_their_time_and_offset(curator_agent: Principal) -> None:
    told = tell(curator_agent, turn("Weekly, please.", 5), turn("Noted.", 2, speaker="assistant", by="desk"))
    assert contents(told.thread) == ["Weekly, please.", "Noted."]
    first = Source.objects.get(position=0)
    assert (first.said_at, first.said_zone, first.speaker) == (MARCH + dt.timedelta(minutes=5), "-05:00", "user")
    assert first.participant is not None
    assert first.participant.identity == {"email": "ines@ferro.example"}
    assert first.write.actor == curator_agent.actor


def test_telling_the_same_again_stores_nothing_and_more_is_appended(curator_agent: Principal) -> None:
    one, two, three = turn("One."), turn("Two.", 1), turn("Three.", 2)
    tell(curator_agent, one, two)
    again = tell(curator_agent, one, two, three)
    assert [source.content for source in again.turns_new] == ["Three."]
    assert [source.content for source in again.turns_repeated] == ["One.", "Two."]
    assert contents(again.thread) == ["One.", "Two.", "Three."]
    assert Thread.objects.count() == 1
    assert Participant.objects.count() == 2


def test_windows_without_overlap_are_all_kept(curator_agent: Principal) -> None:
    """Case 104: an append never replaces what came before."""
    for start in (0, 3, 6):
        told = tell(curator_agent, *(turn(f"Line {number}.", number) for number in range(start, start + 3)))
    assert contents(told.thread) == [f"Line {number}." for number in range(9)]


def test_the_same_words_twice_in_one_telling_are_two_turns_and_stay_two(curator_agent: Principal) -> None:
    tell(curator_agent, turn("Yes."), turn("Yes."))
    assert tell(curator_agent, turn("Yes."), turn("Yes.")).turns_new == []
    assert len(tell(curator_agent, turn("Yes."), turn("Yes."), turn("Yes.")).turns_new) == 1


def test_a_message_id_names_a_turn_and_cannot_come_back_with_other_words(curator_agent: Principal) -> None:
    tell(curator_agent, turn("Weekly.", message_id="m1"))
    assert tell(curator_agent, turn("Weekly.", message_id="m1")).turns_new == []
    (wrong,) = refused(curator_agent, turn("More.", 4, message_id="m2"), turn("Monthly.", message_id="m1"))
    assert (wrong.code, wrong.path, wrong.row) == ("message_changed", "/turns/1", 1)
    assert "another content" in wrong.message
    assert Source.objects.count() == 1


def test_without_external_id_every_telling_is_a_thread_of_its_own(curator_agent: Principal) -> None:
    tell(curator_agent, turn("Hello."), external_id="")
    tell(curator_agent, turn("Hello."), external_id="")
    assert Thread.objects.count() == 2


def test_a_naive_time_is_refused_unless_a_time_zone_is_named(curator_agent: Principal) -> None:
    """T36: 23:30 at UTC-5 is that day there, and the same instant reads back under another zone."""
    naive = turn("I ran today.", said_at=dt.datetime(2026, 3, 2, 23, 30))
    (wrong,) = refused(curator_agent, naive)
    assert (wrong.code, wrong.path) == ("naive_time", "/turns/0/said_at")
    told = tell(curator_agent, naive, time_zone="America/Bogota").turns_new[0]
    stored = Source.objects.get(pk=told.pk)
    assert stored.said_at == dt.datetime(2026, 3, 3, 4, 30, tzinfo=dt.UTC)
    assert stored.said_at.astimezone(ZoneInfo(stored.said_zone)).date() == dt.date(2026, 3, 2)


def test_backfilled_turns_keep_the_time_they_were_said(curator_agent: Principal) -> None:
    """Cases 13 and 14: an old chat told today was said then."""
    then = dt.datetime(2019, 4, 2, 12, tzinfo=dt.UTC)
    source = tell(curator_agent, turn("We adopted the blue form.", said_at=then)).turns_new[0]
    assert source.said_at == then
    assert source.recorded_at.year >= 2026


def test_one_bad_row_stores_nothing_and_every_violation_is_listed(curator_agent: Principal) -> None:
    """T32: each with its row."""
    wrong = refused(
        curator_agent,
        turn("Fine."),
        turn("  ", 1),
        turn("Beep.", 2, speaker="robot"),
        turn("Who?", 3, by="otto"),
        turn("I cooked.", 4, by="desk"),
        turn("half \ud800 pair", 5),
        turn("nul \x00", 6),
    )
    assert [(violation.row, violation.code) for violation in wrong] == [
        (1, "blank"),
        (2, "unknown_speaker"),
        (3, "unknown_participant"),
        (4, "speaker_not_role"),
        (5, "unreadable_text"),
        (6, "unreadable_text"),
    ]
    assert all(violation.accepted for violation in wrong)
    assert "user, assistant, system, tool" in wrong[1].accepted
    assert not Thread.objects.exists()
    assert not Write.objects.filter(action="tell").exists()


def test_a_user_needs_an_identity_key(curator_agent: Principal) -> None:
    nameless = ParticipantInput(key="ines", role="user", name="Ines")
    (wrong,) = refused(curator_agent, turn("Hi."), participants=(nameless,))
    assert (wrong.code, wrong.path) == ("identity_missing", "/participants/0/identity")
    assert wrong.accepted


def test_the_declared_types_say_which_identity_keys_are_accepted(
    curator_agent: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(workspace: Workspace, node_class: str, identity: object, path: str) -> list[Violation]:
        return [Violation(path, "unknown_key", f"No such key of {node_class}.", "email, phone")]

    monkeypatch.setattr(identities, "_checks", [])
    identities.register(check)
    (wrong,) = refused(curator_agent, turn("Hi."))
    assert (wrong.code, wrong.accepted, wrong.row) == ("unknown_key", "email, phone", 0)


def test_a_participant_stays_who_they_are(curator_agent: Principal) -> None:
    tell(curator_agent, turn("Hi."))
    other = ParticipantInput(key="ines", role="user", identity={"email": "other@ferro.example"})
    (wrong,) = refused(curator_agent, turn("Hi again.", 1), participants=(other,))
    assert wrong.code == "participant_changed"
    assert len(tell(curator_agent, turn("Known by now.", 2), participants=()).turns_new) == 1


def test_whoever_may_not_tell_stores_nothing(reader_agent: Principal) -> None:
    with pytest.raises(Denied):
        tell(reader_agent, turn("Hi."))
    assert not Source.objects.exists()


def test_two_workspaces_hold_the_same_thread_apart(
    curator_agent: Principal, agent: object, other_workspace: Workspace
) -> None:
    """Case 85: nothing lands next door, and nothing is seen from there."""
    stranger = agent(other_workspace, ["curate"])  # type: ignore[operator]
    here, there = tell(curator_agent, turn("Ours.")), tell(stranger, turn("Theirs."))
    assert here.thread.pk != there.thread.pk
    assert [thread.pk for thread in queries.threads(stranger)] == [there.thread.pk]
    with pytest.raises(NotFound):
        queries.thread(stranger, here.thread.pk)
    assert not queries.turns(stranger, here.thread.pk).exists()
    assert queries.in_place(stranger, [here.turns_new[0].pk]) == {}


def test_what_was_told_is_there_at_once(curator_agent: Principal) -> None:
    """Case 86: created, then read, every time."""
    for number in range(20):
        told = tell(curator_agent, turn(f"Number {number}.", number))
        assert queries.source(curator_agent, told.turns_new[0].pk).content == f"Number {number}."


def test_new_sources_are_announced_in_the_same_transaction(
    curator_agent: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[list[str]] = []
    monkeypatch.setattr(arrivals, "_listeners", [])
    arrivals.register(lambda write, sources: heard.append([source.content for source in sources]))
    tell(curator_agent, turn("One."))
    tell(curator_agent, turn("One."), turn("Two.", 1))
    assert heard == [["One."], ["Two."]]

    def broken(write: Write, sources: object) -> None:
        raise Conflict("no room")

    arrivals.register(broken)
    with pytest.raises(Conflict):
        tell(curator_agent, turn("Three.", 2))
    assert not Source.objects.filter(content="Three.").exists()


def test_a_long_transcript_is_told_with_a_bounded_number_of_queries(curator_agent: Principal) -> None:
    """Case 29: half a megabyte costs per row a small fraction of a query, told again even less."""
    long = [turn(f"{number} " + "word " * 40, number) for number in range(2_500)]
    with CaptureQueriesContext(
        connection,
    ) as telling:
        told = tell(curator_agent, *long)
    assert len(told.turns_new) == 2_500
    with CaptureQueriesContext(connection) as repeating:
        again = tell(curator_agent, *long)
    assert len(again.turns_repeated) == 2_500
    assert len(telling) < 250
    assert len(repeating) < 20


def test_a_turn_is_shown_between_its_neighbours_with_the_quote_marked(curator_agent: Principal) -> None:
    told = tell(curator_agent, turn("Before."), turn("I want weekly mails.", 1), turn("After.", 2))
    middle = told.turns_new[1]
    with CaptureQueriesContext(connection) as looking:
        places = queries.in_place(curator_agent, [source.pk for source in told.turns_new])
    assert len(looking) == 2
    place = places[middle.pk]
    assert place.before is not None
    assert place.after is not None
    assert (place.before.content, place.after.content) == ("Before.", "After.")
    assert places[told.turns_new[0].pk].before is None
    shown = queries.span(middle, 7, 13, margin=5)
    assert (shown.before, shown.quote, shown.after) == ("want ", "weekly", " mail")
    assert queries.span(middle, 90, 99).quote == ""
    assert queries.span(middle, None, None).quote == middle.content


def test_threads_are_listed_by_what_was_said_last_and_found_by_name(curator_agent: Principal) -> None:
    old = tell(curator_agent, turn("Old.", -60), external_id="first").thread
    new = tell(curator_agent, turn("New."), external_id="second").thread
    listed = list(queries.threads(curator_agent))
    assert [thread.pk for thread in listed] == [new.pk, old.pk]
    assert listed[0].turn_count == 1  # type: ignore[attr-defined]
    assert [thread.pk for thread in queries.threads(curator_agent, "FIRST")] == [old.pk]
    assert queries.threads(curator_agent, "ferro").count() == 2


def test_the_integrity_check_finds_a_turn_that_is_missing(curator_agent: Principal) -> None:
    def found() -> list[str]:
        report = next(one for one in integrity.examine(curator_agent.workspace) if one.check.name == "turns")
        return [finding.what for finding in report.findings]

    told = tell(curator_agent, turn("One."), turn("Two.", 1), turn("Three.", 2))
    assert found() == []
    triggers.drop()
    Source.objects.filter(pk=told.turns_new[1].pk).delete()
    Source.objects.filter(pk=told.turns_new[2].pk).update(speaker="tool")
    triggers.install()
    assert found() == ["A turn is missing between others.", "It is said in another role than its participant's."]
