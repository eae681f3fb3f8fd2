"""What of extraction names declared types: the acceptance policy, and the rules that ship with the product."""

from __future__ import annotations

from collections.abc import Iterator

from memoryapp.ledger.models import Workspace
from memoryapp.ontology import mentions
from memoryapp.ontology.mentions import Mention
from memoryapp.ontology.usage import Part

BY_RULES = {
    "belief_kinds": frozenset(("user", "preference", "decision", "commitment", "experience")),
    "node_classes": frozenset(("person", "organization", "project", "place")),
    "relationships": frozenset(("worksAt", "worksOn", "livesIn")),
}
"""What the built-in rules find."""


def register() -> None:
    mentions.register(mentioning)


def mentioning(workspace: Workspace, part: Part) -> Iterator[Mention]:
    """Rules of the acceptance policy, and of extraction, that name a type that goes."""
    if part.part:
        return
    if part.type in BY_RULES.get(part.family, ()):
        yield Mention("set of rules", "extraction")
    if part.family == "belief_kinds":
        settings = Workspace.objects.values_list("settings", flat=True).get(pk=workspace.pk)
        for rule in settings.get("acceptance_policy") or ():
            if isinstance(rule, dict) and part.type in rule.get("kinds", ()):
                yield Mention("rule of the acceptance policy", str(rule.get("name", "")))
