"""Candidates that want what is not declared wait on a proposal, and are considered again once it is declared."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.extraction.models import Candidate
from memoryapp.graph.models import Belief
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import services
from memoryapp.ontology.models import Occurrence, Proposal
from tests.extraction.test_reading import Work
from tests.extraction.test_vouching import considered
from tests.ontology.proposing import Office

pytestmark = pytest.mark.django_db


def wishing(by: Principal, work: Work, what: str) -> Candidate:
    told: dict[str, Any] = {"kind": "travel_preference", "content": f"Ines prefers the {what}."}
    return considered(by, work, f"I prefer the {what}.", f"prefer the {what}", **told)


def test_what_wants_a_kind_is_counted_on_one_proposal_and_considered_once_it_is_declared(
    curator_agent: Principal, administrator: Principal, work: Work
) -> None:
    """R23: refused twice is one proposal with two occurrences; each is decided by the policy when it is applied, and
    recalled through the kind above."""
    candidates = [wishing(curator_agent, work, what) for what in ("night train", "morning ferry")]
    proposal = Proposal.objects.get()
    assert [(one.state, f"waits on proposal {proposal.number}" in one.reason) for one in candidates] == [
        ("parked", True)
    ] * 2
    assert (proposal.occurrences, proposal.origin, proposal.kind) == (2, "refused", "add_belief_kind")
    office = Office(administrator, administrator)
    assert office.says(proposal)[0]["declaration"]["parent"] == "preference"
    assert not Belief.objects.filter(kind="travel_preference").exists()
    office.approve(proposal)
    done = office.apply(proposal)
    for one in candidates:
        one.refresh_from_db()
    assert {one.state for one in candidates} <= {"accepted", "held"}
    assert Belief.objects.filter(kind="travel_preference").count() == sum(one.state == "accepted" for one in candidates)
    assert Occurrence.objects.filter(state="replayed").count() == 2
    office.apply(done)
    assert Occurrence.objects.filter(state="replayed").count() == 2


def test_what_cannot_be_declared_is_turned_away_with_its_reason(curator_agent: Principal, work: Work) -> None:
    """A name that no type could have waits for nobody."""
    odd = considered(
        curator_agent, work, "I prefer the night train.", "night train", kind="not a name!", content="A night train."
    )
    assert (odd.state, Proposal.objects.count()) == ("rejected", 0)


def test_what_is_not_to_be_leaves_its_candidates_parked(
    curator_agent: Principal, administrator: Principal, work: Work
) -> None:
    """A rejected proposal writes nothing; a candidate that was decided meanwhile is not decided again."""
    first = wishing(curator_agent, work, "night train")
    proposal = Proposal.objects.get()
    office = Office(administrator, administrator)
    office.do(services.reject, proposal, "We have preferences.")
    first.refresh_from_db()
    assert first.state == "parked"
    second = wishing(curator_agent, work, "morning ferry")
    again = Proposal.objects.exclude(pk=proposal.pk).get()
    Candidate.objects.filter(pk=second.pk).update(state="rejected", reason="Not so.")
    office.approve(again)
    office.apply(again)
    second.refresh_from_db()
    assert (second.state, Belief.objects.filter(kind="travel_preference").count()) == ("rejected", 0)
    assert Occurrence.objects.get(proposal=again).state == "refused"
