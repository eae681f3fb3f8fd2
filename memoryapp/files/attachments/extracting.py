"""The text in an attachment, found by a program of its own that the system ends when it takes too much: for the job
that stores it, and for the proof of an erasure."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from memoryapp.access import paths
from memoryapp.doors.errors import Invalid
from memoryapp.files import feeding
from memoryapp.files.attachments import keeping
from memoryapp.files.lines import split
from memoryapp.files.models import READING, Body, Entry, Extract, Version
from memoryapp.files.pages.presenting import file_url
from memoryapp.ledger import jobs, unpacking
from memoryapp.ledger.jobs import Failed, Subject
from memoryapp.ledger.models import Job, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

KIND = READING
LONGEST_SECONDS = 40
READER = Path(__file__).with_name("reader.py")
WHY = {
    "encrypted": "It is encrypted, so its text cannot be read.",
    "bomb": "It unpacks to more than is read.",
    "broken": "It is broken, or is not what it says it is.",
    "slow": "Reading it took too long.",
    "gone": "Its bytes are not in the storage.",
}


def read(run: jobs.Run) -> Mapping[str, Any] | None:
    """Find the text of the job's body and store it. What cannot be read fails the job, in words."""
    body = Body.objects.filter(workspace=run.job.workspace, pk=run.job.subject_id).first()
    if body is None or Extract.objects.filter(body=body).exists():
        return {"characters": 0}
    try:
        data = keeping.read(body.stored)
    except FileNotFoundError as error:
        raise Failed(WHY["gone"]) from error
    told = _read_apart(body.media_type, data, lambda: run.progress(0, 1))
    if "error" in told:
        raise Failed(WHY.get(told["error"], WHY["broken"]))
    record(run.by, "read_attachment", lambda write: _store(write, run, body, told))
    return None


def text_within(path: Path) -> str | None:
    """The text of a file of one of the sorts that pack it, wherever it lies; None of any other. Raises Closed."""
    with path.open("rb") as file:
        data = file.read(keeping.LARGEST + 1)
    try:
        kind = keeping.what_it_is(data, path.name)
    except Invalid:
        return None
    if kind not in keeping.PACKED:
        return None
    if len(data) > keeping.LARGEST:
        raise unpacking.Closed("It is larger than what is read.")
    told = _read_apart(kind, data, lambda: None)
    if "error" in told:
        raise unpacking.Closed(WHY.get(told["error"], WHY["broken"]))
    if told["cut"]:
        raise unpacking.Closed("It holds more text than is read.")
    return str(told["text"])


def _read_apart(media_type: str, data: bytes, meanwhile: Callable[[], None]) -> dict[str, Any]:
    """`meanwhile` is called every two seconds."""
    program = [sys.executable, "-I", str(READER), media_type]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}
    ) as reader:
        ends = time.monotonic() + LONGEST_SECONDS
        given: bytes | None = data
        while True:
            try:
                out, _ = reader.communicate(given, timeout=2)
                break
            except subprocess.TimeoutExpired:
                given = None
                if time.monotonic() > ends:
                    reader.kill()
                    return {"error": "slow"}
                meanwhile()
            except BaseException:
                reader.kill()
                raise
    if reader.returncode != 0:
        return {"error": "slow" if reader.returncode < 0 else "broken"}
    try:
        told: dict[str, Any] = json.loads(out)
    except ValueError:
        return {"error": "broken"}
    return told


def _store(write: Write, run: jobs.Run, body: Body, told: dict[str, Any]) -> None:
    text = str(told["text"])
    Extract.objects.create(
        workspace=write.workspace,
        body=body,
        text=text,
        lines=len(split(text)),
        cut=bool(told["cut"]),
        write=write,
        recorded_at=write.recorded_at,
    )
    holding = Entry.objects.filter(versions__body=body).distinct().values_list("pk", flat=True)
    feeding.put(write, list(holding))
    run.finish({"characters": len(text), "cut": bool(told["cut"])})


def hidden(by: Principal) -> Sequence[QuerySet[Any, Any]]:
    """The bodies of files out of the reader's sight."""
    if not paths.of(by).readable():
        return ()
    read = Job.objects.filter(workspace=by.workspace, kind=READING).values("subject_id")
    seen = Entry.objects.readable_to(by).filter(pk=OuterRef("entry"))
    return [Version.objects.filter(~Exists(seen), body__in=read).values("body")]


def subjects(by: Principal, of: list[Job]) -> dict[uuid.UUID, Subject]:
    """What each job is about, where the reader may see it."""
    seen = Entry.objects.readable_to(by).filter(versions__body__in=[job.subject_id for job in of])
    known = dict(seen.values_list("versions__body", "path"))
    return {
        job.pk: Subject(known[job.subject_id], file_url(by, known[job.subject_id]))
        for job in of
        if job.subject_id in known
    }
