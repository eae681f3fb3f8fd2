"""Who may see which path: rules in order, the last that matches wins, and every door keeps to them alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memoryapp.access import paths
from memoryapp.access.paths import Glob, PathPolicy, above, read_rules
from memoryapp.doors.errors import Denied, Invalid, NotFound
from memoryapp.files import queries
from memoryapp.files.models import Entry
from memoryapp.graph.queries.anything import why_anything
from memoryapp.ledger.principal import Principal
from tests.files.telling import Tree, leads, ruled

pytestmark = pytest.mark.django_db

NAMES = ["a", "ab", "b", "a.md"]
EVERY = [
    *(f"/{one}" for one in NAMES),
    *(f"/{one}/{two}" for one in ("a", "b") for two in NAMES),
    *(f"/a/b/{three}" for three in NAMES),
]
"""Below /a, /b and /a/b; the others are files."""
DIRECTORIES = {"/a", "/b", "/a/b"}
names = st.sampled_from([*NAMES, "*", "**", "a*", "?", "*.md"])
patterns = st.lists(names, min_size=1, max_size=3).map(lambda parts: "/" + "/".join(parts))
rules = st.lists(st.tuples(patterns, st.sampled_from(paths.LEVELS)), max_size=4)


def naive_match(pattern: list[str], names: list[str]) -> bool:
    """A pattern read one name at a time, as a person would."""
    if not pattern:
        return not names
    if pattern[0] == "**":
        return any(naive_match(pattern[1:], names[skipped:]) for skipped in range(len(names) + 1))
    return bool(names) and naive_name(pattern[0], names[0]) and naive_match(pattern[1:], names[1:])


def naive_name(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(naive_name(pattern[1:], name[skipped:]) for skipped in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and naive_name(pattern[1:], name[1:])


def naive_level(rules: list[tuple[str, str]], default: str, path: str) -> str:
    """The last rule that matches the path or anything above it; else the default."""
    found = default
    for pattern, level in rules:
        lines = [path, *above(path), "/"]
        if any(naive_match(pattern.split("/")[1:], one.split("/")[1:]) for one in lines):
            found = level
    return found


@pytest.fixture
def full(tree: Tree) -> Tree:
    for path in EVERY:
        if path in DIRECTORIES:
            tree.mkdir(path)
        else:
            tree.write(path, f"marlin [x]({path})", links=(leads("file", "/a.md"),))
    return tree


@example([("/*/a", "read")], "none")
@example([("/a", "none"), ("/a/b", "read")], "write")
@example([("/**", "read")], "none")
@example([("/", "read")], "none")
@settings(max_examples=8)
@given(rules, st.sampled_from(paths.LEVELS))
def test_every_read_agrees_with_a_naive_reading_of_the_rules(full: Tree, told: Any, default: str) -> None:
    """L1, L2: ls, grep, glob, search, links and exists show what may be read, and the way to it."""
    by = replace(full.by, path_rules=tuple(told), path_default=default)
    readable = [path for path in sorted(EVERY) if naive_level(told, default, path) != "none"]
    on_the_way = {one for path in readable for one in above(path)}
    seen = [path for path in sorted(EVERY) if path in readable or path in on_the_way]
    files = [path for path in readable if path not in DIRECTORIES]
    policy = PathPolicy(tuple(told), default)
    assert [path for path in sorted(EVERY) if policy.may_read(path)] == readable
    assert full.ls(by=by, recursive=True) == seen
    assert full.glob("/**", by) == seen
    assert [path for path in sorted(EVERY) if queries.exists(by, path)] == seen
    assert [path for path, _ in full.grep("marlin", by)] == files
    leading = sorted([*files, "/a.md"]) if "/a.md" in files else []
    assert full.links("/a.md", by) == leading, "to what is not there nothing leads"
    writable = sorted(path for path in EVERY if naive_level(told, default, path) == "write")
    assert sorted(Entry.objects.filter(policy.writable()).values_list("path", flat=True)) == writable


@settings(max_examples=50)
@given(patterns, st.lists(st.sampled_from([*NAMES, "x"]), min_size=1, max_size=4))
def test_a_pattern_matches_what_it_matches_name_by_name(pattern: str, parts: list[str]) -> None:
    path = "/" + "/".join(parts)
    fits = naive_match(pattern.split("/")[1:], parts)
    assert Glob(pattern).matches(path) == fits
    assert list(Glob(pattern).among([path, "/a/é", path])) == [
        one for one in (path, "/a/é", path) if naive_match(pattern.split("/")[1:], one.split("/")[1:])
    ]


def test_what_is_ruled_none_is_not_there_at_any_door(full: Tree) -> None:
    """L1"""
    secret = full.write("/notes/secret/plan.md", "The marlin plan.").entry
    full.write("/notes/open.md", "[plan](/notes/secret/plan.md)", links=(leads("file", "/notes/secret/plan.md"),))
    by = ruled(full.by, "none /notes/secret")
    assert full.ls("/notes", by) == ["/notes/open.md"]
    assert full.search("marlin", by) == []
    assert full.search("marlin", full.by) == ["/notes/secret/plan.md"]
    for act in (
        lambda: full.text("/notes/secret/plan.md", by),
        lambda: full.ls("/notes/secret", by),
        lambda: full.edit("/notes/secret/plan.md", "plan", "x", by=by),
        lambda: full.move("/notes/secret/plan.md", "/notes/x", by=by),
        lambda: full.remove("/notes/secret/plan.md", by=by),
        lambda: queries.entry_by_id(by, secret.pk),
        lambda: why_anything(by, secret.pk),
    ):
        with pytest.raises(NotFound):
            act()
    there = why_anything(full.by, secret.pk)
    assert (there["what"], there["linked_from"]) == ("file", ["/notes/open.md", "/notes/open.md"])
    shown = queries.told_whole(by, full.entry("/notes/open.md"), queries.latest(full.entry("/notes/open.md")))
    assert shown["links"] == []
    assert queries.links_from(by, full.entry("/notes/open.md")) == []
    assert (full.links("/notes/secret/plan.md", by), len(full.links("/notes/secret/plan.md"))) == ([], 2)
    with pytest.raises(Invalid, match="no such file"):
        full.write("/notes/new.md", by=by, links=(leads("file", "/notes/secret/plan.md"),))
    full.describe("/notes/open.md", by=by, links=(leads("file", "/a.md"),))
    put_down = queries.latest(full.entry("/notes/open.md")).links
    assert [one["target"] for one in put_down] == ["/a.md", "/notes/secret/plan.md"], (
        "nobody drops what they cannot see"
    )


def test_writing_where_nothing_may_be_seen_tells_nothing_of_what_is_there(full: Tree) -> None:
    by = ruled(full.by, "none /a")
    said = []
    for path in ("/a/ab", "/a/new", "/a/b/new"):
        with pytest.raises(Denied) as caught:
            full.write(path, "x", by=by)
        said.append(caught.value.detail.replace(path, "…"))
    assert len(set(said)) == 1


def test_what_stood_in_a_hidden_place_before_stays_hidden(tree: Tree) -> None:
    tree.write("/notes/private/a.md", "the marlin salary")
    tree.rewrite("/notes/private/a.md", "nothing of that")
    tree.move("/notes/private/a.md", "/notes/a.md")
    by = ruled(tree.by, "none /notes/private")
    entry = tree.entry("/notes/a.md", by)
    assert [one.sequence for one in queries.versions(by, entry)] == [3]
    with pytest.raises(NotFound):
        queries.diff(by, entry, 1)
    with pytest.raises(NotFound):
        tree.restore_version("/notes/a.md", 1, by=by)
    with pytest.raises(Exception, match="changed meanwhile") as stale:
        tree.write("/notes/a.md", "x", by=by, lock=1)
    assert "marlin" not in str(getattr(stale.value, "extra", {}))


def test_a_policy_is_told_in_words_and_wrong_ones_are_refused() -> None:
    policy = read_rules([("/private", "none"), ("/private/open", "read")], "write")
    assert policy.in_words() == (
        "/private and all below it does not exist for it. It may read /private/open and all below it. "
        "It may read and write everything else. Where rules overlap, the later one holds."
    )
    with pytest.raises(Invalid) as caught:
        read_rules([("private", "none"), ("/a", "maybe")], "some")
    assert [one.path for one in caught.value.violations] == ["/rules/0/path", "/rules/1/level", "/default"]


def test_the_rules_of_a_caller_are_compiled_once(operator: Principal) -> None:
    by, again = ruled(operator, "none /a/*", default="read"), ruled(operator, "none /a/*", default="read")
    assert paths.of(by) is paths.of(again)
    assert paths.of(by) is not paths.of(ruled(operator, "none /a/*"))


def test_rules_are_given_to_agents_and_members_and_noted(operator: Principal, workspace: Any) -> None:
    from memoryapp.access import services
    from memoryapp.access.models import AccessChange, Agent
    from memoryapp.ledger.services import record

    agent = record(operator, "a", lambda write: services.create_agent(write, name="Desk", surfaces=["find-notes"]))
    record(
        operator,
        "rule_paths",
        lambda write: services.rule_paths(write, of=agent, rules=[("/people/", "none")], default="read"),
    )
    kept = Agent.objects.get(pk=agent.pk)
    assert (kept.paths.rules, kept.path_default) == ((("/people", "none"),), "read")
    change = AccessChange.objects.order_by("-id")[0]
    assert change.after == {"path_rules": [["/people", "none"]], "path_default": "read"}


def test_what_begins_alike_is_no_part_of_a_directory(full: Tree) -> None:
    full.write("/a-b", "marlin")
    full.write("/a0", "marlin")
    assert full.ls("/a", recursive=True) == [path for path in sorted(EVERY) if path.startswith("/a/")]
    assert full.grep("marlin", under="/ab") == [("/ab", 1)]
    assert "/a-b" not in {path for path, _ in full.grep("marlin", under="/a")}
    assert Entry.objects.filter(paths.territory("/a")).count() == len(full.ls("/a", recursive=True)) + 1
    by = ruled(full.by, "none /a")
    assert {"/a-b", "/a0"} <= set(full.ls(by=by))


def test_what_is_below_a_path_is_a_range_of_an_index(full: Tree) -> None:
    """A tree of a million files is not gone through for one directory of it."""
    from django.db import connection

    for rows in (
        queries.ls(full.by, "/a", recursive=True),
        Entry.objects.filter(paths.territory("/a"), workspace=full.by.workspace),
    ):
        if connection.vendor == "sqlite":
            assert "path>? AND path<?" in rows.explain()
        else:
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL enable_seqscan = off")
            assert "Index Cond" in rows.explain()
    if connection.vendor == "sqlite":
        assert "directory=?" in queries.ls(full.by, "/a").explain()


def test_a_hidden_file_that_was_told_is_no_source_and_is_not_recalled(tree: Tree) -> None:
    """L1: neither the file nor what it was told as is recalled, listed or explained."""
    from memoryapp.recall.asked import Asked
    from memoryapp.recall.queries.finding import find
    from memoryapp.sources import queries as sources
    from memoryapp.sources.models import Source

    tree.write("/people/pay.md", "The marlin salary is 400.", tell=True)
    tree.write("/notes/pay.md", "A marlin is a fish.", tell=True)
    source = Source.objects.get(path="/people/pay.md")

    def recalled(by: Principal, over: str) -> set[str]:
        return {hit.text for hit in find(by, Asked("marlin salary fish", over=over)).hits}

    both = {"The marlin salary is 400.", "A marlin is a fish."}
    by = ruled(tree.by, "none /people")
    for over in ("files", "sources", "all"):
        assert recalled(tree.by, over) == both
        assert recalled(by, over) == {"A marlin is a fish."}
        assert recalled(tree.by, over) == both
    assert [one.path for one in sources.sources(by)] == ["/notes/pay.md"]
    assert sources.in_place(by, [source.pk]) == {}
    with pytest.raises(NotFound):
        sources.source(by, source.pk)
    with pytest.raises(NotFound):
        why_anything(by, source.pk)
    assert why_anything(tree.by, source.pk)["what"] == "source"


def test_rules_with_many_wildcards_take_no_time_over_a_deep_path(tree: Tree) -> None:
    """F5: neither in the process nor in the database does a pattern go back over what it has read."""
    deep = "/" + "/".join(["a"] * 500)
    tree.mkdir(deep)
    tree.write("/notes/b.md")
    by = ruled(tree.by, "none /**/a/**/a/**/a/**/a/**/a/**/b")
    assert len(tree.ls("/", by, recursive=True)) == 502
    assert deep in tree.ls("/", by, recursive=True)
    assert tree.ls("/", ruled(tree.by, "none /**/a/**/a/**/a"), recursive=True)[:3] == ["/a", "/a/a", "/notes"]
