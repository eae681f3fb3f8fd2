"""Nodes, the keys that identify them, and the names by which they are mentioned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

from memoryapp.graph.models.places import out_of_place
from memoryapp.ledger.among import among
from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import Actor, WorkspaceRow, Write
from memoryapp.sources.models import Participant, Source

if TYPE_CHECKING:
    from memoryapp.ledger.principal import Principal


class NodeQuerySet(models.QuerySet["Node"]):
    """Nodes as somebody may see them."""

    def visible_to(self, by: Principal) -> NodeQuerySet:
        """Those of the principal's workspace, but for whom only few know of: these are seen by whoever may be served
        something said of them. So is a node of which nothing is said but what was learned from files out of sight. What
        is said of a node has audiences of its own."""
        from memoryapp.graph.models.beliefs import Belief

        known = models.Exists(Belief.objects.visible_to(by).filter(subject=models.OuterRef("pk")))
        return self.filter(Q(_known_to_all(by)) | Q(known), workspace=by.workspace)

    def hidden_from(self, by: Principal) -> NodeQuerySet:
        """The others of the workspace."""
        from memoryapp.graph.models.beliefs import Belief

        known = Belief.objects.visible_to(by).filter(subject=models.OuterRef("pk"))
        return self.filter(~models.Exists(known) & ~_known_to_all(by), workspace=by.workspace)


def _known_to_all(by: Principal) -> Q:
    """Of nodes: that everybody who is under the rules of paths of this principal knows of them."""
    from memoryapp.graph.models.beliefs import Belief

    hidden = out_of_place(by)
    if not hidden:
        return Q(known_to_all=True)
    learned = Belief.objects.filter(among("pk", hidden), subject=models.OuterRef("pk"))
    return Q(~models.Exists(learned), known_to_all=True)


class Node(WorkspaceRow):
    """An entity of the typed graph. `properties` is a projection of its current property beliefs."""

    class State(models.TextChoices):
        ACTIVE = "active"
        RETIRED = "retired"
        FOLDED = "folded"

    node_class = models.CharField(max_length=100)
    label = models.CharField(max_length=300, help_text="What it is called: a projection, for reading.")
    bare_label = models.CharField(max_length=300, blank=True, help_text="The label as look-alikes share it; a hint.")
    # Empty is null, so that only names that have one are in the index.
    initials = models.CharField(  # noqa: DJ001
        max_length=300, null=True, blank=True, help_text="The first letters of a label of several words; a hint."
    )
    initialled = models.CharField(  # noqa: DJ001
        max_length=300, null=True, blank=True, help_text="The label with an initial for its first word; a hint."
    )
    properties = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.ACTIVE)
    folded_into = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="folded", db_index=False
    )
    lock = models.PositiveIntegerField(default=1)
    known_to_all = models.BooleanField(
        default=True, help_text="Not while all that is said of it is for few: then it exists for these alone."
    )
    ontology_version = models.PositiveIntegerField()
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="nodes")
    recorded_at = models.DateTimeField()
    projected_at = models.DateTimeField(
        null=True, blank=True, help_text="The instant for which `properties` were last read off the beliefs."
    )

    objects = models.Manager.from_queryset(NodeQuerySet)()

    guard = Guard(
        mutable=(
            "label",
            "bare_label",
            "initials",
            "initialled",
            "properties",
            "state",
            "folded_into",
            "lock",
            "projected_at",
            "known_to_all",
        ),
        typed=("node_class",),
    )

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "node_class", "label"], name="node_class_label"),
            models.Index(fields=["workspace", "bare_label"], name="node_bare_label"),
            models.Index(fields=["workspace", "initials"], name="node_initials", condition=Q(initials__isnull=False)),
            models.Index(
                fields=["workspace", "initialled"], name="node_initialled", condition=Q(initialled__isnull=False)
            ),
            # Of those that were folded alone: an engine that goes by how often a value occurs would not use it else.
            models.Index(fields=["folded_into"], name="node_folded", condition=Q(folded_into__isnull=False)),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="folded", folded_into__isnull=False)
                | Q(state__in=["active", "retired"], folded_into__isnull=True),
                name="node_folded_somewhere",
            ),
        ]

    def __str__(self) -> str:
        return self.label


class NodeState(WorkspaceRow):
    """What became of a node from this write on: folded into another, told apart again, retired, in use again, and why.

    A node without one has been active since it was made. The latest one known at a time says what was known then.
    """

    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="states")
    sequence = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=Node.State.choices)
    folded_into = models.ForeignKey(Node, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    projected_at = models.DateTimeField(
        null=True, blank=True, help_text="For which instant its properties were read before this write."
    )
    reason = models.TextField(help_text="Why, in one sentence.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="node_states")
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("reason",))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["node", "sequence"], name="node_state_once"),
            models.CheckConstraint(condition=~Q(reason=""), name="node_state_reason"),
            models.CheckConstraint(
                condition=Q(state="folded", folded_into__isnull=False)
                | Q(state__in=["active", "retired"], folded_into__isnull=True),
                name="node_state_folded_somewhere",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state} #{self.sequence}"


class NodeMove(WorkspaceRow):
    """That a row which referred to one node refers to another from this write on: by a merge, a split or its undoing.

    `pointer` names the column (see `graph.referring`), `row` the row. Read backwards, the moves say what referred to
    which node at any time, and what taking a merge back has to put back.
    """

    pointer = models.CharField(max_length=60)
    row = models.UUIDField()
    origin = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="moved_away")
    destination = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="moved_here")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="node_moves")
    recorded_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["row", "pointer"], name="node_move_row"),
            models.Index(fields=["origin", "recorded_at"], name="node_move_origin"),
            models.Index(fields=["destination", "recorded_at"], name="node_move_destination"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["write", "pointer", "row"], name="node_move_once"),
            models.CheckConstraint(condition=~Q(origin=models.F("destination")), name="node_move_elsewhere"),
        ]

    def __str__(self) -> str:
        return f"{self.pointer} {self.row}"


class IdentityKey(WorkspaceRow):
    """A normalised value that identifies one node within the class that owns the key and all its subclasses."""

    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="identity_keys")
    owner_class = models.CharField(max_length=100, help_text="The class that declares the key set.")
    key_set = models.CharField(max_length=200, help_text="Names of the properties, sorted, joined by +.")
    value = models.CharField(max_length=500, help_text="Normalised values, joined by U+001F.")
    active = models.BooleanField(default=True, help_text="Not when what it was read from turned out never right.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")

    guard = Guard(mutable=("node", "active"), erasable=("value",))

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "owner_class", "key_set", "value"],
                condition=Q(active=True),
                name="identity_key_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.owner_class} {self.key_set}"


class ParticipantNode(WorkspaceRow):
    """Which node a thread's participant is, by identity keys."""

    participant = models.OneToOneField(Participant, on_delete=models.PROTECT, related_name="bound")
    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="participations")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")

    guard = Guard(mutable=("node",))

    def __str__(self) -> str:
        return f"{self.participant} is {self.node}"


class ActorNode(WorkspaceRow):
    """Which node a member or agent is. What is for its owners only is served to the actors that are its owners."""

    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="is_node")
    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="is_actor")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")

    guard = Guard(mutable=("node",), deletable=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["actor", "node"], name="actor_node_once")]

    def __str__(self) -> str:
        return f"{self.actor} is {self.node}"


class Mention(WorkspaceRow):
    """A name found in a source, of something without an identity key, and the node it was bound to, if any."""

    name = models.CharField(max_length=300)
    normal_name = models.CharField(max_length=300)
    node_class = models.CharField(max_length=100)
    circle = models.ForeignKey(
        Node, on_delete=models.PROTECT, null=True, blank=True, related_name="circle", help_text="In whose words."
    )
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="mentions")
    span_start = models.PositiveIntegerField()
    span_end = models.PositiveIntegerField()
    node = models.ForeignKey(Node, on_delete=models.PROTECT, null=True, blank=True, related_name="mentions")
    dismissed = models.BooleanField(default=False, help_text="A person said that this names nothing.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")

    guard = Guard(mutable=("node", "circle", "dismissed"), erasable=("name", "normal_name"), typed=("node_class",))

    class Meta:
        indexes = [models.Index(fields=["workspace", "normal_name", "node_class"], name="mention_name")]
        constraints = [
            models.CheckConstraint(condition=Q(span_end__gt=models.F("span_start")), name="mention_span"),
            models.UniqueConstraint(fields=["source", "span_start", "span_end", "node_class"], name="mention_once"),
        ]

    def __str__(self) -> str:
        return self.name
