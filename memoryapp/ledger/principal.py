"""Who acts, where and through which door. Handed to every service and query; never read from a context."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memoryapp.doors.errors import Denied

if TYPE_CHECKING:
    from memoryapp.ledger.models import Actor, Workspace


@dataclass(frozen=True)
class Principal:
    """An actor in a workspace with what it may do.

    `channel` is the door (rest, mcp, console, job, command). `run`, `thread` and `model` are what an agent says of its
    own doing; `prompt_version` is set by extraction. `trace_id` ties a request to the jobs and writes it caused.
    `path_rules` and `path_default` say which files it may see and write (see `access.paths`).
    """

    workspace: Workspace
    actor: Actor
    channel: str
    capabilities: frozenset[str] = frozenset()
    trace_id: str = ""
    run: str = ""
    thread: str = ""
    model: str = ""
    prompt_version: str = ""
    labels: dict[str, str] = field(default_factory=dict, compare=False)
    path_rules: tuple[tuple[str, str], ...] = ()
    path_default: str = "write"

    def require(self, capability: str) -> None:
        """Refuse with `not_allowed` unless this principal holds the capability."""
        if capability not in self.capabilities:
            raise Denied(
                f"{self.actor.name} may not {capability.replace('_', ' ')} in {self.workspace.name}.",
                code="not_allowed",
                extra={"needs": capability},
            )

    def may(self, capability: str) -> bool:
        return capability in self.capabilities

    def through(self, **changes: str) -> Principal:
        """The same principal with another channel, model or trace."""
        return replace(self, **changes)  # type: ignore[arg-type]
