"""An episode is amended in the browser: a revision beside the others, and nothing typed is lost to who was faster."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.ledger.principal import Principal
from memoryapp.timeline import queries, services
from memoryapp.timeline.inputs import Amendment
from memoryapp.timeline.models import Episode
from tests.graph.nodes.telling import Graph
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


def test_who_took_part_is_amended_by_name_by_role_and_away(
    timeline: Timeline, graph: Graph, administrator: Principal
) -> None:
    """E2: who is not touched stays; a name that means nobody, or a role the kind lacks, is refused with its row."""
    ines, mira, quill = (graph.person(name) for name in ("Ines Ferro", "Mira Oduya", "Quill Marchetti"))
    met = timeline.happened("They met.", ines, (mira, "host"), kind="meeting", at="2026-03-02")
    page, address = client_of(administrator), f"/w/harbour/timeline/{met.pk}/amend/"
    drawn = page.get(address).content.decode()
    assert f'<input type="hidden" name="who" value="{ines.pk}">' in drawn
    assert "Took no part" in drawn
    typed: dict[str, Any] = {"content": "They met.", "at": "2026-03-02", "reason": "It was Quill.", "lock": "1"}
    for who, role, word in (("Nobody Known", "host", "Nobody Known"), ("quill marchetti", "pilot", "pilot")):
        refused = page.post(address, typed | {"who": [str(ines.pk), who], "role": ["host", role]})
        assert 400 <= refused.status_code < 500
        assert word in refused.content.decode()
        assert Episode.objects.get(pk=met.pk).lock == 1
    rows = {"who": [str(ines.pk), str(mira.pk), "quill marchetti", ""], "role": ["host", "", "attendee", "host"]}
    assert page.post(address, typed | rows).status_code == 302
    latest, first = queries.revisions(Episode.objects.get(pk=met.pk))
    assert [(node.pk, role) for node, role in latest.people] == [(ines.pk, "host"), (quill.pk, "attendee")]
    assert [(node.pk, role) for node, role in first.people] == [(ines.pk, "participant"), (mira.pk, "host")]
    again = {"content": "They met twice.", "at": "2026-03-02", "reason": "Twice.", "lock": "2"}
    assert page.post(address, again).status_code == 302
    assert len(queries.revisions(Episode.objects.get(pk=met.pk))[0].people) == 2


def test_what_cannot_be_is_refused_with_its_place_and_nothing_is_written(
    met: Episode, administrator: Principal
) -> None:
    page = client_of(administrator)
    for typed in (
        {"at": "someday"},
        {"properties": "location: [1, 2]"},
        {"properties": "- quay"},
        {"reason": ""},
        {"content": " "},
        {"lock": "x"},
    ):
        answer = page.post(f"/w/harbour/timeline/{met.pk}/amend/", form(met, **typed))
        assert 400 <= answer.status_code < 500, typed
        assert Episode.objects.get(pk=met.pk).lock == 1


def test_who_may_not_record_is_offered_no_form(met: Episode, viewer: Principal) -> None:
    page = client_of(viewer)
    assert "amend/" not in page.get(f"/w/harbour/timeline/{met.pk}/").content.decode()
    assert page.get(f"/w/harbour/timeline/{met.pk}/amend/").status_code == 403
