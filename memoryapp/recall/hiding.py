"""Which entries of beliefs and nodes somebody may not know of by the rules of paths they are under."""

from __future__ import annotations

from django.db.models import Q

from memoryapp.graph.models import Belief, Node
from memoryapp.graph.models.beliefs import Audience, Status
from memoryapp.graph.models.places import hidden_by_place, out_of_place
from memoryapp.index.models import IndexEntry
from memoryapp.ledger.among import among
from memoryapp.ledger.principal import Principal
from memoryapp.recall.feeding import NODE, successors


def beliefs(by: Principal) -> Q | None:
    """What was learned from hidden files alone, and where its words led on to what replaced it."""
    hidden = hidden_by_place(by)
    if not hidden.ids:
        return None
    return among("target_id", hidden.ids) | Q(among("target_id", hidden.beside(successors)), part__gt=0)


def nodes(by: Principal) -> Q | None:
    """Whom nothing else tells of; and of others the text that holds what is told of them there.

    That is hidden only where there is a text without it: where there is none, nothing but the label is searched.
    """
    hidden = out_of_place(by)
    if not hidden:
        return None
    told_of = Belief.objects.filter(among("pk", hidden), subject__isnull=False)
    unknown = Node.objects.hidden_from(by).filter(pk__in=told_of.values("subject"))
    holding = told_of.filter(shape=Belief.Shape.PROPERTY, status=Status.ACTIVATED, audience=Audience.WORKSPACE)
    beside = IndexEntry.objects.filter(workspace=by.workspace, target_type=NODE, part=1)
    instead = beside.filter(target_id__in=holding.values("subject"))
    return Q(target_id__in=unknown.values("pk")) | Q(target_id__in=instead.values("target_id"), part=0)
