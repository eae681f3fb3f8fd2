"""Files and the context, measured: listing, matching, looking through lines, writing, rendering, in a tree of a chosen
size.

    DATABASE_URL=sqlite:///var/bench.sqlite3 python -m bench.files --files 10000 --megabytes 10

`--plans` also prints how the database goes about each question; none may go through all paths.

The database is one of its own: it is migrated, and filled once. Begun again with as many files it asks what is there.
`rg` or `grep` looks through the same bytes on disk for comparison, where it is installed. Times are the middle and the
95th of a hundred of several runs, in milliseconds of the clock, and the middle of this process's own. What a directory
holds and the context are asked for over REST, as an agent asks.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.measuring import measured_twice as measured

WORDS = ("berth", "quay", "tide", "marlin", "harbour", "price", "season", "letter", "monthly", "summary", "north")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--files", type=int, default=10_000)
    options.add_argument("--megabytes", type=int, default=10)
    options.add_argument("--plans", action="store_true")
    asked = options.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    run(asked.files, asked.megabytes, asked.plans)


def run(files: int, megabytes: int, plans: bool = False) -> None:
    from bench.filling import analyse
    from memoryapp.access.paths import Glob, territory
    from memoryapp.access.services import operator
    from memoryapp.files import queries, services
    from memoryapp.files.inputs import FileInput
    from memoryapp.files.models import Entry
    from memoryapp.files.queries import Sought
    from memoryapp.ledger.models import Workspace
    from memoryapp.ledger.services import create_workspace, record
    from memoryapp.ontology.services import start

    slug = f"files-{files}-{megabytes}"
    found = Workspace.objects.filter(slug=slug).first()
    by = operator(found or create_workspace(slug, "Bench"))
    if found is None:
        record(by, "declare", start)
        fill(by, files)
        record(by, "write", lambda write: [services.write_file(write, one) for one in long_files(megabytes, FileInput)])
    there = Entry.objects.filter(
        territory("/archive") | territory("/long"), workspace=by.workspace, kind="file"
    ).count()
    if there != max(1, files // 1000) * 1000 + megabytes * 2:
        raise SystemExit(f"The database holds {there} files of a filling that was broken off.")
    analyse()
    if plans:
        explain(by)
    print(f"{files} files in directories of 1,000, {megabytes} MB of text; milliseconds: median, 95th of 100, own")
    agent = caller(by)
    print(f"ls of 1,000           {measured(lambda: agent.get('/api/v1/files?path=/archive/00000&page_size=1000'))}")
    head = Glob.read("/archive/00000/0000*")
    print(f"glob, literal head    {measured(lambda: queries.glob(by, head))}")
    anywhere = Glob.read("/**/000001")
    below = Glob.read("/archive/00000/**/*99")
    print(f"glob, below it        {measured(lambda: queries.glob(by, below))}")
    print(f"glob, no head         {measured(lambda: queries.glob(by, anywhere), 3)}")
    print(f"grep, {megabytes:4} MB         {measured(lambda: queries.grep(by, Sought('zebra', under='/long')), 5)}")
    print(f"tree at the side      {measured(lambda: queries.branches(by, ['/', '/archive'], 101))}")
    print(f"write                 {measured(writer(by))}")
    context(by, agent)
    beside(by, megabytes)


def explain(by: Any) -> None:
    """How the database goes about each question."""
    from memoryapp.access.paths import Glob, territory
    from memoryapp.files import queries
    from memoryapp.files.models import Entry, State
    from memoryapp.files.queries.globbing import _near

    current = Entry.objects.readable_to(by).filter(state=State.CURRENT)
    asked = {
        "a directory": queries.ls(by, "/archive/00000"),
        "everything below": queries.ls(by, "/archive/00000", recursive=True)[:100],
        "a pattern in one directory": _near(by, Glob.read("/archive/00000/0000*"), ""),
        "a pattern below a directory": _near(by, Glob.read("/archive/00000/**/x"), "")[:100],
        "files to look through": current.filter(territory("/long"), kind="file").order_by("path"),
        "directories": current.filter(directory__in=["/", "/archive"], kind="directory").order_by("path"),
    }
    for name, rows in asked.items():
        print(f"-- {name}\n{rows.explain()}")


def caller(by: Any) -> Any:
    """An agent that reads files and the context."""
    import logging

    from django.test import Client

    from memoryapp.access import services as access
    from memoryapp.ledger.services import record

    logging.disable(logging.INFO)
    surfaces = ["context", "find-notes"]
    name = f"Bench {os.getpid()}"
    agent = record(by, "a", lambda write: access.create_agent(write, name=name, surfaces=surfaces))
    key = record(by, "k", lambda write: access.issue_key(write, agent=agent)).text
    return Client(headers={"Authorization": f"Bearer {key}"}, SERVER_NAME="localhost")


def context(by: Any, client: Any) -> None:
    """The block of twenty entries over REST, and again by who has it already."""
    from memoryapp.context import services
    from memoryapp.context.inputs import EntryInput
    from memoryapp.ledger.services import record

    told = [EntryInput(f"Part {n % 4}", f"Entry {n}", "Short sentences, please.") for n in range(20)]
    record(by, "set_context", lambda write: services.set_entries(write, told))
    first = client.get("/api/v1/context/render")
    assert first.status_code == 200, first.content
    known = {"If-None-Match": first["ETag"]}
    assert client.get("/api/v1/context/render", headers=known).status_code == 304
    print(f"context rendered      {measured(lambda: client.get('/api/v1/context/render'))}")
    print(f"context, unchanged    {measured(lambda: client.get('/api/v1/context/render', headers=known))}")


def fill(by: Any, files: int) -> None:
    """Short files outside every root, so that the index has no part in it: heads and versions, a thousand at a time."""
    from memoryapp.files.models import Body, Entry, Version
    from memoryapp.files.services import placing
    from memoryapp.files.services.storing import new_body
    from memoryapp.ledger import prepared, triggers
    from memoryapp.ledger.services import record

    def some(write: Any, number: int) -> None:
        directory = f"/archive/{number:05}"
        placing.make_way(write, f"{directory}/x")
        body: Body = new_body(write, "text", "Short.")
        common = {"workspace": write.workspace, "write": write, "recorded_at": write.recorded_at}
        heads = [
            Entry(kind="file", path=f"{directory}/{one:06}", directory=directory, form="text", size=6, **common)
            for one in range(1000)
        ]
        for head in heads:
            head.modified_at = write.recorded_at
        prepared.insert(heads)
        versions = [
            Version(entry=one, sequence=1, action="write", path=one.path, state="current", body=body, **common)
            for one in heads
        ]
        prepared.insert(versions)

    triggers.drop()
    try:
        for number in range(max(1, files // 1000)):
            record(by, "fill", lambda write, number=number: some(write, number))  # type: ignore[misc]
            print(f"\r{number + 1} thousand", end="", file=sys.stderr)
        print(file=sys.stderr)
    finally:
        triggers.install()


def long_files(megabytes: int, made: Any) -> list[Any]:
    line = " ".join(WORDS) + "\n"
    text = line * (500_000 // len(line))
    return [made(f"/long/{number:04}.txt", text) for number in range(megabytes * 2)]


def writer(by: Any) -> Callable[[], Any]:
    from memoryapp.files import services
    from memoryapp.files.inputs import FileInput
    from memoryapp.ledger.services import record

    numbers = iter(range(1_000_000))

    def write_one() -> Any:
        told = FileInput(f"/notes/{os.getpid()}/{next(numbers):06}.md", "Prices of next season, as agreed at the quay.")
        return record(by, "write_files", lambda write: services.write_file(write, told))

    return write_one


def beside(by: Any, megabytes: int) -> None:
    """The same bytes on disk, looked through by what the machine has for it."""
    program = shutil.which("rg") or shutil.which("grep")
    if program is None:
        return
    from memoryapp.files.models import Body

    with tempfile.TemporaryDirectory() as directory:
        for number, text in enumerate(Body.objects.filter(workspace=by.workspace, size__gt=1000).values_list("text")):
            (Path(directory) / f"{number:04}.txt").write_text(text[0], encoding="utf-8")
        command = [program, *(["-r"] if program.endswith("grep") else []), "zebra", directory]
        took = measured(lambda: subprocess.run(command, capture_output=True, check=False), 5)
        print(f"{Path(program).name:4}, {megabytes:4} MB         {took}")


if __name__ == "__main__":
    main()
