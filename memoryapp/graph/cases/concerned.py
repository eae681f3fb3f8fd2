"""Open cases are told when a belief that they are about changes, so that nobody decides on what they no longer see."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from memoryapp.graph.models import Belief, BeliefState, Node
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.ledger.models import Write
from memoryapp.review import services as review

STANDINGS = {
    Standing.ENDED: "ended",
    Standing.RETRACTED: "was said never to have been right",
    Standing.WITHDRAWN: "lost what it stood on",
}
STATUSES = {
    Status.ACTIVATED: "has other dates, owners or readers than before, or is held again",
    Status.RESOLVING: "is in doubt",
    Status.ARCHIVED: "was taken out of sight",
    Status.DELETED: "was erased",
}


def tell(write: Write, touched: Sequence[Belief | Node]) -> None:
    """Say on every open case about a belief that this write gave another state what became of it.

    A case that this write opened, decided or took back says so itself.
    """
    ids = [one.pk for one in touched if isinstance(one, Belief) and one.lock > 1]
    if not ids:
        return
    changed = BeliefState.objects.filter(write=write, belief__in=ids, sequence__gt=1).order_by("sequence")
    latest = {belief: head for belief, *head in changed.values_list("belief", "standing", "status")}
    said: dict[str, list[UUID]] = defaultdict(list)
    for belief, (standing, status) in latest.items():
        said[_what(standing, status)].append(belief)
    for what, beliefs in said.items():
        review.subject_changed(write, beliefs, what)


def _what(standing: str, status: str) -> str:
    words = STANDINGS.get(Standing(standing)) or STATUSES[Status(status)]
    return f"A belief it is about {words}."
