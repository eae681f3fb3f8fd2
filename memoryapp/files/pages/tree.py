"""The tree at the side of a page: the directories on the way to where one is and those beside them, a page at a time.

Every directory is a link, so that the tree is walked without scripts; with them it opens in place.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from memoryapp.access.paths import ROOT, above, name_of, parent
from memoryapp.files import queries
from memoryapp.files.pages.presenting import file_url
from memoryapp.files.queries import Branch
from memoryapp.ledger.principal import Principal

SIZE = 100
"""Directories of one level that are shown before “more”."""


@dataclass
class Level:
    """The directories shown within one. `more_url` brings those after them, and `all_url` is the page that lists them;
    both empty when there are no more."""

    nodes: list[Node] = field(default_factory=list)
    more_url: str = ""
    all_url: str = ""


@dataclass
class Node:
    """A directory in the tree: where its page is, whether it is where one is, and what is shown within it, if it is
    open."""

    name: str
    url: str
    branch_url: str
    holds: bool
    here: bool = False
    within: Level | None = None


def tree(by: Principal, at: str) -> Node:
    """The whole tree, open down to a path. Of a path that is not there, as far as there is a way."""
    way = [ROOT, *above(at), at] if at != ROOT else [ROOT]
    found: dict[str, list[Branch]] = {}
    for one in queries.branches(by, way, SIZE + 1, also=way):
        found.setdefault(parent(one.path), []).append(one)
    root = Node("Files", file_url(by), file_url(by, ROOT, "files:branch"), bool(found), here=at == ROOT)
    nodes = {ROOT: root}
    for path in way:
        if path not in nodes:
            break
        nodes[path].within = below = _level(by, path, found.get(path, []), keep=set(way))
        nodes |= {one.path: node for one, node in zip(_shown(found.get(path, []), set(way)), below.nodes, strict=True)}
    if at in nodes:
        nodes[at].here = True
    return root


def level(by: Principal, path: str, after: str = "") -> Level:
    """What is within a directory, after a path of it."""
    return _level(by, path, queries.branches(by, [path], SIZE + 1, after=after))


def _shown(found: list[Branch], keep: set[str]) -> list[Branch]:
    """The first page of a level, and what of it leads to where one is."""
    return [one for number, one in enumerate(found) if number < SIZE or one.path in keep]


def _level(by: Principal, path: str, found: list[Branch], keep: set[str] | None = None) -> Level:
    shown = _shown(found, keep or set())
    nodes = [
        Node(name_of(one.path), file_url(by, one.path), file_url(by, one.path, "files:branch"), one.holds)
        for one in shown
    ]
    if len(found) <= SIZE:
        return Level(nodes)
    last = found[SIZE - 1].path
    return Level(nodes, file_url(by, path, "files:branch", after=last), file_url(by, path))
