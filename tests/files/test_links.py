"""Links of files: where they lead, whom they are told, and how they follow."""

from __future__ import annotations

import pytest

from memoryapp.doors.errors import Invalid
from memoryapp.files import queries
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.principal import Principal
from tests.files.telling import Tree, leads, refused
from tests.graph.nodes.telling import Graph
from tests.timeline.telling import Timeline

pytestmark = pytest.mark.django_db


def test_links_follow_what_is_moved(tree: Tree) -> None:
    """F3: links put down beside a text and links within markdown."""
    tree.write("/notes/prices.md", "Dear.")
    tree.write("/notes/a/berths.md", 'See [prices](../prices.md#top "All"), [web](https://x.example/prices.md).\n')
    tree.write("/notes/plain.txt", "x", links=(leads("file", "/notes/prices.md"),))
    assert tree.links("/notes/prices.md") == ["/notes/a/berths.md", "/notes/plain.txt"]
    moved = tree.move("/notes/prices.md", "/projects/list of (all).md")
    assert moved.relinked == ["/notes/a/berths.md", "/notes/plain.txt"]
    assert tree.links("/notes/prices.md") == []
    assert tree.links("/projects/list of (all).md") == ["/notes/a/berths.md", "/notes/plain.txt"]
    text = tree.text("/notes/a/berths.md")
    assert '[prices](/projects/list%20of%20%28all%29.md#top "All")' in text
    assert "https://x.example/prices.md" in text
    tree.write("/projects/k/one.md", "[two](two.md) [berths](/notes/a/berths.md)")
    tree.write("/projects/k/two.md", "Two.")
    tree.move("/projects/k", "/projects/q")
    assert tree.text("/projects/q/one.md") == "[two](two.md) [berths](/notes/a/berths.md)"
    assert tree.links("/projects/q/two.md") == ["/projects/q/one.md"]
    tree.move("/projects/q/one.md", "/notes/one.md")
    assert tree.text("/notes/one.md") == "[two](/projects/q/two.md) [berths](/notes/a/berths.md)"


def test_a_link_leads_to_something_and_is_told_to_whom_that_is_in_sight(
    tree: Tree, viewer: Principal, reviewer: Principal, curator_agent: Principal
) -> None:
    """R6: an id of nothing, or of what only others may see, is none to lead to; and nobody else is told of it."""
    graph = Graph(tree.by)
    ines = graph.person("Ines Ferro")
    few = graph.say("Ines likes quiet", ines, audience="named", readers=(tree.by.actor.pk, reviewer.actor.pk))
    episode = Timeline(tree.by).happened("Met at the quay.")
    every = [("node", ines.pk), ("belief", few.pk), ("episode", episode.pk), ("source", graph.source().pk)]
    tree.write("/notes/a.md", links=tuple(leads(*one) for one in every))
    for to, one in every:
        assert tree.links(str(one)) == ["/notes/a.md"]
        wrong = refused(Invalid, lambda to=to: tree.write("/notes/b.md", links=(leads(to, new_id()),)))
        assert (wrong.code, wrong.violations[0].path) == (f"no_such_{to}", "/links/0/target")
    assert refused(Invalid, lambda: tree.write("/notes/b.md", links=(leads("node", few.pk),))).code == "no_such_node"

    def told(by: Principal) -> set[str]:
        found = queries.told_whole(by, *queries.file(by, "/notes/a.md"))["links"]
        assert [one["to"] for one in found] == sorted(found_to(by), key=[to for to, _ in every].index)
        return {one["to"] for one in found}

    def found_to(by: Principal) -> set[str]:
        return {one.target_type for one in queries.links_from(by, tree.entry("/notes/a.md"))}

    assert told(reviewer) == {"node", "belief", "episode", "source"}
    assert told(viewer) == {"node", "episode", "source"}
    assert (tree.links(str(few.pk), reviewer), tree.links(str(few.pk), viewer)) == (["/notes/a.md"], [])
    again = (leads("node", ines.pk), leads("belief", few.pk))
    wrong = refused(Invalid, lambda: tree.write("/notes/a.md", links=again, by=curator_agent, lock=1))
    assert wrong.code == "no_such_belief"
    tree.write("/notes/a.md", links=again[:1], by=curator_agent, lock=1)
    assert told(reviewer) == {"node", "belief"}


def test_what_looks_like_a_link_in_code_is_none(tree: Tree) -> None:
    tree.write("/notes/a.md", "```\n[x](/notes/b.md)\n```\n[y](/notes/c.md)\n")
    assert (tree.links("/notes/b.md"), tree.links("/notes/c.md")) == ([], ["/notes/a.md"])
