"""Files take part in what holds for all memory: told as sources, taken back, erased, dumped, examined, explained."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.doors.errors import Conflict
from memoryapp.files import queries, services
from memoryapp.files.models import Body, Entry, Link, Version
from memoryapp.graph.queries.anything import why_anything
from memoryapp.index.models import IndexEntry
from memoryapp.ledger import dump, erasing, integrity
from memoryapp.ledger.models import Erasure
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources.inputs import SourceInput
from memoryapp.sources.models import Source
from memoryapp.sources.services import read
from memoryapp.sources.withdrawing import lift, traces, withdraw
from tests.files.telling import Tree, leads
from tests.ledger.test_dump import empty_the_database

pytestmark = pytest.mark.django_db


@pytest.fixture
def source(tree: Tree) -> Source:
    told = SourceInput("system", "The code word is MARLIN.", tree.by.workspace.clock, said_zone="UTC")
    found: Source = tree.do(lambda write: read(write, told)).source
    return found


def findings(by: Principal) -> list[str]:
    return [one.what for report in integrity.examine(by.workspace) for one in report.findings]


def test_a_file_is_told_as_a_source_once(tree: Tree, work: Callable[[], int]) -> None:
    """C1: the same file twice is one source, and is read once."""
    tree.write("/notes/a.md", "Ines Ferro lives in Porto.", tell=True)
    found = Source.objects.get(kind="file")
    assert (found.path, found.content) == ("/notes/a.md", "Ines Ferro lives in Porto.")
    assert work() > 0
    entries = IndexEntry.objects.count()
    tree.rewrite("/notes/a.md", "Ines Ferro lives in Porto.", tell=True)
    work()
    assert (Source.objects.count(), IndexEntry.objects.count()) == (1, entries)
    why = why_anything(tree.by, tree.entry("/notes/a.md").pk)
    assert [one["told"] for one in why["sources"]] == [True]


def test_what_was_made_from_a_source_goes_with_it_and_comes_back(tree: Tree, source: Source) -> None:
    """R13: no file serves the words of what was taken back."""
    tree.write("/notes/a.md", "The word is MARLIN.", sources=(source.pk,))
    tree.write("/notes/b.md", "See [a](a.md).")
    taken = record(tree.by, "w", lambda write: withdraw(write, source=source.pk), "In jest.")
    assert tree.ls("/notes") == ["/notes/b.md"]
    assert (tree.search("marlin"), tree.grep("MARLIN")) == ([], [])
    assert traces(tree.by.workspace, [source.pk]) == 0
    record(tree.by, "l", lambda write: lift(write, taken))
    assert tree.text("/notes/a.md") == "The word is MARLIN."
    assert tree.search("marlin") == ["/notes/a.md"]
    assert tree.actions("/notes/a.md") == ["return", "withdraw", "write"]
    record(tree.by, "w", lambda write: withdraw(write, source=source.pk), "In jest.")
    tree.write("/notes/a.md", "Another.")
    record(tree.by, "l", lambda write: lift(write, type(taken).objects.latest("recorded_at")))
    assert tree.text("/notes/a.md") == "Another."
    assert findings(tree.by) == []


def test_who_copied_its_words_by_hand_keeps_the_withdrawal_from_being_complete(tree: Tree, source: Source) -> None:
    """R13: a file that names no source stays its writer's own, and is counted until the words are gone from it."""
    tree.write("/notes/copied.md", "He wrote: the code  word\nis Marlin, no less.")
    tree.write("/elsewhere/told.md", "x", summary="The code word is MARLIN")
    tree.write("/notes/other.md", "A word is a code.")
    other: Source = tree.do(
        lambda write: read(write, SourceInput("system", "Again: marlin.", tree.by.workspace.clock, said_zone="UTC"))
    ).source
    tree.write("/notes/stands.md", "The code word is MARLIN.", sources=(other.pk,))
    record(tree.by, "w", lambda write: withdraw(write, source=source.pk), "In jest.")
    assert tree.ls("/notes") == ["/notes/copied.md", "/notes/other.md", "/notes/stands.md"]
    assert traces(tree.by.workspace, [source.pk]) == 2
    tree.rewrite("/notes/copied.md", "He wrote nothing.")
    tree.remove("/elsewhere/told.md")
    assert traces(tree.by.workspace, [source.pk]) == 0


def test_words_copied_in_any_case_and_script_are_found(tree: Tree) -> None:
    """R13: on every engine, whatever it takes to be upper and lower case."""
    told: Source = tree.do(
        lambda write: read(
            write, SourceInput("system", "Hasło: żółć łódź Straße. Ο Οδυσσεύς έφυγε σήμερα.", tree.by.workspace.clock)
        )
    ).source
    for name, copied in enumerate(("HASŁO: ŻÓŁĆ ŁÓDŹ STRASSE", "hasło: Żółć\nłódź straße", "Łódź i żółć")):
        tree.write(f"/notes/{name}.md", copied)
    for name, copied in enumerate(("Ο Οδυσσεύς έφυγε σήμερα.", "ο οδυσσεύς έφυγε σήμερα".upper())):
        tree.write(f"/notes/greek-{name}.md", copied)
    tree.write("/notes/apart.md", unicodedata.normalize("NFD", "hasło: żÓłĆ ŁóDź straße!"))
    record(tree.by, "w", lambda write: withdraw(write, source=told.pk), "In jest.")
    assert traces(tree.by.workspace, [told.pk]) == 5


def test_an_edited_file_still_goes_with_what_it_was_made_from(tree: Tree, source: Source) -> None:
    """R13: to change a few words of it makes the others nobody else's."""
    tree.write("/notes/a.md", "The word is MARLIN.", sources=(source.pk,))
    tree.edit("/notes/a.md", "The", "That")
    record(tree.by, "w", lambda write: withdraw(write, source=source.pk), "In jest.")
    assert (tree.ls("/notes"), tree.grep("MARLIN")) == ([], [])


def test_what_was_taken_back_returns_by_no_restoring(tree: Tree, source: Source) -> None:
    """R13: neither as an earlier version nor as a file that had been removed."""
    tree.write("/notes/a.md", "The word is MARLIN.", sources=(source.pk,))
    tree.rewrite("/notes/a.md", "No word.")
    tree.write("/notes/b.md", "MARLIN, they say.", sources=(source.pk,))
    tree.remove("/notes/b.md")
    taken = record(tree.by, "w", lambda write: withdraw(write, source=source.pk), "In jest.")
    for again in (lambda: tree.restore_version("/notes/a.md", 1), lambda: tree.restore("/notes/b.md")):
        with pytest.raises(Conflict) as caught:
            again()
        assert caught.value.code == "taken_back"
    assert tree.grep("MARLIN") == []
    record(tree.by, "l", lambda write: lift(write, taken))
    tree.restore("/notes/b.md")
    assert tree.grep("MARLIN") == [("/notes/b.md", 1)]
    assert findings(tree.by) == []


def test_an_erased_source_leaves_no_file_with_its_words(tree: Tree, source: Source) -> None:
    """R16"""
    tree.write("/notes/marlin.md", "The word is MARLIN.", summary="MARLIN", tags=("marlin",), sources=(source.pk,))
    tree.write("/notes/other.md", "x", links=(leads("source", source.pk),))
    entry = tree.entry("/notes/marlin.md")
    marked = erasing.marked(tree.by, "source", source.pk)
    record(
        tree.by,
        "erase",
        lambda write: erasing.erase(write, "source", source.pk, name=marked.name),
        "Asked for.",
    )
    assert Erasure.objects.get().closed_at is not None
    lines = "\n".join(dump.snapshot(tree.by.workspace)).lower()
    assert "marlin" not in lines.replace(str(marked.name).lower(), "")
    gone = Entry.objects.get(pk=entry.pk)
    assert (gone.state, gone.path) == ("removed", f"/erased/{entry.pk}")
    assert tree.search("marlin") == []
    assert not queries.removed(tree.by, recursive=True).exists()
    with pytest.raises(Conflict) as caught:
        tree.do(lambda write: services.restore(write, entry_id=entry.pk))
    assert caught.value.code == "erased"
    assert tree.links(str(source.pk)) == ["/notes/other.md"]
    assert findings(tree.by) == []


def test_an_erased_persons_name_is_blotted_out_of_files(tree: Tree) -> None:
    from tests.graph.nodes.telling import Graph

    ines = Graph(tree.by).person("Otto Brandt")
    tree.write("/notes/a.md", "Otto Brandt called.", links=(leads("node", ines.pk),))
    record(tree.by, "e", lambda write: erasing.erase(write, "node", ines.pk, name="Otto Brandt"), "Asked for.")
    assert tree.text("/notes/a.md") == "████ ██████ called."
    assert tree.search("Brandt") == []
    assert findings(tree.by) == []


def test_a_dump_restores_the_tree_with_its_history_and_links(tree: Tree, source: Source) -> None:
    """R1"""
    tree.write("/notes/a.md", "[b](b.md)", sources=(source.pk,), links=(leads("source", source.pk),))
    tree.write("/notes/b.md", "b")
    tree.mkdir("/projects/later")
    tree.move("/notes/b.md", "/projects/later/b.md")
    tree.remove("/projects/later", recursive=True)
    lines = dump.snapshot(tree.by.workspace)
    before = (Entry.objects.count(), Version.objects.count(), Body.objects.count(), Link.objects.count())
    empty_the_database()
    back = dump.restore(lines)
    assert dump.snapshot(back) == lines
    assert (Entry.objects.count(), Version.objects.count(), Body.objects.count(), Link.objects.count()) == before
    assert [one.what for report in integrity.examine(back) for one in report.findings] == []


def test_links_that_are_not_as_the_texts_say_are_found_and_made_anew(tree: Tree) -> None:
    """C8"""
    tree.write("/notes/a.md", "[b](b.md)")
    Link.objects.all().delete()
    assert "It leads elsewhere than its text says." in findings(tree.by)
    integrity.repair(tree.by.workspace, integrity.examine(tree.by.workspace))
    assert findings(tree.by) == []
    assert tree.links("/notes/b.md") == ["/notes/a.md"]


def test_a_source_that_is_not_there_is_refused_with_its_place(tree: Tree, other_workspace: Any) -> None:
    from memoryapp.doors.errors import Invalid

    with pytest.raises(Invalid) as caught:
        tree.write("/notes/a.md", "x", sources=(other_workspace.pk,))
    assert caught.value.violations[0].path == "/sources/0"
