"""Refusals that several of the graph's services share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from memoryapp.doors.errors import Conflict, DomainError, Invalid, Violation
from memoryapp.graph.models import Node

Row = TypeVar("Row")
Done = TypeVar("Done")


def ambiguous(nodes: Iterable[Node], violations: tuple[Violation, ...] = ()) -> Conflict:
    """The refusal when identity keys lead to different nodes: nothing is merged by itself."""
    ids = sorted({str(node.pk) for node in nodes})
    return Conflict(
        f"These identity keys belong to {len(ids)} different nodes.",
        code="identity_ambiguous",
        violations=violations,
        extra={"nodes": ids},
    )


def all_or_none(rows: Sequence[Row], act: Callable[[Row], Done]) -> list[Done]:
    """Do each of a batch in order. What is wrong with any is raised when all were tried, each with its row.

    Nothing of a refused batch may be kept: the caller's transaction ends with the error.
    """
    done: list[Done] = []
    refused: list[DomainError] = []
    for number, row in enumerate(rows):
        try:
            done.append(act(row))
        except DomainError as error:
            violations = error.violations or (Violation("", error.code, error.detail),)
            error.violations = tuple(replace(violation, row=number) for violation in violations)
            refused.append(error)
    if len(refused) == 1:
        raise refused[0]
    if refused:
        raise Invalid.all(violation for error in refused for violation in error.violations)
    return done
