"""Every read of the room: the queue, its counts, one case with all it takes to decide, and what was decided.

A case about something out of the caller's sight does not exist for the caller: not in a list, not in a count.
"""

from memoryapp.review.queries.cases import Choice, Presented, about, case, presented, shown
from memoryapp.review.queries.counting import BOUND, Count, Waiting, matching, waiting
from memoryapp.review.queries.decided import decision, decisions, standing_decision
from memoryapp.review.queries.queue import ASSIGNEES, HIGH, ORDERS, Filters, Page, listed, next_after, queue

__all__ = [
    "ASSIGNEES",
    "BOUND",
    "HIGH",
    "ORDERS",
    "Choice",
    "Count",
    "Filters",
    "Page",
    "Presented",
    "Waiting",
    "about",
    "case",
    "decision",
    "decisions",
    "listed",
    "matching",
    "next_after",
    "presented",
    "queue",
    "shown",
    "standing_decision",
    "waiting",
]
