"""Typed n-ary relations among beliefs, nodes, sources and relations.

A relation is inserted `assembling`, its players are added, and it is activated in the same transaction. The database
refuses an activation whose roles do not have the declared number of players, and a player once it is activated.
"""

from django.db import models
from django.db.models import F, Q

from memoryapp.graph.models.beliefs import Belief
from memoryapp.graph.models.nodes import Node
from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import WorkspaceRow, Write
from memoryapp.sources.models import Source


class Relation(WorkspaceRow):
    """One relation of a declared kind. Evidence (`sourcing`) and ownership are relations like any other."""

    class State(models.TextChoices):
        ASSEMBLING = "assembling"
        ACTIVATED = "activated"
        RETRACTED = "retracted"

    kind = models.CharField(max_length=100)
    attributes = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASSEMBLING)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_to = models.DateTimeField(null=True, blank=True)
    lock = models.PositiveIntegerField(default=1)
    ontology_version = models.PositiveIntegerField()
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="relations")
    recorded_at = models.DateTimeField()

    guard = Guard(
        mutable=("state", "valid_to", "lock"),
        erasable=("attributes",),
        typed=("kind", "attributes"),
        born={"state": "assembling"},
    )

    class Meta:
        indexes = [models.Index(fields=["workspace", "kind", "state"], name="relation_kind")]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["assembling", "activated", "retracted"]), name="relation_state"
            ),
            models.CheckConstraint(
                condition=Q(valid_from__isnull=True) | Q(valid_to__isnull=True) | Q(valid_to__gte=F("valid_from")),
                name="relation_valid_order",
            ),
        ]

    def __str__(self) -> str:
        return self.kind


class RelationPlayer(WorkspaceRow):
    """One player in a role: exactly one of belief, node, source or relation; a source may be quoted.

    Each index holds the players of one sort alone: a row is entered into few of them, and an engine that goes by how
    often a value occurs is not misled by all the rows that have none.
    """

    relation = models.ForeignKey(Relation, on_delete=models.PROTECT, related_name="players")
    kind = models.CharField(max_length=100, help_text="The relation's kind, kept here for look-ups by role.")
    role = models.CharField(max_length=100)
    position = models.PositiveSmallIntegerField(default=0)
    belief = models.ForeignKey(
        Belief, on_delete=models.PROTECT, null=True, blank=True, related_name="plays", db_index=False
    )
    node = models.ForeignKey(
        Node, on_delete=models.PROTECT, null=True, blank=True, related_name="plays", db_index=False
    )
    source = models.ForeignKey(
        Source, on_delete=models.PROTECT, null=True, blank=True, related_name="plays", db_index=False
    )
    played_by = models.ForeignKey(
        Relation,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="plays",
        verbose_name="relation as player",
        db_index=False,
    )
    quote = models.TextField(blank=True)
    span_start = models.PositiveIntegerField(null=True, blank=True)
    span_end = models.PositiveIntegerField(null=True, blank=True)

    guard = Guard(mutable=("node",), erasable=("quote",), typed=("kind", "role"))

    class Meta:
        indexes = [
            models.Index(fields=["belief", "kind", "role"], name="player_belief", condition=Q(belief__isnull=False)),
            models.Index(fields=["node", "kind", "role"], name="player_node", condition=Q(node__isnull=False)),
            models.Index(fields=["source", "kind", "role"], name="player_source", condition=Q(source__isnull=False)),
            models.Index(
                fields=["played_by", "kind", "role"], name="player_relation", condition=Q(played_by__isnull=False)
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(belief__isnull=False, node__isnull=True, source__isnull=True, played_by__isnull=True)
                | Q(belief__isnull=True, node__isnull=False, source__isnull=True, played_by__isnull=True)
                | Q(belief__isnull=True, node__isnull=True, source__isnull=False, played_by__isnull=True)
                | Q(belief__isnull=True, node__isnull=True, source__isnull=True, played_by__isnull=False),
                name="player_is_one_thing",
            ),
            models.CheckConstraint(
                condition=Q(source__isnull=False) | Q(quote="", span_start__isnull=True, span_end__isnull=True),
                name="player_only_sources_quoted",
            ),
            models.UniqueConstraint(
                fields=["relation", "belief"], name="player_belief_once", condition=Q(belief__isnull=False)
            ),
            models.UniqueConstraint(
                fields=["relation", "node"], name="player_node_once", condition=Q(node__isnull=False)
            ),
            models.UniqueConstraint(
                fields=["relation", "source", "span_start"],
                name="player_source_once",
                condition=Q(source__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["relation", "played_by"], name="player_relation_once", condition=Q(played_by__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}.{self.role}"


class RelationState(WorkspaceRow):
    """What a relation's head was from this write on, and why."""

    relation = models.ForeignKey(Relation, on_delete=models.PROTECT, related_name="states")
    sequence = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=Relation.State.choices)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_to = models.DateTimeField(null=True, blank=True)
    reason = models.TextField()
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="relation_states")
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("reason",))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["relation", "sequence"], name="relation_state_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="relation_state_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.state} #{self.sequence}"
