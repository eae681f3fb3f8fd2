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


ENTRIES = (
    Entry("Overview", "home", "console:overview", "", "g o"),
    Entry("Search", "search", "console:search", "look_up", "g f"),
    Entry("Queue", "queue", "review:queue", "read_cases", "g q"),
    Entry("For you", "bell", "review:for-you", "read_cases", "g y"),
    Entry("Beliefs", "belief", "graph:beliefs", "look_up", "g b"),
    Entry("Nodes", "book", "graph:nodes", "look_up", "g n"),
    Entry("Conversations", "conversation", "sources:threads", "read_sources", "g c"),
    Entry("Timeline", "clock", "timeline:timeline", "read_timeline", "g e"),
    Entry("Context", "book", "context:context", "read_context", "g x"),
    Entry("Forms", "edit", "forms:forms", "read_forms", "g d"),
    Entry("Files", "folder", "files:files", "read_files", "g i"),
    Entry("Recall", "recall", "recall:lab", "recall", "g r"),
    Entry("Jobs", "job", "ledger:jobs", "read_jobs", "g j", "Workspace"),
    Entry("Agents", "agent", "access:agents", "manage_agents", "g a", "Workspace"),
    Entry("Members", "person", "access:members", "manage_members", "g m", "Workspace"),
    Entry("Ontology", "ontology", "ontology:types", "read_ontology", "g t", "Workspace"),
    Entry("Proposals", "ontology", "ontology:proposals", "read_ontology", "g n", "Workspace"),
    Entry("Policies", "policy", "review:policies", "read_cases", "g p", "Workspace"),
    Entry("Settings", "settings", "console:settings", "", "g s", "Workspace"),
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
        exact = entry.view == "console:overview"
        found.append(Link(entry, url, path == url if exact else path.startswith(url)))
    return found
