"""Views of the list of beliefs that members keep and that ask for a kind that goes."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs

from memoryapp.access.models import SavedView
from memoryapp.ledger.models import Workspace
from memoryapp.ontology import mentions
from memoryapp.ontology.mentions import Mention
from memoryapp.ontology.usage import Part


def register() -> None:
    mentions.register(mentioning)


def mentioning(workspace: Workspace, part: Part) -> Iterator[Mention]:
    """Saved views whose address names the kind; one that is not shared is named by its owner alone."""
    if part.family != "belief_kinds" or part.part:
        return
    kept = SavedView.objects.filter(workspace=workspace, query__contains=part.type).select_related("owner")
    for view in kept.order_by("name"):
        if part.type in {value for values in parse_qs(view.query).values() for value in values}:
            yield Mention("saved view", view.name if view.shared else f"of {view.owner.name}")
