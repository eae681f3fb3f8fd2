"""The timeline's page is narrowed by properties, one condition after the other, all of it in its address."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from memoryapp.ledger.principal import Principal
from tests.timeline.telling import Timeline
from tests.visiting import client_of

pytestmark = pytest.mark.django_db


def test_a_condition_is_added_shown_and_taken_away(timeline: Timeline, administrator: Principal) -> None:
    """E3: values are read as their property is declared, and what cannot be asked is refused with what can."""
    timeline.happened("Bought ropes.", kind="purchase", properties={"amount": 40, "currency": "EUR"})
    timeline.happened("Bought sails.", kind="purchase", properties={"amount": 900, "currency": "EUR"})
    timeline.happened("Met.", kind="meeting", properties={"location": "Quay 3"})
    page, address = client_of(administrator), "/w/harbour/timeline/"
    narrowed = page.get(f"{address}?kind=purchase&property=amount&operator=gte&value=40")
    assert narrowed.status_code == 302
    narrowed = page.get(f"{narrowed['Location']}&property=amount&operator=gt&value=50")
    shown = page.get(narrowed["Location"]).content.decode()
    assert "Bought sails." in shown
    assert "Bought ropes." not in shown
    assert "Amount is after or more than 50" in shown
    assert "Amount is from or at least 40" in shown
    untold = page.get(f"{address}?property=amount&operator=not_told")
    assert "Met." in page.get(untold["Location"]).content.decode()
    either = quote('{"or": [{"location": {"fuzzy": "quay3"}}, {"amount": "40"}]}')
    shown = page.get(f"{address}?where={either}").content.decode()
    assert "Met." in shown
    assert "Bought ropes." in shown
    assert "Bought sails." not in shown
    for wrong, word in (
        ("property=amount&operator=gt&value=much", "a number"),
        ("property=amont&operator=gt&value=1", "amount"),
        ("property=amount&operator=over&value=1", "between"),
        ("where=%5B", "JSON"),
        ("where=3", "condition"),
    ):
        refused = page.get(f"{address}?{wrong}")
        assert refused.status_code == 400
        assert word in refused.content.decode()
