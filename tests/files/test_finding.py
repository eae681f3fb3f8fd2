"""Files are found by lines, by words, and as they were known at any time; no expression runs away."""

from __future__ import annotations

import pytest

from memoryapp.doors.errors import Invalid
from memoryapp.files import queries
from memoryapp.files.queries import Sought, grepping
from tests.files.telling import Tree

pytestmark = pytest.mark.django_db


def test_lines_are_found_by_text_and_by_expression(tree: Tree) -> None:
    tree.write("/notes/a.md", "Berth one\nberth two\n\nquay")
    tree.write("/notes/b.txt", "no berth here\r\nand a [berth]\r\n")
    tree.write("/projects/c", "berth")
    assert tree.grep("berth") == [("/notes/a.md", 2), ("/notes/b.txt", 1), ("/notes/b.txt", 2), ("/projects/c", 1)]
    assert tree.grep("[berth]") == [("/notes/b.txt", 2)]
    assert tree.grep("BERTH", any_case=True, under="/notes/a.md") == [("/notes/a.md", 1), ("/notes/a.md", 2)]
    assert tree.grep("^b.*o$", regex=True) == [("/notes/a.md", 2)]
    assert tree.grep("^$", regex=True, under="/notes/a.md") == [("/notes/a.md", 3)]
    assert tree.grep("[^x]+", regex=True, under="/projects") == [("/projects/c", 1)]
    found = queries.grep(tree.by, Sought("two", context=1))
    line = found.files[0].lines[0]
    assert (line.number, line.text, line.before, line.after) == (2, "berth two", ["Berth one"], [""])


def test_more_lines_than_asked_for_are_cut_and_said_to_be(tree: Tree) -> None:
    tree.write("/notes/a", "x\n" * 30)
    found = queries.grep(tree.by, Sought("x", limit=10))
    assert (found.count, found.cut) == (10, "limit")
    assert queries.grep(tree.by, Sought("x", limit=30)).cut == ""


def test_no_more_text_is_read_than_one_question_may_and_that_is_said(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F5"""
    for name in "abc":
        tree.write(f"/notes/{name}", "x" * 40)
    monkeypatch.setattr(grepping, "MOST_CHARACTERS", 100)
    found = queries.grep(tree.by, Sought("x"))
    assert ([one.entry.path for one in found.files], found.looked_at, found.cut) == (
        ["/notes/a", "/notes/b"],
        2,
        "characters",
    )


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$"])
def test_no_expression_runs_away(tree: Tree, pattern: str) -> None:
    """F5: expressions that take others for ever are answered, in time that grows with the text alone."""
    tree.write("/notes/a", "a" * 50_000 + "!")
    assert tree.grep(pattern, regex=True) == []


@pytest.mark.parametrize("pattern", ["(", "a{1,100000}", r"(a)\1", "(?=a)", "", "x" * 1001, "[[:nope:]]"])
def test_what_is_no_expression_is_refused(tree: Tree, pattern: str) -> None:
    with pytest.raises(Invalid) as caught:
        tree.grep(pattern, regex=True)
    assert caught.value.violations[0].path == "/pattern"


@pytest.mark.parametrize(
    ("words", "question"),
    [
        ("榛子ラテが好き", "ラテ"),
        ("กาแฟตอนเช้า", "กาแฟ"),
        ("Ağrı deposu", "deposu"),
        ("قهوة الصباح", "قهوة"),
        ("письма каждую неделю", "письмо"),
        ("weekly letters 🦞", "letter"),
    ],
)
def test_files_are_searched_by_words_of_any_script(tree: Tree, words: str, question: str) -> None:
    """Case 38, R21"""
    tree.write("/notes/other.md", "Nothing of the kind.")
    tree.write("/notes/a.md", words)
    assert tree.search(question) == ["/notes/a.md"]
    assert tree.grep(words[:4]) == [("/notes/a.md", 1)]


def test_only_what_lies_below_an_indexed_root_is_searched(tree: Tree) -> None:
    tree.write("/elsewhere/a.md", "the marlin plan")
    tree.write("/notes/a.md", "the marlin plan", summary="Fishing", tags=("harbour",))
    assert tree.search("marlin") == ["/notes/a.md"]
    assert tree.search("fishing harbour") == ["/notes/a.md"]
    assert tree.search("marlin", under="/projects") == []
    assert tree.grep("marlin") == [("/elsewhere/a.md", 1), ("/notes/a.md", 1)]
    tree.move("/notes/a.md", "/elsewhere/b.md")
    assert tree.search("marlin") == []
    tree.move("/elsewhere/b.md", "/notes/b.md")
    tree.remove("/notes/b.md")
    assert tree.search("marlin") == []


def test_the_tree_is_read_as_it_was_known_at_any_time(tree: Tree) -> None:
    first = tree.write("/notes/a.md", "one").version.recorded_at
    second = tree.rewrite("/notes/a.md", "two").version.recorded_at
    third = tree.move("/notes/a.md", "/projects/a.md").version.recorded_at
    fourth = tree.remove("/projects/a.md").version.recorded_at

    def known(at: object) -> dict[str, str]:
        found = queries.as_known(tree.by, at)  # type: ignore[arg-type]
        return {one.path: queries.text_of(one) for one in found if one.body is not None}

    assert [known(at) for at in (first, second, third, fourth)] == [
        {"/notes/a.md": "one"},
        {"/notes/a.md": "two"},
        {"/projects/a.md": "two"},
        {},
    ]
    assert queries.text_of(queries.between(tree.by, "/notes/a.md", known_at=second)[1]) == "two"


def test_nothing_in_a_file_changes_what_is_found_elsewhere(tree: Tree) -> None:
    """R4: files enter no statistics, so what is out of sight of some moves no score of what they find."""
    from memoryapp.index.models import Statistics

    tree.write("/notes/a.md", "marlin " * 40)
    assert not Statistics.objects.filter(documents__gt=0).exists()
