"""What was said or read. One table for every kind of source, so that a turn has one home."""

from __future__ import annotations

import functools
import uuid
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import models
from django.db.models import Q

from memoryapp.access import paths
from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import Actor, WorkspaceRow, Write

if TYPE_CHECKING:
    from memoryapp.ledger.principal import Principal

Row = TypeVar("Row", bound=models.Model)


class ToldQuerySet(models.QuerySet[Row, Row]):
    """Threads or sources as somebody may see them."""

    def visible_to(self, by: Principal) -> ToldQuerySet[Row]:
        """Those of the principal's workspace within whose audience it is, but for what was read from files out of
        sight. Outside what was told does not exist."""
        audience = Q(audience__isnull=True) | Q(audience__in=_read_by(by.actor.pk))
        return self.filter(audience & in_place(by) if self._has_places else audience, workspace=by.workspace)

    def hidden_from(self, by: Principal) -> ToldQuerySet[Row]:
        """The others of the workspace."""
        narrow = self.filter(workspace=by.workspace, audience__isnull=False)
        untold = narrow.exclude(audience__in=_read_by(by.actor.pk))
        if not (self._has_places and in_place(by)):
            return untold
        return untold | self.filter(workspace=by.workspace).exclude(in_place(by))

    @property
    def _has_places(self) -> bool:
        return self.model is Source


def readable_by(by: Principal, path: str) -> Q:
    """For rows that refer to a source by `path` ("source__"): whether the principal may be served it."""
    audience = Q(**{f"{path}audience__isnull": True}) | Q(**{f"{path}audience__in": _read_by(by.actor.pk)})
    return audience & in_place(by, path)


def in_place(by: Principal, path: str = "") -> Q:
    """Of sources: those from no place in the tree of files, or from one that may be read. Empty when all may be."""
    readable = paths.of(by).readable(f"{path}path", ranges=False)
    kinds = [Source.Kind.DOCUMENT, Source.Kind.FILE]
    return ~Q(**{f"{path}kind__in": kinds}) | readable if readable else Q()


@functools.lru_cache(maxsize=1024)
def _read_by(actor: uuid.UUID) -> models.QuerySet[Any, Any]:
    return TellingReader.objects.filter(actor=actor).values("audience")


class TellingAudience(WorkspaceRow):
    """The named readers of something told: of a conversation with all its turns, or of something read or stated.

    Where there is none, the whole workspace may be served it. Who told it is among the readers.
    """

    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"audience {self.pk}"


class TellingReader(WorkspaceRow):
    """Somebody within an audience."""

    audience = models.ForeignKey(TellingAudience, on_delete=models.PROTECT, related_name="readers")
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["audience", "actor"], name="telling_reader_once")]

    def __str__(self) -> str:
        return f"{self.actor} within {self.audience_id}"


class Thread(WorkspaceRow):
    """A conversation. Posting to the same `external_id` again appends what is new."""

    external_id = models.CharField(max_length=200, blank=True)
    title = models.CharField(max_length=300, blank=True)
    time_zone = models.CharField(max_length=64, blank=True)
    audience = models.ForeignKey(TellingAudience, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    objects = models.Manager.from_queryset(ToldQuerySet["Thread"])()

    guard = Guard(erasable=("title", "external_id"))

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "external_id"],
                condition=Q(audience__isnull=True) & ~Q(external_id=""),
                name="thread_external_once",
            )
        ]

    def __str__(self) -> str:
        return self.title or self.external_id or str(self.id)


class Speaker(models.TextChoices):
    """The role in which a turn was said."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Participant(WorkspaceRow):
    """Somebody in a thread: the key that turns name, the role, and the identity keys that say who it is."""

    thread = models.ForeignKey(Thread, on_delete=models.PROTECT, related_name="participants")
    key = models.CharField(max_length=200)
    name = models.CharField(max_length=200, blank=True)
    role = models.CharField(max_length=10, choices=Speaker.choices)
    node_class = models.CharField(max_length=100, default="person")
    identity = models.JSONField(default=dict, help_text="Identity keys of the node class, e.g. an email address.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")

    guard = Guard(erasable=("key", "name", "identity"), typed=("node_class",))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["thread", "key"], name="participant_once"),
            models.CheckConstraint(condition=Q(role__in=Speaker.values), name="participant_role"),
        ]

    def __str__(self) -> str:
        return self.name or self.key


class Source(WorkspaceRow):
    """One thing said or read. The database holds what each kind must and must not have."""

    class Kind(models.TextChoices):
        CHAT_TURN = "chat_turn"
        DOCUMENT = "document"
        FILE = "file"
        WEB = "web"
        SYSTEM = "system"
        STATEMENT = "statement"
        FORM_ANSWER = "form_answer"

    kind = models.CharField(max_length=20, choices=Kind.choices)
    content = models.TextField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of what makes a repeat a repeat.")
    said_at = models.DateTimeField(help_text="When it was said or written.")
    said_zone = models.CharField(max_length=64, help_text="Offset or zone in which it was said, e.g. -05:00.")
    thread = models.ForeignKey(Thread, on_delete=models.PROTECT, null=True, blank=True, related_name="turns")
    position = models.PositiveIntegerField(null=True, blank=True)
    participant = models.ForeignKey(Participant, on_delete=models.PROTECT, null=True, blank=True, related_name="turns")
    speaker = models.CharField(max_length=10, blank=True, choices=Speaker.choices)
    message_id = models.CharField(max_length=200, blank=True)
    external_id = models.CharField(max_length=300, blank=True)
    title = models.CharField(max_length=300, blank=True)
    path = models.CharField(max_length=1000, blank=True)
    url = models.CharField(max_length=2000, blank=True)
    member = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    audience = models.ForeignKey(TellingAudience, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="sources")
    recorded_at = models.DateTimeField()

    objects = models.Manager.from_queryset(ToldQuerySet["Source"])()

    guard = Guard(
        erasable=("content", "digest", "message_id", "external_id", "title", "path", "url"),
    )

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "said_at"], name="source_said"),
            models.Index(fields=["workspace", "digest"], name="source_digest"),
            models.Index(fields=["workspace", "audience"], name="source_narrow", condition=Q(audience__isnull=False)),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["chat_turn", "document", "file", "web", "system", "statement", "form_answer"]),
                name="source_kind_concrete",
            ),
            models.CheckConstraint(
                condition=Q(kind="chat_turn", thread__isnull=False, position__isnull=False, speaker__in=Speaker.values)
                | (~Q(kind="chat_turn") & Q(thread__isnull=True, speaker="", message_id="", participant__isnull=True)),
                name="source_turn_has_speaker",
            ),
            models.CheckConstraint(
                condition=Q(kind="web") & ~Q(url="") | ~Q(kind="web") & Q(url=""), name="source_web_has_url"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["document", "file"]) & ~Q(path="")
                | ~Q(kind__in=["document", "file"]) & Q(path=""),
                name="source_document_has_path",
            ),
            models.CheckConstraint(
                condition=Q(kind="statement", member__isnull=False) | ~Q(kind="statement") & Q(member__isnull=True),
                name="source_statement_has_member",
            ),
            models.UniqueConstraint(fields=["thread", "position"], name="turn_position_once"),
            models.UniqueConstraint(
                fields=["thread", "message_id"], condition=~Q(message_id=""), name="turn_message_once"
            ),
            models.UniqueConstraint(
                fields=["workspace", "kind", "external_id"],
                condition=Q(audience__isnull=True) & ~Q(external_id=""),
                name="source_external_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.said_at:%Y-%m-%d %H:%M}"


class Withdrawal(WorkspaceRow):
    """A source taken back, or a conversation with every turn it had. While it is in force nothing stands on them.

    It is in force until `lifted_by`. One of neither took back what an erasure destroyed, and is never lifted.
    """

    thread = models.ForeignKey(Thread, on_delete=models.PROTECT, null=True, blank=True, related_name="withdrawals")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, null=True, blank=True, related_name="withdrawals")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="withdrawals")
    lifted_by = models.ForeignKey(Write, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    recorded_at = models.DateTimeField()

    guard = Guard(mutable=("lifted_by",))

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(thread__isnull=True) | Q(source__isnull=True), name="withdrawal_of_one_thing"
            )
        ]

    def __str__(self) -> str:
        return f"withdrawal {self.recorded_at:%Y-%m-%d %H:%M}"


class WithdrawnSource(WorkspaceRow):
    """A source that a withdrawal took back."""

    withdrawal = models.ForeignKey(Withdrawal, on_delete=models.PROTECT, related_name="sources")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="taken_back")
    in_force = models.BooleanField(default=True)

    guard = Guard(mutable=("in_force",))

    class Meta:
        indexes = [models.Index(fields=["workspace", "in_force"], name="withdrawn_in_force")]
        constraints = [
            models.UniqueConstraint(fields=["source"], condition=Q(in_force=True), name="withdrawn_once"),
            models.UniqueConstraint(fields=["withdrawal", "source"], name="withdrawn_source_once"),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} taken back"
