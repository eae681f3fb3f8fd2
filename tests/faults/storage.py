"""What a running product keeps its memory in, taken away and given back."""

from __future__ import annotations

import contextlib
import resource
import sqlite3
from pathlib import Path

import psycopg

from tests.faults.wires import Line
from tests.house.running import Running

FULL = """
CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER no_room BEFORE INSERT ON sources_source EXECUTE FUNCTION no_room();
"""
"""A server cannot be filled without harm to its other databases: this one says so of the table that grows."""
ROOM = "DROP TRIGGER no_room ON sources_source; DROP FUNCTION no_room();"


class Storage:
    """The database of a product. On PostgreSQL the line to it is cut; on SQLite the file is not where it was."""

    def __init__(self, product: Running, line: Line | None) -> None:
        self.line = line
        self.file = file_of(product)

    def go(self) -> None:
        if self.line:
            self.line.cut()
        else:
            self.file.rename(self.file.with_suffix(".away"))
            self.file.mkdir()

    def come_back(self) -> None:
        if self.line:
            self.line.join()
        else:
            self.file.rmdir()
            self.file.with_suffix(".away").rename(self.file)


class Disk:
    """What a product may write to: a small disk where there is one, otherwise a limit on its processes."""

    def __init__(self, product: Running, line: Line | None, place: Path | None) -> None:
        self.product = product
        self.line = line
        self.place = place

    def fill(self) -> None:
        """Leave not one block, also not within the files that are there."""
        if self.line:
            self._run(self.line, FULL)
        elif self.place is None:
            self._limit(0)
        else:
            self._fill_blocks(self.place)

    def empty(self) -> None:
        if self.line:
            self._run(self.line, ROOM)
        elif self.place is None:
            self._limit(resource.RLIM_INFINITY)
        else:
            (self.place / "ballast").unlink()

    def _fill_blocks(self, place: Path) -> None:
        with (
            contextlib.closing(sqlite3.connect(file_of(self.product), timeout=30)) as opened,
            (place / "ballast").open("ab", buffering=0) as file,
        ):
            opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            for size in (1 << 20, 1 << 12, 1):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(bytes(size))

    def _limit(self, size: int) -> None:
        for pid in self.product.children().values():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def _run(self, line: Line, statements: str) -> None:
        with psycopg.connect(line.behind) as server:
            server.execute(statements.encode())


def file_of(product: Running) -> Path:
    return product.directory / "var" / "commonplace.sqlite3"
