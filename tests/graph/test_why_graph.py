"""Why as a graph that one opens: what is around a belief, opened by address, bounded, and the same in words."""

from __future__ import annotations

import pytest

from memoryapp.graph.pages import why_graph
from memoryapp.graph.queries.around import around
from memoryapp.ledger.principal import Principal
from tests.graph.telling import Memory
from tests.visiting import client_of

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def memory(curator_agent: Principal, operator: Principal) -> Memory:
    return Memory(curator_agent, operator)


def drawn(by: Principal, belief: object, *opened: object) -> why_graph.Picture:
    ids = [one.pk for one in (belief, *opened)]  # type: ignore[attr-defined]
    found = around(by, ids)
    return why_graph.drawn(by, found.beliefs[ids[0]], ids, found)


def test_what_a_belief_rests_on_lies_right_and_what_followed_from_it_left(
    memory: Memory, administrator: Principal
) -> None:
    owner = memory.node("Ines")
    weekly = memory.say("2026-03-02", "Ines reads mail on Mondays", owner).belief
    summary = memory.conclude("Ines prefers few letters", weekly)
    whole = memory.conclude("Ines is busy", summary)
    picture = drawn(administrator, summary)
    columns = {box.content: box.column for box in picture.boxes.values()}
    assert columns == {summary.content: 0, weekly.content: 1, whole.content: -1}
    assert {(one["from"].content, one["words"], one["to"].content) for one in picture.said} == {
        (summary.content, "rests on", weekly.content),
        (summary.content, "concluded from it", whole.content),
    }
    opened = drawn(administrator, summary, weekly)
    assert [box.column for box in opened.boxes.values() if box.css == "is-source"] == [2]
    assert all(box.x >= 0 and box.y >= 0 for box in opened.boxes.values())


def test_the_address_says_what_is_open_and_each_can_be_closed(memory: Memory, administrator: Principal) -> None:
    owner = memory.node("Ines")
    weekly = memory.say("2026-03-02", "Ines reads mail on Mondays", owner).belief
    summary = memory.conclude("Ines prefers few letters", weekly)
    here = f"/w/harbour/beliefs/{summary.pk}/why/"
    client = client_of(administrator)
    page = client.get(here).content.decode()
    assert f'href="{here}?open={weekly.pk}"' in page
    assert "Open what stands around: Ines reads mail on Mondays" in page
    assert "The same in words" in page
    part = client.get(f"{here}?open={weekly.pk},nonsense", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "Close what stands around: Ines reads mail on Mondays" in part
    assert f"{here}" in client.get(f"/w/harbour/beliefs/{summary.pk}/").content.decode()


def test_a_picture_is_bounded_and_says_what_it_left_out(
    memory: Memory, administrator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = memory.node("Ines")
    premises = [memory.say("2026-03-02", f"Ines said thing {number}", owner).belief for number in range(4)]
    summary = memory.conclude("Ines says things", *premises)
    monkeypatch.setattr(why_graph, "MOST_BOXES", 3)
    picture = drawn(administrator, summary)
    assert (len(picture.boxes), picture.cut) == (3, 2)


def test_what_is_out_of_sight_is_no_box_and_no_line(memory: Memory, administrator: Principal) -> None:
    assert client_of(administrator).get(f"/w/harbour/beliefs/{administrator.actor.pk}/why/").status_code == 404
    with pytest.raises(KeyError):
        drawn(administrator, administrator.actor)
