"""What was learned from a file out of sight is out of sight with it, wherever it is asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.doors.errors import NotFound
from memoryapp.files import queries as files
from memoryapp.graph.models import Belief, Node, places
from memoryapp.graph.queries import views
from memoryapp.graph.queries.anything import why_anything
from memoryapp.graph.queries.nodes import known_properties
from memoryapp.graph.services import NodeInput, upsert_nodes
from memoryapp.graph.services.beliefs import give_way
from memoryapp.graph.statements import Quoted
from memoryapp.ledger import integrity
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.recall import hiding
from memoryapp.recall.asked import Asked
from memoryapp.recall.feeding import successors
from memoryapp.recall.queries import find_for
from memoryapp.recall.queries.finding import find
from memoryapp.sources.inputs import SourceInput
from memoryapp.sources.models import Source
from memoryapp.sources.services import read
from memoryapp.timeline.queries.searching import search as timeline
from tests.files.telling import Tree, ruled
from tests.graph.telling import Memory

pytestmark = pytest.mark.django_db


@pytest.fixture
def memory(tree: Tree) -> Memory:
    return Memory(tree.by)


def read_from(tree: Tree, path: str, words: str) -> Source:
    tree.write(path, words, tell=True)
    return Source.objects.get(path=path)


def held(by: Principal) -> set[str]:
    return {one.content for one in views.current(by)}


def recalled(by: Principal, question: str, over: str = "all") -> set[str]:
    return {hit.text for hit in find(by, Asked(question, over=over)).hits}


def test_a_belief_learned_from_a_hidden_file_is_hidden_with_it(tree: Tree, memory: Memory) -> None:
    """L1: from lists, recall, why and search, for as long as the rule holds."""
    secret = read_from(tree, "/people/pay.md", "The marlin salary is 400.")
    salary = memory.say("2026-03-02", "The marlin salary is 400.", source=secret).belief
    memory.say("2026-03-02", "Marlins are fish.")
    by = ruled(tree.by, "none /people")
    for _ in range(2):
        assert held(tree.by) == {"The marlin salary is 400.", "Marlins are fish."}
        assert held(by) == {"Marlins are fish."}
        assert recalled(by, "marlin fish") == {"Marlins are fish."}
        assert "The marlin salary is 400." in recalled(tree.by, "marlin salary", "beliefs")
    with pytest.raises(NotFound):
        why_anything(by, salary.pk)
    assert why_anything(tree.by, salary.pk)["what"] == "belief"
    hidden = Belief.objects.hidden_from(by)
    assert [one.pk for one in hidden] == [salary.pk]
    assert not Belief.objects.hidden_from(tree.by).exists()
    assert not Belief.objects.hidden_from(ruled(tree.by, "none /notes")).exists()


def test_what_was_said_elsewhere_too_stays_and_is_not_quoted_from_there(tree: Tree, memory: Memory) -> None:
    secret = read_from(tree, "/people/pay.md", "Marlins are fish.")
    known = memory.say("2026-03-02", "Marlins are fish.").belief
    memory.say("2026-03-03", "Marlins are fish.", source=secret)
    by = ruled(tree.by, "none /people")
    assert held(by) == {"Marlins are fish."}
    told = str(why_anything(by, known.pk))
    assert str(secret.pk) not in told
    assert str(secret.pk) in str(why_anything(tree.by, known.pk))


def test_words_of_a_hidden_file_are_not_told_of_somebody_elses_answer(tree: Tree, memory: Memory) -> None:
    """Whoever asks as another is not told near words, or which words are held, from files out of their own sight."""
    read_from(tree, "/people/pay.md", "The quayside salary is 400.")
    asked = Asked("quaysde zebra", over="all")
    whole, _ = find_for(tree.by, tree.by, asked)
    assert (whole.expanded, whole.unknown) == ({"quaysde": ["quayside"]}, ["zebra"])
    told, unseen = find_for(ruled(tree.by, "none /people"), tree.by, asked)
    assert (told.expanded, told.unknown, told.hits) == ({}, [], [])
    assert unseen == len(whole.hits) > 0


def test_what_was_concluded_from_it_is_hidden_too(tree: Tree, memory: Memory) -> None:
    secret = read_from(tree, "/people/pay.md", "The marlin salary is 400.")
    salary = memory.say("2026-03-02", "The marlin salary is 400.", source=secret).belief
    open_one = memory.say("2026-03-02", "Rents are 900.").belief
    first = memory.conclude("The marlin cannot pay.", salary, open_one)
    memory.conclude("The marlin will move.", first)
    assert held(ruled(tree.by, "none /people")) == {"Rents are 900."}
    assert held(ruled(tree.by, default="none")) == set()
    assert len(held(tree.by)) == 4


def test_whom_nothing_else_names_is_not_known_either(tree: Tree, memory: Memory) -> None:
    secret = read_from(tree, "/people/pay.md", "Otto Brandt earns 400.")
    otto, ines = memory.node("Otto Brandt"), memory.node("Ines Ferro")
    memory.say("2026-03-02", "Otto Brandt earns 400.", otto, source=secret, subject=otto.pk)
    by = ruled(tree.by, "none /people")
    assert set(Node.objects.visible_to(by)) == {ines}
    assert set(Node.objects.hidden_from(by)) == {otto}
    assert set(Node.objects.visible_to(tree.by)) == {otto, ines}
    assert recalled(by, "Otto Brandt") == set()


def test_a_candidate_and_a_case_about_it_are_hidden(tree: Tree, work: Callable[[], int]) -> None:
    """L1: what was read from it waits for a person in nobody's sight who may not see the file."""
    from memoryapp.extraction import queries as extraction
    from memoryapp.review.models import Case
    from memoryapp.sources import queries as sources

    source = read_from(tree, "/people/ines.md", "Ines Ferro works at Quillworks.")
    work()
    assert Case.objects.visible_to(tree.by).exists()
    assert not Case.objects.visible_to(ruled(tree.by, "none /people")).exists()
    by = ruled(tree.by, "none /people")
    assert extraction.candidates(tree.by).filter(source=source).exists()
    assert not extraction.candidates(by).filter(source=source).exists()
    assert source.pk in set(sources.hidden(by).values_list("pk", flat=True))
    assert not sources.hidden(tree.by).exists()


def answers(by: Principal) -> str:
    """What questions find at every door that ranks, to the byte."""
    everything = find(by, Asked("marlin salary of Otto", over="all")).shaped()
    ever = find(by, Asked("marlni quayside", history=True)).shaped()
    in_files = [(one.entry.path, one.score) for one in files.search(by, "marlin fish").answers]
    happened = [(one.episode.pk, one.score) for one in timeline(by, "marlin fish").answers]
    return json.dumps([everything, ever, in_files, happened], default=str)


def test_what_a_hidden_file_says_moves_no_score_of_those_who_may_not_see_it(tree: Tree, memory: Memory) -> None:
    """R4: neither its words, nor those of what was learned from it, nor near ones, nor who is named there alone."""
    ines = memory.node("Ines Ferro")
    fish = memory.say("2026-03-02", "Marlins are fish and get no salary.", ines).belief
    tree.write("/notes/fish.md", "A marlin is a fish.", tell=True)
    by = ruled(tree.by, "none /people")
    before = answers(by)
    secret = read_from(tree, "/people/otto.md", "The marlin salary of Otto Brandt, quayside, fish.")
    otto = memory.node("Otto Brandt")
    salary = memory.say("2026-03-04", "The marlin salary is 400.", source=secret, subject=otto.pk).belief
    memory.conclude("Fish of the quayside earn 400.", salary)
    assert fish.content in before
    assert answers(by) == before
    assert "quayside" in answers(tree.by)


def test_what_replaced_it_is_not_found_by_its_words(tree: Tree, memory: Memory) -> None:
    """L1, R4"""
    secret = read_from(tree, "/people/pay.md", "The marlin earns 400.")
    old = memory.say("2026-03-02", "The marlin earns 400.", source=secret).belief
    new = memory.say("2026-04-02", "Wages are fair.").belief
    record(tree.by, "test", lambda write: give_way(write, old, to=new, reason="Paid anew."))
    assert recalled(tree.by, "marlin earns", "beliefs") == {"Wages are fair."}
    assert recalled(ruled(tree.by, "none /people"), "marlin earns", "beliefs") == set()
    assert recalled(ruled(tree.by, "none /people"), "fair wages", "beliefs") == {"Wages are fair."}


def test_a_question_holds_as_many_values_however_much_is_hidden(tree: Tree, memory: Memory) -> None:
    """R4: an engine takes no more than so many values in one statement."""
    by = ruled(tree.by, "none /people")
    secret = read_from(tree, "/people/pay.md", "The marlin earns 400.")

    def values() -> list[int]:
        found: list[int] = []

        def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            found.append(len(params or ()))
            return execute(sql, params, many, context)

        with connection.execute_wrapper(count):
            assert recalled(by, "marlin earns") == set()
            assert held(by) == {"Wages are fair."}
            assert not Node.objects.visible_to(by).exists()
        return found

    old = memory.say("2026-03-02", "The marlin earns 400.", source=secret).belief
    new = memory.say("2026-04-02", "Wages are fair.").belief
    record(tree.by, "test", lambda write: give_way(write, old, to=new, reason="Paid anew."))
    before = values()
    for day in range(3, 9):
        memory.say(f"2026-03-0{day}", f"Marlin {day} earns 400.", source=secret)
    assert values() == before


def test_what_is_hidden_and_what_it_led_to_is_found_once(
    tree: Tree, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L1: until somebody writes, the next question asks for neither again."""
    secret = read_from(tree, "/people/pay.md", "The marlin earns 400.")
    old = memory.say("2026-03-02", "The marlin earns 400.", source=secret).belief
    new = memory.say("2026-04-02", "Wages are fair.").belief
    record(tree.by, "test", lambda write: give_way(write, old, to=new, reason="Paid anew."))
    by = ruled(tree.by, "none /people")
    monkeypatch.setattr(places, "connection", SimpleNamespace(in_atomic_block=False))
    first = hiding.beliefs(by)
    with CaptureQueriesContext(connection) as asked:
        assert hiding.beliefs(by) == first
    assert len(asked) == 1
    assert new.pk in places.hidden_by_place(by).beside(successors)


def test_who_is_known_by_name_is_found_by_it_whatever_a_hidden_file_says_of_them(tree: Tree, memory: Memory) -> None:
    """L1: also where nothing but the name is searched."""
    said = SourceInput("system", "Quillworks has begun.", tree.by.workspace.clock)
    source = record(tree.by, "read", lambda write: read(write, said)).source

    def upsert(source: Source, **more: Any) -> Node:
        told = NodeInput("project", {"name": "Quillworks", **more}, (Quoted(source),))
        made: Node = record(tree.by, "upsert_nodes", lambda write: upsert_nodes(write, [told]))[0].node
        return made

    works = upsert(source)
    secret = read_from(tree, "/people/works.md", "Quillworks.")
    assert upsert(secret, state="running").pk == works.pk
    by = ruled(tree.by, "none /people")
    assert list(Node.objects.visible_to(by)) == [works]
    assert {hit.id for hit in find(by, Asked("Quillworks")).hits} >= {works.pk}


def test_what_a_hidden_file_says_of_somebody_known_is_neither_searched_nor_listed(tree: Tree, memory: Memory) -> None:
    """L1, R4: they are found by what is known of them elsewhere, ranked as if the file were not there."""
    said = SourceInput("system", "Ines Ferro, ines@ferro.example", tree.by.workspace.clock)
    known = {"name": "Ines Ferro", "email": "ines@ferro.example"}

    def upsert(source: Source, **more: str) -> Node:
        told = NodeInput("person", {"email": known["email"], **more}, (Quoted(source),))
        made: Node = record(tree.by, "upsert_nodes", lambda write: upsert_nodes(write, [told]))[0].node
        return made

    ines = upsert(record(tree.by, "read", lambda write: read(write, said)).source, **known)
    memory.say("2026-03-02", "Ines Ferro likes quiet.", ines)
    by = ruled(tree.by, "none /people")

    def asked(by: Principal) -> str:
        return json.dumps(find(by, Asked("Ines, harbourmaster, ferro.example")).shaped(), default=str)

    before = asked(by)
    secret = read_from(tree, "/people/ines.md", "Ines Ferro is the harbourmaster.")
    assert upsert(secret, role="harbourmaster").pk == ines.pk
    ines.refresh_from_db()
    assert ines.properties["role"] == "harbourmaster"
    assert asked(by) == before
    assert "harbourmaster" in asked(tree.by)
    assert known_properties(by, [ines])[ines.pk] == {"name": known["name"], "email": [known["email"]]}
    assert known_properties(tree.by, [ines]) == {}
    assert [one.what for report in integrity.examine(tree.by.workspace) for one in report.findings] == []
