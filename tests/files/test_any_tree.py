"""Any run of operations does to the tree what the same operations do to a directory on disk."""

from __future__ import annotations

import os
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.access.paths import Glob
from memoryapp.doors.errors import DomainError
from memoryapp.files import queries
from memoryapp.ledger.principal import Principal
from tests.files.telling import Tree

pytestmark = pytest.mark.django_db

NAMES = ["a", "A", "é", "日本", "دفتر", "👩‍🔬", "x y", "a*", "%", "a.md", "n" * 255]
"""Scripts, twins that differ in case, an emoji of several characters, right to left, wild characters, the longest."""
LETTERS = st.characters(categories=["L", "M", "N", "P", "S"], exclude_characters="/")
"""Of any script; what a name may not hold is tried where it is refused."""
any_name = st.text(LETTERS, min_size=1, max_size=6).map(lambda text: unicodedata.normalize("NFC", text))
names = st.sampled_from(NAMES) | any_name.filter(lambda name: name not in (".", "..") and "\ufeff" not in name)
paths = st.lists(names, min_size=1, max_size=3).map(lambda names: "/" + "/".join(names))
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"), max_size=12)
steps = st.one_of(
    st.tuples(st.just("write"), paths, texts),
    st.tuples(st.just("mkdir"), paths, st.none()),
    st.tuples(st.just("move"), paths, paths),
    st.tuples(st.just("remove"), paths, st.booleans()),
    st.tuples(st.just("edit"), paths, st.sampled_from(["a", "b", "日", " ", "\n"])),
)


class Disk:
    """The same operations on a directory of the machine, by the rules of the tree: nothing is overwritten unseen."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def at(self, path: str) -> Path:
        return self.root / path[1:]

    def write(self, path: str, text: str) -> bool:
        place = self.at(path)
        if place.is_dir():
            return False
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            return False
        place.write_text(text, encoding="utf-8", newline="")
        return True

    def mkdir(self, path: str, _: None) -> bool:
        try:
            self.at(path).mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            return False
        return True

    def move(self, source: str, target: str) -> bool:
        before, after = self.at(source), self.at(target)
        if not self.there(before) or self.there(after) or str(after).startswith(f"{before}/"):
            return False
        try:
            after.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            return False
        before.rename(after)
        return True

    def remove(self, path: str, recursive: bool) -> bool:
        place = self.at(path)
        if not self.there(place):
            return False
        if place.is_file():
            place.unlink()
        elif recursive:
            shutil.rmtree(place)
        elif any(place.iterdir()):
            return False
        else:
            place.rmdir()
        return True

    def edit(self, path: str, old: str) -> bool:
        """What stands there once becomes what stands there twice."""
        place = self.at(path)
        if not self.there(place) or place.is_dir():
            return False
        text = place.read_bytes().decode()
        if text.count(old) != 1:
            return False
        place.write_text(text.replace(old, old + old), encoding="utf-8", newline="")
        return True

    @staticmethod
    def there(place: Path) -> bool:
        try:
            return place.exists()
        except NotADirectoryError:
            return False

    def all(self) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        for top, directories, files in os.walk(self.root):
            for name in directories:
                found["/" + str((Path(top) / name).relative_to(self.root))] = None
            for name in files:
                place = Path(top) / name
                found["/" + str(place.relative_to(self.root))] = place.read_bytes().decode()
        return found


def do(tree: Tree, top: str, what: str, one: Any, other: Any) -> bool:
    try:
        if what == "write":
            known = top + one in tree.ls(top, recursive=True)
            if known and tree.entry(top + one).is_directory:
                return False
            tree.write(top + one, other, lock=tree.entry(top + one).lock if known else None)
        elif what == "mkdir":
            tree.mkdir(top + one)
        elif what == "move":
            tree.move(top + one, top + other)
        elif what == "edit":
            tree.edit(top + one, other, other + other)
        else:
            tree.remove(top + one, recursive=other)
    except DomainError:
        return False
    return True


@settings(max_examples=10)
@given(st.lists(steps, max_size=6))
def test_the_tree_is_as_a_directory_on_disk_after_any_operations(
    operator: Principal, tmp_path_factory: pytest.TempPathFactory, told: list[tuple[str, Any, Any]]
) -> None:
    """F1"""
    disk = Disk(tmp_path_factory.mktemp("disk"))
    tree = Tree(operator)
    top = f"/{disk.root.name}-{len(tree.ls())}"
    tree.mkdir(top)
    for what, one, other in told:
        assert do(tree, top, what, one, other) == getattr(disk, what)(one, other), (what, one, other)
        assert queries.exists(tree.by, top + one) == disk.there(disk.at(one))
    every = [path.removeprefix(top) for path in tree.ls(top, recursive=True)]
    here = {path: None if tree.entry(top + path).is_directory else tree.text(top + path) for path in every}
    assert here == disk.all()
    holding = {f"{top}{path}" for path, text in here.items() if text is not None and "a" in text}
    assert {path for path, _ in tree.grep("a", under=top)} == holding
    for path in ["", *(path for path in here if here[path] is None)]:
        on_disk = sorted(f"{top}/{one.relative_to(disk.root)}" for one in disk.at(path or "/").iterdir())
        assert tree.ls(top + path) == on_disk
    for pattern in ("/**/a*", "/*", "/a/**", "/?", "/**"):
        matching = {f"{top}/{one.relative_to(disk.root)}" for one in disk.root.glob(pattern[1:])} - {f"{top}/."}
        if pattern.endswith("/**"):
            matching = {top + path for path in here if Glob(pattern).matches(path)}
            matching |= {top} if pattern == "/**" else set()
        assert tree.glob(top + pattern) == sorted(matching), pattern
