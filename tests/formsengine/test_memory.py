"""What memory offers to a form, and what a submission writes into memory."""

from __future__ import annotations

from typing import Any

import pytest

from formsengine.log.commits import Writer
from formsengine.log.memory import Policy, Write, first_write, next_write
from formsengine.log.prefill import Offer, prefill
from formsengine.problems import Refused
from tests.formsengine.filling import ANA, Filling, asks, facts, form

MEMORY = Writer("memory", "system")

FIRST: list[tuple[str, Any, Any, Any, Policy, Write]] = [
    # the case, prefilled, answered, in memory now, the policy, what is written
    ("unchanged, memory unchanged", "b", "b", "b", "review", Write.NOTHING),
    ("unchanged, memory changed since", "b", "b", "c", "review", Write.NOTHING),
    ("changed, memory as prefilled", "b", "a", "b", "review", Write.UPDATE),
    ("changed, memory says the same", "b", "a", "a", "review", Write.CORROBORATE),
    ("all three differ", "b", "a", "c", "supersede", Write.REVIEW),
    ("changed, memory emptied", "b", "a", None, "review", Write.REVIEW),
    ("not prefilled, memory empty", None, "a", None, "review", Write.CREATE),
    ("not prefilled, memory says the same", None, "a", "a", "review", Write.CORROBORATE),
    ("not prefilled, memory says other", None, "a", "c", "append", Write.APPEND),
    ("not prefilled, memory says other", None, "a", "c", "supersede", Write.SUPERSEDE),
    ("not prefilled, memory says other", None, "a", "c", "review", Write.REVIEW),
    ("not answered", "b", None, "b", "review", Write.NOTHING),
]
NEXT: list[tuple[str, Any, Any, bool, bool, Write]] = [
    # the case, submitted before, submitted now, the fact still ours, said elsewhere too, what is written
    ("the same", "a", "a", True, False, Write.NOTHING),
    ("new", None, "a", False, False, Write.CREATE),
    ("changed", "a", "b", True, False, Write.SUPERSEDE),
    ("changed, others changed it since", "a", "b", False, False, Write.REVIEW),
    ("gone", "a", None, True, False, Write.RETRACT),
    ("gone, and said elsewhere", "a", None, True, True, Write.NOTHING),
    ("gone, others changed it since", "a", None, False, False, Write.NOTHING),
]


@pytest.mark.parametrize(("case", "prefilled", "answer", "current", "policy", "written"), FIRST)
def test_a_first_submission_writes(
    case: str, prefilled: Any, answer: Any, current: Any, policy: Policy, written: Write
) -> None:
    assert first_write(prefilled, answer, current, policy) is written


@pytest.mark.parametrize(("case", "before", "after", "ours", "elsewhere", "written"), NEXT)
def test_a_resubmission_writes_the_difference(
    case: str, before: Any, after: Any, ours: bool, elsewhere: bool, written: Write
) -> None:
    assert next_write(before, after, still_ours=ours, corroborated=elsewhere) is written


def offered(filling: Filling, *offers: Offer) -> list[str]:
    result = prefill(filling.response, MEMORY, filling.clock, offers)
    filling.response = result.response
    return [str(each["verdict"]) for each in result.verdicts]


def test_memory_fills_what_nobody_answered_and_asks_whether_it_is_still_so() -> None:
    policy = {"source": "subject", "key": "town", "policy": "fill"}
    filling = Filling(form(asks("age"), asks("town", "text", prefill=policy), asks("name", "text")))
    assert offered(filling, Offer("age", "41", "f1", "3"), Offer("town", "Porto", "f2", "1")) == [
        "suggested",
        "in-force",
    ]
    assert (filling.state("age"), filling.state("town")) == ("unconfirmed", "filled")
    revision = filling.response.revision(("age", ""))
    assert revision is not None
    assert (revision.origin, revision.sources) == ("memory", {"fact": "f1", "version": "3"})
    filling.say(age=41)
    assert (filling.verdicts(), filling.state("age")) == (["corroborated"], "filled")
    assert facts(filling.replayed()) == facts(filling.response)


def test_memory_never_replaces_what_anybody_said_or_took_back() -> None:
    filling = Filling(form(asks("a"), asks("b"), asks("c"), asks("d")))
    assert offered(filling, Offer("a", 1, "f", "1"), Offer("d", 1, "f", "1")) == ["suggested", "suggested"]
    filling.say(a=None, b=7)
    filling.op("confirm", field="d")
    again = offered(filling, *(Offer(name, 2, "f", "2") for name in "abcd"))
    assert again == ["kept", "kept", "suggested", "kept"]
    assert [filling.kept(name) for name in "abcd"] == [None, 7, 2, 1]
    assert offered(filling, Offer("c", 3, "f", "3")) == ["suggested"]
    assert filling.kept("c") == 3


def test_an_ambiguous_memory_fills_nothing_and_names_what_it_has() -> None:
    filling = Filling(form(asks("a"), asks("b")))
    assert offered(filling, Offer("a", 1, "f1", "1"), Offer("a", 2, "f2", "1"), Offer("nothing", 1, "f", "1")) == [
        "ambiguous",
        "rejected",
    ]
    assert offered(filling, Offer("b", "many", "f", "1")) == ["rejected"]
    assert (filling.kept("a"), filling.kept("b")) == (None, None)


def test_what_was_submitted_is_not_filled_from_memory() -> None:
    filling = Filling(form(asks("a")))
    filling.say(a=1, by=ANA)
    filling.submit()
    with pytest.raises(Refused):
        offered(filling, Offer("a", 2, "f", "1"))
