"""Editions of the declared types, and the rows by which the database knows them."""

from django.db import models
from django.db.models import Q

from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import WorkspaceRow, Write


class OntologyVersion(WorkspaceRow):
    """One immutable edition of a workspace's declared types. The highest number is in force."""

    number = models.PositiveIntegerField()
    document = models.JSONField(help_text="The whole ontology as one document.")
    digest = models.CharField(max_length=64)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "number"], name="ontology_number_once")]

    def __str__(self) -> str:
        return f"ontology {self.number}"


class DeclaredType(WorkspaceRow):
    """A declared type as the database sees it: what may be instantiated, and under which root."""

    class Family(models.TextChoices):
        BELIEF_KIND = "belief_kind"
        NODE_CLASS = "node_class"
        RELATIONSHIP = "relationship"
        RELATION_KIND = "relation_kind"
        EPISODE_KIND = "episode_kind"

    family = models.CharField(max_length=20, choices=Family.choices)
    name = models.CharField(max_length=100)
    parent = models.CharField(max_length=100, blank=True)
    lineage = models.TextField(help_text="The type and everything above it: /employee/person/thing/.")
    abstract = models.BooleanField(default=False)
    retired = models.BooleanField(default=False)
    since = models.PositiveIntegerField(help_text="The ontology version that declared it.")

    guard = Guard(mutable=("parent", "lineage", "abstract", "retired"))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "family", "name"], name="declared_once")]

    def __str__(self) -> str:
        return f"{self.family} {self.name}"


class DeclaredRole(WorkspaceRow):
    """How many players a relation kind's role takes."""

    relation_kind = models.CharField(max_length=100)
    role = models.CharField(max_length=100)
    minimum = models.PositiveSmallIntegerField()
    maximum = models.PositiveSmallIntegerField(null=True, blank=True)

    guard = Guard(mutable=("minimum", "maximum"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "relation_kind", "role"], name="declared_role_once"),
            models.CheckConstraint(
                condition=Q(maximum__isnull=True) | Q(maximum__gte=models.F("minimum")), name="declared_role_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.relation_kind}.{self.role}"


class DeclaredKey(WorkspaceRow):
    """A set of properties that identifies nodes of a class and of everything below it."""

    owner_class = models.CharField(max_length=100)
    key_set = models.CharField(max_length=200, help_text="Names of the properties, sorted, joined by +.")
    retired = models.BooleanField(default=False)

    guard = Guard(mutable=("retired",))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "owner_class", "key_set"], name="declared_key_once")
        ]

    def __str__(self) -> str:
        return f"{self.owner_class} by {self.key_set}"
