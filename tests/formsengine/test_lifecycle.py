"""The life of a response: submitted, sent back, accepted, opened again and voided, and what each state lets through."""

from __future__ import annotations

import pytest

from formsengine.log import lifecycle
from formsengine.log.snapshot import difference
from formsengine.problems import Refused
from tests.formsengine.filling import ANA, BEN, BOT, Filling, asks, facts, form


def blocked() -> Filling:
    filling = Filling(form(asks("x", required=True), asks("y", constraints=[{"test": ". > 5"}]), asks("z")))
    filling.say(y=3, z=1)
    return filling


def test_submission_says_everything_that_is_in_its_way_and_writes_nothing() -> None:
    filling = blocked()
    before = facts(filling.response)
    with pytest.raises(Refused) as caught:
        filling.submit()
    assert [(each.path, each.code) for each in caught.value.problems] == [("x", "empty"), ("y", "invalid")]
    assert facts(filling.response) == before


def test_submission_is_of_a_named_revision_and_once() -> None:
    """Q5: submit is explicit, on a named revision, idempotent; resubmission says only the difference."""
    filling = blocked()
    filling.say(x=1, y=9)
    seen = filling.response.number
    filling.say(z=2, by=BEN)
    with pytest.raises(Refused) as caught:
        filling.submit(base=seen)
    assert [(each.path, each.message) for each in caught.value.problems] == [("z", "Changed by ben in commit 3.")]
    first = filling.submit(key="send")
    again = filling.submit(base=first.commit.base, key="send")
    other = filling.submit(base=first.commit.base)
    assert (again.repeated, other.repeated, filling.response.submission) == (True, True, 1)
    with pytest.raises(Refused, match="used for something else"):
        filling.submit(base=1, key="send")
    taken = filling.response.snapshots[1]
    assert taken["values"] == {"x": 1, "y": 9, "z": 2}
    reopened = lifecycle.reopen(filling.response, ANA, filling.clock, reason="A slip")
    filling.response = reopened.response
    filling.say(x=2, z=None)
    filling.submit()
    found = difference(taken, filling.response.snapshots[2])
    assert found == {"x": {"before": 1, "after": 2}, "z": {"before": 2, "after": None}}
    assert facts(filling.replayed()) == facts(filling.response)


ACTS = ("write", "undo", "submit", "accept", "send_back", "reopen", "void")
LIFECYCLE: dict[str, str] = {
    # the state, and what may be done in it
    "draft": "write undo submit void",
    "submitted": "submit accept send_back reopen void",
    "returned": "write submit void",
    "accepted": "reopen",
    "reopened": "write submit void",
}


def in_state(state: str) -> Filling:
    filling = Filling(form(asks("x")))
    filling.say(x=1)
    clock = filling.clock
    if state != "draft":
        filling.submit()
    if state == "returned":
        filling.response = lifecycle.send_back(filling.response, BEN, clock, reason="Unclear").response
    if state == "accepted":
        filling.response = lifecycle.accept(filling.response, BEN, clock).response
    if state == "reopened":
        filling.response = lifecycle.reopen(filling.response, BEN, clock, reason="Again").response
    return filling


def allowed(act: str, filling: Filling) -> bool:
    response, clock = filling.response, filling.clock
    try:
        match act:
            case "write":
                return bool(filling.say(x=7).verdicts[0]["verdict"] == "in-force")
            case "undo":
                filling.op("undo")
            case "submit":
                seen = response.snapshots[1]["revision"] if response.state == "submitted" else response.number
                lifecycle.submit(response, ANA, clock, base=seen)
            case "accept":
                lifecycle.accept(response, ANA, clock)
            case "send_back":
                lifecycle.send_back(response, ANA, clock, reason="Look again")
            case _:
                getattr(lifecycle, act)(response, ANA, clock, reason="A reason")
    except Refused:
        return False
    return True


@pytest.mark.parametrize("state", LIFECYCLE)
@pytest.mark.parametrize("act", ACTS)
def test_what_may_be_done_in_each_state(state: str, act: str) -> None:
    assert allowed(act, in_state(state)) is (act in LIFECYCLE[state].split())


def test_an_answer_to_what_was_submitted_is_a_proposal_until_it_is_accepted_or_reopened() -> None:
    filling = in_state("submitted")
    filling.say(x=5, by=BOT)
    assert (filling.kept("x"), filling.verdicts()) == (1, ["candidate"])
    (proposal,) = filling.response.conflicts[("x", "")]
    accepted = lifecycle.accept(filling.response, ANA, filling.clock, amendments=[proposal]).response
    assert (accepted.state, accepted.submission, accepted.snapshots[2]["values"]) == ("accepted", 2, {"x": 5})
    filling.response = lifecycle.reopen(filling.response, ANA, filling.clock, reason="To see").response
    assert filling.state("x") == "conflict"
    with pytest.raises(Refused):
        filling.op("undo")


def test_undo_does_not_cross_a_submission() -> None:
    filling = in_state("reopened")
    for more in ({}, {"field": "x"}, {"commit": 1}):
        with pytest.raises(Refused):
            filling.op("undo", **more)
    filling.say(x=2)
    filling.op("undo")
    assert filling.kept("x") == 1


def test_a_void_response_takes_nothing_until_a_person_makes_it_a_draft() -> None:
    filling = in_state("draft")
    filling.response = lifecycle.void(filling.response, ANA, filling.clock, reason="Withdrawn").response
    with pytest.raises(Refused, match="Withdrawn"):
        filling.say(x=2)
    with pytest.raises(Refused):
        lifecycle.revive(filling.response, BOT, filling.clock, reason="Back")
    filling.response = lifecycle.revive(filling.response, ANA, filling.clock, reason="Back").response
    filling.say(x=2)
    assert filling.kept("x") == 2
    for act in (lifecycle.void, lifecycle.revive):
        with pytest.raises(Refused):
            act(filling.response, ANA, filling.clock, reason=" ")


def test_a_gate_is_passed_or_waived_with_a_reason() -> None:
    filling = Filling(form(asks("x"), gates=[{"name": "check", "when": "${x} > 5"}]))
    filling.say(x=9)
    with pytest.raises(Refused):
        filling.submit()
    with pytest.raises(Refused, match="Say why"):
        lifecycle.found(filling.response, ANA, filling.clock, gate="check", outcome="waived")
    failed = lifecycle.found(filling.response, ANA, filling.clock, gate="check", outcome="failed", reason="No papers")
    filling.response = failed.response
    with pytest.raises(Refused) as caught:
        filling.submit()
    assert "No papers" in caught.value.problems[0].message
    passed = lifecycle.found(filling.response, ANA, filling.clock, gate="check", outcome="passed")
    filling.response = passed.response
    assert filling.submit().response.state == "submitted"
    with pytest.raises(Refused):
        lifecycle.found(filling.response, ANA, filling.clock, gate="chek", outcome="passed")
