"""The pages of the room: the queue with its cases, deciding one, and what was decided."""

from memoryapp.review.pages.deciding import claim, decide, release, snooze, undo, wake
from memoryapp.review.pages.decisions import decisions
from memoryapp.review.pages.looking import case, queue

__all__ = ["case", "claim", "decide", "decisions", "queue", "release", "snooze", "undo", "wake"]
