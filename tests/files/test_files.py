"""Files are written, edited, moved and taken away; every version stays; nobody overwrites what they have not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from memoryapp.doors.errors import Conflict, Denied, Invalid, NotFound, Stale
from memoryapp.files import queries, services
from memoryapp.files.models import Body, Entry, Version
from memoryapp.ledger.principal import Principal
from tests.files.telling import Tree, refused, ruled

pytestmark = pytest.mark.django_db


def test_a_file_is_written_with_the_directories_above_it_and_read_back(tree: Tree) -> None:
    tree.write("/notes/harbour/berths.md", "# Berths\nFull.\n", summary="What is free", tags=("b", "a", "a"))
    assert tree.ls() == ["/notes"]
    assert tree.ls("/notes", recursive=True) == ["/notes/harbour", "/notes/harbour/berths.md"]
    assert tree.text("/notes/harbour/berths.md") == "# Berths\nFull.\n"
    entry = tree.entry("/notes/harbour/berths.md")
    assert (entry.form, entry.size, entry.lock) == ("markdown", 15, 1)
    assert queries.latest(entry).tags == ["a", "b"]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("notes", "not_absolute"),
        ("", "not_absolute"),
        ("file:///etc/hosts", "not_absolute"),
        ("/notes/../../etc/hosts", "relative_path"),
        ("/notes/./a", "relative_path"),
        ("/notes/a\x00b", "unreadable_path"),
        ("/notes/a\nb", "unreadable_path"),
        ("/notes/\u202egpj.exe", "unreadable_path"),
        ("/notes/" + "a" * 256, "name_too_long"),
        ("/notes/" + "å" * 128, "name_too_long"),
        ("/" + "/".join(["a" * 200] * 6), "path_too_long"),
    ],
)
def test_what_is_no_path_here_is_refused_with_what_would_be(tree: Tree, path: str, code: str) -> None:
    """F5, case 68: a path that points at the machine is no path, and nothing outside the store is opened."""
    error = refused(Invalid, lambda: tree.write(path))
    assert (error.violations[0].code, error.violations[0].path) == (code, "/path")
    assert "absolute path" in error.violations[0].accepted
    assert not Entry.objects.exists()


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "http://localhost/admin",
        "http://127.0.0.1:8000/",
        "http://[::1]/",
        "http://10.0.0.8/x",
        "http://169.254.169.254/latest/meta-data",
        "http://0x7f000001/",
        "http://2130706433/",
        "http://0x7f.0x0.0x0.0xab/",
        "http://127.1/",
        "http://user:secret@example.org/",
        "http://harbour.internal/",
        "gopher://example.org/",
        "http://exa mple.org/",
        "https://",
    ],
)
def test_a_url_that_points_at_the_machine_or_its_neighbours_is_refused(tree: Tree, url: str) -> None:
    """F5"""
    from tests.timeline.telling import moment

    error = refused(Invalid, lambda: tree.write("/notes/a.txt", url=url, taken_at=moment("2026-03-02")))
    assert error.code == "not_a_public_url"


def test_the_text_of_a_url_keeps_when_it_was_taken(tree: Tree) -> None:
    from tests.timeline.telling import moment

    taken = moment("2026-03-02T10:00:00+01:00")
    tree.write("/notes/tides", "High water at 04:10.", url="https://tides.example/today", taken_at=taken)
    body = queries.latest(tree.entry("/notes/tides")).body
    assert body is not None
    assert (body.form, body.url, body.taken_at) == ("url", "https://tides.example/today", taken.instant)
    assert refused(Invalid, lambda: tree.edit("/notes/tides", "04:10", "05:10")).code == "not_editable"
    error = refused(Invalid, lambda: tree.write("/notes/other", url="https://tides.example/"))
    assert [one.path for one in error.violations] == ["/taken_at"]


def test_one_name_in_two_compositions_is_one_file_and_another_case_is_another(tree: Tree) -> None:
    """F1: NFC and NFD, and twins that differ in case."""
    tree.write("/notes/Ine\u0301s.md", "decomposed")
    assert tree.text("/notes/In\u00e9s.md") == "decomposed"
    assert refused(Conflict, lambda: tree.write("/notes/In\u00e9s.md", "composed")).code == "file_exists"
    tree.write("/notes/in\u00e9s.md", "small")
    assert tree.ls("/notes") == ["/notes/In\u00e9s.md", "/notes/in\u00e9s.md"]


def test_a_file_is_replaced_only_by_who_saw_its_latest_version(tree: Tree) -> None:
    """F2: a stale lock is refused with the difference."""
    tree.write("/notes/a", "one\ntwo\n")
    unseen = refused(Conflict, lambda: tree.write("/notes/a", "other")).extra
    assert (unseen["lock"], unseen["current"]) == (1, "one\ntwo\n")
    assert {"-two", "+other"} <= set(unseen["difference"].splitlines())
    tree.write("/notes/a", "one\n2\n", lock=1)
    error = refused(Stale, lambda: tree.write("/notes/a", "three\n", lock=1))
    assert error.extra["lock"] == 2
    assert "-two" in error.extra["difference"].splitlines()
    assert "+2" in error.extra["difference"].splitlines()
    assert tree.text("/notes/a") == "one\n2\n"
    assert refused(Stale, lambda: tree.move("/notes/a", "/notes/b", lock=1)).code == "stale"
    assert refused(NotFound, lambda: tree.write("/notes/gone", "x", lock=3)).code == "no_such_file"


def test_what_is_written_again_as_it_stands_stores_nothing(tree: Tree) -> None:
    """C1"""
    tree.write("/notes/a", "one", tags=("x",))
    counts = [model.objects.count() for model in (Entry, Version, Body)]
    assert tree.write("/notes/a", "one", tags=("x",)).repeated
    assert tree.mkdir("/notes").repeated
    assert [model.objects.count() for model in (Entry, Version, Body)] == counts


def test_a_text_is_replaced_where_it_stands_exactly_once(tree: Tree) -> None:
    """F2: never and twice are refused with the lines."""
    tree.write("/notes/a.md", "berth one\nberth two\nquay\n")
    error = refused(Invalid, lambda: tree.edit("/notes/a.md", "berth", "slip"))
    assert (error.code, error.extra["lines"]) == ("there_more_than_once", [1, 2])
    assert "line 1, 2" in error.detail
    error = refused(Invalid, lambda: tree.edit("/notes/a.md", "berth twoo", "slip"))
    assert (error.code, error.extra["lines"]) == ("not_there", [1, 2])
    tree.edit("/notes/a.md", "two\nquay", "2\nkay", lock=1)
    assert tree.text("/notes/a.md") == "berth one\nberth 2\nkay\n"
    stale = refused(Stale, lambda: tree.edit("/notes/a.md", "one", "1", lock=1)).extra
    assert (stale["lock"], {"-berth two", "+berth 2"} <= set(stale["difference"].splitlines())) == (2, True)
    assert refused(Invalid, lambda: tree.edit("/notes/a.md", "", "x")).code == "blank"
    assert refused(Invalid, lambda: tree.edit("/notes/a.md", "kay", "kay")).code == "nothing_changed"
    tree.write("/notes/b", "aaa")
    assert refused(Invalid, lambda: tree.edit("/notes/b", "aa", "b")).extra["lines"] == [1, 1]


def test_an_empty_text_is_empty_everywhere(tree: Tree) -> None:
    """Case 35."""
    tree.write("/notes/a.md", "marlin")
    assert tree.search("marlin") == ["/notes/a.md"]
    tree.rewrite("/notes/a.md", "")
    assert tree.text("/notes/a.md") == ""
    assert tree.search("marlin") == []
    assert tree.grep("marlin") == []
    assert queries.read_lines(*queries.between(tree.by, "/notes/a.md")).total == 0


def test_any_version_is_read_compared_and_restored(tree: Tree) -> None:
    """F3"""
    tree.write("/notes/a.md", "one\n", summary="first")
    tree.rewrite("/notes/a.md", "two\n", summary="second")
    tree.move("/notes/a.md", "/projects/b.md")
    assert tree.text("/projects/b.md", version=1) == "one\n"
    entry = tree.entry("/projects/b.md")
    assert queries.diff(tree.by, entry, 1).splitlines()[-2:] == ["-one", "+two"]
    tree.restore_version("/projects/b.md", 1)
    latest = queries.latest(tree.entry("/projects/b.md"))
    assert (queries.text_of(latest), latest.summary, latest.sequence) == ("one\n", "first", 4)
    assert tree.actions("/projects/b.md") == ["restore", "move", "write", "write"]
    assert refused(Invalid, lambda: tree.restore_version("/projects/b.md", 1)).code == "nothing_changed"
    assert refused(NotFound, lambda: tree.restore_version("/projects/b.md", 9)).extra == {"latest": 4}


def test_what_was_removed_can_be_restored_with_all_that_was_removed_with_it(tree: Tree) -> None:
    """F3"""
    tree.write("/notes/x/a", "a")
    tree.write("/notes/x/b", "b")
    tree.remove("/notes/x/b", reason="Old.")
    assert refused(Conflict, lambda: tree.remove("/notes/x")).code == "not_empty"
    assert tree.remove("/notes/x", recursive=True).count == 2
    assert tree.ls("/notes") == []
    assert not queries.exists(tree.by, "/notes/x/a")
    assert refused(NotFound, lambda: tree.text("/notes/x/a")).code == "no_such_file"
    assert tree.restore("/notes/x").count == 2
    assert tree.ls("/notes/x") == ["/notes/x/a"]
    tree.restore("/notes/x/b")
    assert tree.text("/notes/x/b") == "b"
    assert refused(NotFound, lambda: tree.restore("/notes/x/b")).code == "nothing_removed"
    tree.remove("/notes/x/b")
    tree.write("/notes/x/b", "another")
    assert refused(Conflict, lambda: tree.restore("/notes/x/b")).code == "target_exists"
    assert tree.actions("/notes/x/a") == ["restore", "remove", "write"]


def test_what_was_removed_is_listed_where_it_was_and_brought_back_by_its_id(tree: Tree) -> None:
    """F3: also where something else stands meanwhile, or out of a directory that is gone; for who may look there."""
    for path in ("/notes/x/a", "/notes/x/b", "/notes/c"):
        tree.write(path, path)
    first = tree.remove("/notes/c").entry.pk
    tree.write("/notes/c", "another")
    tree.remove("/notes/c")
    tree.remove("/notes/x/b")
    tree.remove("/notes/x", recursive=True)

    def gone(path: str, by: Principal | None = None, *, recursive: bool = False) -> list[str]:
        return [one.path for one in queries.removed(by or tree.by, path, recursive=recursive)]

    assert gone("/notes") == ["/notes/x", "/notes/c", "/notes/c"]
    assert sorted(gone("/notes/x")) == ["/notes/x/a", "/notes/x/b"]
    assert len(gone("/", recursive=True)) == 5
    assert gone("/notes", ruled(tree.by, "none /notes/x")) == ["/notes/c", "/notes/c"]
    tree.do(lambda write: services.restore(write, entry_id=first))
    assert tree.text("/notes/c") == "/notes/c"
    assert gone("/notes") == ["/notes/x", "/notes/c"]


def test_the_root_is_listed_and_nothing_else(tree: Tree) -> None:
    tree.write("/notes/a", "x")
    assert refused(Invalid, lambda: tree.write("/erased/a", "x")).code == "reserved_path"
    assert refused(Invalid, lambda: tree.move("/notes/a", "/erased/a")).code == "reserved_path"
    assert queries.exists(tree.by, "/")
    for act in (
        lambda: tree.text("/"),
        lambda: tree.describe("/", summary="All."),
        lambda: tree.remove("/", recursive=True),
        lambda: tree.move("/", "/notes/b"),
    ):
        assert refused(Invalid, act).code == "is_the_root"
    assert refused(Invalid, lambda: tree.move("/notes/a", "/")).code == "is_the_root"


def test_a_directory_is_not_moved_into_itself_nor_onto_anything(tree: Tree) -> None:
    """L2, F1: move under itself."""
    tree.write("/notes/a/b", "x")
    assert refused(Invalid, lambda: tree.move("/notes/a", "/notes/a/c")).code == "under_itself"
    assert refused(Invalid, lambda: tree.move("/notes/a", "/notes/a")).code == "nothing_changed"
    tree.write("/notes/c", "y")
    assert refused(Conflict, lambda: tree.move("/notes/a", "/notes/c")).code == "target_exists"
    assert refused(Conflict, lambda: tree.move("/notes/a", "/notes/c/d")).code == "not_a_directory"
    assert refused(Conflict, lambda: tree.write("/notes/c/d", "z")).code == "not_a_directory"
    assert refused(Conflict, lambda: tree.write("/notes/a", "z")).code == "is_a_directory"
    assert refused(Conflict, lambda: tree.mkdir("/notes/c")).code == "not_a_directory"
    assert tree.ls(recursive=True) == ["/notes", "/notes/a", "/notes/a/b", "/notes/c"]


def test_an_agent_writes_within_the_declared_roots_and_a_member_anywhere(
    tree: Tree, agent: Callable[..., Principal], person: Callable[..., Principal], workspace: Any
) -> None:
    """F4: the refusal names the roots, whatever the agent may do within them."""
    curator_agent = agent(workspace, ["curate", "steward"], "Quay")
    tree.write("/notes/a", "x", by=curator_agent)
    for act in (
        lambda: tree.write("/elsewhere/a", "x", by=curator_agent),
        lambda: tree.mkdir("/notesbook", by=curator_agent),
        lambda: tree.move("/notes/a", "/elsewhere/a", by=curator_agent),
    ):
        error = refused(Denied, act)
        assert (error.code, error.extra["roots"]) == ("outside_roots", ["/notes", "/people", "/projects"])
        assert "/notes, /people, /projects" in error.detail
    curator = person(workspace, "curator")
    tree.write("/elsewhere/a", "x", by=curator)
    for other in (
        lambda: tree.edit("/elsewhere/a", "x", "y", by=curator_agent),
        lambda: tree.describe("/elsewhere/a", by=curator_agent, summary="y"),
        lambda: tree.move("/elsewhere/a", "/notes/b", by=curator_agent),
        lambda: tree.remove("/elsewhere/a", by=curator_agent),
        lambda: tree.restore_version("/elsewhere/a", 1, by=curator_agent),
    ):
        error = refused(Denied, other)
        assert (error.code, error.extra["roots"]) == ("outside_roots", ["/notes", "/people", "/projects"])
    assert tree.text("/elsewhere/a", by=curator_agent) == "x"


def test_a_viewer_writes_nothing_and_an_agent_removes_nothing_without_the_right(
    tree: Tree, viewer: Principal, curator_agent: Principal
) -> None:
    tree.write("/notes/a", "x")
    assert refused(Denied, lambda: tree.write("/notes/b", "x", by=viewer)).extra == {"needs": "write_files"}
    assert refused(Denied, lambda: tree.remove("/notes/a", by=curator_agent)).extra == {"needs": "remove_files"}
    assert tree.text("/notes/a", by=viewer) == "x"


def test_a_recursive_removal_or_move_across_what_is_protected_is_refused_whole(tree: Tree) -> None:
    """L2"""
    tree.write("/notes/a/one", "1")
    tree.write("/notes/a/kept/two", "2")
    for rules in (("read /notes/a/kept",), ("none /notes/**/two",), ("none /notes", "write /notes/a/one")):
        by = ruled(tree.by, *rules)
        before = tree.ls(recursive=True)
        for act in (
            lambda by=by: tree.remove("/notes/a", by=by, recursive=True),
            lambda by=by: tree.move("/notes/a", "/projects/a", by=by),
        ):
            refused(Denied, act)
        assert tree.ls(recursive=True) == before
    by = ruled(tree.by, "none /projects/a/kept")
    assert refused(Denied, lambda: tree.move("/notes/a", "/projects/a", by=by)).code == "protected_below"


def test_bad_lines_and_too_much_are_refused(tree: Tree) -> None:
    tree.write("/notes/a", "\n".join(str(number) for number in range(1, 101)))
    entry, version = queries.between(tree.by, "/notes/a")
    found = queries.read_lines(entry, version)
    assert (found.first, found.last, found.total, found.cut) == (1, 50, 100, False)
    assert found.text.splitlines()[-1] == "50"
    assert queries.read_lines(entry, version, 99, -1).text == "99\n100"
    assert queries.read_lines(entry, version, 100, 400).last == 100
    for first, last in ((0, 5), (5, 4), (101, 120)):
        refused(Invalid, lambda first=first, last=last: queries.read_lines(entry, version, first, last))
    assert refused(Invalid, lambda: tree.write("/notes/b", "x" * 1_000_001)).code == "too_long"
    assert refused(Invalid, lambda: tree.write("/notes/b", "a\x00b")).code == "unreadable_text"


def test_the_database_refuses_what_no_service_does(tree: Tree) -> None:
    """Nothing of a version changes, nothing is deleted, no head changes without its version. (DB)"""
    entry = tree.write("/notes/a", "x").entry
    for act in (
        lambda: Version.objects.filter(entry=entry).update(path="/notes/b"),
        lambda: Body.objects.update(text="y"),
        lambda: Entry.objects.filter(pk=entry.pk).update(path="/notes/b"),
        lambda: Entry.objects.filter(pk=entry.pk).update(state="removed"),
        lambda: Entry.objects.filter(pk=entry.pk).delete(),
        lambda: Version.objects.filter(entry=entry).delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            act()


def test_two_who_edit_one_file_from_the_same_version(tree: Tree, curator_agent: Principal) -> None:
    """Cases 31 and 34: the second is told what the first changed, and nothing of either is lost."""
    tree.write("/notes/a.md", "tea\ncoffee\n")
    tree.write("/notes/a.md", "green tea\ncoffee\n", lock=1)
    error = refused(Stale, lambda: tree.write("/notes/a.md", "tea\nmocha\n", by=curator_agent, lock=1))
    assert "+green tea" in error.extra["difference"]
    tree.edit("/notes/a.md", "coffee", "mocha", by=curator_agent)
    assert tree.text("/notes/a.md") == "green tea\nmocha\n"
