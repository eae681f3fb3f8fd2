"""How many files lie in a declared root that goes, and which rules of paths name one that moves."""

from __future__ import annotations

from collections.abc import Iterator

from memoryapp.access.models import Agent, Membership
from memoryapp.access.paths import ROOT, Glob, territory
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
    """Rules of agents and members that a root that moves would leave, or come under: who may see what is in it would
    be another matter then."""
    if part.family != "file_roots" or part.part != "place":
        return
    agents = Agent.objects.filter(workspace=workspace, retired_at=None)
    members = Membership.objects.filter(workspace=workspace, ended_at=None).select_related("actor")
    ruled = [
        *(("agent", one.name, one.path_rules) for one in agents.order_by("name")),
        *(("member", one.actor.name, one.path_rules) for one in members.order_by("actor__name")),
    ]
    for what, name, rules in ruled:
        if any(_tells_apart(Glob(path), part.type, part.value) for path, _ in rules):
            yield Mention(f"rule of paths of the {what}", name)


def _tells_apart(rule: Glob, old: str, new: str) -> bool:
    """Whether a rule covers one of two places and not the other, or may reach into either."""
    there = [rule.covers(place) for place in (old, new)]
    return there[0] != there[1] or (not there[0] and any(_reaches(rule, place) for place in (old, new)))


def _reaches(rule: Glob, place: str) -> bool:
    """Whether a pattern may match something below a place. That it cannot is certain."""
    if rule.text.startswith("/**") and rule.text.count("/") <= 2:
        return False
    head = rule.head if rule.head != ROOT else ""
    if rule.is_literal:
        return rule.text.startswith(f"{place}/")
    return f"{head}/".startswith(f"{place}/") or f"{place}/".startswith(f"{head}/")
