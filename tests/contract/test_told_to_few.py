"""What is told to few leaves no trace where everybody looks: cases, decisions, refusals, files made from it."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.access.services import principal_of_actor, rule_paths
from memoryapp.files.models import Entry
from memoryapp.graph.models import Mention, Node
from memoryapp.graph.services.mentions import ask
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology.models import Occurrence
from memoryapp.ontology.presenting import told_occurrence
from memoryapp.review import queries as review
from memoryapp.review.models import Case
from memoryapp.sources.models import Source
from tests.api.calling import Caller

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

SAID_AT = "2026-05-02T09:00:00Z"
SURFACES = ["lookup", "recall", "find-notes", "curate", "steward", "propose"]


@pytest.fixture
def quay(workspace: Workspace) -> Caller:
    return Caller(workspace, SURFACES, "Quay")


@pytest.fixture
def note(quay: Caller) -> Source:
    """A note that only the agent that told it may read."""
    body = {"kind": "document", "path": "/plans.md", "content": "Ilse Marrow keeps bees.", "said_at": SAID_AT}
    told = quay.post("sources", body | {"readers": []}).json()["items"][0]["id"]
    return Source.objects.get(pk=told)


def mine(quay: Caller) -> Principal:
    return principal_of_actor(quay.agent.actor, channel="rest")


def test_who_took_it_back_and_why_is_out_of_sight_with_it(quay: Caller, note: Source, administrator: Principal) -> None:
    """R6: neither the case nor the decision of taking a hidden source back is listed."""
    body = {"rationale": "The bees are a secret."}
    assert quay.post(f"sources/{note.pk}/withdraw", body).status_code == 201
    for by, count in ((mine(quay), 1), (administrator, 0)):
        assert review.decisions(by).count() == count
        assert Case.objects.visible_to(by).count() == count


def test_questions_about_whom_only_few_know_are_for_these_few(
    quay: Caller, note: Source, administrator: Principal
) -> None:
    """R6: a name that was said to few, and two look-alikes that few know, make no case that others see."""
    evidence = {"evidence": [{"source": str(note.pk), "quote": "Ilse Marrow"}]}
    for email in ("ilse@mail.example", "marrow@mail.example"):
        body = {"class": "person", "properties": {"name": "Ilse Marrow", "email": email}} | evidence
        assert quay.post("nodes", body).status_code == 201
    assert Node.objects.filter(known_to_all=False).count() == 2
    span = {"span_start": 0, "span_end": 11, "normal_name": "ilse marrow", "node_class": "person"}

    def mentioned(write: Any) -> None:
        noted = Mention.objects.create(workspace=write.workspace, name="Ilse Marrow", source=note, write=write, **span)
        ask(write, noted, 2)

    record(mine(quay), "test", mentioned)
    assert set(Case.objects.values_list("kind", flat=True)) == {"merge_suggestion", "unbound_mention"}
    assert Case.objects.visible_to(mine(quay)).count() == 2
    assert not Case.objects.visible_to(administrator).exists()


def test_a_refused_row_that_quotes_it_is_shown_to_its_sender_alone(
    quay: Caller, note: Source, administrator: Principal
) -> None:
    """A1, R6: the payload is kept verbatim, and is as private as what it refers to."""
    quoting = {"evidence": [{"source": str(note.pk), "quote": "keeps bees"}]}
    few = {"kind": "document", "path": "/x.md", "content": "Bees.", "said_at": SAID_AT, "readers": []}
    naming = {"evidence": [{"new_source": few}]}
    for evidence in (quoting, naming):
        body = {"class": "apiary", "properties": {"name": "Ilse's bees"}} | evidence
        assert quay.post("nodes?park=true", body).status_code == 422
    for one in Occurrence.objects.all():
        assert told_occurrence(administrator, one)["payload"] is None
        assert told_occurrence(mine(quay), one)["payload"]["class"] == "apiary"


def test_no_file_is_made_from_it(quay: Caller, note: Source) -> None:
    """R6: whoever may read a path reads the file, so what was told to few does not go into one."""
    made = quay.post("files", {"path": "/notes/bees.md", "content": "Bees.", "sources": [str(note.pk)]})
    assert made.status_code == 422
    assert [(one["path"], one["code"]) for one in made.json()["errors"]] == [("/sources/0", "wider_than_source")]
    assert not Entry.objects.exists()


def test_who_acts_later_for_somebody_has_their_rules_of_paths(quay: Caller, operator: Principal) -> None:
    """L1: what is written for an agent by a job or when a type is declared sees what the agent sees."""
    record(operator, "rule", lambda write: rule_paths(write, of=quay.agent, rules=[("/private", "none")]))
    assert mine(quay).path_rules == (("/private", "none"),)
