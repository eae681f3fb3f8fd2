"""What tests of the files room say in one line: something is written, moved, read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from memoryapp.access.paths import Glob, read_rules
from memoryapp.files import queries, services
from memoryapp.files.inputs import About, FileInput, LinkInput
from memoryapp.files.models import Entry
from memoryapp.files.queries import Sought
from memoryapp.files.services import Moved, Removed, Written
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record


def ruled(by: Principal, *rules: str, default: str = "write") -> Principal:
    """The principal under rules such as `none /private`."""
    policy = read_rules([tuple(reversed(one.split(" ", 1))) for one in rules], default)
    return replace(by, path_rules=policy.rules, path_default=policy.default)


def refused(kind: type[Any], act: Callable[[], Any]) -> Any:
    """What an act is refused with, which is of this kind."""
    with pytest.raises(kind) as caught:
        act()
    return caught.value


class Tree:
    """A workspace's files as one principal writes and reads them."""

    def __init__(self, by: Principal) -> None:
        self.by = by

    def do(self, act: Any, by: Principal | None = None) -> Any:
        return record(by or self.by, "test", act)

    def write(self, path: str, content: str = "Something.", by: Principal | None = None, **more: Any) -> Written:
        about = About(**{name: more.pop(name) for name in ("summary", "tags", "properties", "links") if name in more})
        told = FileInput(path, content, about=about, **more)
        written: Written = self.do(lambda write: services.write_file(write, told), by)
        return written

    def rewrite(self, path: str, content: str, by: Principal | None = None, **more: Any) -> Written:
        return self.write(path, content, by, lock=self.entry(path).lock, **more)

    def edit(self, path: str, old: str, new: str, by: Principal | None = None, lock: int | None = None) -> Written:
        written: Written = self.do(lambda write: services.edit(write, path, old=old, new=new, lock=lock), by)
        return written

    def mkdir(self, path: str, by: Principal | None = None) -> Written:
        written: Written = self.do(lambda write: services.mkdir(write, path), by)
        return written

    def move(self, source: str, target: str, by: Principal | None = None, lock: int | None = None) -> Moved:
        moved: Moved = self.do(lambda write: services.move(write, source, target, lock=lock), by)
        return moved

    def remove(self, path: str, by: Principal | None = None, **more: Any) -> Removed:
        removed: Removed = self.do(lambda write: services.remove(write, path, **more), by)
        return removed

    def restore(self, path: str, by: Principal | None = None) -> Removed:
        restored: Removed = self.do(lambda write: services.restore(write, path), by)
        return restored

    def restore_version(self, path: str, version: int, by: Principal | None = None) -> Written:
        written: Written = self.do(lambda write: services.restore_version(write, path, version), by)
        return written

    def describe(self, path: str, by: Principal | None = None, lock: int | None = None, **about: Any) -> Written:
        written: Written = self.do(lambda write: services.set_metadata(write, path, About(**about), lock=lock), by)
        return written

    def entry(self, path: str, by: Principal | None = None) -> Entry:
        return queries.entry(by or self.by, path)

    def text(self, path: str, by: Principal | None = None, version: int | None = None) -> str:
        _, found = queries.between(by or self.by, path, sequence=version)
        return queries.text_of(found)

    def ls(self, path: str = "/", by: Principal | None = None, recursive: bool = False) -> list[str]:
        return [one.path for one in queries.ls(by or self.by, path, recursive=recursive)]

    def glob(self, pattern: str, by: Principal | None = None) -> list[str]:
        return [one.path for one in queries.glob(by or self.by, Glob.read(pattern), limit=1000).entries]

    def grep(self, pattern: str, by: Principal | None = None, **more: Any) -> list[tuple[str, int]]:
        found = queries.grep(by or self.by, Sought(pattern, **more))
        return [(one.entry.path, line.number) for one in found.files for line in one.lines]

    def search(self, question: str, by: Principal | None = None, **more: Any) -> list[str]:
        return [one.entry.path for one in queries.search(by or self.by, question, **more).answers]

    def links(self, target: str, by: Principal | None = None) -> list[str]:
        return [one.entry.path for one in queries.links_for(by or self.by, target)]

    def actions(self, path: str) -> list[str]:
        return [one.action for one in queries.versions(self.by, self.entry(path))]


def leads(to: str, target: Any) -> LinkInput:
    return LinkInput(to, str(target))
