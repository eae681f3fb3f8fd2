"""What was made of stored rows ahead of a change of types, before anybody reads it."""

from __future__ import annotations

from django.db import models

from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import Job, WorkspaceRow


class PreparedRows(WorkspaceRow):
    """Some rows of one family as they will be under an edition that is not in force yet. Nothing reads them but the job
    that makes them; they go with its end. `plan` is the digest of what was prepared for; `last` is the id up to which
    all rows of the family are prepared, empty for rows that were prepared anew.
    """

    job = models.ForeignKey(Job, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    plan = models.CharField(max_length=64)
    family = models.CharField(max_length=20)
    last = models.UUIDField(null=True, blank=True)
    marks = models.JSONField(default=dict, help_text="By id: another text whenever what is prepared no longer holds.")
    data = models.JSONField(default=dict, help_text="By room and id: what becomes of the row.")

    guard = Guard(erasable=("marks", "data"), deletable=True)

    class Meta:
        verbose_name_plural = "prepared rows"
        constraints = [models.UniqueConstraint(fields=["job", "number"], name="prepared_rows_once")]

    def __str__(self) -> str:
        return f"{self.family} #{self.number}"
