"""Who may do what: the one table of capabilities, and which member role and which agent surface grants each.

A capability is a verb of the product. Services ask for it with `by.require(...)`, endpoints and pages declare it, and
the documentation and the walk over every address read it from here. What is not listed here is granted to nobody.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from memoryapp.doors.errors import Invalid, Violation

ROLE_WORDS = {
    "viewer": "Look at everything, change nothing.",
    "reviewer": "Also state in their own words, and decide what waits.",
    "curator": "Also write and change beliefs and nodes, withdraw sources, and try jobs again.",
    "admin": "Also members, agents, settings, the declared types, and erasing for good.",
}
ROLES = tuple(ROLE_WORDS)

SURFACES = {
    "lookup": "Look things up: nodes, what is currently believed, and why.",
    "recall": "Ask in words: ranked recall and the brief.",
    "find-notes": "Read the files room.",
    "context": "Read and write the user's own standing words.",
    "forms": "Collect form answers.",
    "curate": "Tell conversations, remember, relate, and keep nodes and edges.",
    "steward": "Withdraw sources, merge nodes, remove files.",
    "propose": "Propose extensions of the declared types.",
}

AGENT_ROLES = {
    "reader": ("lookup", "recall"),
    "curator": ("lookup", "recall", "curate"),
}
"""Ready-made sets of surfaces for the usual agents; any other set may be granted as well."""


@dataclass(frozen=True)
class Capability:
    """One verb, in words, and what grants it."""

    name: str
    title: str
    roles: tuple[str, ...]
    surfaces: tuple[str, ...]


_EVERY_ROLE = ROLES
_DECIDES = ("reviewer", "curator", "admin")
_CURATES = ("curator", "admin")
_ADMIN = ("admin",)

CAPABILITIES: tuple[Capability, ...] = (
    Capability("look_up", "Look up nodes, beliefs and relations, and ask why", _EVERY_ROLE, ("lookup", "curate")),
    Capability("recall", "Recall what is remembered, and read the brief", _EVERY_ROLE, ("recall",)),
    Capability("read_sources", "Read threads, turns and documents", _EVERY_ROLE, ("lookup", "recall", "curate")),
    Capability("read_timeline", "Read what happened and when", _EVERY_ROLE, ("lookup", "recall", "curate")),
    Capability("read_ontology", "Read the declared types", _EVERY_ROLE, ("lookup", "curate", "propose")),
    Capability("read_candidates", "See what was proposed and what came of it", _EVERY_ROLE, ("curate",)),
    Capability("read_jobs", "See jobs and their outcome", _EVERY_ROLE, ("curate",)),
    Capability("read_cases", "See what waits for a person", _EVERY_ROLE, ("steward",)),
    Capability("read_files", "Read files", _EVERY_ROLE, ("find-notes", "curate")),
    Capability("read_context", "Read the standing context", _EVERY_ROLE, ("context",)),
    Capability("tell", "Tell conversations, documents, statements and candidates", _DECIDES, ("curate",)),
    Capability("write_context", "Change the standing context", _DECIDES, ("context",)),
    Capability("fill_forms", "Open, answer and submit forms", _DECIDES, ("forms",)),
    Capability("read_forms", "Read forms and responses", _EVERY_ROLE, ("forms", "steward")),
    Capability("write_forms", "Store, import, publish and withdraw forms", _CURATES, ("steward",)),
    Capability("review_forms", "Return, accept and reopen what was submitted", _DECIDES, ("steward",)),
    Capability("decide_cases", "Decide cases and undo decisions", _DECIDES, ()),
    Capability("remember", "Write beliefs down directly", _CURATES, ("curate",)),
    Capability("relate", "Relate beliefs to each other", _CURATES, ("curate",)),
    Capability("upsert_nodes", "Create and complete nodes", _CURATES, ("curate",)),
    Capability("connect_nodes", "Connect and disconnect nodes", _CURATES, ("curate",)),
    Capability("record_episodes", "Record what happened, and amend it", _CURATES, ("curate",)),
    Capability("write_files", "Write files", _CURATES, ("curate",)),
    Capability("withdraw", "Withdraw sources, retract beliefs and episodes", _CURATES, ("steward",)),
    Capability("merge_nodes", "Merge and split nodes", _DECIDES, ("steward",)),
    Capability("remove_files", "Remove files", _CURATES, ("steward",)),
    Capability("propose_schema", "Propose changes to the declared types", _CURATES, ("propose",)),
    Capability("retry_jobs", "Retry and cancel jobs", _CURATES, ()),
    Capability("apply_schema", "Approve and apply changes to the declared types", _ADMIN, ()),
    Capability("manage_members", "Invite members and change their roles", _ADMIN, ()),
    Capability("manage_agents", "Create agents, issue and revoke keys", _ADMIN, ()),
    Capability("manage_settings", "Change the workspace's settings and policies", _ADMIN, ()),
    Capability("erase", "Erase content for good", _ADMIN, ()),
)

BY_NAME = {capability.name: capability for capability in CAPABILITIES}


def of_role(role: str) -> frozenset[str]:
    """The capabilities a member role grants; none for a role that does not exist."""
    return frozenset(capability.name for capability in CAPABILITIES if role in capability.roles)


def of_surfaces(surfaces: Iterable[str]) -> frozenset[str]:
    """The capabilities that a set of surfaces grants together."""
    granted = set(surfaces)
    return frozenset(capability.name for capability in CAPABILITIES if granted.intersection(capability.surfaces))


def everything() -> frozenset[str]:
    """Every capability there is: the operator's at the command line."""
    return frozenset(BY_NAME)


def known_surfaces(surfaces: Iterable[str]) -> list[str]:
    """The surfaces in their standing order, each once. One that does not exist is an error, never ignored."""
    asked = list(surfaces)
    unknown = [surface for surface in asked if surface not in SURFACES]
    if unknown:
        raise Invalid.all(
            Violation("/surfaces", "unknown_surface", f"There is no surface “{surface}”.", ", ".join(SURFACES))
            for surface in unknown
        )
    return [surface for surface in SURFACES if surface in asked]


def as_matrix() -> str:
    """Every capability against every member role and every agent surface, as the documentation shows it."""
    columns = [*ROLES, *SURFACES]
    lines = ["| | " + " | ".join(columns) + " |", "|---|" + ":-:|" * len(columns)]
    for capability in CAPABILITIES:
        granted = {*capability.roles, *capability.surfaces}
        lines.append(
            f"| `{capability.name}` | " + " | ".join("✓" if name in granted else "" for name in columns) + " |"
        )
    return "\n".join(lines) + "\n"


def as_table() -> str:
    """The table as the documentation shows it."""
    lines = ["| capability | what it allows | member roles | agent surfaces |", "|---|---|---|---|"]
    for capability in CAPABILITIES:
        roles = ", ".join(capability.roles) or "none"
        surfaces = ", ".join(capability.surfaces) or "none"
        lines.append(f"| `{capability.name}` | {capability.title} | {roles} | {surfaces} |")
    return "\n".join(lines) + "\n"
