"""Refusals that several of the graph's services share."""

from __future__ import annotations

from collections.abc import Iterable

from memoryapp.doors.errors import Conflict, Violation
from memoryapp.graph.models import Node


def ambiguous(nodes: Iterable[Node], violations: tuple[Violation, ...] = ()) -> Conflict:
    """The refusal when identity keys lead to different nodes: nothing is merged by itself."""
    ids = sorted({str(node.pk) for node in nodes})
    return Conflict(
        f"These identity keys belong to {len(ids)} different nodes.",
        code="identity_ambiguous",
        violations=violations,
        extra={"nodes": ids},
    )
