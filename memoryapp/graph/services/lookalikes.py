"""Nodes that might be one: only ever a suggestion to a person, never a merge."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence

from memoryapp.graph.likeness import forms, shortens, shorter_forms, why_alike
from memoryapp.graph.models import Node
from memoryapp.graph.services.merging.asking import open_question, pair_key, put_off, told_apart
from memoryapp.ledger.models import Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.review.models import Case
from memoryapp.review.services import Subject, open_case

MOST_FOR_ONE = 5
MOST_LONGER = 500
CHUNK = 300
FEW = 20
"""Nodes of one write for which names with one letter less are looked up as well; of more the job finds them."""


def suggest(write: Write, ontology: Ontology, nodes: Sequence[Node]) -> list[Case]:
    """Open a case for each new node whose name looks like an older one's: in other spelling, as initials, with a short
    form of a given name, with one letter more; or as initials, or with an initial, of which the older is the whole.

    Only among classes of which one is the other's or below it. A pair that a person told apart stays so.
    """
    wanted = {node.pk: _forms(node, with_slips=len(nodes) <= FEW) for node in nodes}
    known = _known(write, {form for forms in wanted.values() for form in forms})
    longer = _longer(write, nodes)
    cases = []
    for node in nodes:
        alike = [one for form in wanted[node.pk] for one in known.get(form, ())] + longer.get(node.pk, [])
        others = {one.pk: one for one in alike if one.pk < node.pk}
        asked = 0
        for _, other in sorted(others.items()):
            why = why_alike(other.label, node.label) if asked < MOST_FOR_ONE and akin(ontology, other, node) else ""
            if why and (case := open_suggestion(write, other, node, why)):
                cases.append(case)
                asked += 1
    return cases


def _forms(node: Node, *, with_slips: bool) -> set[str]:
    return forms(node.label) | (shorter_forms(node.label) if with_slips else set())


def _known(write: Write, wanted: Collection[str]) -> dict[str, list[Node]]:
    """The nodes in use that are known by these bare names, the first recorded first."""
    found: dict[str, list[Node]] = {}
    names = sorted(wanted)
    for start in range(0, len(names), CHUNK):
        alike = Node.objects.filter(
            workspace=write.workspace, bare_label__in=names[start : start + CHUNK], state=Node.State.ACTIVE
        ).order_by("recorded_at", "id")
        for node in alike:
            found.setdefault(node.bare_label, []).append(node)
    return found


def _longer(write: Write, nodes: Sequence[Node]) -> dict[uuid.UUID, list[Node]]:
    """For each of these nodes the older ones that its name may be short for, at most `MOST_LONGER` for all together."""
    found: dict[uuid.UUID, list[Node]] = {}
    for column in ("initials", "initialled"):
        short = {node.pk: shortens(node.label).get(column) for node in nodes}
        names = sorted({form for form in short.values() if form})
        for start in range(0, len(names), CHUNK):
            rows = Node.objects.filter(
                **{f"{column}__in": names[start : start + CHUNK], f"{column}__isnull": False},
                workspace=write.workspace,
                state=Node.State.ACTIVE,
            ).order_by("recorded_at", "id")
            by_form: dict[str, list[Node]] = {}
            for one in rows[:MOST_LONGER]:
                by_form.setdefault(getattr(one, column), []).append(one)
            for pk, form in short.items():
                if form in by_form:
                    found.setdefault(pk, []).extend(by_form[form])
    return found


def open_suggestion(write: Write, one: Node, other: Node, why: str) -> Case | None:
    """Ask a person whether two nodes are one; None when they were told apart, or put off a short while ago."""
    if told_apart(write.workspace, one, other) or put_off(write, one, other):
        return None
    older, newer = sorted((one, other), key=lambda node: node.pk)
    return open_question(write.workspace, one, other) or open_case(
        write,
        kind="merge_suggestion",
        key=pair_key([older.pk, newer.pk]),
        reason=why,
        subjects=[Subject("older", "node", older.pk), Subject("newer", "node", newer.pk)],
        priority=30,
    )


def open_ambiguity_case(write: Write, nodes: Sequence[Node]) -> Case | None:
    """Ask a person about identity keys that belong to different nodes, after a write was refused for it."""
    several = sorted({node.pk: node for node in nodes}.values(), key=lambda node: node.pk)
    return open_case(
        write,
        kind="ambiguous_identity",
        key=pair_key([node.pk for node in several]),
        reason=f"One description carried identity keys of {len(several)} nodes.",
        subjects=[Subject(f"node {place}", "node", node.pk) for place, node in enumerate(several, start=1)],
        priority=60,
    )


def akin(ontology: Ontology, one: Node, other: Node) -> bool:
    """Whether one of the classes is the other's, or below it."""
    if one.node_class not in ontology.document.node_classes or other.node_class not in ontology.document.node_classes:
        return False
    return ontology.is_class(one.node_class, other.node_class) or ontology.is_class(other.node_class, one.node_class)
