"""Whatever is sent as a patch: a verdict for each operation or a refusal in words, never half of a write."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from formsengine.log.writing import OPERATIONS, Patch, write
from formsengine.problems import Refused
from tests.formsengine.filling import ANA, BOT, Filling, asks, choices, facts, form, rows

WORDS = st.sampled_from(["x", "many", "r", "y", "w1.0", "r/w1.0/y", "r/w9.9/y", "", "/", "r1.1", "current", "2", "one"])
PLAIN = WORDS | st.none() | st.booleans() | st.integers(-2, 10**20) | st.floats(allow_nan=False) | st.text(max_size=4)
ANYTHING = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3))
PARTS = ["field", "value", "repeat", "row", "to", "add", "remove", "replace", "values", "revision", "pick", "commit"]
MORE = ["as", "parent", "reason", "origin", "evidence", "confidence", "speaker", "head", "strict", "said_at", "sources"]
OPS = st.builds(
    lambda op, parts: {**parts, "op": op},
    st.sampled_from([*OPERATIONS, "st", ""]) | ANYTHING,
    st.dictionaries(st.sampled_from(PARTS + MORE), ANYTHING | WORDS, max_size=5),
)


PATCHES = st.lists(OPS | ANYTHING, min_size=1, max_size=4)


@settings(max_examples=40)
@given(PATCHES, st.sampled_from([ANA, BOT]), st.sampled_from([None, 0, 1, 2, 9]))
def test_any_patch_is_answered_in_words_and_leaves_nothing_half_done(ops: list[Any], by: Any, base: int | None) -> None:
    listed = rows("r", asks("y"), row_label="y")
    filling = Filling(form(asks("x"), asks("many", "choices", choices="l"), listed, lists=[choices("l", "x", "y")]))
    filling.row("r", y=1)
    filling.say(x=1)
    before, said = facts(filling.response), "nothing was refused"
    try:
        result = write(filling.response, by, Patch(ops, base=base), filling.clock)
    except Refused as refused:
        said = refused.message
    else:
        assert all(each["verdict"] for each in result.verdicts)
        json.dumps(result.commit.as_data())
        filling.response = result.response
        before = facts(filling.response)
        assert facts(filling.replayed()) == before
    assert facts(filling.response) == before
    assert said


def test_a_misspelt_part_of_an_operation_is_named_with_the_part_that_was_meant() -> None:
    filling = Filling(form(asks("x")))
    filling.patch([{"op": "set", "field": "x", "vlaue": 1}, {"op": "set", "field": "x", "value": 2}])
    assert filling.verdicts() == ["rejected", "in-force"]
    assert filling.last is not None
    assert filling.last.verdicts[0]["message"] == "An operation has no part 'vlaue'. Did you mean value or values?"
