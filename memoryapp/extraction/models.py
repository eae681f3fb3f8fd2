"""Runs of extraction, and the candidates they or agents propose."""

from django.db import models
from django.db.models import Q

from memoryapp.graph.models import Belief
from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import Job, WorkspaceRow, Write
from memoryapp.sources.models import Source, Thread


class ExtractionRun(WorkspaceRow):
    """One reading of sources by one extractor at one version, and what came of it."""

    job = models.ForeignKey(Job, on_delete=models.PROTECT, null=True, blank=True, related_name="extraction_runs")
    thread = models.ForeignKey(Thread, on_delete=models.PROTECT, null=True, blank=True, related_name="extraction_runs")
    extractor = models.CharField(max_length=100)
    version = models.CharField(max_length=50)
    counts = models.JSONField(default=dict)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    guard = Guard(mutable=("counts",))

    def __str__(self) -> str:
        return f"{self.extractor} {self.version}"


class Candidate(WorkspaceRow):
    """What extraction or an agent proposes, with the span it stands on. Not a belief until accepted."""

    class State(models.TextChoices):
        PENDING = "pending"
        ACCEPTED = "accepted"
        MERGED = "merged"
        HELD = "held"
        REJECTED = "rejected"
        PARKED = "parked"

    run = models.ForeignKey(ExtractionRun, on_delete=models.PROTECT, related_name="candidates")
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="candidates")
    span_start = models.PositiveIntegerField()
    span_end = models.PositiveIntegerField()
    quote = models.TextField()
    kind = models.CharField(max_length=100)
    content = models.TextField()
    proposal = models.JSONField(help_text="Owners, subject, predicate, value, object, topic, validity, attributes.")
    confidence = models.FloatField(null=True, blank=True)
    rule = models.CharField(max_length=100, blank=True)
    digest = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    reason = models.CharField(max_length=500, blank=True, help_text="Why it is in this state.")
    belief = models.ForeignKey(Belief, on_delete=models.PROTECT, null=True, blank=True, related_name="candidates")
    lock = models.PositiveIntegerField(default=1)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="candidates")
    recorded_at = models.DateTimeField()

    guard = Guard(
        mutable=("state", "reason", "belief", "lock"),
        erasable=("quote", "content", "proposal", "digest"),
        typed=("kind", "proposal"),
    )

    class Meta:
        indexes = [models.Index(fields=["workspace", "state"], name="candidate_state")]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "source", "digest"], name="candidate_once"),
            models.CheckConstraint(condition=Q(span_end__gt=models.F("span_start")), name="candidate_span"),
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__gte=0, confidence__lte=100),
                name="candidate_confidence",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["pending", "accepted", "merged", "held", "rejected", "parked"]),
                name="candidate_state",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["accepted", "merged"], belief__isnull=False)
                | ~Q(state__in=["accepted", "merged"]) & Q(belief__isnull=True),
                name="candidate_accepted_is_belief",
            ),
        ]

    def __str__(self) -> str:
        return self.content
