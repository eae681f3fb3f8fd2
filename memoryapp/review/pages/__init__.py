"""The pages of the room: the queue with its cases, deciding one, and what was decided."""

from memoryapp.review.pages.deciding import claim, decide, release, snooze, undo, wake
from memoryapp.review.pages.decisions import decisions
from memoryapp.review.pages.looking import case, live, queue
from memoryapp.review.pages.many import decide_many, look_at_many, many, undo_many
from memoryapp.review.pages.policing import agree, policies, put_in_force
from memoryapp.review.pages.several import batch, decide_several, several, undo_batch
from memoryapp.review.pages.talking import assign, for_you, read, remark, talk

__all__ = [
    "agree",
    "assign",
    "batch",
    "case",
    "claim",
    "decide",
    "decide_many",
    "decide_several",
    "decisions",
    "for_you",
    "live",
    "look_at_many",
    "many",
    "policies",
    "put_in_force",
    "queue",
    "read",
    "release",
    "remark",
    "several",
    "snooze",
    "talk",
    "undo",
    "undo_batch",
    "undo_many",
    "wake",
]
