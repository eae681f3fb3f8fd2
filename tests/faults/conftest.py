"""One installation of the whole product on the suite's engine, to be treated badly by one test after another.

Each test brings it back to health, so that it is started once.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.faults.storage import Disk, Storage
from tests.faults.wires import Line, database_beside
from tests.house.running import Running
from tests.kept_schema import copy_to

ON_POSTGRESQL = os.environ.get("DATABASE_URL", "").startswith(("postgres:", "postgresql:"))
SMALL = "64m"


@pytest.fixture(scope="package")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Line | None, Path | None]]:
    """The product, the line to its database where there is a server, and its small disk where one may be made."""
    with ExitStack() as held:
        directory = tmp_path_factory.mktemp("faults")
        disk = held.enter_context(_small_disk(directory / "disk")) if os.geteuid() == 0 else None
        line = None
        if ON_POSTGRESQL:
            line = held.enter_context(Line(held.enter_context(database_beside(os.environ["DATABASE_URL"]))))
        product = Running(disk or directory, {"DATABASE_URL": line.url} if line else {})
        if not line:
            copy_to(product.database)
        held.callback(product.stop)
        product.start("--no-demonstration")
        yield product, line, disk


@contextmanager
def _small_disk(place: Path) -> Iterator[Path]:
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "tmpfs", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def product(installation: tuple[Running, Line | None, Path | None]) -> Running:
    return installation[0]


@pytest.fixture
def storage(installation: tuple[Running, Line | None, Path | None]) -> Storage:
    """The product's database, to be taken away and given back."""
    return Storage(installation[0], installation[1])


@pytest.fixture
def disk(installation: tuple[Running, Line | None, Path | None]) -> Disk:
    """The product's disk, to be filled and emptied."""
    return Disk(*installation)
