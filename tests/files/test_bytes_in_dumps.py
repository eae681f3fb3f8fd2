"""A dump carries the bytes of attachments: restored anywhere, they are the same, and answer the same."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.files.attachments import keeping
from memoryapp.files.models import Body
from memoryapp.ledger import dump, erasing, integrity, storing
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.services import record
from tests.files.telling import Tree
from tests.files.test_attachments import attach, letter, pdf
from tests.files.test_attachments import storage as storage
from tests.ledger.test_dump import empty_the_database

pytestmark = pytest.mark.django_db

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 1500
"""Of two pieces."""


@pytest.fixture
def kept(tree: Tree, storage: Path) -> Tree:
    """A tree with a pdf, a letter with an older version, and a picture."""
    attach(tree, "/notes/plan.pdf", pdf())
    attach(tree, "/notes/letter.docx", letter("The berths"))
    attach(tree, "/notes/letter.docx", letter("The berths", "north quay"), lock=1)
    attach(tree, "/notes/quay.png", PICTURE)
    return tree


def bytes_of(storage: Path) -> dict[str, bytes]:
    return {str(one.relative_to(storage)): one.read_bytes() for one in storage.rglob("*") if one.is_file()}


def answers(tree: Tree) -> list[Any]:
    return [
        tree.ls("/notes"),
        [tree.text(f"/notes/{name}") for name in ("plan.pdf", "letter.docx", "quay.png")],
        tree.text("/notes/letter.docx", version=1),
        tree.search("north quay"),
        tree.grep("quay"),
        list(Body.objects.order_by("pk").values_list("digest", "size", "media_type", "stored")),
    ]


def is_piece(line: str) -> bool:
    return line.startswith(f'["{storing.LABEL}"')


def findings(workspace: Workspace) -> list[str]:
    return [one.what for report in integrity.examine(workspace) for one in report.findings]


def elsewhere(storage: Path) -> None:
    """As on another machine: no row, and nothing in the storage."""
    empty_the_database()
    shutil.rmtree(storage)


def test_restored_in_any_order_every_file_has_its_bytes_and_its_text(
    kept: Tree, work: Callable[[], int], storage: Path
) -> None:
    """R1"""
    work()
    lines, before, said = dump.snapshot(kept.by.workspace), bytes_of(storage), answers(kept)
    assert len(before) == 4
    assert max(len(line) for line in lines) < 300_000
    assert len([line for line in lines if is_piece(line)]) == 5
    elsewhere(storage)
    shuffled = random.Random(7).sample(lines, len(lines))
    restored = dump.restore(shuffled)
    assert bytes_of(storage) == before
    assert answers(kept) == said
    assert dump.snapshot(restored) == lines
    assert findings(restored) == []


def test_by_command_a_dump_is_a_whole_backup(kept: Tree, storage: Path, tmp_path: Path, capsys: Any) -> None:
    before, out = bytes_of(storage), StringIO()
    call_command("dump", "harbour", output=str(tmp_path / "harbour.jsonl"))
    digest = capsys.readouterr().err.split()[-1]
    elsewhere(storage)
    call_command("restore", str(tmp_path / "harbour.jsonl"), slug="quay", stdout=out)
    assert digest in out.getvalue()
    assert bytes_of(storage) == before


def test_what_is_gone_from_the_storage_is_said_and_the_rest_is_restored(kept: Tree, storage: Path) -> None:
    """C8"""
    lines = [line for line in dump.snapshot(kept.by.workspace) if not is_piece(line)]
    elsewhere(storage)
    storage.parent.joinpath("rows.jsonl").write_text("\n".join(lines), encoding="utf-8")
    out = StringIO()
    call_command("restore", str(storage.parent / "rows.jsonl"), stdout=out)
    assert "no bytes of 4 attachments" in out.getvalue()
    assert findings(Workspace.objects.get()) == ["Its bytes are not in the file storage."] * 4


def changed(line: str, **fields: Any) -> str:
    label, told = json.loads(line)
    return json.dumps([label, told | fields])


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda rows, pieces: rows + pieces[1:], "bytes_incomplete"),
        (lambda rows, pieces: [*rows, changed(pieces[0], data="AAAA"), *pieces[1:]], "bytes_differ"),
        (lambda rows, pieces: [*rows, changed(pieces[0], name=f"{'0' * 2}/{'0' * 32}"), *pieces], "bytes_of_nothing"),
        (lambda rows, pieces: [*rows, changed(pieces[0], name="../../up"), *pieces[1:]], "unreadable_line"),
        (lambda rows, pieces: [*rows, changed(pieces[0], piece=-1), *pieces[1:]], "unreadable_line"),
        (lambda rows, pieces: [*rows, changed(pieces[0], data="%"), *pieces[1:]], "unreadable_line"),
    ],
)
def test_bytes_that_are_not_whole_or_not_theirs_restore_nothing(
    kept: Tree, storage: Path, change: Any, code: str
) -> None:
    lines = dump.snapshot(kept.by.workspace)
    two = next(json.loads(line)[1]["name"] for line in lines if is_piece(line) and json.loads(line)[1]["pieces"] == 2)
    pieces = [line for line in lines if is_piece(line) and two in line]
    rows = [line for line in lines if line not in pieces]
    elsewhere(storage)
    with pytest.raises(Invalid) as caught:
        dump.restore(change(rows, pieces))
    assert caught.value.code == code
    assert not Workspace.objects.exists()
    assert not storage.exists() or bytes_of(storage) == {}


def test_other_bytes_that_are_there_are_never_written_over(kept: Tree, storage: Path) -> None:
    lines = dump.snapshot(kept.by.workspace)
    name = Body.objects.get(size=len(PICTURE)).stored
    empty_the_database()
    (storage / name).write_bytes(b"Somebody else's.")
    with pytest.raises(Conflict) as caught:
        dump.restore(lines)
    assert caught.value.code == "bytes_taken"
    assert (storage / name).read_bytes() == b"Somebody else's."
    (storage / name).unlink()
    dump.restore(lines)
    assert (storage / name).read_bytes() == PICTURE


def test_bytes_that_changed_on_disk_are_found(kept: Tree, storage: Path) -> None:
    """C8"""
    place = storage / Body.objects.get(media_type=keeping.PDF).stored
    place.write_bytes(place.read_bytes() + b" ")
    assert findings(kept.by.workspace) == ["Its bytes are not those that were kept."]


def test_what_was_erased_is_in_no_dump(kept: Tree) -> None:
    """R16"""
    entry = kept.entry("/notes/quay.png")
    record(kept.by, "e", lambda write: erasing.erase(write, "file", entry.pk, name=entry.path), "Asked for.")
    assert len([line for line in dump.snapshot(kept.by.workspace) if is_piece(line)]) == 3


def test_a_dump_that_cannot_be_written_leaves_nothing_half(kept: Tree, tmp_path: Path, monkeypatch: Any) -> None:
    def full(workspace: Workspace) -> Any:
        yield {"name": "x", "piece": 0, "pieces": 1, "data": ""}
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(storing, "pieces", full)
    with pytest.raises(CommandError, match="No space left"):
        call_command("dump", "harbour", output=str(tmp_path / "half.jsonl"))
    assert not (tmp_path / "half.jsonl").exists()
