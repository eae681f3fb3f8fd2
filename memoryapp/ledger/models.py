"""Workspaces and who acts in them; writes; jobs; what was served; erasures."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, ClassVar

from django.db import models
from django.db.models import Q

from memoryapp.ledger.guard import Guard
from memoryapp.ledger.identifiers import new_id

if TYPE_CHECKING:
    from memoryapp.ledger.principal import Principal


class Workspace(models.Model):
    """A tenant. Writes of one workspace happen one after another: each takes the next `write_sequence` and a `clock`
    that never goes back, so that the order of commits, of sequence numbers and of recorded times is one order."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    slug = models.SlugField(unique=True, max_length=63)
    name = models.CharField(max_length=200)
    time_zone = models.CharField(max_length=64, default="UTC")
    settings = models.JSONField(default=dict, blank=True)
    write_sequence = models.BigIntegerField(default=0)
    clock = models.DateTimeField(default=dt.datetime(2000, 1, 1, tzinfo=dt.UTC))
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class WorkspaceRow(models.Model):
    """Base of every table of a memory: a time-ordered id and the workspace it belongs to.

    `guard` declares what the database lets through. Every foreign key from one such row to another is refused by the
    database when their workspaces differ.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, on_delete=models.PROTECT, related_name="+")

    guard: ClassVar[Guard] = Guard()

    class Meta:
        abstract = True


class Actor(WorkspaceRow):
    """A person, agent, job or policy that writes. Outlives the account or key behind it."""

    class Kind(models.TextChoices):
        PERSON = "person"
        AGENT = "agent"
        JOB = "job"
        POLICY = "policy"
        SYSTEM = "system"

    kind = models.CharField(max_length=10, choices=Kind.choices)
    key = models.CharField(max_length=100, help_text="What this actor is known by within its kind.")
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)

    guard = Guard(mutable=("name",))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "kind", "key"], name="actor_key_once"),
            models.CheckConstraint(
                condition=Q(kind__in=["person", "agent", "job", "policy", "system"]), name="actor_kind"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Write(WorkspaceRow):
    """One act that changed something, with its provenance. Everything it made or changed names it."""

    sequence = models.BigIntegerField()
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="writes")
    action = models.CharField(max_length=60)
    channel = models.CharField(max_length=20)
    rationale = models.TextField(blank=True)
    run = models.CharField(max_length=200, blank=True)
    thread = models.CharField(max_length=200, blank=True)
    model = models.CharField(max_length=200, blank=True)
    prompt_version = models.CharField(max_length=100, blank=True)
    trace_id = models.CharField(max_length=64, blank=True, db_index=True)
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("rationale", "run", "thread", "model", "prompt_version", "trace_id"))

    by: Principal
    after: dt.datetime
    """The workspace's clock before it: what was found at that is still so where this write changed nothing of it."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "sequence"], name="write_sequence_once"),
            models.CheckConstraint(condition=~Q(action="") & ~Q(channel=""), name="write_says_what_and_how"),
        ]

    def __str__(self) -> str:
        return f"{self.action} #{self.sequence}"


class IdempotencyKey(WorkspaceRow):
    """The answer given to a request that named this key. The same key with the same body gets the same answer."""

    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    key = models.CharField(max_length=200)
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.JSONField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    guard = Guard(erasable=("body",), deletable=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "actor", "key"], name="idempotency_key_once")]

    def __str__(self) -> str:
        return self.key


class Job(WorkspaceRow):
    """Work for a worker. The row is the truth; a message on the broker only wakes somebody up."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"

    kind = models.CharField(max_length=60)
    subject_id = models.UUIDField(help_text="What the job is about; the kind says in which table.")
    arguments = models.JSONField(default=dict, help_text="Ids and settings only; never what a person said.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    dedupe = models.CharField(max_length=200, blank=True, help_text="At most one open job of a kind for this.")
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    max_attempts = models.PositiveSmallIntegerField(default=5)
    lease_until = models.DateTimeField(null=True, blank=True)
    leased_by = models.CharField(max_length=100, blank=True)
    run_after = models.DateTimeField()
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    outcome = models.JSONField(default=dict, help_text="Counts and ids of what came of it.")
    error = models.TextField(blank=True)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="jobs")

    guard = Guard(
        mutable=(
            "state",
            "done",
            "total",
            "attempts",
            "lease_until",
            "leased_by",
            "run_after",
            "started_at",
            "finished_at",
            "outcome",
            "error",
        ),
    )

    class Meta:
        indexes = [
            models.Index(fields=["state", "run_after"], name="job_due"),
            models.Index(fields=["workspace", "-created_at"], name="job_newest"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "succeeded", "failed", "cancelled"]), name="job_state"
            ),
            models.UniqueConstraint(
                fields=["workspace", "kind", "dedupe"],
                condition=Q(state__in=["queued", "running"]) & ~Q(dedupe=""),
                name="job_open_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"


class JobAttempt(WorkspaceRow):
    """One try at a job: who took it, when, and how it ended."""

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="tries")
    number = models.PositiveSmallIntegerField()
    worker = models.CharField(max_length=100)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    ending = models.CharField(max_length=10, blank=True)
    error = models.TextField(blank=True)

    guard = Guard(mutable=("ended_at", "ending", "error"), erasable=())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["job", "number"], name="job_attempt_number_once")]

    def __str__(self) -> str:
        return f"{self.job_id} try {self.number}"


class Worker(models.Model):
    """A worker or scheduler process that has been seen."""

    name = models.CharField(max_length=100, primary_key=True)
    role = models.CharField(max_length=10)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Served(WorkspaceRow):
    """One answer that carried memory to somebody: the question, the settings, who asked, in which run."""

    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    form = models.CharField(max_length=20, help_text="recall, brief, current, why, context ...")
    channel = models.CharField(max_length=20)
    question = models.TextField(blank=True)
    parameters = models.JSONField(default=dict)
    run = models.CharField(max_length=200, blank=True)
    thread = models.CharField(max_length=200, blank=True)
    served_at = models.DateTimeField()

    guard = Guard(erasable=("question", "parameters", "run", "thread"))

    class Meta:
        indexes = [models.Index(fields=["workspace", "-served_at"], name="served_newest")]

    def __str__(self) -> str:
        return f"{self.form} {self.served_at:%Y-%m-%d %H:%M}"


class ServedItem(WorkspaceRow):
    """One thing within a served answer."""

    served = models.ForeignKey(Served, on_delete=models.PROTECT, related_name="items")
    target_type = models.CharField(max_length=20)
    target_id = models.UUIDField()
    rank = models.PositiveIntegerField()
    score = models.FloatField(null=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "target_id"], name="served_target")]

    def __str__(self) -> str:
        return f"{self.target_type} {self.target_id}"


class Retyping(WorkspaceRow):
    """Stored rows follow a change of the declared types. While one is open, `typed` columns of its workspace may be
    changed. `moves` says which rows became what, `counts` how many of each table."""

    moves = models.JSONField(default=list)
    counts = models.JSONField(default=dict)
    edition = models.PositiveIntegerField(null=True, help_text="The edition of the declared types that it led to.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    guard = Guard(mutable=("closed_at", "counts", "edition"), erasable=("moves",))

    def __str__(self) -> str:
        return f"retyping {self.id}"


class Erasure(WorkspaceRow):
    """The destruction of content on request. While one is open, erasable columns of its workspace may be scrubbed.

    Neither the reason nor the receipt holds anything of what was erased.
    """

    target_type = models.CharField(max_length=20)
    target_id = models.UUIDField()
    reason = models.TextField()
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    receipt = models.JSONField(default=dict)

    guard = Guard(mutable=("closed_at", "receipt"))

    def __str__(self) -> str:
        return f"erasure {self.id}"
