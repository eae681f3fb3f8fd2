"""A migrated, empty database is made once and copied for every run of the suite, until its schema changes: a file of
SQLite, a template of PostgreSQL.

Migrating takes longer than most files of tests. The copy is named after everything that makes the schema; a run whose
schema is new makes and keeps its own.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import django
from django.db import DatabaseError
from django.db.backends.postgresql.creation import DatabaseCreation as PostgresCreation
from django.db.backends.sqlite3.creation import DatabaseCreation

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "var" / "tests"
SCHEMA = ("*/migrations/*.py", "*/models.py", "*/models/*.py", "*/triggers.py", "*/engines/*.py", "*/apps.py")


TEMPLATES = f"commonplace_tests_{hashlib.sha256(str(ROOT).encode()).hexdigest()[:8]}_"
"""How the names of the databases begin that this checkout keeps on a server of PostgreSQL, and no other's do."""


def copy_schemas() -> None:
    """Let every test database of this process start from the kept copy, or leave one behind."""
    _copy_files()
    _copy_templates()


@contextlib.contextmanager
def _the_first_migrates(kept: Callable[[], bool]) -> Iterator[None]:
    """While nothing is kept, one process makes it and the others of this checkout wait for that."""
    if kept():
        yield
        return
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _copy_files() -> None:
    create = DatabaseCreation.create_test_db
    begin = DatabaseCreation._create_test_db  # type: ignore[attr-defined]

    def started(self: Any, verbosity: int, autoclobber: bool, keepdb: bool = False) -> str:
        name = str(begin(self, verbosity, autoclobber, keepdb))
        if (kept := _kept()).exists():
            shutil.copy(kept, name)
        return name

    def made(self: Any, *args: Any, **settings: Any) -> str:
        with _the_first_migrates(_kept().exists):
            name = str(create(self, *args, **settings))
            if not (kept := _kept()).exists():
                _keep(name, kept)
        return name

    DatabaseCreation._create_test_db = started  # type: ignore[attr-defined]
    DatabaseCreation.create_test_db = made  # type: ignore[method-assign]


def _copy_templates() -> None:
    create = PostgresCreation.create_test_db

    def made(self: Any, *args: Any, **settings: Any) -> str:
        kept = TEMPLATES + _digest(self.connection.vendor)
        with _the_first_migrates(lambda: kept in _templates(self)):
            if kept in _templates(self):
                self.connection.settings_dict["TEST"]["TEMPLATE"] = kept
                return str(create(self, *args, **settings))
            name = str(create(self, *args, **settings))
            _leave_statistics_alone(self.connection)
            _keep_template(self, name, kept)
            return name

    PostgresCreation.create_test_db = made  # type: ignore[method-assign]


def _leave_statistics_alone(connection: Any) -> None:
    """What tests roll back is dead at once: a server that tidied it up meanwhile would note that these tables of many
    pages hold nothing, and go through all rows of one for each row of another."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'ALTER TABLE "{table}" SET (autovacuum_enabled = false)')


def _templates(creation: Any) -> list[str]:
    with creation._nodb_cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [TEMPLATES])
        return [name for (name,) in cursor.fetchall()]


def _keep_template(creation: Any, name: str, kept: str) -> None:
    """What another run of this checkout uses at this moment stays."""
    creation.connection.close()
    for statement in [
        *(f'DROP DATABASE "{older}"' for older in _templates(creation)),
        f'CREATE DATABASE "{kept}" TEMPLATE "{name}"',
    ]:
        with creation._nodb_cursor() as cursor, contextlib.suppress(DatabaseError):
            cursor.execute(statement)


def empty(connection: sqlite3.Connection) -> None:
    """Put the kept copy in the place of everything in a test database, in a fraction of what deleting rows takes."""
    with closing(sqlite3.connect(f"{_kept().as_uri()}?mode=ro", uri=True)) as source:
        source.backup(connection)


def copy_to(file: Path) -> bool:
    """Leave the kept copy at a place where there is no database yet. False when nothing is kept."""
    if not (kept := _kept()).exists():
        return False
    file.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(kept, file)
    return True


@functools.cache
def _kept() -> Path:
    return KEPT / f"schema-{_digest(sqlite3.sqlite_version)}.sqlite3"


def _digest(engine: object) -> str:
    digest = hashlib.sha256(f"{django.VERSION} {engine}".encode() + Path(__file__).read_bytes())
    for file in _schema_files():
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _schema_files() -> Iterator[Path]:
    for pattern in SCHEMA:
        yield from sorted((ROOT / "memoryapp").glob(pattern))
        yield from sorted((ROOT / "formsengine").glob(pattern.removeprefix("*/")))


def _keep(name: str, kept: Path) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    for older in kept.parent.glob("schema-*.sqlite3"):
        if older != kept:
            older.unlink(missing_ok=True)
    unfinished = kept.with_suffix(f".{os.getpid()}")
    with closing(sqlite3.connect(name)) as source, closing(sqlite3.connect(unfinished)) as target:
        source.backup(target)
    unfinished.replace(kept)
