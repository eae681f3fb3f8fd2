"""Many at one file at the same time: one is first, the others are told what stands there, and nothing is half."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memoryapp.doors.errors import Conflict, DomainError, NotFound, Stale
from memoryapp.files import queries
from memoryapp.files.models import Entry, Version
from memoryapp.files.services import Written
from memoryapp.ledger import integrity
from memoryapp.ledger.principal import Principal
from tests.contract.test_at_once import founded
from tests.files.telling import Tree
from tests.house.running import ROOT
from tests.racing import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sql]

MANY = 16


@pytest.fixture
def tree(transactional_db: None) -> Tree:
    return Tree(founded("harbour"))


def whole(by: Principal) -> None:
    """Every head is as its last version says, and no version is missing."""
    assert [one.what for report in integrity.examine(by.workspace) for one in report.findings] == []


def done(answers: list[Any]) -> list[Any]:
    return [one for one in answers if not isinstance(one, Exception)]


def refused(answers: list[Any]) -> list[DomainError]:
    """Those that were refused in words; anything else that was raised fails."""
    found = [one for one in answers if isinstance(one, Exception)]
    assert all(isinstance(one, DomainError) for one in found), found
    return [one for one in found if isinstance(one, DomainError)]


def test_of_two_who_replace_one_version_one_wins_and_the_other_is_shown_both_texts(tree: Tree) -> None:
    """F2"""
    tree.write("/notes/a.md", "tea\n")
    answers = at_once([lambda said=said: tree.write("/notes/a.md", said, lock=1) for said in ("coffee\n", "cocoa\n")])
    [won], [lost] = done(answers), refused(answers)
    stands = tree.text("/notes/a.md")
    assert won.version.sequence == 2
    assert isinstance(lost, Stale)
    assert (lost.extra["lock"], lost.extra["current"], lost.extra["current_cut"]) == (2, stands, False)
    assert "-tea" in lost.extra["difference"]
    assert f"+{stands.strip()}" in lost.extra["difference"]
    whole(tree.by)


def test_of_many_who_make_one_path_one_makes_it_and_the_others_are_shown_what_is_there(tree: Tree) -> None:
    answers = at_once([lambda n=n: tree.write("/notes/new/a.md", f"words of {n}") for n in range(MANY)])
    assert len(done(answers)) == 1
    stands = tree.text("/notes/new/a.md")
    for one in refused(answers):
        assert isinstance(one, Conflict)
        assert (one.code, one.extra["lock"], one.extra["current"]) == ("file_exists", 1, stands)
        assert f"-{stands}" in one.extra["difference"]
    assert Counter(Entry.objects.values_list("path", flat=True)) == {"/notes": 1, "/notes/new": 1, "/notes/new/a.md": 1}
    assert Version.objects.count() == 3
    whole(tree.by)


def test_who_write_the_same_words_at_once_are_all_told_that_they_stand(tree: Tree) -> None:
    answers: list[Written] = at_once([lambda: tree.write("/notes/a.md", "The same.") for _ in range(8)])
    assert refused(answers) == []
    assert Counter(one.repeated for one in answers) == {False: 1, True: 7}
    assert Version.objects.filter(entry__kind="file").count() == 1


def test_edits_of_other_places_at_once_are_all_kept(tree: Tree) -> None:
    """An edit names what it replaces: nobody who edits elsewhere is refused, and nobody's words are lost."""
    tree.write("/notes/a.md", "".join(f"line {n}: open\n" for n in range(6)))
    answers = at_once(
        [lambda n=n: tree.edit("/notes/a.md", f"line {n}: open", f"line {n}: done by {n}") for n in range(6)]
    )
    assert refused(answers) == []
    assert tree.text("/notes/a.md") == "".join(f"line {n}: done by {n}\n" for n in range(6))
    assert tree.entry("/notes/a.md").lock == 7
    whole(tree.by)


def test_a_move_that_races_a_removal_leaves_the_file_in_one_place_or_none(tree: Tree) -> None:
    for number in range(3):
        there, here = f"/notes/{number}.md", f"/projects/{number}.md"
        tree.write(there, "tide")
        tree.write(f"/people/{number}.md", f"[tide]({there})")
        answers = at_once(
            [lambda there=there, here=here: tree.move(there, here), lambda there=there: tree.remove(there)]
        )
        assert len(done(answers)) == 1
        assert all(isinstance(one, NotFound) for one in refused(answers))
        moved = queries.exists(tree.by, here)
        assert not queries.exists(tree.by, there)
        assert tree.actions(here)[0] == "move" if moved else Entry.objects.get(path=there).state == "removed"
        assert tree.links(here if moved else there) == [f"/people/{number}.md"]
    whole(tree.by)


def test_a_directory_is_moved_whole_while_others_write_into_it(tree: Tree) -> None:
    tree.write("/notes/old/a.md", "a")
    acts: list[Any] = [lambda: tree.move("/notes/old", "/notes/new")]
    acts += [lambda n=n: tree.write(f"/notes/old/{n}.md", "b") for n in range(5)]
    answers = at_once(acts)
    assert refused(answers) == []
    assert queries.exists(tree.by, "/notes/new/a.md")
    both = tree.ls("/notes", recursive=True)
    assert len([one for one in both if one.endswith(".md")]) == 6
    whole(tree.by)


def test_two_moves_onto_one_path_leave_both_files_whole(tree: Tree) -> None:
    for name in ("a", "b"):
        tree.write(f"/notes/{name}.md", name)
    answers = at_once([lambda name=name: tree.move(f"/notes/{name}.md", "/notes/c.md") for name in ("a", "b")])
    assert len(done(answers)) == 1
    assert [one.code for one in refused(answers)] == ["target_exists"]
    assert len(tree.ls("/notes")) == 2
    whole(tree.by)


WRITER = """
import sys, django
django.setup()
from memoryapp.access.services import operator
from memoryapp.doors.errors import DomainError
from memoryapp.files import queries, services
from memoryapp.files.inputs import FileInput
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.services import record
by = operator(Workspace.objects.get(slug="harbour"))
name, kept = sys.argv[1], 0
print("ready", flush=True)
sys.stdin.readline()
while kept < 10:
    entry, version = queries.file(by, "/notes/tally.md")
    told = FileInput("/notes/tally.md", queries.text_of(version) + name + "\\n", lock=entry.lock)
    try:
        record(by, "write_files", lambda write: services.write_file(write, told))
        kept += 1
    except DomainError as error:
        assert error.code == "stale", error
"""


@pytest.mark.slow
def test_processes_that_add_to_one_file_lose_no_line_of_each_other(empty_database: Path, tmp_path: Path) -> None:
    """Each reads, adds a line and writes with the lock it read, and again when it was overtaken."""
    database = tmp_path / "files.sqlite3"
    database.write_bytes(empty_database.read_bytes())
    environment = os.environ | {
        "DATABASE_URL": f"sqlite:///{database}",
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "PYTHONPATH": str(ROOT),
    }
    begin = (
        "import django; django.setup()\n"
        "from tests.contract.test_at_once import founded\n"
        "from tests.files.telling import Tree\n"
        "Tree(founded('harbour')).write('/notes/tally.md', '')\n"
    )
    subprocess.run([sys.executable, "-c", begin], env=environment, cwd=ROOT, check=True)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, name],
            env=environment,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("north", "south")
    ]
    try:
        for one in writers:
            assert one.stdout is not None
            assert one.stdout.readline() == "ready\n"
        for one in writers:
            assert one.stdin is not None
            one.stdin.write("go\n")
            one.stdin.flush()
        assert [one.wait(120) for one in writers] == [0, 0]
    finally:
        for one in writers:
            one.kill()
            one.communicate()
    with contextlib.closing(sqlite3.connect(database)) as kept:
        [(lock,)] = kept.execute("SELECT lock FROM files_entry WHERE path = '/notes/tally.md'")
        [(text,)] = kept.execute("SELECT text FROM files_body ORDER BY id DESC LIMIT 1")
    assert (lock, Counter(text.split())) == (21, {"north": 10, "south": 10})
