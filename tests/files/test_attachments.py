"""Files of bytes: kept by id, told by what they are, read by a job that nothing in them can hold up or lead astray."""

from __future__ import annotations

import base64
import functools
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest
from django.core.management import call_command
from pypdf import PdfWriter

from memoryapp.doors.errors import Invalid, NotFound, TooLarge
from memoryapp.files import queries, services
from memoryapp.files.attachments import extracting, keeping, reader
from memoryapp.files.models import Body, Extract
from memoryapp.ledger import erasing, integrity
from memoryapp.ledger import queries as ledger
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.proving import prove
from memoryapp.ledger.services import record
from memoryapp.sources.models import Source
from memoryapp.sources.withdrawing import withdraw
from tests.api.calling import Caller
from tests.files.telling import Tree, ruled
from tests.graph.nodes.telling import Graph
from tests.visiting import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


@pytest.fixture(autouse=True)
def storage(tmp_path: Path, settings: Any) -> Path:
    """A file storage of the test's own."""
    settings.STORAGES = settings.STORAGES | {
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path / "attachments"},
        }
    }
    return tmp_path / "attachments"


def letter(*words: str) -> bytes:
    made, out = docx.Document(), BytesIO()
    for one in words:
        made.add_paragraph(one)
    made.save(out)
    return out.getvalue()


def sheet() -> bytes:
    book, out = openpyxl.Workbook(), BytesIO()
    page = book.create_sheet("Prices")
    page.append(["berth", "price"])
    page.append(["north quay", 400])
    book.save(out)
    return out.getvalue()


def pdf(password: str = "") -> bytes:
    """One page with a word, put together by hand."""
    stream = b"BT /F1 12 Tf 20 20 Td (marlin quay) Tj ET"
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 50] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length " + str(len(stream)).encode() + b" >>\nstream\n" + stream + b"\nendstream",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + part + b"\nendobj\n"
    table = b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += b"xref\n0 5\n0000000000 65535 f \n" + table + b"trailer << /Size 5 /Root 1 0 R >>\nstartxref\n"
    out += str(out.rindex(b"xref\n0 5")).encode() + b"\n%%EOF"
    if not password:
        return out
    writer, locked = PdfWriter(clone_from=BytesIO(out)), BytesIO()
    writer.encrypt(password)
    writer.write(locked)
    return locked.getvalue()


@functools.cache
def bomb() -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        packed.writestr("word/document.xml", b"0" * 120_000_000)
        packed.writestr("[Content_Types].xml", b"<Types/>")
    return out.getvalue()


def attach(tree: Tree, path: str, data: bytes, lock: int | None = None) -> Any:
    kept = keeping.keep(data, path)
    return tree.do(lambda write: services.attach(write, path, kept, lock=lock))


def test_a_pdf_is_read_by_a_job_and_found_by_its_words(tree: Tree, work: Callable[[], int], storage: Path) -> None:
    attach(tree, "/notes/plan.bin", pdf())
    assert (tree.text("/notes/plan.bin"), tree.search("marlin")) == ("", [])
    work()
    assert tree.text("/notes/plan.bin").strip() == "marlin quay"
    assert tree.search("marlin") == ["/notes/plan.bin"]
    assert tree.grep("quay") == [("/notes/plan.bin", 1)]
    [kept] = [one for one in storage.rglob("*") if one.is_file()]
    assert "plan" not in str(kept.relative_to(storage)), "no name of a user's names a file of the machine"
    assert attach(tree, "/notes/plan.bin", pdf()).repeated
    with pytest.raises(NotFound, match="to replace"):
        attach(tree, "/notes/gone.bin", pdf(), lock=3)


@pytest.mark.parametrize(
    ("media_type", "data", "holds"),
    [
        (keeping.DOCX, letter("The berths", "north quay"), "north quay"),
        (keeping.XLSX, sheet(), "north quay\t400"),
        (keeping.HTML, b"<html><head><title>x</title><script>evil()</script></head><p>north <b>quay</b>", "north quay"),
        (keeping.CSV, b"berth,price\nnorth quay,400\n", "north quay,400"),
        (keeping.PDF, pdf(), "marlin quay"),
    ],
)
def test_text_is_found_in_each_kind_that_is_read(media_type: str, data: bytes, holds: str) -> None:
    name = "/a.csv" if media_type == keeping.CSV else "/a"
    assert keeping.what_it_is(data, name) == media_type
    told = reader.found(media_type, data)
    assert holds in told["text"]
    assert "evil" not in told["text"]


@pytest.mark.parametrize(
    ("media_type", "data", "why"),
    [
        (keeping.PDF, pdf("secret"), "encrypted"),
        (keeping.PDF, b"%PDF-1.7\nno such thing", "broken"),
        (keeping.DOCX, bomb(), "bomb"),
        (keeping.XLSX, letter("x"), "broken"),
    ],
)
def test_what_cannot_be_read_says_why(media_type: str, data: bytes, why: str) -> None:
    """F5"""
    assert reader.found(media_type, data) == {"error": why}


def test_a_zip_bomb_or_a_broken_file_ends_as_a_failed_job(
    tree: Tree, administrator: Principal, work: Callable[[], int]
) -> None:
    """F5: visible, with the reason, also where the file is read; and nothing half-stored."""
    attach(tree, "/notes/bomb", bomb())
    attach(tree, "/notes/locked", pdf("secret"))
    attach(tree, "/notes/torn", b"%PDF-1.7\nno such thing")
    attach(tree, "/notes/prices.csv", b"berth,price\n1,400\n")
    attach(tree, "/notes/quay.png", b"\x89PNG\r\n\x1a\n")
    tree.write("/notes/a.md", "x")

    def states() -> dict[str, Any]:
        told = {path: queries.extraction(queries.file(tree.by, path)[1]) for path in tree.ls("/notes")}
        return {path.removeprefix("/notes/"): one and (one.state, one.why) for path, one in told.items()}

    waiting = dict.fromkeys(("bomb", "locked", "torn", "prices.csv"), ("waiting", ""))
    assert states() == waiting | {"quay.png": ("none", ""), "a.md": None}
    work()
    assert states() == {
        "bomb": ("failed", "It unpacks to more than is read."),
        "locked": ("failed", "It is encrypted, so its text cannot be read."),
        "torn": ("failed", "It is broken, or is not what it says it is."),
        "prices.csv": ("read", ""),
        "quay.png": ("none", ""),
        "a.md": None,
    }
    assert Extract.objects.count() == 1
    torn = queries.extraction(queries.file(tree.by, "/notes/torn")[1])
    page = client_of(administrator).get("/w/harbour/files/?path=/notes/torn").content.decode()
    assert "Its text could not be read" in page
    assert torn is not None
    assert f"/w/harbour/jobs/{torn.job}/" in page
    assert torn.job not in [one.pk for one in ledger.jobs(ruled(tree.by, "none /notes/torn"))]


def test_the_program_that_reads_is_ended_when_it_takes_too_much(
    tree: Tree, work: Callable[[], int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """F5: of memory and time the system gives it so much and no more, and it may write nothing."""
    start = f"""
import json, resource, sys, time
sys.path.insert(0, {str(extracting.READER.parent)!r})
import reader
reader.limit()
"""
    limits = "[resource.getrlimit(one) for one in (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_FSIZE)]"
    for name, does in (
        ("limits", f"sys.stdin.buffer.read(); print(json.dumps({{'cut': False, 'text': str({limits})}}))"),
        ("memory", "bytearray(2_000_000_000)"),
        ("time", "time.sleep(600)"),
    ):
        program = tmp_path / f"{name}.py"
        program.write_text(start + does)
        monkeypatch.setattr(extracting, "READER", program)
        monkeypatch.setattr(extracting, "LONGEST_SECONDS", 0 if name == "time" else 40)
        attach(tree, f"/notes/{name}", pdf() + name.encode())
        work()
    given = [(reader.MOST_SECONDS, reader.MOST_SECONDS + 1), (reader.MOST_MEMORY, reader.MOST_MEMORY), (0, 0)]
    assert tree.text("/notes/limits") == str(given)
    failed = Job.objects.filter(state="failed").order_by("created_at")
    assert [one.error for one in failed] == [extracting.WHY["broken"], extracting.WHY["slow"]]


def test_what_is_found_in_an_attachment_is_told_as_a_source(
    workspace: Any, administrator: Principal, work: Callable[[], int]
) -> None:
    """R13: and is out of sight while that is taken back."""
    desk, tree = Caller(workspace, ["find-notes", "curate"]), Tree(administrator)
    sent = {"path": "/notes/letter", "data": base64.b64encode(letter("Ines Ferro lives in Porto.")).decode()}
    assert desk.post("files/attachments", sent).status_code == 201
    early = desk.post("files/tell", {"path": "/notes/letter"})
    assert (early.status_code, early.json()["code"]) == (422, "nothing_to_tell")
    assert "still being read" in early.json()["detail"]
    work()
    told = desk.post("files/tell", {"path": "/notes/letter"}).json()
    source = Source.objects.get(kind="file")
    assert (told["action"], told["source"], source.content.strip()) == (
        "tell",
        str(source.pk),
        "Ines Ferro lives in Porto.",
    )
    assert desk.post("files/tell", {"path": "/notes/letter"}).json()["repeated"]
    record(administrator, "w", lambda write: withdraw(write, source=source.pk), "In jest.")
    assert tree.ls("/notes") == []
    tree.write("/notes/a.md", "A plan")
    tree.write("/notes/a.md", "A plan.", lock=1)
    client = client_of(administrator)
    for lock, answer in ((1, "This was changed meanwhile"), (2, "It is a source now")):
        sent = {"path": "/notes/a.md", "lock": str(lock)}
        assert answer in client.post("/w/harbour/files/tell/", sent, follow=True).content.decode()
    assert tree.actions("/notes/a.md") == ["tell", "write", "write"]


def test_what_is_nothing_known_or_too_large_is_refused(monkeypatch: pytest.MonkeyPatch, storage: Path) -> None:
    for data in (b"\x7fELF\x00\x01", b"PK\x03\x04nonsense", b"\xff\xfe\x00a", b""):
        with pytest.raises(Invalid):
            keeping.keep(data, "/a.pdf")
    monkeypatch.setattr(keeping, "LARGEST", 10)
    with pytest.raises(TooLarge):
        keeping.keep(b"%PDF-" + b"x" * 10, "/a.pdf")
    assert not storage.exists()


def test_over_rest_and_a_refusal_leaves_no_bytes(workspace: Any, storage: Path) -> None:
    curator = Caller(workspace, ["find-notes", "curate"])
    body = {"path": "/notes/prices.csv", "data": base64.b64encode(b"berth,price\n1,400\n").decode()}
    made = curator.post("files/attachments", body)
    assert (made.status_code, made.json()["media_type"], made.json()["form"]) == (201, "text/csv", "attachment")
    assert curator.post("files/attachments", body).status_code == 200
    for read in ("read", "stat"):
        said = curator.get(f"files/{read}?path=/notes/prices.csv").json()["extraction"]
        assert (said["state"], said["why"], bool(said["job"])) == ("waiting", "", True)
    assert curator.post("files/attachments", body | {"path": "/etc/x"}).status_code == 403
    assert curator.post("files/attachments", body | {"data": "%%%"}).json()["code"] == "not_base64"
    again = body | {"data": base64.b64encode(b"other,price\n").decode()}
    assert curator.post("files/attachments", again).json()["code"] == "file_exists"
    assert curator.post("files/attachments", again, If_Match='"1"').status_code == 201
    assert len([one for one in storage.rglob("*") if one.is_file()]) == 2


@pytest.mark.django_db(transaction=True)
def test_a_letter_of_others_that_names_somebody_is_told_of_and_found_until_it_is_erased_itself(
    tree: Tree, work: Callable[[], int], storage: Path
) -> None:
    """R16: what was read of it is blotted; its bytes are theirs, packed as they are."""
    graph = Graph(tree.by)
    quill = graph.person("Quill Marchetti")
    entry = attach(tree, "/notes/letter.docx", letter("Quill Marchetti asks", "for the north quay")).entry
    work()
    assert erasing.preview(tree.by, "file", entry.pk)["stays"] == []
    assert erasing.preview(tree.by, "node", quill.pk)["stays"] == [f"/notes/letter.docx (file {entry.pk})"]
    reason = "Asked for."
    erased = record(tree.by, "e", lambda write: erasing.erase(write, "node", quill.pk, name="Quill Marchetti"), reason)
    assert "Quill" not in tree.text("/notes/letter.docx")
    [kept] = Body.objects.filter(versions__entry=entry).values_list("stored", flat=True)
    assert [one.place for one in prove(erased.receipt, [storage])] == [str(storage / kept)]
    call_command("erase", tree.by.workspace.slug, "file", str(entry.pk), name=entry.path, reason=reason)
    assert prove(erased.receipt, [storage]) == []


@pytest.mark.django_db(transaction=True)
def test_erased_with_its_bytes(tree: Tree, work: Callable[[], int], storage: Path) -> None:
    """R16: no word of it is left in a table or in the storage."""
    entry = attach(tree, "/notes/plan.pdf", pdf()).entry
    work()
    record(tree.by, "e", lambda write: erasing.erase(write, "file", entry.pk, name="/notes/plan.pdf"), "Asked for.")
    assert [one for one in storage.rglob("*") if one.is_file()] == []
    assert Extract.objects.get().text == ""
    assert Body.objects.get().digest == ""
    assert [one.what for report in integrity.examine(tree.by.workspace) for one in report.findings] == []
