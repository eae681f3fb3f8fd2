"""Every benchmark of the memory runs to its end and prints its figures, with small numbers, on this run's engine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.faults.wires import database_beside
from tests.kept_schema import copy_to

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
FIGURE = re.compile(r"\| *[0-9.]+ *\|")


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """That of a benchmark with a database and files of its own."""
    copy_to(tmp_path / "bench.sqlite3")
    server = os.environ.get("DATABASE_URL", "")
    on_server = server.startswith("postgres")
    with database_beside(server) if on_server else nullcontext(f"sqlite:///{tmp_path}/bench.sqlite3") as database:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "VIRTUAL_ENV")}
        yield kept | {"DATABASE_URL": str(database), "COMMONPLACE_VAR": str(tmp_path / "var")}


def printed(environment: dict[str, str], name: str, *options: str) -> list[str]:
    """The lines of a benchmark that ended well."""
    done = subprocess.run(
        [sys.executable, "-m", f"bench.{name}", *options],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_the_benchmark_of_speed_prints_every_figure_beside_its_measure(environment: dict[str, str]) -> None:
    lines = printed(
        environment, "speed", "--beliefs", "60", "--workspaces", "2", "--questions", "4", "--withdrawn", "20"
    )
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| act")]
    assert all(FIGURE.search(line) for line in rows)
    told = "\n".join(lines)
    for what in (
        "bare OR query of the engine",
        "recall over=beliefs",
        "recall over=turns",
        "recall over=all",
        "recall as of another day",
        "brief of 1,000 tokens",
        "REST: remember one belief with its evidence",
        "REST: a batch of 100",
        "so many times one",
        "REST: current of a person",
        "REST: why at depth 5",
        "REST: recall",
        "objects in",
        "withdrawing a source under 20 beliefs",
        "idle at the start",
    ):
        assert what in told, told
    ratios = [line for line in rows if line.startswith("| recall")]
    assert len(ratios) == 4
    assert all(re.search(r"[0-9.]+ / [0-9.]+ \|$", line) for line in ratios)


def test_the_benchmark_of_updates_answers_every_history_right(environment: dict[str, str]) -> None:
    lines = printed(environment, "updates", "--histories", "10")
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| history")]
    assert len(rows) == 11
    assert all(line.endswith("| 100.0 % |") for line in rows), rows


def test_the_benchmark_of_faults_finds_nothing_wrong(environment: dict[str, str]) -> None:
    lines = printed(environment, "faults", "--conversations", "4", "--kills", "1")
    assert re.search(r"\| (SQLite|PostgreSQL) \| 4 \|.*\| 0 \|$", "\n".join(lines), re.MULTILINE), lines


def test_the_benchmark_of_the_graph_measures_questions_writes_and_a_merge(environment: dict[str, str]) -> None:
    lines = printed(environment, "graph", "--nodes", "60", "--episodes", "60", "--edges", "10", "--plans")
    told = "\n".join(lines)
    for what in (
        "find by a value",
        "three hops, 20 of each",
        "bare recursive query",
        "dictionary in memory",
        "a day of the timeline",
        "upsert, five properties",
        "nodes a second",
        "merge of 10 edges again",
        "a way of",
        "== a day of the timeline",
    ):
        assert what in told, told
