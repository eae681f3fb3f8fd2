"""The console's navigation: one entry a room, in the order a reviewer works."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse

from memoryapp.ledger.principal import Principal


@dataclass(frozen=True)
class Entry:
    """A place in the navigation. It is shown to who may go there, once its page exists."""

    title: str
    icon: str
    view: str
    capability: str
    key: str
    group: str = ""
    also: str = ""
    """Another view of the room whose address lies elsewhere."""


MEMORY, WORKSPACE = "Memory", "Workspace"

ENTRIES = (
    Entry("Overview", "home", "console:overview", "", "g o"),
    Entry("Search", "search", "console:search", "look_up", "g f"),
    Entry("Queue", "queue", "review:queue", "read_cases", "g q"),
    Entry("For you", "bell", "review:for-you", "read_cases", "g y"),
    Entry("Beliefs", "belief", "graph:beliefs", "look_up", "g b", MEMORY),
    Entry("Nodes", "reach", "graph:nodes", "look_up", "g n", MEMORY, also="graph:explorer"),
    Entry("Conversations", "conversation", "sources:threads", "read_sources", "g c", MEMORY),
    Entry("Timeline", "clock", "timeline:timeline", "read_timeline", "g e", MEMORY),
    Entry("Files", "folder", "files:files", "read_files", "g i", MEMORY),
    Entry("Context", "pin", "context:context", "read_context", "g x", MEMORY),
    Entry("Forms", "form", "forms:forms", "read_forms", "g d", MEMORY),
    Entry("Recall", "recall", "recall:lab", "recall", "g r", MEMORY),
    Entry("Jobs", "job", "ledger:jobs", "read_jobs", "g j", WORKSPACE),
    Entry("Agents", "agent", "access:agents", "manage_agents", "g a", WORKSPACE),
    Entry("Members", "person", "access:members", "manage_members", "g m", WORKSPACE),
    Entry("Ontology", "ontology", "ontology:types", "read_ontology", "g t", WORKSPACE),
    Entry("Proposals", "proposal", "ontology:proposals", "read_ontology", "g l", WORKSPACE),
    Entry("Policies", "policy", "review:policies", "read_cases", "g p", WORKSPACE),
    Entry("Settings", "settings", "console:settings", "", "g s", WORKSPACE),
)


@dataclass(frozen=True)
class Link:
    """An entry with its address in one workspace."""

    entry: Entry
    url: str
    here: bool
    count: int | None = None


def links(by: Principal, path: str) -> list[Link]:
    """The navigation of one workspace as this principal sees it; `here` marks the room the path lies in."""
    found: list[Link] = []
    for entry in ENTRIES:
        if entry.capability and not by.may(entry.capability):
            continue
        try:
            url = reverse(entry.view, args=[by.workspace.slug])
        except NoReverseMatch:
            continue
        places = (url, reverse(entry.also, args=[by.workspace.slug])) if entry.also else (url,)
        exact = entry.view == "console:overview"
        found.append(Link(entry, url, path == url if exact else path.startswith(places)))
    return found
