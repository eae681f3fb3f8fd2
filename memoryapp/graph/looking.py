"""The job that looks through a workspace for nodes that may be one: by their names, and by their common neighbours.

Bounded: the newest nodes, blocks of names that few share, and so many questions at once. No machine answers them.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations

from memoryapp.graph.likeness import forms, shorter_forms, tells_apart, why_alike, words
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.models.beliefs import Audience, Status
from memoryapp.graph.services.lookalikes import akin, open_suggestion
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Job, Workspace, Write
from memoryapp.ledger.services import record
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology

KIND = "look_for_twins"
CAPABILITIES = ("look_up",)

MOST_NODES = 20_000
MOST_EDGES = 50_000
MOST_IN_BLOCK = 20
"""Nodes that share a form of a name, or a neighbour; of more it says nothing."""
MOST_QUESTIONS = 200
"""Cases that one run opens."""
NEIGHBOURS = 2
"""So many common neighbours speak for two nodes that share a part of their name."""
SHORTEST_PART = 3

Found = tuple[uuid.UUID, uuid.UUID]


def ask_to_look(write: Write) -> Job:
    """Let the job look through the workspace; one that waits already is that one. Needs `merge_nodes`."""
    write.by.require("merge_nodes")
    return jobs.enqueue(write, KIND, write.workspace.pk, dedupe="workspace")


def look(run: jobs.Run) -> None:
    """Open a case for each pair that looks alike and that nobody told apart."""
    workspace = run.job.workspace
    nodes = newest(workspace)
    pairs = alike(current_ontology(workspace), nodes, connected(workspace, nodes))
    run.progress(0, len(pairs))

    def ask(write: Write) -> None:
        opened = [
            case for (one, other), why in pairs[:MOST_QUESTIONS] if (case := open_suggestion(write, one, other, why))
        ]
        run.finish({"nodes": len(nodes), "pairs": len(pairs), "questions": len(opened)})

    record(run.by, "suggest_merges", ask)


def newest(workspace: Workspace) -> list[Node]:
    """The nodes looked through: those in use, the newest first when there are very many."""
    rows = Node.objects.filter(workspace=workspace, state=Node.State.ACTIVE).order_by("-recorded_at", "-pk")
    return list(rows.defer("properties")[:MOST_NODES])


def alike(ontology: Ontology, nodes: Iterable[Node], shared: Counter[Found]) -> list[tuple[tuple[Node, Node], str]]:
    """Every pair that looks alike, with why, the oldest first."""
    by_id = {node.pk: node for node in nodes}
    found: dict[Found, str] = {}
    for one, other in _candidates(by_id.values()):
        if akin(ontology, one, other) and (why := why_alike(one.label, other.label)):
            found[_ordered(one, other)] = why
    for pair, count in shared.items():
        one, other = by_id[pair[0]], by_id[pair[1]]
        near = count >= NEIGHBOURS and _share_a_part(one.label, other.label)
        if pair not in found and near and akin(ontology, one, other):
            found[pair] = f"They share a part of their name, and are connected with the same {count} things."
    return [((by_id[one], by_id[other]), why) for (one, other), why in sorted(found.items())]


def connected(workspace: Workspace, nodes: Iterable[Node]) -> Counter[Found]:
    """How many neighbours two of these nodes share, by the same relationship in the same direction."""
    known = {node.pk for node in nodes}
    edges = Belief.objects.filter(
        workspace=workspace, shape=Belief.Shape.EDGE, status=Status.ACTIVATED, audience=Audience.WORKSPACE
    ).order_by("-recorded_at", "-pk")
    around: dict[tuple[str, str, uuid.UUID], set[uuid.UUID]] = defaultdict(set)
    for subject, predicate, object_ in edges.values_list("subject", "predicate", "object")[:MOST_EDGES]:
        if subject in known and object_:
            around["out", predicate, object_].add(subject)
        if object_ in known and subject:
            around["in", predicate, subject].add(object_)
    shared: Counter[Found] = Counter()
    for several in around.values():
        if len(several) <= MOST_IN_BLOCK:
            shared.update(combinations(sorted(several), 2))
    return shared


def _candidates(nodes: Iterable[Node]) -> Iterator[tuple[Node, Node]]:
    """Pairs that share a form of their name. Names with one other letter share a form with one less."""
    blocks: dict[str, dict[uuid.UUID, Node]] = defaultdict(dict)
    for node in nodes:
        for form in forms(node.label):
            blocks[form][node.pk] = node
        for form in {node.bare_label} | shorter_forms(node.label):
            blocks["~" + form][node.pk] = node
    seen: set[Found] = set()
    for block in blocks.values():
        if not 1 < len(block) <= MOST_IN_BLOCK:
            continue
        for one, other in combinations(block.values(), 2):
            if (pair := _ordered(one, other)) not in seen:
                seen.add(pair)
                yield one, other


def _share_a_part(one: str, other: str) -> bool:
    parts = {word for word in words(one) if len(word) >= SHORTEST_PART and word.isalpha()}
    return bool(parts & set(words(other))) and not tells_apart(one, other)


def _ordered(one: Node, other: Node) -> Found:
    first, second = sorted((one.pk, other.pk))
    return first, second
