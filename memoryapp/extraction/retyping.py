"""Candidates follow a change of the declared types: those that wait, and those that were decided."""

from __future__ import annotations

from typing import Any

from memoryapp.extraction.models import Candidate
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology import following
from memoryapp.ontology.changeset.moves import Move
from memoryapp.ontology.following import Follower, Only


def register() -> None:
    following.register("extraction", Follower(count, move))


def count(workspace: Workspace, move: Move) -> dict[str, int]:
    """How many candidates are of the kind. What their proposals name is read by its former name as well."""
    return {"candidates": _of_kind(workspace, move).count()} if _is_kind(move) else {}


def move(write: Write, move: Move, only: Only | None = None) -> dict[str, int]:
    """Let candidates of a kind follow it."""
    if only is not None:
        return {}
    return {"candidates": _of_kind(write.workspace, move).update(kind=move.to)} if _is_kind(move) else {}


def _is_kind(move: Move) -> bool:
    return move.family == "belief_kinds" and not move.part


def _of_kind(workspace: Workspace, move: Move) -> Any:
    return Candidate.objects.filter(workspace=workspace, kind=move.type)
