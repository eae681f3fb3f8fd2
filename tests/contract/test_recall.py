"""R25 to R28, R1 to R5, R14, C6 and C9: what is recalled is what is current, and always the same."""

from __future__ import annotations

import datetime as dt
import json
import random
import re
from collections.abc import Callable

import pytest
import time_machine
from rest_framework.utils.encoders import JSONEncoder

from memoryapp.access.services import operator as operator_of
from memoryapp.context.inputs import LinkInput
from memoryapp.doors.budgets import tokens
from memoryapp.extraction.models import Candidate
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries import beliefs, listing, views
from memoryapp.graph.services.beliefs import give_way
from memoryapp.graph.services.relations import relate, retract_relation
from memoryapp.graph.services.remembering import remember_all
from memoryapp.graph.statements import Player, Quoted, Statement
from memoryapp.index.models import IndexEntry
from memoryapp.ledger import dump
from memoryapp.ledger.models import Served, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.recall.asked import OVER, Asked
from memoryapp.recall.queries import compose, find
from memoryapp.review import services as review
from memoryapp.review.models import Case
from memoryapp.sources.inputs import SourceInput
from memoryapp.sources.services import read
from tests.api import telling
from tests.api.calling import Caller
from tests.api.telling import said
from tests.context.telling import Context
from tests.graph.nodes.telling import Graph
from tests.graph.telling import Memory, at
from tests.ledger.test_dump import empty_the_database
from tests.recall.story import MONTHLY, SMALL_TALK, WANTS_MONTHLY, WANTS_WEEKLY, WEEKLY, Story

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent(workspace: Workspace) -> Caller:
    return Caller(workspace, ["lookup", "recall", "curate"], "Desk")


@pytest.fixture
def story(agent: Caller, reviewer: Principal, work: Callable[[], int]) -> Story:
    return Story(agent, reviewer, work)


@pytest.fixture
def memory(operator: Principal) -> Memory:
    return Memory(operator)


@pytest.fixture
def decided(reviewer: Principal) -> Callable[[], None]:
    """A person lets the newer statement replace the older one, wherever two conflict."""

    def act() -> None:
        [case] = Case.objects.filter(state="open")
        record(
            reviewer,
            "decide",
            lambda write: review.decide(write, case.pk, lock=case.lock, verdict="newer_replaces", edits={}),
        )

    return act


def test_r25_after_the_decision_only_monthly_is_recalled_and_the_past_on_request(story: Story) -> None:
    story.until_june()
    assert story.texts("status emails") == [WANTS_WEEKLY]
    story.decide()
    assert story.texts("status emails") == [WANTS_MONTHLY]
    assert story.texts("status emails", valid_at="2026-04-15") == [WANTS_WEEKLY]
    answer = story.recall("What did they use to prefer?", history=True)
    hits = {hit["text"]: hit for hit in answer["hits"] if hit["what"] == "belief"}
    assert set(hits) == {WANTS_WEEKLY, WANTS_MONTHLY}
    march = hits[WANTS_WEEKLY]
    assert march["provenance"] == "said by Ines Duarte, 2026-03-02, in Reports"
    assert (march["belief"]["status"], march["belief"]["standing"]) == ("archived", "ended")
    [change] = march["changes"]
    assert (change["what"], change["belief"]["content"]) == ("replaced_by", WANTS_MONTHLY)
    assert [source["line"] for source in change["sources"]] == ["said by Ines Duarte, 2026-06-01, in Reports"]
    assert {source["quote"] for hit in hits.values() for source in hit["sources"]} == {
        "every week on Fridays",
        "the monthly summary does the job",
    }


def test_r27_a_turn_whose_beliefs_are_all_past_is_found_only_with_history(story: Story) -> None:
    story.until_june()
    story.decide()
    march, june, talk = WEEKLY["content"], MONTHLY["content"], SMALL_TALK["content"]
    assert story.texts("status emails") == [WANTS_MONTHLY]
    for asked in ({"over": "turns"}, {"over": "all"}, {"over": "sources", "valid_at": "2026-08-01"}):
        for question in ("status emails", "every week on Fridays", "rhythm"):
            answer = story.recall(question, **asked)
            assert march not in str(answer), (question, asked)
            assert WANTS_WEEKLY not in str(answer), (question, asked)
    assert story.texts("status emails", over="turns") == [june, talk]
    assert set(story.texts("status emails", over="turns", history=True)) == {march, june, talk}
    assert story.texts("grey harbour", over="turns")[0] == talk
    hit = story.recall("status emails", over="turns")["hits"][0]
    assert [(one["content"], one["status"], one["served"]) for one in hit["learned"]] == [
        (WANTS_MONTHLY, "activated", True)
    ]


def test_r25_by_the_rules_alone(story: Story) -> None:
    story.tell(telling.WEEKLY)
    story.tell(telling.WEEKLY, telling.MONTHLY)
    story.decide()
    [monthly] = story.texts("How often does Ines want status emails or summaries?")
    assert "monthly" in monthly
    [weekly] = story.texts("status emails", valid_at="2026-04-15")
    assert "every week" in weekly
    assert set(story.texts("What did they use to prefer?", history=True)) == {weekly, monthly}


def test_r26_the_brief_holds_what_is_current_and_comes_back_as_nothing_new(story: Story, agent: Caller) -> None:
    story.until_june()
    story.decide()
    owner = Node.objects.get(label="Ines Duarte").pk
    answer = agent.get(f"brief?owner={owner}")
    brief = answer.json()
    assert WANTS_MONTHLY in brief["text"]
    assert "every week" not in brief["text"]
    assert "(since 2026-06-01)" in brief["text"]
    assert brief["tokens"] == -(-len(brief["text"].encode()) // 4)
    before = (Belief.objects.count(), Candidate.objects.count())
    back = said(f"Here is what you told me.\n{brief['text']}", "2026-07-01T10:00:00-05:00", "m-12")
    story.tell(WEEKLY, SMALL_TALK, MONTHLY, back)
    assert (Belief.objects.count(), Candidate.objects.count()) == before


@pytest.mark.parametrize("budget", [100, 120, 150, 200])
def test_r26_a_brief_is_never_longer_than_its_budget(operator: Principal, budget: int) -> None:
    memory = Memory(operator)
    ines = memory.node("Inês " * 30)
    for number in range(12):
        memory.say(f"2026-03-{number + 1:02}", f"Inês quer café número {number} " + "ã" * number, ines)
    brief = compose(operator, ines.pk, budget)
    assert tokens(brief.text) <= budget
    assert len(brief.beliefs) + brief.left_out == 12
    assert brief.left_out
    assert f"{brief.left_out} more left out for length." in brief.text
    said_since = [belief.valid_from for belief in brief.beliefs if belief.valid_from]
    assert said_since == sorted(said_since, reverse=True)


def test_r28_a_misspelt_word_finds_the_right_one(operator: Principal) -> None:
    memory = Memory(operator)
    pricing = memory.say("2026-03-02", "The pricing of the Lisbon plan is settled").belief
    memory.say("2026-03-02", "The offsite is in June")
    answer = find(operator, Asked("prcing"))
    assert [hit.id for hit in answer.hits] == [pricing.pk]
    assert answer.expanded == {"prcing": ["pricing"]}


def test_c9_reading_marchs_file_again_in_july_makes_nothing_current_again(
    operator: Principal, memory: Memory, decided: Callable[[], None]
) -> None:
    ines = memory.node("Ines")
    march = memory.source("2026-03-02", "Deliveries go to Quay 9.")
    memory.say("2026-03-02", "Ines has deliveries sent to Quay 9", ines, topic="delivery", source=march)
    memory.say("2026-06-01", "Ines has deliveries sent to Mill Lane", ines, topic="delivery")
    decided()
    again = memory.do(
        lambda write: read(write, SourceInput("file", march.content, march.said_at, path=march.path))
    ).source
    memory.say("2026-03-02", "Ines has deliveries sent to Quay 9", ines, topic="delivery", source=again)
    assert [hit.text for hit in find(operator, Asked("deliveries")).hits] == ["Ines has deliveries sent to Mill Lane"]


def test_c6_and_r14_what_was_replaced_is_in_no_default_answer_and_answers_for_its_time(
    operator: Principal, memory: Memory, decided: Callable[[], None]
) -> None:
    ines = memory.node("Ines")
    older = memory.say("2026-03-02", "Ines works from the old quay", ines, topic="desk").belief
    newer = memory.say("2026-06-01", "Ines works from the lighthouse", ines, topic="desk").belief
    decided()
    for over in OVER:
        assert "old quay" not in str([hit.shaped() for hit in find(operator, Asked("quay lighthouse", over)).hits])
    assert "old quay" not in compose(operator, ines.pk).text
    then = find(operator, Asked("quay", valid_at=at("2026-04-15"))).hits
    assert [hit.id for hit in then] == [older.pk]
    assert [hit.id for hit in find(operator, Asked("quay", history=True)).hits] == [older.pk, newer.pk]


WORDS = ("harbour", "pricing", "letters", "lighthouse", "ferry", "budget", "tea", "window", "garden", "reports")
QUESTIONS = ("Which reports about the ferry budget?", "tea", "prcing of letters", "письма", "garden window harbour")


def many(memory: Memory, count: int, *, audience: str = "workspace") -> None:
    """So many beliefs of two people, of few words, in one write: many score alike."""
    owners = [Graph(memory.by).person("Ines Ferro"), Graph(memory.by).person("Bram Okafor")]
    quoted = Quoted(memory.source("2026-03-02", "A long note."))
    statements = [
        Statement(
            kind="preference",
            content=f"Likes {WORDS[number % 10]} and {WORDS[number // 10 % 10]} ({number // 100})",
            owners=(owners[number % 2].pk,),
            audience=audience,
            evidence=(quoted,),
        )
        for number in range(count)
    ]
    memory.do(lambda write: remember_all(write, statements))


def answers(by: Principal) -> str:
    """Every question's answer, over all there is, as the bytes that are sent."""
    found = [find(by, Asked(question, over, limit=100)).shaped() for question in QUESTIONS for over in OVER]
    return json.dumps(found, cls=JSONEncoder, ensure_ascii=False)


def test_r1_r2_and_r3_the_same_memory_answers_with_the_same_bytes_however_restored_and_whenever_asked(
    operator: Principal, memory: Memory
) -> None:
    """R1, R2, R3."""
    many(memory, 200)
    before = answers(operator)
    assert before.count('"what": "belief"') > 200
    assert answers(operator) == before
    lines = dump.snapshot(operator.workspace)
    for seed in range(5):
        shuffled = list(lines)
        random.Random(seed).shuffle(shuffled)
        empty_the_database()
        dump.restore(shuffled)
        assert answers(operator) == before
    with time_machine.travel(dt.datetime.now(dt.UTC) + dt.timedelta(days=3 * 365)):
        assert answers(operator) == before


def test_r3_equal_scores_order_by_what_is_said_and_then_by_id(operator: Principal, memory: Memory) -> None:
    for _ in range(2):
        many(memory, 40)
    hits = find(operator, Asked("likes", limit=100)).hits
    order = {row.target_id: (row.digest, row.target_id) for row in IndexEntry.objects.filter(target_type="belief")}
    places = [(-hit.score, *order[hit.id]) for hit in hits]
    assert len({score for score, _, _ in places}) < len(places)
    assert places == sorted(places)


def test_r4_what_is_out_of_sight_changes_no_byte(
    operator: Principal, other_workspace: Workspace, memory: Memory
) -> None:
    many(memory, 60)
    before = answers(operator)
    many(Memory(operator_of(other_workspace)), 500)
    assert answers(operator) == before
    hidden = memory.node("Karim Duval")
    memory.say("2026-03-05", "Karim keeps tea at the lighthouse", hidden, audience="owners")
    again = json.loads(answers(operator))
    assert "lighthouse (0)" in str(again)
    private = Belief.objects.get(audience="owners")
    assert str(private.pk) not in str(again)
    assert "Karim keeps" not in str([hit for one in again for hit in one["hits"] if hit["what"] != "source"])


def test_r4_a_belief_of_a_narrower_audience_changes_neither_order_nor_score(
    operator: Principal, memory: Memory
) -> None:
    ines = memory.node("Ines Ferro")
    note = memory.source("2026-03-02", "Nothing of the sort.")
    for word in WORDS:
        memory.say("2026-03-02", f"Ines likes {word} and tea", ines, source=note)
    before = answers(operator)
    for word in WORDS:
        memory.say("2026-03-03", f"Ines hides {word} with tea", ines, source=note, audience="owners")
    assert answers(operator) == before


def test_r5_asking_a_hundred_times_changes_nothing_but_the_served_log(story: Story, workspace: Workspace) -> None:
    story.until_june()
    before, indexed = without_served(workspace), list(IndexEntry.objects.order_by("pk").values())
    served = Served.objects.count()
    for number in range(100):
        story.recall(f"status emails {number}", over=list(OVER)[number % 4], history=number % 3 == 0)
    assert without_served(workspace) == before
    assert list(IndexEntry.objects.order_by("pk").values()) == indexed
    assert Served.objects.count() == served + 100


def without_served(workspace: Workspace) -> list[str]:
    """A dump without the served log and without when keys were last used."""
    kept = [line for line in dump.snapshot(workspace) if not line.startswith('["ledger.served')]
    return [re.sub(r'"last_used_at":("[^"]*"|null)', "", line) for line in kept]


def test_c6_a_summary_whose_member_was_replaced_is_told_to_nobody(memory: Memory) -> None:
    """C6: its words are those of its members; while all of them hold it is told, and again when they do."""
    ines = memory.node("Ines Ferro")
    weekly = memory.say("2026-03-02", "Wants weekly letters", ines, topic="letters").belief
    quay = memory.say("2026-03-02", "Works at the quay", ines).belief
    summary = memory.conclude("At the quay, wants weekly letters", weekly, quay, kind="summary", owners=(ines.pk,))
    players = [Player("summary", belief=summary.pk), *(Player("member", belief=one.pk) for one in (weekly, quay))]
    memory.do(lambda write: relate(write, "grouping", players))

    mind = Context(memory.by)
    mind.set("Ines", "Quay and letters.", links=(LinkInput("belief", summary.pk),))

    def told() -> tuple[bool, ...]:
        hits = {hit.text for hit in find(memory.by, Asked("weekly letters at the quay")).hits}
        lists = (beliefs.listed(memory.by), listing.listed(memory.by, listing.Wanted()))
        return (
            summary.content in hits,
            summary.content in compose(memory.by, ines.pk).text,
            "Quay and letters" in mind.block(),
            *(summary in found for found in lists),
        )

    assert told() == (True,) * 5
    monthly = memory.say("2026-06-02", "Wants monthly letters now", ines).belief
    relation = memory.do(lambda write: give_way(write, weekly, to=monthly, reason="She said so."))
    assert told() == (False,) * 5
    assert summary in views.current(memory.by)
    assert summary in listing.listed(memory.by, listing.Wanted(shown="everything"))
    memory.do(lambda write: retract_relation(write, relation, reason="It was a joke."))
    assert told() == (True,) * 5
