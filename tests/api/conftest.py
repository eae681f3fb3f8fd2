"""Agents of the REST tests, and one of everything that an address may name."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.access.services import keep_view
from memoryapp.extraction.models import Candidate
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.models import Job, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology.api.proposals import EXAMPLE as PROPOSAL
from memoryapp.ontology.models import Proposal
from memoryapp.review import services as review
from memoryapp.review.models import Case
from memoryapp.sources.models import Source, Thread
from memoryapp.timeline.models import Episode
from tests.api.calling import Caller
from tests.api.telling import WEEKLY, conversation
from tests.context.telling import Context
from tests.forms.telling import Forms, patient
from tests.graph.nodes.telling import Graph

Things = dict[str, list[Any]]
"""Ids, by the name under which an address takes them."""


@pytest.fixture
def reader(workspace: Workspace) -> Caller:
    return Caller(workspace, ["lookup", "recall"], "Reader")


@pytest.fixture
def curator(workspace: Workspace) -> Caller:
    surfaces = ["lookup", "recall", "find-notes", "context", "forms", "curate", "steward", "propose"]
    return Caller(workspace, surfaces, "Curator")


@pytest.fixture
def stranger(other_workspace: Workspace) -> Caller:
    """An agent of another workspace that may do everything an agent may."""
    surfaces = ["lookup", "recall", "find-notes", "context", "forms", "curate", "steward", "propose"]
    return Caller(other_workspace, surfaces, "Stranger")


@pytest.fixture
def things(operator: Principal, reviewer: Principal, curator: Caller, work: Callable[[], int]) -> Things:
    """One of everything in the workspace that an address may name."""
    graph = Graph(operator)
    told = curator.post("conversations", conversation(WEEKLY))
    assert told.status_code == 202
    work()
    ines = graph.person("Ines Ferro")
    studio = graph.node("organization", name="Ferro Studio")
    edge = graph.connect(ines, "worksAt", studio).belief
    weekly = graph.say("Ines likes weekly mail", ines, said_at="2026-03-02", topic="reporting cadence")
    graph.say("Ines likes a monthly summary", ines, said_at="2026-06-02", topic="reporting cadence")
    case = Case.objects.get(kind="belief_conflict")
    batch = new_id()
    decision = record(
        reviewer,
        "decide",
        lambda write: review.decide(write, case.pk, lock=case.lock, verdict="newer_replaces", batch_id=batch),
    )
    view = record(
        reviewer,
        "keep_view",
        lambda write: keep_view(write, place="queue", name="Reports", query="kind=belief_conflict"),
    )
    relation = graph.relate("extension", ("base", weekly), ("addition", graph.say("Short mail", ines)))
    file = curator.post("files", {"path": "/notes/berths.md", "content": "Status emails go out weekly.\n"})
    assert file.status_code == 201, file.content
    source = Source.objects.filter(kind="file").first()
    assert source is not None
    file_id = uuid.UUID(file.json()["items"][0]["id"])
    episode = Episode.objects.first()
    assert episode is not None
    forms = Forms(operator)
    version = forms.published(patient())
    response = forms.opened(subject=ines.pk, values={"name": "Ines Ferro"})
    entry = Context(operator).set("Tone", "Short sentences.")
    proposal = curator.post("proposals", PROPOSAL)
    assert proposal.status_code == 201
    return {
        "entry_id": [entry.pk],
        "act_id": [entry.write_id],
        "episode_id": [episode.pk],
        "proposal_id": [Proposal.objects.get().pk],
        "thread_id": [Thread.objects.get().pk],
        "source_id": [source.pk],
        "candidate_id": [Candidate.objects.first().pk],  # type: ignore[union-attr]
        "job_id": [Job.objects.filter(kind="extract").first().pk],  # type: ignore[union-attr]
        "node_id": [ines.pk],
        "edge_id": [edge.pk],
        "belief_id": [weekly.pk],
        "relation_id": [relation.pk],
        "case_id": [case.pk],
        "decision_id": [decision.pk],
        "batch_id": [batch],
        "view_id": [view.pk],
        "thing_id": [ines.pk, weekly.pk, edge.pk, relation.pk, source.pk, episode.pk, entry.pk, file_id],
        "membership_id": [reviewer.actor.membership.pk],
        "actor_id": [curator.agent.actor_id, reviewer.actor.pk],
        "agent_id": [curator.agent.pk],
        "key_id": [curator.issued.key.pk],
        "form_id": [version.form_id],
        "response_id": [response.row.pk],
    }
