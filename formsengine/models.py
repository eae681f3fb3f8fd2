"""Forms as they are stored: immutable versions, and responses that are logs of commits.

A commit holds what was decided once; what a response adds up to is worked out from its commits and never stored, but
for the few columns by which responses are listed. An answer is a person's words: every column that may hold one is
erasable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Exists, OuterRef, Q

from memoryapp.context.models import Entry
from memoryapp.files.models import Entry as File
from memoryapp.graph.models import Belief, Node
from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import Actor, WorkspaceRow, Write
from memoryapp.review.models import Case
from memoryapp.sources.models import Source
from memoryapp.timeline.models import Episode

if TYPE_CHECKING:
    import uuid
    from collections.abc import Collection

    from memoryapp.ledger.principal import Principal


class VersionState(models.TextChoices):
    """draft: may still be wrong and starts nothing. live: responses start under the latest. withdrawn: none starts."""

    DRAFT = "draft"
    LIVE = "live"
    WITHDRAWN = "withdrawn"


class ResponseState(models.TextChoices):
    """The states of the lifecycle, and `erased`: a stone without words."""

    DRAFT = "draft"
    SUBMITTED = "submitted"
    RETURNED = "returned"
    ACCEPTED = "accepted"
    REOPENED = "reopened"
    VOID = "void"
    ERASED = "erased"


OPEN = (ResponseState.DRAFT, ResponseState.RETURNED, ResponseState.REOPENED)
"""States in which answers come into force."""


class Audience(models.TextChoices):
    """Who may see a response: the whole workspace, or who opened it and the named readers."""

    WORKSPACE = "workspace"
    NAMED = "named"


class Form(WorkspaceRow):
    """A form by its name. Its versions hold what it asks."""

    name = models.CharField(max_length=120)
    lock = models.PositiveIntegerField(default=0, help_text="The number of its latest version.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    guard = Guard(mutable=("lock",))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "name"], name="form_name_once")]

    def __str__(self) -> str:
        return self.name


class FormVersion(WorkspaceRow):
    """One version of a form, which never changes: what it asks, and the report of the sheet it was read from."""

    form = models.ForeignKey(Form, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=VersionState.choices, default=VersionState.DRAFT)
    title = models.CharField(max_length=300, blank=True)
    definition = models.JSONField()
    digest = models.CharField(max_length=64)
    report = models.JSONField(default=dict, blank=True, help_text="What became of the sheet it was imported from.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    guard = Guard(mutable=("state", "published_at", "withdrawn_at"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["form", "number"], name="form_version_once"),
            models.CheckConstraint(condition=Q(state__in=VersionState.values), name="form_version_state"),
        ]

    def __str__(self) -> str:
        return f"{self.title or self.form_id} {self.number}"


class FormDraft(WorkspaceRow):
    """A form as it is being written: what the next version will be. `lock` counts its edits."""

    form = models.OneToOneField(Form, on_delete=models.PROTECT, related_name="draft")
    based_on = models.ForeignKey(FormVersion, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    definition = models.JSONField(help_text="As it stands; it may be wrong until it is published.")
    lock = models.PositiveIntegerField(default=0)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    guard = Guard(mutable=("based_on", "definition", "lock", "changed_at"))

    def __str__(self) -> str:
        return f"draft of {self.form_id}"


class FormEdit(WorkspaceRow):
    """One edit of a draft: what it did, in words and so that it can be taken back. Nothing ever changes it."""

    draft = models.ForeignKey(FormDraft, on_delete=models.PROTECT, related_name="edits")
    number = models.PositiveIntegerField()
    part = models.CharField(max_length=200, help_text="The part of the form that it was about.")
    words = models.CharField(max_length=400)
    changes = models.JSONField(help_text="Each place of the form that it changed, as it was and as it became.")
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["draft", "number"], name="form_edit_once")]

    def __str__(self) -> str:
        return self.words


class ResponseQuerySet(models.QuerySet["FormResponse"]):
    """Responses as somebody may see them."""

    def visible_to(self, by: Principal) -> ResponseQuerySet:
        """Those of the principal's workspace within whose audience it is. Outside it a response does not exist.

        What is about somebody whom only few know is for these few, and for whom it names."""
        named = FormReader.objects.filter(response=OuterRef("pk"), actor=by.actor)
        unknown = Node.objects.hidden_from(by).filter(pk=OuterRef("subject"))
        return self.filter(workspace=by.workspace).filter(
            Q(~Exists(unknown), audience=Audience.WORKSPACE) | Q(opened_by=by.actor) | Q(Exists(named))
        )


class FormResponse(WorkspaceRow):
    """One filling of a form. `lock` is the number of its last commit; the other columns repeat what the log says.

    `digest` names what the log adds up to, so that a log that was tampered with is found out.
    """

    form = models.ForeignKey(Form, on_delete=models.PROTECT, related_name="responses")
    version = models.ForeignKey(FormVersion, on_delete=models.PROTECT, related_name="+")
    started_under = models.ForeignKey(FormVersion, on_delete=models.PROTECT, related_name="+")
    subject = models.ForeignKey(Node, on_delete=models.PROTECT, null=True, blank=True, related_name="form_responses")
    opened_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    assigned_to = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    due_at = models.DateTimeField(null=True, blank=True)
    audience = models.CharField(max_length=10, choices=Audience.choices, default=Audience.WORKSPACE)
    language = models.CharField(max_length=40, blank=True)
    zone = models.CharField(max_length=64, default="UTC")
    launch = models.JSONField(default=dict, blank=True, help_text="What it was opened with, for answers known before.")
    state = models.CharField(max_length=10, choices=ResponseState.choices, default=ResponseState.DRAFT)
    lock = models.PositiveIntegerField(default=0)
    submission = models.PositiveIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True)
    progress = models.JSONField(default=dict, blank=True, help_text="Counts of what is answered, needed and disputed.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="form_responses")
    recorded_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    objects = models.Manager.from_queryset(ResponseQuerySet)()

    guard = Guard(
        mutable=(
            "version",
            "subject",
            "assigned_to",
            "due_at",
            "state",
            "lock",
            "submission",
            "digest",
            "progress",
            "changed_at",
        ),
        erasable=("launch",),
    )

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "-changed_at", "-id"], name="form_response_changed"),
            models.Index(fields=["form", "state", "-changed_at"], name="form_response_state"),
            models.Index(fields=["subject", "form"], name="form_response_subject"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=ResponseState.values) & Q(audience__in=["workspace", "named"]),
                name="form_response_words",
            )
        ]

    def __str__(self) -> str:
        return f"response {self.pk}"


class FormReader(WorkspaceRow):
    """An actor named as one who may see a response whose audience is `named`."""

    response = models.ForeignKey(FormResponse, on_delete=models.PROTECT, related_name="readers")
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["response", "actor"], name="form_reader_once")]

    def __str__(self) -> str:
        return f"{self.actor_id} reads {self.response_id}"


class FormCommit(WorkspaceRow):
    """One atomic step of a response, as it was decided: its events and verdicts. Nothing ever changes it."""

    response = models.ForeignKey(FormResponse, on_delete=models.PROTECT, related_name="commits")
    number = models.PositiveIntegerField()
    body = models.JSONField(help_text="The commit as the engine gives and takes it.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="form_commits")
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("body",))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["response", "number"], name="form_commit_once")]

    def __str__(self) -> str:
        return f"{self.response_id} #{self.number}"


class FormCitation(WorkspaceRow):
    """That an answer of a response rests on words of a source."""

    response = models.ForeignKey(FormResponse, on_delete=models.PROTECT, related_name="citations")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="form_citations")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["response", "source"], name="form_citation_once")]

    def __str__(self) -> str:
        return f"{self.response_id} cites {self.source_id}"


class FormAttachment(WorkspaceRow):
    """A file, photo, recording or signature that answers a field. Its bytes are in the file storage under its own name.

    It stays when the answer is replaced or removed: the log names it, and an undo brings it back.
    """

    response = models.ForeignKey(FormResponse, on_delete=models.PROTECT, related_name="attachments")
    name = models.CharField(max_length=255, blank=True, help_text="What the file was called.")
    stored = models.CharField(max_length=100)
    media_type = models.CharField(max_length=100)
    size = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the bytes.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="form_attachments")
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("name", "digest"))

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(stored=""), name="form_attachment_is_stored")]

    def __str__(self) -> str:
        return f"attachment {self.pk}"


class FormWaiting(WorkspaceRow):
    """A write of a device that came before the one that the device made first: kept until that one arrives.

    `patch` and `writer` are what the engine is given then. Taken or not, it stays as the note that it waited.
    """

    response = models.ForeignKey(FormResponse, on_delete=models.PROTECT, related_name="waiting")
    after = models.CharField(max_length=200, help_text="The key of the write it waits for.")
    key = models.CharField(max_length=200, blank=True)
    patch = models.JSONField()
    writer = models.JSONField()
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()
    taken_at = models.DateTimeField(null=True, blank=True)

    guard = Guard(mutable=("taken_at",), erasable=("patch", "writer", "after", "key"))

    class Meta:
        indexes = [models.Index(fields=["response", "after"], name="form_waiting_for")]

    def __str__(self) -> str:
        return f"{self.response_id} waits"


class FormOutcome(WorkspaceRow):
    """What a submission wrote into memory by one binding for one row: once, and with the way back to the answer.

    `source` is the answer as a source; `case` what waits for a person where memory says otherwise.
    """

    class Act(models.TextChoices):
        CREATE = "create"
        UPDATE = "update"
        CORROBORATE = "corroborate"
        APPEND = "append"
        SUPERSEDE = "supersede"
        RETRACT = "retract"
        REVIEW = "review"

    response = models.ForeignKey(FormResponse, on_delete=models.PROTECT, related_name="outcomes")
    submission = models.PositiveIntegerField()
    binding = models.CharField(max_length=120)
    row = models.CharField(max_length=40, blank=True)
    path = models.CharField(max_length=500, blank=True)
    revision = models.CharField(max_length=40, blank=True)
    act = models.CharField(max_length=12, choices=Act.choices)
    source = models.ForeignKey(Source, on_delete=models.PROTECT, null=True, blank=True, related_name="form_outcomes")
    belief = models.ForeignKey(Belief, on_delete=models.PROTECT, null=True, blank=True, related_name="form_outcomes")
    node = models.ForeignKey(Node, on_delete=models.PROTECT, null=True, blank=True, related_name="form_outcomes")
    episode = models.ForeignKey(Episode, on_delete=models.PROTECT, null=True, blank=True, related_name="form_outcomes")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, null=True, blank=True, related_name="form_outcomes")
    file = models.ForeignKey(File, on_delete=models.PROTECT, null=True, blank=True, related_name="form_outcomes")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="form_outcomes")
    recorded_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["response", "binding", "row"], name="form_outcome_of_binding")]
        constraints = [
            models.UniqueConstraint(fields=["response", "submission", "binding", "row"], name="form_outcome_once"),
            models.CheckConstraint(
                condition=Q(act__in=["create", "update", "corroborate", "append", "supersede", "retract", "review"]),
                name="form_outcome_act",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.act} by {self.binding}"

    @classmethod
    def naming(cls, by: Principal, nodes: Collection[uuid.UUID]) -> int:
        """How many outcomes in sight name one of these nodes."""
        seen = FormResponse.objects.visible_to(by)
        return cls.objects.filter(workspace=by.workspace, node__in=nodes, response__in=seen).count()


class FormNotice(WorkspaceRow):
    """What the outside is told, once for each response, hook and occurrence; its job tries until it is taken."""

    response = models.ForeignKey(FormResponse, on_delete=models.PROTECT, related_name="notices")
    key = models.CharField(max_length=300)
    hook = models.CharField(max_length=120)
    calls = models.CharField(max_length=120)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()
    taken_at = models.DateTimeField(null=True, blank=True)

    guard = Guard(mutable=("taken_at",))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["response", "key"], name="form_notice_once")]

    def __str__(self) -> str:
        return self.key
