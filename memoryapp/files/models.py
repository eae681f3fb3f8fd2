"""Directories and files: a head for each, every version of it, what it holds, and what it leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Exists, F, OuterRef, Q, Value
from django.db.models.functions import Concat

from memoryapp.access import paths
from memoryapp.access.paths import ROOT, above, name_of, territory
from memoryapp.access.paths.normal import LONGEST_PATH
from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import WorkspaceRow, Write
from memoryapp.sources.models import Source

if TYPE_CHECKING:
    from memoryapp.ledger.principal import Principal


READING = "file_text"
"""The kind of the jobs that find the text in a body."""


class Kind(models.TextChoices):
    DIRECTORY = "directory"
    FILE = "file"


class Form(models.TextChoices):
    """What a file holds: plain text, markdown, what stood at a url when it was taken, or bytes with their text."""

    TEXT = "text"
    MARKDOWN = "markdown"
    URL = "url"
    ATTACHMENT = "attachment"


class State(models.TextChoices):
    """current: it is there. removed: a tombstone, which can be restored. withdrawn: what it was made from was taken
    back."""

    CURRENT = "current"
    REMOVED = "removed"
    WITHDRAWN = "withdrawn"


class EntryQuerySet(models.QuerySet["Entry"]):
    """Directories and files as somebody may see them."""

    def visible_to(self, by: Principal) -> EntryQuerySet:
        """Those of the principal's workspace whose path may be read, and the directories on the way to one that may.

        Outside of it there is nothing, whatever its state.
        """
        policy = paths.of(by)
        here = self.filter(workspace=by.workspace)
        readable = policy.readable()
        return here.filter(readable | self._on_the_way(by)) if readable else here

    def readable_to(self, by: Principal) -> EntryQuerySet:
        """Those whose own path may be read."""
        return self.filter(workspace=by.workspace).filter(paths.of(by).readable())

    @staticmethod
    def _on_the_way(by: Principal) -> Q:
        policy = paths.of(by)
        granted = policy.granted()
        somewhere = Q(path__in=sorted({one for glob in granted for one in (*above(glob.head), glob.head)}))
        for glob in granted:
            if not glob.is_literal and glob.head != ROOT:
                somewhere |= territory(glob.head)
        if any(glob.head == ROOT for glob in granted):
            somewhere = Q()
        below = Entry.objects.filter(
            policy.readable(),
            workspace=by.workspace,
            state=State.CURRENT,
            path__gt=Concat(OuterRef("path"), Value("/")),
            path__lt=Concat(OuterRef("path"), Value("0")),
        )
        return somewhere & Q(Exists(below), kind=Kind.DIRECTORY, state=State.CURRENT)


class Entry(WorkspaceRow):
    """A directory or a file. It keeps its id and its history wherever it is moved; the head repeats its last version.

    `path` is in normal form, `directory` the path it is in. A tombstone keeps its path, which may be taken again.
    `size` is in characters of its text, of an attachment in bytes.
    """

    kind = models.CharField(max_length=9, choices=Kind.choices)
    path = models.CharField(max_length=LONGEST_PATH)
    directory = models.CharField(max_length=LONGEST_PATH)
    state = models.CharField(max_length=9, choices=State.choices, default=State.CURRENT)
    form = models.CharField(max_length=10, choices=Form.choices, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    lock = models.PositiveIntegerField(default=1, help_text="The number of its latest version.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="file_entries")
    recorded_at = models.DateTimeField()
    modified_at = models.DateTimeField()

    objects = models.Manager.from_queryset(EntryQuerySet)()

    guard = Guard(mutable=("path", "directory", "state", "form", "size", "lock", "modified_at"))

    class Meta:
        verbose_name_plural = "entries"
        indexes = [
            models.Index(fields=["workspace", "directory", "path", "id"], name="file_in_directory"),
            models.Index(fields=["workspace", "path", "-modified_at"], name="file_path"),
            models.Index(
                fields=["workspace", "directory", "path"],
                condition=Q(kind="directory", state="current"),
                name="file_directories",
            ),
            models.Index(fields=["workspace", "-modified_at"], condition=Q(state="removed"), name="file_removed"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "path"], condition=Q(state="current"), name="file_path_once"),
            models.CheckConstraint(
                condition=Q(kind="directory", form="") | Q(kind="file", form__in=Form.values), name="file_has_form"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["current", "removed", "withdrawn"]) & Q(path__gt="/", path__lt="0"),
                name="file_entry_words",
            ),
        ]

    def __str__(self) -> str:
        return self.path

    @property
    def name(self) -> str:
        return name_of(self.path)

    @property
    def is_directory(self) -> bool:
        return self.kind == Kind.DIRECTORY


class Body(WorkspaceRow):
    """What a file holds, stored once however often it is moved or described anew.

    `text` is what is read and searched; of an attachment it is empty and stands in its `Extract`. `stored` names the
    bytes of an attachment in the file storage, by id alone.
    """

    form = models.CharField(max_length=10, choices=Form.choices)
    text = models.TextField(blank=True)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the text or bytes.")
    url = models.CharField(max_length=2000, blank=True)
    taken_at = models.DateTimeField(null=True, blank=True, help_text="When the text stood at the url.")
    stored = models.CharField(max_length=100, blank=True)
    media_type = models.CharField(max_length=100, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    lines = models.PositiveIntegerField(default=0)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")

    guard = Guard(erasable=("text", "digest", "url"))

    class Meta:
        verbose_name_plural = "bodies"
        constraints = [
            models.CheckConstraint(
                condition=Q(form="url", taken_at__isnull=False) | ~Q(form="url") & Q(taken_at__isnull=True),
                name="file_body_url",
            ),
            models.CheckConstraint(
                condition=Q(form="attachment") & ~Q(stored="") | ~Q(form="attachment") & Q(stored=""),
                name="file_body_stored",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.form}, {self.size}"


class Extract(WorkspaceRow):
    """The text that was found in an attachment, by a job. `cut` when there was more than is kept."""

    body = models.OneToOneField(Body, on_delete=models.PROTECT, related_name="extract")
    text = models.TextField(blank=True)
    lines = models.PositiveIntegerField(default=0)
    cut = models.BooleanField(default=False)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("text",))

    def __str__(self) -> str:
        return f"text of {self.body_id}"


class Version(WorkspaceRow):
    """How a directory or file is from this write on: where, in which state, with what, described how.

    `links` are those put down beside the text, each with its type and target; links within markdown are in the text.
    `source_count` is the number of sources that belong to it: the database refuses one more.
    """

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="versions")
    sequence = models.PositiveIntegerField()
    action = models.CharField(max_length=20, help_text="write, edit, move, remove ...")
    path = models.CharField(max_length=LONGEST_PATH)
    state = models.CharField(max_length=9, choices=State.choices)
    body = models.ForeignKey(Body, on_delete=models.PROTECT, null=True, blank=True, related_name="versions")
    summary = models.TextField(blank=True)
    tags = models.JSONField(default=list, blank=True)
    properties = models.JSONField(default=dict, blank=True)
    links = models.JSONField(default=list, blank=True)
    reason = models.TextField(blank=True)
    source_count = models.PositiveIntegerField(default=0)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="file_versions")
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("path", "summary", "tags", "properties", "links", "reason"))

    class Meta:
        indexes = [
            models.Index(fields=["entry", "recorded_at"], name="file_version_known"),
            models.Index(fields=["workspace", "path"], name="file_version_path"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["entry", "sequence"], name="file_version_once"),
            models.CheckConstraint(
                condition=Q(state__in=["current", "removed", "withdrawn"]), name="file_version_state"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} #{self.sequence}"


class VersionSource(WorkspaceRow):
    """A source that a version of a file was made from, or, `told`, the source that it became to be read itself."""

    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="sources")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="file_versions")
    told = models.BooleanField(default=False)

    class Meta:
        indexes = [models.Index(fields=["source", "version"], name="file_source_source")]
        constraints = [models.UniqueConstraint(fields=["version", "source"], name="file_source_once")]

    def __str__(self) -> str:
        return f"{self.version_id} stands on {self.source_id}"


class Link(WorkspaceRow):
    """Where a current file leads: a projection of its latest version, made anew with every one.

    `target` is a path, or the id of a node, belief, episode or source. `written`: it stands within the text.
    """

    class To(models.TextChoices):
        FILE = "file"
        NODE = "node"
        BELIEF = "belief"
        EPISODE = "episode"
        SOURCE = "source"

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="links")
    target_type = models.CharField(max_length=7, choices=To.choices)
    target = models.CharField(max_length=LONGEST_PATH)
    written = models.BooleanField(default=False)

    guard = Guard(erasable=("target",), deletable=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "target"], name="file_link_target")]
        constraints = [
            models.UniqueConstraint(fields=["entry", "target_type", "target", "written"], name="file_link_once")
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} to {self.target_type} {self.target}"


def latest() -> Q:
    """Of versions: the last one of each entry."""
    return Q(sequence=F("entry__lock"))
