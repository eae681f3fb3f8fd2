"""Which entries of beliefs and nodes somebody may not know of by the rules of paths they are under."""

from __future__ import annotations

from django.db.models import Q

from memoryapp.graph.models import Belief, Node
from memoryapp.graph.models.places import out_of_place
from memoryapp.ledger.principal import Principal
from memoryapp.recall.feeding import successors


def beliefs(by: Principal) -> Q | None:
    """What was learned from hidden files alone, and where its words led on to what replaced it."""
    hidden = out_of_place(by)
    return Q(target_id__in=hidden) | Q(part__gt=0, target_id__in=successors(hidden)) if hidden else None


def nodes(by: Principal) -> Q | None:
    """Whom nothing else tells of."""
    hidden = out_of_place(by)
    if not hidden:
        return None
    told_of = Belief.objects.filter(pk__in=hidden, subject__isnull=False).values("subject")
    return Q(target_id__in=Node.objects.hidden_from(by).filter(pk__in=told_of).values("pk"))
