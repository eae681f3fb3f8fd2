"""Episodes: what happened. Nothing said of one ever changes; an amendment is a revision beside the others.

An instant counts as one microsecond long and a date as long as it lasts, so that every episode has a beginning and a
later end, and two of them overlap exactly when each begins before the other ends. An open side has no bound.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Exists, F, OuterRef, Q

from memoryapp.doors.moments import Precision
from memoryapp.graph.models import ActorNode, Belief, Node
from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import Actor, WorkspaceRow, Write
from memoryapp.sources.models import Source, Thread

if TYPE_CHECKING:
    from memoryapp.ledger.principal import Principal

PRECISIONS = [(precision.value, precision.value) for precision in Precision]

SHORT = dt.timedelta(days=2)
"""An episode that lasts no longer begins near every window that it overlaps."""


class State(models.TextChoices):
    """recorded: it happened. retracted: a tombstone, it never was so. withdrawn: what it stood on was taken back."""

    RECORDED = "recorded"
    RETRACTED = "retracted"
    WITHDRAWN = "withdrawn"


class Audience(models.TextChoices):
    """Who may be served it: the whole workspace, the actors that took part, or the named readers."""

    WORKSPACE = "workspace"
    PARTICIPANTS = "participants"
    NAMED = "named"


class Span(models.TextChoices):
    """Whether it happened at one moment, or lasted from one to another; of an interval either end may be open."""

    MOMENT = "moment"
    INTERVAL = "interval"


class Told(WorkspaceRow):
    """What a revision says and the head repeats: when it happened, who may know, and how it stands.

    `begins_at` and `ends_at` bound it for overlaps, the end excluded; `ordered_at` is where it stands in the timeline.
    `lasting` says that a side is open or that more than `SHORT` lies between them: all others stand near any window
    that they overlap.
    """

    state = models.CharField(max_length=10, choices=State.choices, default=State.RECORDED)
    audience = models.CharField(max_length=12, choices=Audience.choices, default=Audience.WORKSPACE)
    span = models.CharField(max_length=8, choices=Span.choices)
    occurred_from = models.DateTimeField(null=True, blank=True)
    occurred_from_precision = models.CharField(max_length=8, choices=PRECISIONS, default=Precision.INSTANT.value)
    occurred_to = models.DateTimeField(null=True, blank=True)
    occurred_to_precision = models.CharField(max_length=8, choices=PRECISIONS, default=Precision.INSTANT.value)
    zone = models.CharField(max_length=64, default="UTC", help_text="Offset or zone in which the time was said.")
    begins_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    ordered_at = models.DateTimeField()
    lasting = models.BooleanField(default=False)

    class Meta:
        abstract = True

    @property
    def lasts(self) -> bool:
        """What `lasting` has to be."""
        return self.begins_at is None or self.ends_at is None or self.ends_at > self.begins_at + SHORT


TOLD = tuple(column.name for column in Told._meta.local_fields if column.name not in ("id", "workspace"))
"""The columns that the head repeats of its latest revision."""


def _told_constraints(table: str) -> list[models.BaseConstraint]:
    return [
        models.CheckConstraint(
            condition=Q(state__in=["recorded", "retracted", "withdrawn"])
            & Q(audience__in=["workspace", "participants", "named"])
            & Q(span__in=["moment", "interval"]),
            name=f"{table}_words",
        ),
        models.CheckConstraint(
            condition=Q(span="moment", occurred_from__isnull=False, occurred_to__isnull=True)
            | Q(span="interval", occurred_from__isnull=False)
            | Q(span="interval", occurred_to__isnull=False),
            name=f"{table}_happened",
        ),
        models.CheckConstraint(
            condition=Q(begins_at__isnull=True) | Q(ends_at__isnull=True) | Q(ends_at__gt=F("begins_at")),
            name=f"{table}_order",
        ),
        models.CheckConstraint(
            condition=Q(lasting=True) | Q(begins_at__isnull=False, ends_at__isnull=False), name=f"{table}_open_lasts"
        ),
    ]


class EpisodeQuerySet(models.QuerySet["Episode"]):
    """Episodes as somebody may see them."""

    def visible_to(self, by: Principal) -> EpisodeQuerySet:
        """Those of the principal's workspace within whose audience it is. Outside it an episode does not exist."""
        mine = ActorNode.objects.filter(workspace=by.workspace, actor=by.actor)
        took_part = EpisodeParticipant.objects.filter(
            Q(node__in=mine.values("node")) | Q(node__folded_into__in=mine.values("node")),
            episode=OuterRef("pk"),
            revision__sequence=OuterRef("lock"),
        )
        named = EpisodeReader.objects.filter(episode=OuterRef("pk"), actor=by.actor)
        return self.filter(workspace=by.workspace).filter(
            Q(audience=Audience.WORKSPACE)
            | Q(Exists(took_part), audience=Audience.PARTICIPANTS)
            | Q(Exists(named), audience=Audience.NAMED)
        )


class Episode(Told):
    """Something that happened. What is said of it is in its revisions; the head repeats when it was, for speed.

    `external_id` is what its own platform calls it: told again, it is the same one. `thread` is the conversation that
    an episode is of, whose turns it never copies.
    """

    kind = models.CharField(max_length=100)
    thread = models.ForeignKey(Thread, on_delete=models.PROTECT, null=True, blank=True, related_name="episodes")
    external_id = models.CharField(max_length=200, blank=True)
    digest = models.CharField(max_length=64, blank=True, help_text="SHA-256 of what was first told under that id.")
    lock = models.PositiveIntegerField(default=1, help_text="The number of its latest revision.")
    ontology_version = models.PositiveIntegerField()
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="episodes")
    recorded_at = models.DateTimeField()

    objects = models.Manager.from_queryset(EpisodeQuerySet)()

    guard = Guard(mutable=(*TOLD, "lock"), erasable=("external_id", "digest"), typed=("kind",))

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "-ordered_at", "-id"], name="episode_ordered"),
            models.Index(fields=["workspace", "kind", "-ordered_at"], name="episode_kind"),
            models.Index(fields=["workspace", "-recorded_at"], name="episode_newest"),
            models.Index(fields=["workspace", "-ordered_at"], name="episode_lasting", condition=Q(lasting=True)),
        ]
        constraints = [
            *_told_constraints("episode"),
            models.UniqueConstraint(
                fields=["workspace", "external_id"], condition=~Q(external_id=""), name="episode_external_once"
            ),
            models.UniqueConstraint(fields=["thread"], condition=Q(thread__isnull=False), name="episode_thread_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.ordered_at:%Y-%m-%d %H:%M}"


class EpisodeRevision(Told):
    """What was said of an episode from this write on. The latest one known at a time says what was known then.

    `participant_count` and `source_count` are the rows that belong to it: the database refuses one more.
    """

    episode = models.ForeignKey(Episode, on_delete=models.PROTECT, related_name="revisions")
    sequence = models.PositiveIntegerField()
    content = models.TextField(blank=True)
    properties = models.JSONField(default=dict, blank=True)
    reason = models.TextField(blank=True, help_text="Why it was amended, in one sentence.")
    participant_count = models.PositiveIntegerField(default=0)
    source_count = models.PositiveIntegerField(default=0)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="episode_revisions")
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("content", "properties", "reason"), typed=("properties",))

    class Meta:
        indexes = [models.Index(fields=["episode", "recorded_at"], name="episode_revision_known")]
        constraints = [
            *_told_constraints("episode_revision"),
            models.UniqueConstraint(fields=["episode", "sequence"], name="episode_revision_once"),
        ]

    def __str__(self) -> str:
        return f"{self.episode_id} #{self.sequence}"


class EpisodeValue(WorkspaceRow):
    """A value of a property by one revision, as it is compared; of a list one row for each. A projection."""

    episode = models.ForeignKey(Episode, on_delete=models.CASCADE, related_name="values")
    revision = models.ForeignKey(EpisodeRevision, on_delete=models.CASCADE, related_name="values")
    name = models.CharField(max_length=100)
    value_key = models.BinaryField(help_text="The value as it is compared; see `graph.typed`.")

    guard = Guard(typed=("name",), deletable=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "name", "value_key"], name="episode_value")]

    def __str__(self) -> str:
        return f"{self.name} of {self.episode_id}"


class EpisodeParticipant(WorkspaceRow):
    """Who takes part, in which role, by one revision. A node folded into another since is read as that other."""

    episode = models.ForeignKey(Episode, on_delete=models.PROTECT, related_name="participants")
    revision = models.ForeignKey(EpisodeRevision, on_delete=models.PROTECT, related_name="participants")
    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="episodes")
    role = models.CharField(max_length=100)
    position = models.PositiveSmallIntegerField(default=0)

    guard = Guard(typed=("role",))

    class Meta:
        indexes = [models.Index(fields=["node", "episode"], name="episode_participant_node")]
        constraints = [
            models.UniqueConstraint(fields=["revision", "node", "role"], name="episode_participant_once"),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.node_id}"


class EpisodeSource(WorkspaceRow):
    """What an episode is known from, by one revision: a source, or words of it."""

    episode = models.ForeignKey(Episode, on_delete=models.PROTECT, related_name="sources")
    revision = models.ForeignKey(EpisodeRevision, on_delete=models.PROTECT, related_name="sources")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="episodes")
    quote = models.TextField(blank=True)
    span_start = models.PositiveIntegerField(null=True, blank=True)
    span_end = models.PositiveIntegerField(null=True, blank=True)

    guard = Guard(erasable=("quote",))

    class Meta:
        indexes = [models.Index(fields=["source", "episode"], name="episode_source_source")]
        constraints = [
            models.UniqueConstraint(fields=["revision", "source", "span_start"], name="episode_source_once"),
        ]

    def __str__(self) -> str:
        return f"{self.episode_id} stands on {self.source_id}"


class EpisodeReader(WorkspaceRow):
    """An actor named as one who may be served an episode whose audience is `named`."""

    episode = models.ForeignKey(Episode, on_delete=models.PROTECT, related_name="readers")
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["episode", "actor"], name="episode_reader_once")]

    def __str__(self) -> str:
        return f"{self.actor} reads {self.episode_id}"


class EpisodeBelief(WorkspaceRow):
    """That a belief was learned from an episode, as somebody said. It gives the belief no support of its own."""

    episode = models.ForeignKey(Episode, on_delete=models.PROTECT, related_name="beliefs")
    belief = models.ForeignKey(Belief, on_delete=models.PROTECT, related_name="episodes")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["episode", "belief"], name="episode_belief_once")]

    def __str__(self) -> str:
        return f"{self.belief_id} learned from {self.episode_id}"
