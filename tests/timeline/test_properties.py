"""Episodes are asked for by what they have, with the operators of the graph, now and as known at any time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.doors.errors import Malformed
from memoryapp.graph import typed
from memoryapp.graph.queries.asking import comparing
from memoryapp.ledger import integrity
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import services as ontology
from memoryapp.ontology.changeset.moves import Move
from memoryapp.ontology.queries import current_ontology
from memoryapp.timeline import queries
from memoryapp.timeline.models import EpisodeValue
from memoryapp.timeline.queries import Asked, having
from tests.graph.asking.naive import Plain, holds
from tests.timeline.telling import Timeline

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

SAILING: dict[str, Any] = {
    "parent": "event",
    "properties": {
        "length": {"type": "number"},
        "crew": {"type": "integer"},
        "built": {"type": "string", "format": "partial-date-time"},
        "moored": {"type": "boolean"},
        "note": {"type": "string", "maxLength": 4000},
        "flag": {"type": "array", "items": {"type": "string"}},
    },
}
"""A kind of episode with a property of every sort."""
TOLD: list[dict[str, Any]] = [
    {"length": 12.5, "crew": 2, "built": "1999", "moored": True, "flag": ["PT", "ES"], "note": "Blue hull"},
    {"length": 2, "built": "2001-05-03T23:30:00-05:00", "moored": False, "flag": ["pt"], "note": "a_b%c"},
    {"length": -3, "crew": 10, "built": "2001-05-04", "note": "blue  hull"},
    {"crew": 0, "flag": [], "note": "x" * 1500 + "end"},
    {},
]


def declare(timeline: Timeline, moves: Sequence[Move] = (), **kinds: Any) -> None:
    document = current_ontology(timeline.by).document.model_dump(mode="json", by_alias=True)
    document["episode_kinds"] |= kinds
    timeline.do(lambda write: ontology.declare(write, document, moves=moves))


def asked(by: Principal, where: Any, **more: Any) -> list[str]:
    found = queries.episodes(by, Asked(where=where, **more))
    return sorted(found.values_list("external_id", flat=True))


def clock(by: Principal) -> dt.datetime:
    return Workspace.objects.values_list("clock", flat=True).get(pk=by.workspace.pk)


@pytest.fixture
def sailed(timeline: Timeline) -> Timeline:
    """Five sailings; then the first was said otherwise, and the second taken away."""
    declare(timeline, sailing=SAILING)
    made = [
        timeline.happened("Out.", kind="sailing", properties=told, external_id=str(n)) for n, told in enumerate(TOLD)
    ]
    kept[:] = [(clock(timeline.by), list(enumerate(TOLD)))]
    timeline.amend(made[0], properties={"length": 13, "crew": 9, "moored": True, "flag": ["DK"]})
    timeline.retract(made[1])
    now = {0: {"length": 13, "crew": 9, "moored": True, "flag": ["DK"]}, 2: TOLD[2], 3: TOLD[3], 4: TOLD[4]}
    kept.append((clock(timeline.by), list(now.items())))
    return timeline


kept: list[tuple[dt.datetime, list[tuple[int, dict[str, Any]]]]] = []
"""What was known when: the sailings that stood then, with what was said of each."""

VALUES: dict[str, list[Any]] = {
    "length": [-3, 2, 2.0, 12.5, 13],
    "crew": [0, 2, 9, 10],
    "built": ["1999", "1999-05", "2001-05-04T04:30:00Z", "2001-05-04"],
    "moored": [True, False],
    "note": ["Blue hull", "blue hull", "b", "%", "end", "hull"],
    "flag": ["PT", "pt", "DK", "P"],
}
ORDER = ["gt", "gte", "lt", "lte"]
WORDS = ["contains", "starts_with", "ends_with", "fuzzy"]


def compared(name: str) -> st.SearchStrategy[Any]:
    values = st.sampled_from(VALUES[name])
    order = [] if name == "moored" else ORDER
    operators = ["eq", "neq", *order, *(WORDS if name in ("note", "flag") else [])]
    single = st.tuples(st.sampled_from(operators), values).map(lambda two: {two[0]: two[1]})
    several = st.tuples(st.sampled_from(["in", "not_in"]), st.lists(values, min_size=1, max_size=2))
    exists = st.booleans().map(lambda told: {"exists": told})
    between = st.tuples(values, values).map(lambda two: {"between": list(two)}) if order else single
    return (single | several.map(lambda two: {two[0]: two[1]}) | exists | between | values).map(
        lambda told: {name: told}
    )


conditions = st.recursive(
    st.sampled_from(sorted(VALUES)).flatmap(compared),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda told: {"and": told}),
        st.lists(inner, min_size=1, max_size=3).map(lambda told: {"or": told}),
        inner.map(lambda told: {"not": told}),
    ),
    max_leaves=4,
)


def test_any_condition_has_the_answer_of_the_naive_evaluation(sailed: Timeline, monkeypatch: Any) -> None:
    """E3, T40: all fourteen operators in any nesting, now and as known before, by few rows and by many."""

    @settings(max_examples=12, derandomize=True, database=None)
    @given(where=conditions, many=st.booleans())
    def holds_of_any(where: Any, many: bool) -> None:
        monkeypatch.setattr(having, "FEW", 0 if many else 1000)
        for place, (known_at, said) in enumerate(kept):
            plain = [
                Plain(str(n), "", "sailing", {name: one for name, one in told.items() if one != []}) for n, told in said
            ]
            expected = [one.id for one in plain if holds(one, where)]
            assert asked(sailed.by, where, kinds=("sailing",), known_at=known_at) == expected
            if place == len(kept) - 1:
                assert asked(sailed.by, where, kinds=("sailing",)) == expected, "now is as known now"

    holds_of_any()


def test_what_cannot_be_asked_is_named_with_what_is_nearest(sailed: Timeline) -> None:
    for where, path, code, word in (
        ({"lenght": 3}, "/where/lenght", "undeclared_property", "“length”"),
        ({"length": {"gtt": 3}}, "/where/length/gtt", "unknown_operator", "“gt”"),
        ({"length": {"gt": "much"}}, "/where/length/gt", "wrong_type", "another sort"),
        ({"moored": {"gt": True}}, "/where/moored/gt", "operator_does_not_fit", "“gt”"),
        ({"built": {"lt": "2001-05-04T10:00"}}, "/where/built/lt", "naive_time", "zone"),
        ([{"or": []}], "/where/0/or", "wrong_type", "several"),
        ({"related": {"relationship": "worksAt"}}, "/where/related", "undeclared_property", "related"),
    ):
        with pytest.raises(Malformed) as error:
            asked(sailed.by, where, kinds=("sailing",))
        assert [(one.path, one.code) for one in error.value.violations] == [(path, code)], error.value.violations
        assert word in error.value.violations[0].message
    assert asked(sailed.by, {"built": {"lt": "2001-05-04T00:30"}}, time_zone="Europe/Lisbon") == []
    assert asked(sailed.by, {"built": {"lt": "2001-05-04T01:30"}}, time_zone="Europe/Lisbon") == ["2"]


def test_a_property_that_is_two_things_is_asked_for_by_kind(timeline: Timeline) -> None:
    declare(timeline, race={"parent": "event", "properties": {"amount": {"type": "string"}}})
    timeline.happened("So.", external_id="Bought.", kind="purchase", properties={"amount": 12})
    timeline.happened("So.", external_id="Raced.", kind="race", properties={"amount": "12 boats"})
    with pytest.raises(Malformed) as error:
        asked(timeline.by, {"amount": {"gt": 3}})
    assert [(one.code, one.accepted) for one in error.value.violations] == [("ambiguous_property", "purchase, race")]
    assert asked(timeline.by, {"amount": {"gt": 3}}, kinds=("purchase",)) == ["Bought."]
    assert asked(timeline.by, {"amount": {"contains": "boats"}}, kinds=("race",)) == ["Raced."]


def test_what_a_property_is_declared_as_later_is_how_it_is_compared(timeline: Timeline) -> None:
    """Values follow a change of the declared types, by the name and by the sort; integrity finds what does not."""
    by = timeline.by
    declare(timeline, refit={"parent": "event", "properties": {"done": {"type": "string"}, "yard": {"type": "string"}}})
    timeline.happened("So.", external_id="Early.", kind="refit", properties={"done": "2026-03", "yard": "Lisnave"})
    timeline.happened("So.", external_id="Late.", kind="refit", properties={"done": "2026-03-15T10:00:00+01:00"})
    assert asked(by, {"done": {"starts_with": "2026-03-1"}}) == ["Late."]
    dated = {"type": "string", "format": "partial-date-time"}
    renamed = Move("episode_kinds", "refit", part="property", name="yard", to="shipyard", types=("refit",))
    properties = {"done": dated, "shipyard": {"type": "string"}}
    declare(timeline, [renamed], refit={"parent": "event", "properties": properties, "renamed": {"yard": "shipyard"}})
    assert asked(by, {"done": {"between": ["2026-03-15T09:00:00Z", "2026-03-15T09:30:00Z"]}}) == ["Late."]
    assert asked(by, {"shipyard": "Lisnave"}) == asked(by, {"yard": "Lisnave"}) == ["Early."]
    check = next(one for one in integrity.checks() if one.name == "episode values")
    assert list(check.run(by.workspace)) == []
    EpisodeValue.objects.filter(name="done", value_key__gte=typed.DATE)[0].delete()
    found = [one for one in integrity.examine(by.workspace) if one.check.name == "episode values"]
    assert [finding.what for finding in found[0].findings] == ["Its properties are compared as others."]
    integrity.repair(by.workspace, found)
    assert list(check.run(by.workspace)) == []


def test_a_comparison_that_is_bounded_says_so(timeline: Timeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MOST_COMPARED", 1)
    for place in ("Porto", "Braga"):
        timeline.happened(place, kind="meeting", properties={"location": place})
    question = Asked(where={"location": {"fuzzy": "porto"}})
    assert [one.kind for one in queries.episodes(timeline.by, question)] == ["meeting"]
    assert question.bounded == {"where"}


def test_values_are_found_by_their_index(sailed: Timeline) -> None:
    with CaptureQueriesContext(
        connection,
    ) as done:
        assert asked(sailed.by, {"crew": {"gt": 9}}) == ["2"]
    explained = EpisodeValue.objects.filter(
        workspace=sailed.by.workspace, name="crew", value_key__gt=typed.key_of(9, typed.NUMBER)
    )
    assert len(done) < 12
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SET LOCAL enable_bitmapscan = off")
    assert "episode_value" in explained.explain()
