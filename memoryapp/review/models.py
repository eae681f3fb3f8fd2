"""Cases that wait for a person, and the decisions on them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from django.db import models
from django.db.models import Q

from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import Actor, WorkspaceRow, Write
from memoryapp.ledger.principal import Principal
from memoryapp.review import sight

Found = TypeVar("Found")


class CaseQuerySet(models.QuerySet["Case"]):
    """Cases, and of those the ones somebody may know of."""

    def visible_to(self, by: Principal) -> CaseQuerySet:
        """Cases of the caller's workspace that are about nothing out of the caller's sight."""
        seen = self.filter(workspace=by.workspace)
        for hidden in sight.out_of_sight(by):
            seen = seen.exclude(pk__in=hidden)
        return seen


class Case(WorkspaceRow):
    """One thing waiting for a person.

    `kind` is registered by the room that puts it; `key` names what the case is about within its kind, so that the same
    thing is never open twice. `lock` is the number that a decision must name; every `CaseChange` counts it up.
    """

    class State(models.TextChoices):
        OPEN = "open"
        DECIDED = "decided"
        VOID = "void"

    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    reason = models.CharField(max_length=500, help_text="Why it opened, in one sentence without anybody's words.")
    priority = models.PositiveSmallIntegerField(default=50)
    reach = models.PositiveIntegerField(default=0, help_text="How much rests on it or was served from it.")
    due = models.DateTimeField(null=True, blank=True)
    snoozed_until = models.DateTimeField(null=True, blank=True)
    claimed_by = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    claimed_until = models.DateTimeField(null=True, blank=True)
    assignee = models.ForeignKey(
        Actor, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="Whose it is to decide."
    )
    remarks_count = models.PositiveIntegerField(default=0)
    lock = models.PositiveIntegerField(default=1)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="cases")
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = CaseQuerySet.as_manager()

    guard = Guard(
        erasable=("key", "reason"),
        mutable=(
            "state",
            "priority",
            "reach",
            "due",
            "snoozed_until",
            "claimed_by",
            "claimed_until",
            "assignee",
            "remarks_count",
            "lock",
            "closed_at",
        ),
    )

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "state", "-priority", "opened_at", "id"], name="case_queue"),
            models.Index(fields=["workspace", "kind", "key"], name="case_key"),
            models.Index(fields=["workspace", "state", "kind", "-priority", "opened_at", "id"], name="case_kind"),
            models.Index(fields=["workspace", "state", "opened_at", "id"], name="case_age"),
            models.Index(fields=["workspace", "state", "-reach", "opened_at", "id"], name="case_reach"),
            models.Index(fields=["workspace", "-opened_at"], name="case_newest"),
            models.Index(
                fields=["workspace", "claimed_by", "claimed_until"],
                condition=Q(claimed_by__isnull=False),
                name="case_claimed",
            ),
            models.Index(
                fields=["workspace", "assignee", "state"],
                condition=Q(assignee__isnull=False),
                name="case_assigned",
            ),
            models.Index(
                fields=["workspace", "snoozed_until"],
                condition=Q(state="open", snoozed_until__isnull=False),
                name="case_snoozed",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "kind", "key"], condition=Q(state="open"), name="case_open_once"
            ),
            models.CheckConstraint(condition=Q(state__in=["open", "decided", "void"]), name="case_state"),
        ]

    def once(self, find: Callable[[Case], Found]) -> Found:
        """What `find` finds for this case, which whoever shows it asks for several times: found once for the row in
        memory. `find` is always the same function."""
        if find not in self._found:
            self._found[find] = find(self)
        found: Found = self._found[find]
        return found

    @cached_property
    def _found(self) -> dict[Callable[[Case], Any], Any]:
        return {}

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"


class CaseSubject(WorkspaceRow):
    """What a case is about: a belief, candidate, node, relation or source, in a role the case kind names."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="subjects")
    role = models.CharField(max_length=30)
    subject_type = models.CharField(max_length=20)
    subject_id = models.UUIDField()

    class Meta:
        indexes = [models.Index(fields=["workspace", "subject_id"], name="case_subject")]
        constraints = [models.UniqueConstraint(fields=["case", "role", "subject_id"], name="case_subject_once")]

    def __str__(self) -> str:
        return f"{self.role} {self.subject_type}"


class CaseChange(WorkspaceRow):
    """What happened to a case when its lock became `lock`. Claiming and snoozing change nothing that is decided on."""

    class Change(models.TextChoices):
        OPENED = "opened"
        CHANGED = "changed"
        DECIDED = "decided"
        UNDONE = "undone"
        VOID = "void"
        REOPENED = "reopened"

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="changes")
    lock = models.PositiveIntegerField()
    change = models.CharField(max_length=10, choices=Change.choices)
    what = models.CharField(max_length=500, help_text="In one sentence without anybody's words.")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="case_changes")
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("what",))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "lock"], name="case_change_once"),
            models.CheckConstraint(
                condition=Q(change__in=["opened", "changed", "decided", "undone", "void", "reopened"]),
                name="case_change_known",
            ),
            models.CheckConstraint(condition=~Q(what=""), name="case_change_says_what"),
        ]

    def __str__(self) -> str:
        return f"{self.change} #{self.lock}"


class CaseAssignment(WorkspaceRow):
    """A case was given to a member, or to nobody. The latest is the case's `assignee`."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="assignments")
    assignee = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["workspace", "assignee", "-recorded_at"], name="assignment_newest")]

    def __str__(self) -> str:
        return f"{self.case} for {self.assignee or 'nobody'}"


class CaseRemark(WorkspaceRow):
    """What a person said about a case to the others who decide. It decides nothing and is never changed."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="remarks")
    text = models.TextField()
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("text",))

    class Meta:
        indexes = [models.Index(fields=["workspace", "-recorded_at"], name="remark_newest")]
        constraints = [models.CheckConstraint(condition=~Q(text=""), name="remark_says_something")]

    def __str__(self) -> str:
        return f"remark on {self.case}"


class NoticesRead(WorkspaceRow):
    """Up to when a person has seen what concerns them."""

    actor = models.OneToOneField(Actor, on_delete=models.PROTECT, related_name="+")
    read_at = models.DateTimeField()

    guard = Guard(mutable=("read_at",))

    def __str__(self) -> str:
        return f"{self.actor} until {self.read_at}"


class Decision(WorkspaceRow):
    """A verdict on a case, by a person or by a named policy; or the undoing of an earlier one.

    A case is decided once a `round`; undoing opens the next round.
    """

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="decisions")
    round = models.PositiveIntegerField()
    verdict = models.CharField(max_length=40)
    rationale = models.TextField(blank=True)
    edits = models.JSONField(default=dict)
    decided_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="decisions")
    policy = models.CharField(max_length=100, blank=True)
    batch_id = models.UUIDField(null=True, blank=True)
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, blank=True, related_name="undone_by")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="decisions")
    decided_at = models.DateTimeField()

    guard = Guard(erasable=("rationale", "edits"))

    class Meta:
        indexes = [
            models.Index(fields=["workspace", "-decided_at"], name="decision_newest"),
            models.Index(fields=["workspace", "policy", "-decided_at"], name="decision_by_policy"),
            models.Index(fields=["workspace", "batch_id"], condition=Q(batch_id__isnull=False), name="decision_batch"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["case", "round"], condition=Q(undoes__isnull=True), name="decision_once_a_round"
            ),
            models.CheckConstraint(condition=~Q(verdict=""), name="decision_has_verdict"),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} ({self.decided_by})"


class Batch(WorkspaceRow):
    """One verdict for many cases: looked at first, carried out by a job when its maker says so, taken back as one.

    Decisions given by it carry its id as their `batch_id`. It is its maker's alone to look at: who sees other cases
    would learn from its numbers of some they may not know of.
    """

    class Phase(models.TextChoices):
        LOOKING = "looking"
        READY = "ready"
        DECIDING = "deciding"
        DONE = "done"
        UNDOING = "undoing"
        UNDONE = "undone"

    kind = models.CharField(max_length=40)
    verdict = models.CharField(max_length=40)
    rationale = models.TextField(blank=True)
    query = models.TextField(blank=True, help_text="What of the queue is meant, as the address of the queue says it.")
    phase = models.CharField(max_length=10, choices=Phase.choices, default=Phase.LOOKING)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    guard = Guard(mutable=("phase",), erasable=("rationale", "query"))

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(phase__in=["looking", "ready", "deciding", "done", "undoing", "undone"]), name="batch_phase"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} {self.phase}"


class BatchItem(WorkspaceRow):
    """One case of a batch as it was when the batch was looked at, and what became of it."""

    class State(models.TextChoices):
        WILL = "will"
        LEFT = "left"
        DECIDED = "decided"
        FAILED = "failed"
        UNDONE = "undone"
        KEPT = "kept"

    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="items")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    lock = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State.choices)
    why_not = models.CharField(max_length=500, blank=True)

    guard = Guard(mutable=("state", "why_not"), erasable=("why_not",))

    class Meta:
        indexes = [models.Index(fields=["batch", "state", "number"], name="batch_item_state")]
        constraints = [
            models.UniqueConstraint(fields=["batch", "case"], name="batch_item_once"),
            models.CheckConstraint(
                condition=Q(state__in=["will", "left", "decided", "failed", "undone", "kept"]), name="batch_item_state"
            ),
        ]

    def __str__(self) -> str:
        return f"#{self.number} {self.state}"


class Audit(WorkspaceRow):
    """A person looked at what policy settled and agreed. Who disagrees takes the decision back instead."""

    decision = models.OneToOneField(Decision, on_delete=models.PROTECT, related_name="audit")
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.decision} agreed"


class PolicyEdition(WorkspaceRow):
    """The rules of a policy as somebody put them in force. The latest of a setting is the one in the workspace."""

    setting = models.CharField(max_length=40)
    document = models.JSONField(default=list)
    write = models.ForeignKey(Write, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    guard = Guard(erasable=("document",))

    def __str__(self) -> str:
        return self.setting
