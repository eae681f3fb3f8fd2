"""What is swept with wrong bodies is swept with everything that can be wrong."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.api.sweeping import operations, types_not_in, wrong_bodies

pytestmark = pytest.mark.django_db


def test_in_place_of_every_declared_type_every_other_one_is_tried() -> None:
    tried: dict[frozenset[str], set[str]] = defaultdict(set)
    for post in operations():
        for wrong in wrong_bodies(post):
            if wrong.given:
                tried[wrong.declared].add(wrong.given)
    assert {"string", "integer", "boolean", "array", "object"} <= set().union(*tried)
    untried = {"/".join(sorted(declared)): types_not_in(declared) - given for declared, given in tried.items()}
    assert {declared: left for declared, left in untried.items() if left} == {}
