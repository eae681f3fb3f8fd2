"""How many files lie in a declared root that goes, and which rules of paths name one that moves."""

from __future__ import annotations

from collections.abc import Iterator

from memoryapp.access.models import Agent, Membership
from memoryapp.access.paths import territory
from memoryapp.files.models import Entry, Kind, State
from memoryapp.ledger.models import Workspace
from memoryapp.ontology import mentions, usage
from memoryapp.ontology.mentions import Mention
from memoryapp.ontology.usage import Part


def register() -> None:
    usage.register(count)
    mentions.register(mentioning)


def count(workspace: Workspace, part: Part) -> int:
    """How many files would lie in no root."""
    if part.family != "file_roots" or part.part:
        return 0
    found = Entry.objects.filter(territory(part.type), workspace=workspace, kind=Kind.FILE, state=State.CURRENT)
    for within in part.value or ():
        found = found.exclude(territory(within))
    return found.count()


def mentioning(workspace: Workspace, part: Part) -> Iterator[Mention]:
    """Rules of agents and members about a root that moves, or something within it: they would be about nothing."""
    if part.family != "file_roots" or part.part != "place":
        return
    agents = Agent.objects.filter(workspace=workspace, retired_at=None)
    members = Membership.objects.filter(workspace=workspace, ended_at=None).select_related("actor")
    ruled = [
        *(("agent", one.name, one.path_rules) for one in agents.order_by("name")),
        *(("member", one.actor.name, one.path_rules) for one in members.order_by("actor__name")),
    ]
    for what, name, rules in ruled:
        if any(path == part.type or str(path).startswith(f"{part.type}/") for path, _ in rules):
            yield Mention(f"rule of paths of the {what}", name)
