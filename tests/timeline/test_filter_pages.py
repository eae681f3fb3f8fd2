"""The timeline's page: how much happened when, and narrowed by properties, all of it in its address."""

from __future__ import annotations

import datetime as dt
from urllib.parse import quote

import pytest

from memoryapp.ledger.principal import Principal
from memoryapp.timeline.queries import Asked
from memoryapp.timeline.queries.density import density
from tests.timeline.telling import Timeline, moment
from tests.visiting import client_of

pytestmark = pytest.mark.django_db


def test_days_are_counted_where_the_page_is_read_and_each_leads_to_itself(
    timeline: Timeline, administrator: Principal
) -> None:
    """Half past eleven in the evening at -05:00 is the next day in Lisbon; a day without anything is there too."""
    for at in ("2026-03-02T23:30:00-05:00", "2026-03-03T09:00:00Z", "2026-03-05"):
        timeline.happened("So it was.", kind="meeting", at=at)
    timeline.happened("Elsewhere.", kind="message", at="2026-03-04")
    zone = dt.timezone(dt.timedelta(0))
    drawn = density(timeline.by, Asked(kinds=("meeting",)), zone)
    assert drawn is not None
    assert (drawn.unit, [bar.count for bar in drawn.bars]) == ("day", [2, 0, 1])
    years = density(timeline.by, Asked(since=moment("1990").instant, until=moment("2027").instant), zone)
    assert years is not None
    assert (years.unit, len(years.bars), years.bars[-1].count) == ("year", 37, 4)
    page = client_of(administrator)
    shown = page.get("/w/harbour/timeline/?kind=meeting").content.decode()
    zoomed = "?kind=meeting&amp;from=2026-03-03&amp;to=2026-03-03"
    assert zoomed in shown
    day = page.get(f"/w/harbour/timeline/{zoomed.replace('&amp;', '&')}").content.decode()
    assert day.count("So it was.") == 2
    assert "Zoom out" in day


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
        said = refused.content.decode()
        assert word in said
        assert f'href="{address}">Show the page without filters' in said
