"""Standing entries: what the user wants kept in mind, in their words. Each change is a revision beside the others.

An entry stands in a section under a title. Sections have an order, and entries one within their section.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Exists, OuterRef, Q

from memoryapp.doors.moments import Precision
from memoryapp.graph.models import Belief, Node
from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import Actor, WorkspaceRow, Write
from memoryapp.sources.models import Source

if TYPE_CHECKING:
    from memoryapp.ledger.principal import Principal

PRECISIONS = [(precision.value, precision.value) for precision in Precision]


class State(models.TextChoices):
    """set: it stands. unset: a tombstone. withdrawn: what it was linked to was taken back."""

    SET = "set"
    UNSET = "unset"
    WITHDRAWN = "withdrawn"


class Audience(models.TextChoices):
    """Whose context it is part of: the whole workspace's, or that of the named readers."""

    WORKSPACE = "workspace"
    NAMED = "named"


def _words(table: str) -> models.CheckConstraint:
    return models.CheckConstraint(
        condition=Q(state__in=["set", "unset", "withdrawn"]) & Q(audience__in=["workspace", "named"]),
        name=f"{table}_words",
    )


class EntryQuerySet(models.QuerySet["Entry"]):
    """Entries as somebody may see them."""

    def visible_to(self, by: Principal) -> EntryQuerySet:
        """Those of the principal's workspace within whose audience it is. Outside it an entry does not exist."""
        named = EntryReader.objects.filter(entry=OuterRef("pk"), actor=by.actor)
        return self.filter(workspace=by.workspace).filter(
            Q(audience=Audience.WORKSPACE) | Q(Exists(named), audience=Audience.NAMED)
        )


class Entry(WorkspaceRow):
    """A standing entry. What it says is in its latest revision, whose number is its lock."""

    state = models.CharField(max_length=10, choices=State.choices, default=State.SET)
    audience = models.CharField(max_length=10, choices=Audience.choices, default=Audience.WORKSPACE)
    lock = models.PositiveIntegerField(default=1, help_text="The number of its latest revision.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="context_entries")
    recorded_at = models.DateTimeField()

    objects = models.Manager.from_queryset(EntryQuerySet)()

    guard = Guard(mutable=("state", "audience", "lock"))

    class Meta:
        verbose_name_plural = "entries"
        indexes = [models.Index(fields=["workspace", "state"], name="context_entry_state")]
        constraints = [_words("context_entry")]

    def __str__(self) -> str:
        return f"entry {self.pk}"


class RevisionQuerySet(models.QuerySet["EntryRevision"]):
    """Revisions as somebody may see them."""

    def visible_to(self, by: Principal) -> RevisionQuerySet:
        """Those of entries in the principal's sight."""
        named = EntryReader.objects.filter(entry=OuterRef("entry"), actor=by.actor)
        return self.filter(workspace=by.workspace).filter(
            Q(entry__audience=Audience.WORKSPACE) | Q(Exists(named), entry__audience=Audience.NAMED)
        )


class EntryRevision(WorkspaceRow):
    """What an entry says from this write on. The latest known at a time is what it said then.

    `section_key` and `title_key` are section and title as they are compared. `ends_at` is the instant from which it has
    expired: of a date, when the date is over where the workspace is. `link_count` is how many links belong to it: the
    database refuses one more.
    """

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="revisions")
    sequence = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.SET)
    audience = models.CharField(max_length=10, choices=Audience.choices, default=Audience.WORKSPACE)
    section = models.CharField(max_length=100, blank=True)
    section_key = models.CharField(max_length=300, blank=True)
    section_position = models.PositiveIntegerField(default=0)
    title = models.CharField(max_length=200, blank=True)
    title_key = models.CharField(max_length=600, blank=True)
    content = models.TextField(blank=True)
    position = models.PositiveIntegerField(default=0)
    pinned = models.BooleanField(default=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    expires_precision = models.CharField(max_length=8, choices=PRECISIONS, default=Precision.INSTANT.value)
    expires_zone = models.CharField(max_length=64, default="UTC", help_text="Offset or zone in which it was said.")
    ends_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True, help_text="Why it was changed, in a sentence.")
    link_count = models.PositiveIntegerField(default=0)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="context_revisions")
    recorded_at = models.DateTimeField()

    objects = models.Manager.from_queryset(RevisionQuerySet)()

    guard = Guard(erasable=("section", "section_key", "title", "title_key", "content", "reason"))

    class Meta:
        indexes = [
            models.Index(fields=["entry", "recorded_at"], name="context_revision_known"),
        ]
        constraints = [
            _words("context_revision"),
            models.UniqueConstraint(fields=["entry", "sequence"], name="context_revision_once"),
            models.CheckConstraint(
                condition=Q(expires_at__isnull=True, ends_at__isnull=True)
                | Q(expires_at__isnull=False, ends_at__isnull=False),
                name="context_revision_expiry",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} #{self.sequence}"


class EntryLink(WorkspaceRow):
    """What an entry is about or says again, by one revision: exactly one of node, belief or source.

    An entry linked to beliefs is rendered while all of them are current; one linked to sources stands while one of
    them does.
    """

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="links")
    revision = models.ForeignKey(EntryRevision, on_delete=models.PROTECT, related_name="links")
    position = models.PositiveSmallIntegerField(default=0)
    node = models.ForeignKey(Node, on_delete=models.PROTECT, null=True, blank=True, related_name="context_links")
    belief = models.ForeignKey(Belief, on_delete=models.PROTECT, null=True, blank=True, related_name="context_links")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, null=True, blank=True, related_name="context_links")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["revision", "position"], name="context_link_once"),
            models.CheckConstraint(
                condition=Q(node__isnull=False, belief__isnull=True, source__isnull=True)
                | Q(node__isnull=True, belief__isnull=False, source__isnull=True)
                | Q(node__isnull=True, belief__isnull=True, source__isnull=False),
                name="context_link_one_target",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} to {self.node_id or self.belief_id or self.source_id}"


class EntryReader(WorkspaceRow):
    """An actor named as one whose context an entry of the audience `named` is part of."""

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="readers")
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["entry", "actor"], name="context_reader_once")]

    def __str__(self) -> str:
        return f"{self.actor} reads {self.entry_id}"
