"""What must hold of stored entries, checked by `manage.py integrity`."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Exists, F, OuterRef

from memoryapp.context.models import Audience, Entry, EntryLink, EntryRevision, State
from memoryapp.context.services.storing import REPEATED
from memoryapp.ledger import integrity
from memoryapp.ledger.integrity import Check, Finding, about
from memoryapp.ledger.models import Workspace


def register() -> None:
    """Let `manage.py integrity` run these."""
    integrity.register(Check("context entries", "Entries are as their latest revision says", _heads))
    integrity.register(Check("context names", "A title stands once in a section", _names))


def _heads(workspace: Workspace) -> Iterator[Finding]:
    same = {name: OuterRef(name) for name in REPEATED}
    says = EntryRevision.objects.filter(entry=OuterRef("pk"), sequence=OuterRef("lock"), **same)
    entries = Entry.objects.filter(workspace=workspace).order_by("pk")
    for entry in entries.exclude(Exists(says)):
        yield about(entry, "It is not as its latest revision says.")
    for entry in entries.annotate(count=Count("revisions")).exclude(count=F("lock")):
        yield about(entry, "A revision is missing, or there is one too many.")
    revisions = EntryRevision.objects.filter(workspace=workspace).order_by("pk")
    for revision in revisions.annotate(count=Count("links")).exclude(count=F("link_count")):
        yield about(revision, "It has not all its links.")
    for link in EntryLink.objects.filter(workspace=workspace).exclude(revision__entry=F("entry")).order_by("pk"):
        yield about(link, "It belongs to a revision of another entry.")


def _names(workspace: Workspace) -> Iterator[Finding]:
    rows = EntryRevision.objects.filter(
        workspace=workspace, sequence=F("entry__lock"), state=State.SET, audience=Audience.WORKSPACE
    )
    twin = rows.filter(section_key=OuterRef("section_key"), title_key=OuterRef("title_key"), pk__lt=OuterRef("pk"))
    for revision in rows.filter(Exists(twin)).order_by("pk"):
        yield about(revision, "Another entry stands in its section under its title.")
