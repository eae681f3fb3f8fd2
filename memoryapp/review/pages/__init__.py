"""The pages of the room: the queue with its cases, deciding one, and what was decided."""

from memoryapp.review.pages.deciding import claim, decide, release, snooze, undo, wake
from memoryapp.review.pages.decisions import decisions
from memoryapp.review.pages.looking import case, live, queue
from memoryapp.review.pages.policing import agree, policies, put_in_force
from memoryapp.review.pages.several import batch, decide_several, several, undo_batch

__all__ = [
    "agree",
    "batch",
    "case",
    "claim",
    "decide",
    "decide_several",
    "decisions",
    "live",
    "policies",
    "put_in_force",
    "queue",
    "release",
    "several",
    "snooze",
    "undo",
    "undo_batch",
    "wake",
]
