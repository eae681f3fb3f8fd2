"""Search: any question, any script, in the asker's scope alone, the same bytes on every engine."""

from __future__ import annotations

import datetime as dt
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.index.queries import Found, Scope, Targets, pool
from memoryapp.index.services import remove
from memoryapp.index.texts import Text
from memoryapp.ledger.models import Actor
from memoryapp.ledger.services import actor_named
from tests.index.conftest import NOTE, Shelf, note

pytestmark = pytest.mark.sql

NOTES = [
    "The status report goes out as a monthly summary",
    "Weekly status emails were preferred in March",
    "Pricing of the northern quay is settled in autumn",
    "Letters to the harbour office need a stamp",
    "The kettle in the kitchen is broken again",
    "Nadia moved to the Lisbon office",
]


def as_bytes(found: Found) -> bytes:
    return json.dumps(
        {
            "hits": [(hit.target_type, str(hit.target_id), hit.score, hit.parts, hit.share) for hit in found.hits],
            "misses": [str(hit.target_id) for hit in found.misses],
            "unknown": found.unknown,
            "expanded": found.expanded,
        }
    ).encode()


def test_the_row_with_the_rarest_words_of_the_question_comes_first(shelf: Shelf) -> None:
    ids = shelf.notes(*NOTES)
    assert shelf.found("who gets the monthly status summary?")[0] == ids[0]
    assert shelf.found("pricing of the quay")[0] == ids[2]


def test_one_word_in_common_is_enough(shelf: Shelf) -> None:
    ids = shelf.notes(*NOTES)
    assert shelf.found("kettle for the trip across mountains") == [ids[4]]


def test_a_misspelt_word_finds_its_neighbour_R28(shelf: Shelf) -> None:
    ids = shelf.notes(*NOTES)
    found = shelf.search("prcing")
    assert [hit.target_id for hit in found.hits] == [ids[2]]
    assert found.expanded == {"prcing": ["pricing"]}
    assert shelf.found("norhtenr") == [ids[2]], "two edits from eight letters"


def test_a_code_is_found_exactly_or_not_at_all(shelf: Shelf) -> None:
    ids = shelf.notes("invoice_2024 is paid", "invoice_2025 is open", "staging_eu_1 is down", "E4042 on the pump")
    assert shelf.found("invoice_2024")[0] == ids[0]
    assert shelf.found("E4042") == [ids[3]]
    assert shelf.search("E4043").hits == []


@pytest.mark.parametrize(
    ("content", "question"),
    [
        ("榛子ラテが好き", "榛子ラテ"),
        ("ชอบกาแฟตอนเช้าทุกวัน", "กาแฟตอนเช้า"),
        ("Ağrı deposu kapandı", "ağrı deposu"),
        ("الاجتماع في المقهى غدا", "مقهى"),
        ("Письма отправлены в порт", "письмо"),
        ("Γράμμα στο λιμάνι", "λιμανι"),
        ("강아지를 좋아해요", "강아지"),
        ("Ship it 🚢 today, все готово, 完成", "🚢"),
        ("Ship it 🚢 today, все готово, 完成", "готово 完成"),
    ],
)
def test_every_script_is_stored_and_found(shelf: Shelf, content: str, question: str) -> None:
    shelf.notes(*NOTES)
    (id,) = shelf.notes(content)
    assert shelf.found(question)[0] == id


def test_forms_of_a_word_find_each_other_R21(shelf: Shelf) -> None:
    russian, english = shelf.notes("Новые письма в ящике", "Two letters on the desk")
    assert shelf.found("письмо") == [russian]
    assert shelf.found("letter") == [english]


@pytest.mark.parametrize(
    "question",
    ["", "?", "AND OR NOT NEAR(", 'a "quoted', "back\\slash", "'; --", "* : ^ - + ( )", "\x00", "\ud800", "the of and",
     "word " * 5000, " ".join(f"word{n}" for n in range(5000)), "a" * 100_000, "%s %d {0}", "& | ! <->"],
)  # fmt: skip
def test_operators_quotes_and_floods_are_only_words(shelf: Shelf, question: str) -> None:
    shelf.notes(*NOTES)
    assert isinstance(shelf.search(question), Found)


def test_any_string_is_a_valid_question(shelf: Shelf) -> None:
    shelf.notes(*NOTES)

    @settings(max_examples=60)
    @given(st.text())
    def ask(question: str) -> None:
        assert as_bytes(shelf.search(question)) == as_bytes(shelf.search(question))

    ask()


def test_the_order_of_arrival_changes_no_byte_R1_R3(shelf: Shelf, next_door: Shelf) -> None:
    texts = [note(f"{content}, note {n}") for n, content in enumerate(NOTES * 12)] + [note("Same words", part=0)]
    shelf.put(*texts)
    expected = [as_bytes(shelf.search(question, limit=50)) for question in ("status office", "note", "same words quay")]
    shuffled = random.Random(3).sample(texts, len(texts))
    for text in shuffled:
        next_door.put(text)
    assert [
        as_bytes(next_door.search(question, limit=50)) for question in ("status office", "note", "same words quay")
    ] == expected


def test_equal_scores_are_ordered_by_content_then_by_id_R3(shelf: Shelf) -> None:
    first, second = shelf.notes("quay", section="a"), shelf.notes("quay", section="b")
    assert shelf.found("quay") == sorted(first + second)


def test_the_score_is_the_same_on_every_engine(shelf: Shelf) -> None:
    """Fixed numbers: run on each database, they must be the same to the last digit."""
    shelf.notes(*NOTES)
    shelf.turns(
        "thread", ("Mira", "Where is the kettle?"), ("Tomas", "In the kitchen, broken"), day=dt.date(2026, 5, 7)
    )
    found = shelf.search("What did Tomas say of the kettle on 7 May 2026?")
    assert [(hit.score, hit.parts) for hit in found.hits[:2]] == [
        (
            19.052351,
            {"text": 6.221025, "neighbours": 2.980472, "section": 2.343645, "date": 3.110513, "participant": 4.396696},
        ),
        (12.659307, {"text": 5.960945, "neighbours": 1.244205, "section": 2.343645, "date": 3.110513}),
    ]


def test_500_rows_next_door_change_no_byte_R4(shelf: Shelf, next_door: Shelf) -> None:
    shelf.notes(*NOTES)
    before = [as_bytes(shelf.search(question)) for question in ("status office", "prcing", "kettel", "harbour")]
    next_door.notes(*(f"status office harbour pricing prcing kettel number {n}" for n in range(500)))
    assert [as_bytes(shelf.search(question)) for question in ("status office", "prcing", "kettel", "harbour")] == before


def test_rows_outside_the_audience_change_no_byte_R4_R6(shelf: Shelf) -> None:
    shelf.notes(*NOTES)
    questions = ("status office", "prcing", "kettel", "harbour secret", "zeppelin")
    before = [as_bytes(shelf.search(question)) for question in questions]
    shelf.notes(*(f"status office secret prcing zeppelin {n}" for n in range(500)), audience="owners")
    assert [as_bytes(shelf.search(question)) for question in questions] == before


def test_a_row_outside_the_audience_is_found_by_whoever_may_be_served_it(shelf: Shelf) -> None:
    shelf.notes(*NOTES)
    keeper = actor_named(shelf.workspace, Actor.Kind.PERSON, "keeper", "Keeper")
    shelf.put(Text(NOTE, keeper.pk, "The zeppelin is a surprise", audience="owners"))
    rows = Actor.objects.filter(workspace=shelf.workspace)
    assert shelf.found("zeppelin", scope=Scope(shelf.workspace, {NOTE: rows})) == [keeper.pk]
    assert shelf.found("zeppelin", scope=Scope(shelf.workspace, {NOTE: rows.exclude(pk=keeper.pk)})) == []


def test_a_target_type_that_is_not_asked_for_is_not_there(shelf: Shelf) -> None:
    shelf.notes(*NOTES)
    assert shelf.search("status", scope=Scope(shelf.workspace, {})).hits == []
    assert shelf.search("status", scope=Scope(shelf.workspace, {"belief": None})).hits == []


def test_a_kind_brings_its_subkinds_and_filters_narrow(shelf: Shelf) -> None:
    (trip,) = shelf.notes("Aisle seats on trips", kind="memory/preference/travel_preference")
    (tea,) = shelf.notes("Seats near the tea", kind="memory/preference")
    shelf.notes("Seats were counted", kind="memory/decision")

    def kinds(*wanted: str) -> set[Any]:
        return set(shelf.found("seats", scope=Scope(shelf.workspace, {NOTE: None}, kinds=wanted)))

    assert kinds("memory/preference") == {trip, tea}
    assert kinds("memory/preference/travel_preference") == {trip}
    assert kinds("memory/pref") == set()


def test_time_speaker_and_thread_narrow_the_search(shelf: Shelf) -> None:
    march = shelf.turns("one", ("Mira", "the quay is closed"), day=dt.date(2026, 3, 5))
    june = shelf.turns("two", ("Tomas", "the quay is open"), day=dt.date(2026, 6, 5))
    everything = {NOTE: None}

    def within(**wanted: Any) -> list[Any]:
        return shelf.found("quay", scope=Scope(shelf.workspace, everything, **wanted))

    assert within(until=dt.datetime(2026, 4, 1, tzinfo=dt.UTC)) == march
    assert within(since=dt.datetime(2026, 4, 1, tzinfo=dt.UTC)) == june
    assert within(speakers=["Tomas"]) == june
    assert within(sections=["one"]) == march


def test_a_turn_gains_from_its_neighbours_its_day_and_its_speaker(shelf: Shelf) -> None:
    shelf.notes(*NOTES)
    question, answer, _ = shelf.turns(
        "thread",
        ("Mira", "Which berth do we rent?"),
        ("Tomas", "Number nine"),
        ("Mira", "Good"),
        day=dt.date(2026, 5, 7),
    )
    found = {hit.target_id: hit for hit in shelf.search("Which berth did Tomas rent on 7 May 2026?").hits}
    assert found[answer].parts["neighbours"] > 0
    assert found[answer].parts["participant"] > 0
    assert found[answer].parts["date"] > 0
    assert found[question].parts["section"] > 0
    assert "participant" not in found[question].parts
    for hit in found.values():
        assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-5)


def test_what_nobody_said_is_answered_with_nothing_and_the_nearest_named(shelf: Shelf) -> None:
    shelf.notes(*NOTES)
    found = shelf.search("Which quantum chromodynamics lecture covers asymptotic freedom in March?")
    assert found.hits == []
    assert len(found.misses) == 1
    assert {"quantum", "chromodynamics"} <= set(found.unknown)


def test_a_removed_row_is_gone_from_the_next_search(shelf: Shelf) -> None:
    ids = shelf.notes(*NOTES)
    shelf.write(lambda write: remove(write, [(NOTE, ids[4])]))
    assert shelf.search("kettle").hits == []
    assert shelf.search("kettel").unknown == ["kettel"], "a word goes with the last row that holds it"


def test_rows_that_hold_common_words_alone_are_left_out_where_they_cannot_come_near(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is the same to the byte as when every row is looked at."""
    chance = random.Random(7)
    rest = ["anchor", "barge", "crane", "dock", "ebb", "ferry", "gull", "hull", "inlet", "jetty"]
    shelf.notes(*(f"harbour note {number} of {' and '.join(chance.sample(rest, 2))}" for number in range(400)))
    read: list[int] = []
    holding = pool._holding_any

    def counted(scope: Scope, sought: Any) -> list[Any]:
        rows = holding(scope, sought)
        read.append(len(rows))
        return rows

    monkeypatch.setattr(pool, "_holding_any", counted)
    everything = Scope(shelf.workspace, {NOTE: None})
    fewer = Scope(shelf.workspace, Targets(everyones, in_threads=False))
    all_read = Scope(shelf.workspace, Targets(everyones))
    for question in ("harbour ferry", "harbour note crane gull hull", "harbour note 17", "a harbour", "ferry hrbour"):
        answers = []
        for scope in (everything, all_read, fewer):
            read.clear()
            answers.append(as_bytes(shelf.search(question, scope=scope, limit=5)))
        assert len(set(answers)) == 1, question
        if "ferry" in question or "crane" in question:
            assert read[0] < 300, f"{question}: {read}"


def everyones() -> dict[str, None]:
    return {NOTE: None}
