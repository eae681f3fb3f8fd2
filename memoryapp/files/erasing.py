"""What is erased of the files room: files that were made from the sources that go, and what leads to what goes.

A file's rows stay as a tombstone without words: ids, times and the order of versions. Its bytes go from the storage.
What else names an erased person is blotted out where it stands, but for the bytes of others' attachments: who erases is
told of these, and may erase them by themselves.
"""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef

from memoryapp.files import feeding
from memoryapp.files.attachments import keeping
from memoryapp.files.models import Body, Entry, Extract, Form, Link, State, Version, VersionSource
from memoryapp.files.queries import entry_by_id, latest_of
from memoryapp.files.queries.tree import ERASED as GONE
from memoryapp.files.services.storing import HEAD, Next, lead, put_down
from memoryapp.ledger import erasing
from memoryapp.ledger.blotting import Blotter
from memoryapp.ledger.erasing import Changed, Eraser, Marked
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import Source

ERASED = "Erased."
SHOWN = 200


def register() -> None:
    """Take part in erasures."""
    says = ((Body, "text"), (Extract, "text"), (Version, "summary"))
    blanks: dict[Any, Any] = {(Version, "path"): lambda row: nowhere(row.entry_id)}
    erasing.register_target("file", _begin)
    erasing.register(
        "files", Eraser(_mark, _prepare, _finish, says=says, blanks=blanks, examples=_examples, stays=_stays)
    )


def _begin(by: Principal, entry_id: uuid.UUID, marked: Marked) -> None:
    entry = entry_by_id(by, entry_id)
    marked.name = entry.path
    marked.add(Entry, [entry.pk])
    told = VersionSource.objects.filter(version__entry=entry, told=True)
    marked.add(Source, told.values_list("source", flat=True))


def nowhere(entry_id: object) -> str:
    """The path of a file whose path is erased."""
    return f"{GONE}/{entry_id}"


def _mark(marked: Marked) -> None:
    if sources := marked.of(Source):
        made = VersionSource.objects.filter(version__entry=OuterRef("pk"))
        only = Entry.objects.filter(Exists(made.filter(source__in=sources)), workspace=marked.workspace)
        only = only.exclude(Exists(made.exclude(source__in=sources)))
        marked.add(Entry, only.values_list("pk", flat=True))
    gone = marked.of(Entry)
    versions = Version.objects.filter(entry__in=gone)
    marked.add(Version, versions.values_list("pk", flat=True))
    marked.add(Body, versions.values_list("body", flat=True))
    marked.add(Extract, Extract.objects.filter(body__in=marked.of(Body)).values_list("pk", flat=True))
    marked.add(Link, Link.objects.filter(entry__in=gone).values_list("pk", flat=True))
    marked.add(Write, versions.values_list("write", flat=True))


def _prepare(write: Write, marked: Marked) -> None:
    """Leave a tombstone of each, and nothing of it in the index."""
    entries = list(Entry.objects.filter(pk__in=marked.of(Entry)).order_by("pk"))
    latest = latest_of([one.pk for one in entries])
    standing = [one for one in entries if one.state != State.REMOVED]
    put_down(write, [Next(one, "remove", latest[one.pk], state=State.REMOVED, reason=ERASED) for one in standing])
    marked.add(Version, Version.objects.filter(entry__in=marked.of(Entry)).values_list("pk", flat=True))
    Link.objects.filter(pk__in=marked.of(Link)).delete()


def _finish(write: Write, marked: Marked, blotted: Changed) -> None:
    """Heads say what their versions say now; what was blotted in other files is found, and leads, as it stands now."""
    for stored in Body.objects.filter(pk__in=marked.of(Body)).exclude(stored="").values_list("stored", flat=True):
        transaction.on_commit(partial(keeping.let_go, stored), robust=True)
    entries = list(Entry.objects.filter(pk__in=marked.of(Entry)))
    for one in entries:
        one.path = nowhere(one.pk)
        one.directory, one.size = GONE, 0
    Entry.objects.bulk_update(entries, HEAD, batch_size=200)
    changed = Version.objects.filter(pk__in=blotted.get(Version, ()))
    bodies = Version.objects.filter(body__in=blotted.get(Body, ()))
    extracts = Version.objects.filter(body__extract__in=blotted.get(Extract, ()))
    touched = {one for rows in (changed, bodies, extracts) for one in rows.values_list("entry", flat=True)}
    lead(write, latest_of(sorted(touched)).values())
    feeding.put(write, sorted(touched - marked.of(Entry)))


def _examples(marked: Marked) -> list[str]:
    found = Body.objects.filter(pk__in=marked.of(Body)).exclude(text="").order_by("pk")
    return [text[:SHOWN] for text in found.values_list("text", flat=True)[: erasing.EXAMPLES]]


def _stays(by: Principal, marked: Marked) -> list[str]:
    """Attachments of others that name what goes: what was read of them is blotted, their bytes are not."""
    blotter, holding = Blotter(marked.words), []
    others = Body.objects.filter(workspace=marked.workspace, form=Form.ATTACHMENT).exclude(digest="")
    texts = others.exclude(pk__in=marked.of(Body)).filter(extract__isnull=False).values_list("pk", "extract__text")
    for body, text in texts.iterator(chunk_size=100):
        if blotter.places(text):
            holding.append(body)
    seen = Entry.objects.readable_to(by).filter(versions__body__in=holding).distinct()
    return [f"{path} (file {pk})" for pk, path in seen.order_by("path").values_list("pk", "path")]
