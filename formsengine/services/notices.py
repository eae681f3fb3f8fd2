"""What was told to the outside, and that it was taken."""

from __future__ import annotations

from formsengine.models import FormNotice
from memoryapp.ledger.models import Write


def taken(write: Write, notice: FormNotice) -> FormNotice:
    """Note that whoever was told has taken it."""
    notice.taken_at = write.recorded_at
    notice.save(update_fields=["taken_at"])
    return notice
