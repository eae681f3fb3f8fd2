"""What a model says of persons and things by themselves: properties and edges, quoted and named as they were said."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.extraction.models import Candidate
from memoryapp.graph.models import Belief, Node
from memoryapp.index.models import ModelCall
from memoryapp.ledger.principal import Principal
from tests.extraction.test_model import model as model
from tests.extraction.test_model import run_all, the_models
from tests.extraction.test_reading import MARCH, say
from tests.modelserver import ModelServer, completion

pytestmark = pytest.mark.django_db

WORDS = "These days the Ferro Atelier has me, as a gilder, mostly."
FACT: dict[str, Any] = {
    "turn": 0,
    "quote": "the Ferro Atelier has me, as a gilder",
    "subject": "",
    "subject_class": "",
    "predicate": "role",
    "value": "gilder",
    "object": "",
    "object_class": "",
    "valid_from": "",
    "valid_to": "",
    "confidence": 90,
}
WORKS = FACT | {"predicate": "worksAt", "value": "", "object": "Ferro Atelier", "object_class": "organization"}


def answered(model: ModelServer, by: Principal, *facts: dict[str, Any], words: str = WORDS) -> list[Candidate]:
    """What became of a turn of which the model says these facts."""
    model.replies = [completion({"statements": [], "facts": list(facts)})]
    say(by, ("ines", words, MARCH))
    run_all()
    return the_models()


def test_a_property_and_an_edge_of_who_speaks_are_believed_of_them(
    curator_agent: Principal, model: ModelServer
) -> None:
    """T43: each through the policy, with the words it stands on."""
    found = answered(model, curator_agent, FACT, WORKS)
    assert [one.state for one in found] == ["accepted", "accepted"], [one.reason for one in found]
    role, works = (Belief.objects.get(candidates=one) for one in found)
    assert (role.shape, role.predicate, role.value) == ("property", "role", "gilder")
    assert (works.shape, works.predicate) == ("edge", "worksAt")
    assert works.object is not None
    assert (works.object.node_class, works.object.label) == ("organization", "Ferro Atelier")
    assert role.subject == works.subject
    assert {one.quote for one in found} == {FACT["quote"]}


@pytest.mark.parametrize(
    "wrong",
    [
        {"quote": "the Ferro Atelier hired me"},
        {"turn": 7},
        {"object": "Vale Atelier"},
        {"value": "gilder"},
        {"object": ""},
        {"subject": "Tomas", "subject_class": "person"},
        {"valid_from": "lately"},
    ],
    ids=str,
)
def test_what_was_not_said_or_says_two_things_is_turned_away_and_kept_raw(
    curator_agent: Principal, model: ModelServer, wrong: dict[str, Any]
) -> None:
    assert answered(model, curator_agent, WORKS | wrong) == []
    assert not Node.objects.filter(node_class="organization").exists()
    assert "Atelier" in ModelCall.objects.get().raw


def test_a_value_that_identifies_somebody_is_none_but_what_was_said(
    curator_agent: Principal, model: ModelServer
) -> None:
    made_up = FACT | {"predicate": "handle", "value": "ines-gilder"}
    assert answered(model, curator_agent, made_up) == []


@pytest.mark.parametrize(
    "undeclared",
    [
        FACT | {"predicate": "gildsAt"},
        WORKS | {"predicate": "gildsAt"},
        WORKS | {"object_class": "atelier"},
    ],
    ids=["property", "relationship", "class"],
)
def test_a_type_that_is_not_declared_is_parked_and_stops_nothing_else(
    curator_agent: Principal, model: ModelServer, undeclared: dict[str, Any]
) -> None:
    """A3: what only lacks a type waits, as it does for the rules."""
    found = answered(model, curator_agent, undeclared, FACT | {"quote": "as a gilder"})
    assert sorted(one.state for one in found) == ["accepted", "parked"], [one.reason for one in found]


def test_a_value_that_does_not_fit_its_property_is_turned_away_with_the_reason(
    curator_agent: Principal, model: ModelServer
) -> None:
    [one] = answered(model, curator_agent, FACT | {"predicate": "phone", "value": "gilder"})
    assert (one.state, one.reason.startswith("Refused: ")) == ("rejected", True)


def test_facts_are_taken_from_a_bad_answer_no_more_than_statements_are(
    curator_agent: Principal, model: ModelServer
) -> None:
    """A field too many, or a number that is none, is no answer; it is asked again, and the good one counts."""
    model.replies = [
        completion({"statements": [], "facts": [FACT | {"audience": "named"}]}),
        completion({"statements": [], "facts": [FACT | {"confidence": 400}]}),
        completion({"statements": [], "facts": [FACT]}, finish="length"),
        completion({"statements": [], "facts": [FACT]}),
    ]
    say(curator_agent, ("ines", WORDS, MARCH))
    job = run_all()
    assert (job.state, len(the_models())) == ("succeeded", 1)
    assert ModelCall.objects.count() == 4
