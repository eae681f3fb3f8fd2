"""Proposals to change the declared types: what is proposed, what became of it, and what was refused for want of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q

from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import Actor, WorkspaceRow, Write

if TYPE_CHECKING:
    from memoryapp.ledger.principal import Principal


class Status(models.TextChoices):
    """Where a proposal stands. See `services.moving.MAY_BECOME` for what may follow what."""

    PROPOSED = "proposed"
    NEEDS_CHANGES = "needs_changes"
    APPROVED = "approved"
    APPLIED = "applied"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"
    FAILED = "failed"


OPEN = (Status.PROPOSED, Status.NEEDS_CHANGES, Status.APPROVED, Status.FAILED)
"""Those that something may still come of."""


class Severity(models.TextChoices):
    """safe: stored rows stay as they are. changing: some are changed. breaking: some would not fit, or something that
    mentions what changes would no longer work."""

    SAFE = "safe"
    CHANGING = "changing"
    BREAKING = "breaking"


class Origin(models.TextChoices):
    """How it came to be filed."""

    AGENT = "agent"
    REFUSED = "refused"
    PERSON = "person"
    FILE = "file"


STATUS_WORDS = [str(value) for value in Status.values]


class ProposalQuerySet(models.QuerySet["Proposal"]):
    """Proposals as somebody may see them."""

    def visible_to(self, by: Principal) -> ProposalQuerySet:
        """Those of the principal's workspace. The payloads on them have audiences of their own."""
        return self.filter(workspace=by.workspace)


class Proposal(WorkspaceRow):
    """A change set against a named edition. What it says is in its latest revision.

    `gap` is the digest of what was not declared, for those that refusals file: the same gap is one open proposal.
    """

    number = models.PositiveIntegerField(help_text="What people call it, counted within the workspace.")
    kind = models.CharField(max_length=20)
    status = models.CharField(max_length=13, choices=Status.choices, default=Status.PROPOSED)
    severity = models.CharField(max_length=8, choices=Severity.choices, default=Severity.SAFE)
    origin = models.CharField(max_length=7, choices=Origin.choices)
    filer = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="proposals")
    gap = models.CharField(max_length=64, blank=True)
    base_edition = models.PositiveIntegerField(help_text="The edition that it was drawn against.")
    applied_edition = models.PositiveIntegerField(null=True, blank=True, help_text="The edition that it led to.")
    revision = models.PositiveIntegerField(default=1, help_text="The number of its latest revision.")
    occurrences = models.PositiveIntegerField(default=0, help_text="How often it was met.")
    apply_at = models.DateTimeField(null=True, blank=True)
    lock = models.PositiveIntegerField(default=1, help_text="Counted up by every move and revision.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="proposals")
    recorded_at = models.DateTimeField()

    objects = models.Manager.from_queryset(ProposalQuerySet)()

    guard = Guard(
        mutable=(
            "kind",
            "status",
            "severity",
            "base_edition",
            "applied_edition",
            "revision",
            "occurrences",
            "apply_at",
            "lock",
        ),
        erasable=("gap",),
    )

    class Meta:
        indexes = [models.Index(fields=["workspace", "status", "-recorded_at"], name="proposal_status")]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "number"], name="proposal_number_once"),
            models.UniqueConstraint(
                fields=["workspace", "gap"],
                condition=Q(status__in=["proposed", "needs_changes", "approved", "failed"]) & ~Q(gap=""),
                name="proposal_gap_once",
            ),
            models.CheckConstraint(condition=Q(status__in=STATUS_WORDS), name="proposal_status_known"),
            models.CheckConstraint(
                condition=Q(severity__in=["safe", "changing", "breaking"]), name="proposal_severity_known"
            ),
            models.CheckConstraint(
                condition=Q(origin__in=["agent", "refused", "person", "file"]), name="proposal_origin_known"
            ),
            models.CheckConstraint(
                condition=~Q(status="applied") | Q(applied_edition__isnull=False), name="proposal_applied_edition"
            ),
        ]

    def __str__(self) -> str:
        return f"proposal {self.number}"


class ProposalRevision(WorkspaceRow):
    """What a proposal says from this write on: its changes against one edition, why, and what else was thought of."""

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    base_edition = models.PositiveIntegerField()
    changes = models.JSONField()
    rationale = models.TextField(blank=True)
    alternatives = models.JSONField(default=list, blank=True)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="proposal_revisions")
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("changes", "rationale", "alternatives"))

    class Meta:
        constraints = [models.UniqueConstraint(fields=["proposal", "number"], name="proposal_revision_once")]

    def __str__(self) -> str:
        return f"{self.proposal_id} #{self.number}"


class ProposalMove(WorkspaceRow):
    """One step of a proposal from one status to another: who, when and why. `report` counts what applying did."""

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="moves")
    sequence = models.PositiveIntegerField()
    from_status = models.CharField(max_length=13, choices=Status.choices, blank=True)
    to_status = models.CharField(max_length=13, choices=Status.choices)
    reason = models.TextField()
    report = models.JSONField(default=dict, blank=True)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="proposal_moves")
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("reason", "report"))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["proposal", "sequence"], name="proposal_move_once"),
            models.CheckConstraint(condition=Q(to_status__in=STATUS_WORDS), name="proposal_move_to_known"),
            models.CheckConstraint(condition=Q(from_status__in=["", *STATUS_WORDS]), name="proposal_move_from_known"),
            models.CheckConstraint(condition=~Q(reason=""), name="proposal_move_says_why"),
        ]

    def __str__(self) -> str:
        return f"{self.to_status} #{self.sequence}"


class Occurrence(WorkspaceRow):
    """One write that was refused for want of what is proposed, verbatim.

    parked: it is written when the proposal is applied, once. noted: it only counts, or the same was parked already.
    """

    class State(models.TextChoices):
        NOTED = "noted"
        PARKED = "parked"
        REPLAYED = "replayed"
        REFUSED = "refused"
        DROPPED = "dropped"

    proposal = models.ForeignKey(Proposal, on_delete=models.PROTECT, related_name="met")
    sequence = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State.choices)
    action = models.CharField(max_length=60, help_text="What was asked for, as the room names it.")
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    private = models.BooleanField(default=False, help_text="It was meant for less than the whole workspace.")
    payload = models.JSONField(help_text="One row of the request, as it was sent.")
    violations = models.JSONField(default=list, help_text="What was found wrong with it.")
    digest = models.CharField(max_length=64, blank=True)
    edition = models.PositiveIntegerField()
    outcome = models.JSONField(default=dict, blank=True)
    replayed = models.ForeignKey(Write, on_delete=models.PROTECT, null=True, blank=True, related_name="replays")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="occurrences")
    recorded_at = models.DateTimeField()

    guard = Guard(mutable=("state", "outcome", "replayed"), erasable=("payload", "violations", "digest"))

    class Meta:
        indexes = [models.Index(fields=["workspace", "digest", "state"], name="occurrence_digest")]
        constraints = [
            models.UniqueConstraint(fields=["proposal", "sequence"], name="occurrence_once"),
            models.CheckConstraint(
                condition=Q(state__in=["noted", "parked", "replayed", "refused", "dropped"]), name="occurrence_state"
            ),
            models.CheckConstraint(
                condition=~Q(state="replayed") | Q(replayed__isnull=False), name="occurrence_replayed_by"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.state}"
