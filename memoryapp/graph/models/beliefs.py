"""Beliefs: what was said never changes; status, validity, audience and owners do, and every change is kept."""

from __future__ import annotations

import functools
import uuid
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Trim
from django.db.models.lookups import Exact

from memoryapp.doors.moments import Precision
from memoryapp.graph.models.nodes import Node
from memoryapp.graph.models.places import out_of_place
from memoryapp.ledger.among import among
from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import Actor, WorkspaceRow, Write

if TYPE_CHECKING:
    from memoryapp.ledger.principal import Principal


class Status(models.TextChoices):
    """activated: held true. resolving: waits for a verdict. archived: out of default sight. deleted: a tombstone."""

    ACTIVATED = "activated"
    RESOLVING = "resolving"
    ARCHIVED = "archived"
    DELETED = "deleted"


class Standing(models.TextChoices):
    """Whether it ever was right. Only what `holds` or has `ended` is served for a past valid time."""

    HOLDS = "holds"
    ENDED = "ended"
    RETRACTED = "retracted"
    WITHDRAWN = "withdrawn"


class Audience(models.TextChoices):
    """Who may be served it: the whole workspace, the actors that are its owners, or the named readers."""

    WORKSPACE = "workspace"
    OWNERS = "owners"
    NAMED = "named"


PRECISIONS = [(precision.value, precision.value) for precision in Precision]


class BeliefQuerySet(models.QuerySet["Belief"]):
    """Beliefs as somebody may see them."""

    def sighted(self, by: Principal, belief: str = "belief") -> Exists:
        """For rows that refer to a belief: whether it is `visible_to` the principal. Asked row by row: asked for as a
        set, an engine would first go through every belief of the workspace."""
        return Exists(self.visible_to(by).filter(pk=OuterRef(belief)))

    def visible_to(self, by: Principal) -> BeliefQuerySet:
        """Those of the principal's workspace within whose audience it is, but for what was learned from files alone
        that are out of sight. Outside a belief does not exist."""
        mine, named = _audience_of(by.workspace.pk, by.actor.pk)
        found = self.filter(workspace=by.workspace).filter(
            Q(audience=Audience.WORKSPACE) | Q(mine, audience=Audience.OWNERS) | Q(named, audience=Audience.NAMED)
        )
        hidden = out_of_place(by)
        return found.exclude(among("pk", hidden)) if hidden else found

    def hidden_from(self, by: Principal) -> BeliefQuerySet:
        """The others of the workspace."""
        mine, named = _audience_of(by.workspace.pk, by.actor.pk)
        narrow = ~Q(audience=Audience.WORKSPACE)
        narrow &= Q(~mine, audience=Audience.OWNERS) | Q(~named, audience=Audience.NAMED)
        hidden = out_of_place(by)
        return self.filter(narrow | among("pk", hidden) if hidden else narrow, workspace=by.workspace)


@functools.lru_cache(maxsize=1024)
def _audience_of(workspace: uuid.UUID, actor: uuid.UUID) -> tuple[Exists, Exists]:
    """Whether the actor is an owner of a belief, whether it is a named reader: put together once for each actor, as
    every read asks it."""
    from memoryapp.graph.models.nodes import ActorNode
    from memoryapp.graph.models.relations import Relation, RelationPlayer

    mine = RelationPlayer.objects.filter(
        kind="ownership",
        role="owner",
        node__in=ActorNode.objects.filter(workspace=workspace, actor=actor).values("node"),
        relation__state=Relation.State.ACTIVATED,
        relation__players__belief=OuterRef("pk"),
    )
    return Exists(mine), Exists(BeliefReader.objects.filter(belief=OuterRef("pk"), actor=actor))


class Belief(WorkspaceRow):
    """One atomic statement: free, a property of a node, or an edge between two nodes.

    `status`, `standing`, the valid time and `audience` are the head: the latest `BeliefState`, kept here for speed.
    `slot` is what only one current belief may fill (empty when there is none); `statement` is the same for two beliefs
    that say the same thing of the same owners. `lock` counts the states.
    """

    class Shape(models.TextChoices):
        STATEMENT = "statement"
        PROPERTY = "property"
        EDGE = "edge"

    shape = models.CharField(max_length=10, choices=Shape.choices)
    kind = models.CharField(max_length=100)
    content = models.TextField()
    attributes = models.JSONField(default=dict, blank=True)
    subject = models.ForeignKey(Node, on_delete=models.PROTECT, null=True, blank=True, related_name="beliefs_about")
    predicate = models.CharField(max_length=100, blank=True)
    value = models.JSONField(null=True, blank=True)
    value_key = models.BinaryField(default=b"", blank=True, help_text="The value as it is compared; see `graph.typed`.")
    object = models.ForeignKey(Node, on_delete=models.PROTECT, null=True, blank=True, related_name="edges_to")
    qualifiers = models.JSONField(default=dict, blank=True)
    topic = models.CharField(max_length=200, blank=True)
    slot = models.CharField(max_length=64, blank=True)
    statement = models.CharField(max_length=64)
    confidence = models.FloatField(null=True, blank=True)
    status = models.CharField(max_length=10, choices=Status.choices)
    standing = models.CharField(max_length=10, choices=Standing.choices, default=Standing.HOLDS)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_from_precision = models.CharField(max_length=8, choices=PRECISIONS, default=Precision.INSTANT.value)
    valid_to = models.DateTimeField(null=True, blank=True)
    valid_to_precision = models.CharField(max_length=8, choices=PRECISIONS, default=Precision.INSTANT.value)
    audience = models.CharField(max_length=10, choices=Audience.choices, default=Audience.WORKSPACE)
    lock = models.PositiveIntegerField(default=1)
    ontology_version = models.PositiveIntegerField()
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="beliefs")
    recorded_at = models.DateTimeField()

    objects = models.Manager.from_queryset(BeliefQuerySet)()

    guard = Guard(
        mutable=(
            "status",
            "standing",
            "valid_from",
            "valid_from_precision",
            "valid_to",
            "valid_to_precision",
            "audience",
            "lock",
            # Identity digests follow their owners and nodes when nodes are merged.
            "slot",
            "statement",
            "subject",
            "object",
            # Read off the value, and made anew by the integrity check.
            "value_key",
        ),
        erasable=("content", "attributes", "value", "qualifiers", "topic"),
        typed=("kind", "predicate", "attributes", "qualifiers"),
    )

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "slot", "status"], name="belief_slot"),
            models.Index(fields=["workspace", "statement", "status"], name="belief_statement"),
            models.Index(fields=["workspace", "kind", "status"], name="belief_kind"),
            models.Index(fields=["workspace", "-recorded_at"], name="belief_newest"),
            models.Index(fields=["workspace"], name="belief_narrow", condition=~Q(audience="workspace")),
            models.Index(
                fields=["workspace", "predicate", "value_key"], name="belief_value", condition=Q(shape="property")
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["activated", "resolving", "archived", "deleted"]), name="belief_status"
            ),
            models.CheckConstraint(
                condition=Q(standing__in=["holds", "ended", "retracted", "withdrawn"]), name="belief_standing"
            ),
            models.CheckConstraint(
                condition=~Q(status="deleted") & ~Exact(Trim("content"), "") | Q(status="deleted", content=""),
                name="belief_has_content",
            ),
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__gte=0, confidence__lte=100),
                name="belief_confidence",
            ),
            models.CheckConstraint(
                condition=Q(valid_from__isnull=True) | Q(valid_to__isnull=True) | Q(valid_to__gte=F("valid_from")),
                name="belief_valid_order",
            ),
            models.CheckConstraint(
                condition=Q(shape="statement", predicate="", object__isnull=True)
                | Q(shape="property", subject__isnull=False, object__isnull=True) & ~Q(predicate="")
                | Q(shape="edge", subject__isnull=False, object__isnull=False) & ~Q(predicate=""),
                name="belief_shape",
            ),
            models.CheckConstraint(condition=Q(audience__in=["workspace", "owners", "named"]), name="belief_audience"),
        ]

    def __str__(self) -> str:
        return self.content


class BeliefState(WorkspaceRow):
    """What a belief's head was from this write on, and why. The latest one known at a time says what was known then."""

    belief = models.ForeignKey(Belief, on_delete=models.PROTECT, related_name="states")
    sequence = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=Status.choices)
    standing = models.CharField(max_length=10, choices=Standing.choices)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_from_precision = models.CharField(max_length=8, choices=PRECISIONS, default=Precision.INSTANT.value)
    valid_to = models.DateTimeField(null=True, blank=True)
    valid_to_precision = models.CharField(max_length=8, choices=PRECISIONS, default=Precision.INSTANT.value)
    audience = models.CharField(max_length=10, choices=Audience.choices)
    owners = models.JSONField(default=list, help_text="Ids of the owner nodes, sorted.")
    reason = models.TextField(help_text="Why it changed, in one sentence.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="belief_states")
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("reason",))

    class Meta:
        indexes = [
            models.Index(fields=["belief", "recorded_at"], name="belief_state_known"),
            models.Index(fields=["workspace", "-recorded_at"], name="belief_state_newest"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["belief", "sequence"], name="belief_state_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="belief_state_reason"),
            models.CheckConstraint(
                condition=Q(status__in=["activated", "resolving", "archived", "deleted"]), name="belief_state_status"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} #{self.sequence}"


class BeliefReader(WorkspaceRow):
    """An actor named as one who may be served a belief whose audience is `named`."""

    belief = models.ForeignKey(Belief, on_delete=models.PROTECT, related_name="readers")
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")

    guard = Guard(deletable=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["belief", "actor"], name="belief_reader_once")]

    def __str__(self) -> str:
        return f"{self.actor} reads {self.belief_id}"
