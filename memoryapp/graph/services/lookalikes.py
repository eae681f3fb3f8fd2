"""Nodes that might be one: only ever a suggestion to a person, never a merge."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from memoryapp.graph.models import Node
from memoryapp.ledger.models import Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.review.models import Case
from memoryapp.review.services import Subject, open_case

SHORTEST = 3
MOST_FOR_ONE = 5
CHUNK = 300


def suggest(write: Write, ontology: Ontology, nodes: Sequence[Node]) -> list[Case]:
    """Open a case for each new node whose label differs from an older one's by spaces or punctuation alone.

    Only among classes with a common root; numbers always tell apart. A pair that a person told apart stays so.
    """
    wanted = [node for node in nodes if len(node.bare_label) >= SHORTEST]
    known: dict[str, list[Node]] = {}
    labels = sorted({node.bare_label for node in wanted})
    for start in range(0, len(labels), CHUNK):
        alike = Node.objects.filter(
            workspace=write.workspace, bare_label__in=labels[start : start + CHUNK], state=Node.State.ACTIVE
        ).order_by("recorded_at", "id")
        for node in alike:
            known.setdefault(node.bare_label, []).append(node)
    cases = []
    for node in wanted:
        others = [one for one in known.get(node.bare_label, ()) if one.pk < node.pk and _akin(ontology, one, node)]
        for other in others[:MOST_FOR_ONE]:
            if case := open_suggestion(write, other, node):
                cases.append(case)
    return cases


def open_suggestion(write: Write, one: Node, other: Node) -> Case | None:
    """Ask a person whether two nodes are one; None when they were told apart before."""
    older, newer = sorted((one, other), key=lambda node: node.pk)
    return open_case(
        write,
        kind="merge_suggestion",
        key=pair_key([older, newer]),
        reason="Their names differ by spaces or punctuation alone.",
        subjects=[Subject("older", "node", older.pk), Subject("newer", "node", newer.pk)],
        priority=30,
    )


def open_ambiguity_case(write: Write, nodes: Sequence[Node]) -> Case | None:
    """Ask a person about identity keys that belong to different nodes, after a write was refused for it."""
    several = sorted({node.pk: node for node in nodes}.values(), key=lambda node: node.pk)
    return open_case(
        write,
        kind="ambiguous_identity",
        key=pair_key(several),
        reason=f"One description carried identity keys of {len(several)} nodes.",
        subjects=[Subject(f"node {place}", "node", node.pk) for place, node in enumerate(several, start=1)],
        priority=60,
    )


def pair_key(nodes: Sequence[Node]) -> str:
    """The key under which these nodes are asked about once."""
    return hashlib.sha256(",".join(sorted(str(node.pk) for node in nodes)).encode()).hexdigest()


def _akin(ontology: Ontology, one: Node, other: Node) -> bool:
    """Whether one of the classes is the other's, or below it."""
    if one.node_class not in ontology.document.node_classes or other.node_class not in ontology.document.node_classes:
        return False
    return ontology.is_class(one.node_class, other.node_class) or ontology.is_class(other.node_class, one.node_class)
