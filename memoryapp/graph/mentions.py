"""Views of lists that members keep and that ask for a kind, a class or a relationship that goes."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs

from memoryapp.access.models import SavedView
from memoryapp.ledger.models import Workspace
from memoryapp.ontology import mentions
from memoryapp.ontology.mentions import Mention
from memoryapp.ontology.usage import Part

ASKED_FOR = {
    "belief_kinds": ("kind", "kinds"),
    "node_classes": ("class", "classes", "node_class"),
    "relationships": ("predicate", "relationship"),
    "views": ("view",),
}
"""By which names the address of a list asks for types of a family."""


def register() -> None:
    mentions.register(mentioning)


def mentioning(workspace: Workspace, part: Part) -> Iterator[Mention]:
    """Saved views whose address names the type; one that is not shared is named by its owner alone."""
    if part.family not in ASKED_FOR or part.part:
        return
    kept = SavedView.objects.filter(workspace=workspace, query__contains=part.type).select_related("owner")
    for view in kept.order_by("name"):
        asked = parse_qs(view.query)
        if part.type in {value for name in ASKED_FOR[part.family] for value in asked.get(name, ())}:
            yield Mention("saved view", view.name if view.shared else f"of {view.owner.name}")
