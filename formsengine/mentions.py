"""Which forms write into a declared type: the published ones, and those that are being filled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Q

from formsengine.models import OPEN, FormResponse, FormVersion, VersionState
from memoryapp.ledger.models import Workspace
from memoryapp.ontology import mentions
from memoryapp.ontology.mentions import Mention
from memoryapp.ontology.usage import Part

NAMED_UNDER = {
    "node_classes": "class",
    "relationships": "relationship",
    "belief_kinds": "kind",
    "episode_kinds": "kind",
}
"""Under which word a binding names a type of a family."""


def register() -> None:
    mentions.register(mentioning)


def mentioning(workspace: Workspace, part: Part) -> Iterator[Mention]:
    """Forms with a binding into a type or property that goes."""
    filled = FormResponse.objects.filter(workspace=workspace, state__in=OPEN).values("version")
    versions = FormVersion.objects.filter(workspace=workspace).filter(Q(state=VersionState.LIVE) | Q(pk__in=filled))
    for name, definition in versions.order_by("form__name").values_list("form__name", "definition"):
        if any(_names(binding, part) for binding in _bindings(definition)):
            yield Mention("form", name)


def _bindings(definition: Any) -> list[Mapping[str, Any]]:
    found = definition.get("bindings", []) if isinstance(definition, Mapping) else []
    return [one.get("data", {}) for one in found if isinstance(one, Mapping) and isinstance(one.get("data"), Mapping)]


def _names(data: Mapping[str, Any], part: Part) -> bool:
    if not part.part:
        return data.get(NAMED_UNDER.get(part.family, "")) == part.type
    if part.part not in ("property", "attribute"):
        return False
    properties = data.get("properties")
    return data.get("property") == part.name or (isinstance(properties, Mapping) and part.name in properties)
