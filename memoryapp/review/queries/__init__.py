"""Every read of the room: the queue, its counts, one case with all it takes to decide, and what was decided.

A case about something out of the caller's sight does not exist for the caller: not in a list, not in a count.
"""

from memoryapp.review.queries.batches import MOST_TOGETHER, batch_of, counted, items
from memoryapp.review.queries.cases import Choice, Presented, about, case, presented, shown
from memoryapp.review.queries.counting import BOUND, Count, Waiting, matching, waiting
from memoryapp.review.queries.decided import decision, decisions, standing_decision
from memoryapp.review.queries.holding import narrowed
from memoryapp.review.queries.judging import SHARE, figures, precedents, sample, share_of, tried
from memoryapp.review.queries.notices import Notice, notices, read_until, talk, unread
from memoryapp.review.queries.queue import ASSIGNEES, HIGH, ORDERS, Filters, Page, listed, next_after, queue
from memoryapp.review.queries.several import Outlook, batch, outlook, some, verdicts_for
from memoryapp.review.queries.trends import Day, trend

__all__ = [
    "ASSIGNEES",
    "BOUND",
    "HIGH",
    "MOST_TOGETHER",
    "ORDERS",
    "SHARE",
    "Choice",
    "Count",
    "Day",
    "Filters",
    "Notice",
    "Outlook",
    "Page",
    "Presented",
    "Waiting",
    "about",
    "batch",
    "batch_of",
    "case",
    "counted",
    "decision",
    "decisions",
    "figures",
    "items",
    "listed",
    "matching",
    "narrowed",
    "next_after",
    "notices",
    "outlook",
    "precedents",
    "presented",
    "queue",
    "read_until",
    "sample",
    "share_of",
    "shown",
    "some",
    "standing_decision",
    "talk",
    "trend",
    "tried",
    "unread",
    "verdicts_for",
    "waiting",
]
