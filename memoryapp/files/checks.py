"""What must hold of stored files, checked by `manage.py integrity`."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Exists, F, OuterRef

from memoryapp.access.paths import parent
from memoryapp.files import rebuilding
from memoryapp.files.models import Body, Entry, Form, Kind, Link, State, Version
from memoryapp.files.services.storing import links_of
from memoryapp.ledger import integrity, storing
from memoryapp.ledger.integrity import Check, Finding, about
from memoryapp.ledger.models import Workspace


def register() -> None:
    """Let `manage.py integrity` run these."""
    integrity.register(Check("files", "Files are as their latest version says, in directories that are there", _heads))
    integrity.register(Check("file versions", "Every version has all that belongs to it", _whole))
    integrity.register(Check("file bytes", "The bytes of every attachment are those that were kept", _bytes))
    integrity.register(
        Check("file links", "Links are as the texts say", _links, lambda w: rebuilding.links(w.workspace))
    )


def _bytes(workspace: Workspace) -> Iterator[Finding]:
    kept = Body.objects.filter(workspace=workspace, form=Form.ATTACHMENT).exclude(digest="")
    for body in kept.order_by("pk").iterator():
        there = storing.digest_of(body.stored)
        if there is None:
            yield about(body, "Its bytes are not in the file storage.")
        elif there != body.digest:
            yield about(body, "Its bytes are not those that were kept.")


def _heads(workspace: Workspace) -> Iterator[Finding]:
    says = Version.objects.filter(
        entry=OuterRef("pk"), sequence=OuterRef("lock"), path=OuterRef("path"), state=OuterRef("state")
    )
    entries = Entry.objects.filter(workspace=workspace).order_by("pk")
    for entry in entries.exclude(Exists(says)):
        yield about(entry, "It is not as its latest version says.")
    for entry in entries.annotate(count=Count("versions")).exclude(count=F("lock")):
        yield about(entry, "A version is missing, or there is one too many.")
    current = entries.filter(state=State.CURRENT)
    directories = current.filter(kind=Kind.DIRECTORY, path=OuterRef("directory"))
    for entry in current.exclude(directory="/").exclude(Exists(directories)):
        yield about(entry, "It is in no directory.")
    for entry in current.iterator():
        if entry.directory != parent(entry.path):
            yield about(entry, "It is not in the directory that its path names.")


def _whole(workspace: Workspace) -> Iterator[Finding]:
    versions = Version.objects.filter(workspace=workspace).order_by("pk")
    for version in versions.annotate(count=Count("sources")).exclude(count=F("source_count")):
        yield about(version, "It has not all the sources it was made from.")
    for silent in versions.filter(entry__kind=Kind.FILE, body__isnull=True):
        yield about(silent, "It says nothing.")


def _links(workspace: Workspace) -> Iterator[Finding]:
    latest = Version.objects.filter(workspace=workspace, sequence=F("entry__lock")).select_related("entry", "body")
    for version in latest.order_by("pk").iterator():
        wanted = {(one.target_type, one.target, one.written) for one in links_of(version)}
        kept = Link.objects.filter(entry=version.entry_id).values_list("target_type", "target", "written")
        if set(kept) != wanted:
            yield about(version.entry, "It leads elsewhere than its text says.")
