"""An episode is amended in the browser: a revision beside the others, and nothing typed is lost to who was faster."""

from __future__ import annotations

import pytest

from memoryapp.ledger.principal import Principal
from memoryapp.timeline import queries, services
from memoryapp.timeline.inputs import Amendment
from memoryapp.timeline.models import Episode
from tests.timeline.telling import Timeline
from tests.visiting import client_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def met(timeline: Timeline) -> Episode:
    return timeline.happened("We met at the quay.", kind="meeting", at="2026-03-02", properties={"location": "Quay 3"})


def form(episode: Episode, **typed: str) -> dict[str, str]:
    shown = {"content": "We met at the quay.", "at": "2026-03-02", "properties": "location: Quay 3", "reason": "Typo."}
    return shown | {"lock": str(episode.lock)} | typed


def test_what_is_typed_is_the_next_revision_and_the_first_stays_readable(
    met: Episode, administrator: Principal
) -> None:
    """E2."""
    page, address = client_of(administrator), f"/w/harbour/timeline/{met.pk}/"
    assert f"{address}amend/" in page.get(address).content.decode()
    drawn = page.get(f"{address}amend/").content.decode()
    assert "We met at the quay." in drawn
    assert "location: Quay 3" in drawn
    typed = form(met, content="We met in the hall.", since="2026-03-02", until="2026-03-03", at="")
    answer = page.post(f"{address}amend/", typed)
    assert answer.status_code == 302, answer.content
    shown = page.get(address).content.decode()
    assert "We met in the hall." in shown
    latest, first = queries.revisions(Episode.objects.get(pk=met.pk))
    assert (first.revision.content, latest.revision.span) == ("We met at the quay.", "interval")
    assert (latest.revision.reason, latest.revision.properties) == ("Typo.", {"location": "Quay 3"})


def test_who_was_overtaken_keeps_the_draft_and_reads_what_it_says_now(
    met: Episode, timeline: Timeline, administrator: Principal
) -> None:
    page, address = client_of(administrator), f"/w/harbour/timeline/{met.pk}/amend/"
    faster = Amendment(content="We met on the ship.")
    timeline.do(lambda write: services.amend(write, met.pk, faster, reason="So it was.", lock=met.lock))
    answer = page.post(address, form(met, content="We met in the hall."))
    words = answer.content.decode()
    assert answer.status_code == 409
    assert "We met in the hall." in words
    assert "We met on the ship." in words
    assert Episode.objects.get(pk=met.pk).lock == 2
    assert page.post(address, form(met, content="We met in the hall.", lock="2")).status_code == 302


@pytest.mark.parametrize(
    ("typed", "place"),
    [
        ({"at": "someday"}, "at"),
        ({"properties": "location: [1, 2]"}, "properties"),
        ({"properties": "- quay"}, "properties"),
        ({"reason": ""}, "reason"),
        ({"content": " "}, "content"),
        ({"lock": "x"}, "lock"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place_and_nothing_is_written(
    met: Episode, administrator: Principal, typed: dict[str, str], place: str
) -> None:
    answer = client_of(administrator).post(f"/w/harbour/timeline/{met.pk}/amend/", form(met, **typed))
    assert 400 <= answer.status_code < 500, place
    assert Episode.objects.get(pk=met.pk).lock == 1


def test_who_may_not_record_is_offered_no_form(met: Episode, viewer: Principal) -> None:
    page = client_of(viewer)
    assert "amend/" not in page.get(f"/w/harbour/timeline/{met.pk}/").content.decode()
    assert page.get(f"/w/harbour/timeline/{met.pk}/amend/").status_code == 403
