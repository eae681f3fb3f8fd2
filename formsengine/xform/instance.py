"""The instance of an XForm: what it holds by its path, and a name for each path that no other has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from formsengine.problems import Problem, Refused
from formsengine.xform.texts import Left, local
from formsengine.xlsform.places import name_of
from formsengine.xlsform.sheets import MOST_ROWS

LONGEST_PATH = 2000
"""Characters of the path to a node."""
LONGEST_STEM = 110
"""Characters of a name before the number that tells it from others."""


class Instance:
    """Nodes in the order of the form. A path is named once, however many rows the form begins with."""

    def __init__(self, root: Element, left: list[Left]) -> None:
        self.top = f"/{local(root)}"
        self.nodes: dict[str, Element] = {}
        self.names: dict[str, str] = {}
        self._below: dict[str, list[str]] = {}
        self._taken: set[str] = set()
        self._numbers: Counter[str] = Counter()
        self._left = left
        self._rows: set[str] = set()
        self._told: set[str] = set()
        self._read(root, self.top)

    def _read(self, at: Element, path: str) -> None:
        for node in at:
            below = f"{path}/{local(node)}"
            if below in self.names:
                self._made_beforehand(below, local(node))
            elif local(node) != "meta":
                self._name(below, local(node))
                self.nodes[below] = node
                self._below.setdefault(path, []).append(below)
                self._read(node, below)

    def _made_beforehand(self, path: str, name: str) -> None:
        if path not in self._rows:
            self._rows.add(path)
            self._left.append(Left(path, name, "rows that a form begins with are not made", blocks=False))

    def _name(self, path: str, own: str) -> None:
        """Its own name, or with those of its groups where another has it, or with a number besides."""
        if len(path) > LONGEST_PATH:
            raise _too_large(f"A path of this form is longer than {LONGEST_PATH} characters.")
        if len(self.names) == MOST_ROWS:
            raise _too_large(f"The instance of this form has more than {MOST_ROWS} elements.")
        name = name_of(own)
        if name in self._taken:
            name = name_of("_".join(path.split("/")[2:]))
        stem = name[:LONGEST_STEM]
        while name in self._taken:
            self._numbers[stem] += 1
            name = f"{stem}_{self._numbers[stem] + 1}"
        self._taken.add(name)
        self.names[path] = name

    def leaves(self, below: str) -> Iterator[str]:
        """Paths below this one that hold nothing further, but for those below a group that was told of already."""
        if below in self._told:
            return
        waiting = self._below.get(below, [])[::-1]
        while waiting:
            path = waiting.pop()
            if path not in self._told:
                inner = self._below.get(path, ())
                waiting += reversed(inner)
                if not inner and not len(self.nodes[path]):
                    yield path
        self._told.add(below)


def _too_large(message: str) -> Refused:
    return Refused("import", message, [Problem("", "too-large", message)])
