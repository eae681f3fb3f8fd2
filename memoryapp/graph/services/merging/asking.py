"""What a person said of two nodes being one: remembered when they were told apart, asked no more when they are one."""

from __future__ import annotations

import datetime as dt
import hashlib
import uuid
from collections.abc import Iterable, Sequence
from itertools import product

from memoryapp.graph.models import Node
from memoryapp.ledger.models import Workspace, Write
from memoryapp.review.models import Case, CaseSubject, Decision
from memoryapp.review.services import void_case

MERGE_SUGGESTION = "merge_suggestion"
AMBIGUOUS_IDENTITY = "ambiguous_identity"
NOT_THE_SAME = "not_the_same"
LATER = "later"
WHILE = dt.timedelta(days=30)
"""For so long a question that was put off is not asked again."""
MOST_PAIRS = 100
"""Pairs of ids under which two nodes may have been told apart: each with all that was folded into it."""


def pair_key(nodes: Iterable[uuid.UUID]) -> str:
    """The key under which these nodes are asked about once."""
    return hashlib.sha256(",".join(sorted(map(str, nodes))).encode()).hexdigest()


def told_apart(workspace: Workspace, one: Node, other: Node) -> Decision | None:
    """The standing decision by which a person said that the two, or what was folded into them, are not the same."""
    return (
        Decision.objects.filter(
            case__workspace=workspace,
            case__kind__in=[MERGE_SUGGESTION, AMBIGUOUS_IDENTITY],
            case__key__in=keys(one, other),
            verdict=NOT_THE_SAME,
            undoes__isnull=True,
            undone_by__isnull=True,
        )
        .order_by("pk")
        .first()
    )


def keys(one: Node, other: Node) -> list[str]:
    """Every key under which the two may have been asked about."""
    families = [[node.pk, *Node.objects.filter(folded_into=node).values_list("pk", flat=True)] for node in (one, other)]
    return [pair_key(pair) for pair in list(product(*families))[:MOST_PAIRS]]


def open_question(workspace: Workspace, one: Node, other: Node) -> Case | None:
    """The open case in which a person is asked whether the two are one."""
    return Case.objects.filter(
        workspace=workspace, kind=MERGE_SUGGESTION, key__in=keys(one, other), state=Case.State.OPEN
    ).first()


def put_off(write: Write, one: Node, other: Node) -> bool:
    """Whether somebody said "later" about the two, and that is not long ago."""
    return Decision.objects.filter(
        case__workspace=write.workspace,
        case__kind=MERGE_SUGGESTION,
        case__key__in=keys(one, other),
        verdict=LATER,
        decided_at__gt=write.recorded_at - WHILE,
        undone_by__isnull=True,
    ).exists()


def void_answered(write: Write, nodes: Sequence[Node]) -> None:
    """Nobody need say of nodes that are one now whether they are."""
    about = CaseSubject.objects.filter(workspace=write.workspace, subject_id__in=[node.pk for node in nodes])
    asked = Case.objects.filter(
        workspace=write.workspace,
        kind__in=[MERGE_SUGGESTION, AMBIGUOUS_IDENTITY],
        state=Case.State.OPEN,
        pk__in=about.values("case"),
    )
    for case in asked.order_by("pk"):
        ids = case.subjects.filter(subject_type="node").values_list("subject_id", flat=True)
        left = {node.folded_into_id or node.pk for node in Node.objects.filter(pk__in=list(ids))}
        if len(left) < 2:
            void_case(write, case, "They are one node now.")
