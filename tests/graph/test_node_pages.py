"""Nodes in the browser: listed, merged after a look, split by ticks, taken out of use, and walked along."""

from __future__ import annotations

import datetime as dt

import pytest
from django.utils import timezone

from memoryapp.graph.models import Belief, Node
from memoryapp.graph.services.relations import retract_relation
from memoryapp.ledger.principal import Principal
from memoryapp.review.models import Case
from tests.graph.nodes.telling import Graph
from tests.visiting import client_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


@pytest.fixture
def studio(graph: Graph) -> dict[str, Node]:
    """A person told of twice, where they work, and whom they know."""
    found = {
        "j": graph.node("person", name="J. Okoro", handle="jokoro"),
        "jude": graph.node("person", name="Jude Okoro", email="jude@okoro.example"),
        "ines": graph.person("Ines Ferro"),
        "studio": graph.node("organization", name="Ferro Studio"),
    }
    graph.connect(found["jude"], "memberOf", found["studio"])
    graph.connect(found["j"], "memberOf", found["studio"], "2026-01-05")
    graph.connect(found["j"], "knows", found["ines"])
    graph.connect(found["j"], "knows", found["jude"])
    graph.say("J. Okoro prefers the night train.", found["j"])
    return found


def test_nodes_are_listed_by_name_class_and_state_and_views_are_kept(
    studio: dict[str, Node], reviewer: Principal
) -> None:
    page = client_of(reviewer)
    shown = page.get("/w/harbour/nodes/").content.decode()
    assert all(node.label in shown for node in studio.values())
    assert "1 pair may be one" in shown
    people = page.get("/w/harbour/nodes/?class=person&q=okoro").content.decode()
    assert "Jude Okoro" in people
    assert "Ines Ferro" not in people
    kept = page.post("/w/harbour/views/", {"place": "nodes", "query": "class=person", "name": "People"})
    assert kept.status_code == 302, kept.content
    assert "People" in page.get("/w/harbour/nodes/").content.decode()
    assert "Nothing matches" in page.get("/w/harbour/nodes/?q=zebra").content.decode()


def test_two_are_merged_after_a_look_and_taken_back_on_the_page(studio: dict[str, Node], reviewer: Principal) -> None:
    page, kept, folded = client_of(reviewer), studio["jude"], studio["j"]
    address = f"/w/harbour/nodes/{kept.pk}/"
    assert f"other={folded.pk}" in page.get(f"{address}merge/?q=okoro").content.decode()
    seen = page.get(f"{address}merge/?other={folded.pk}").content.decode()
    for words in ("J. Okoro goes into Jude Okoro", "Says the same", "Contradicts", "Vanishes", "Keep J. Okoro instead"):
        assert words in seen
    lock = Node.objects.get(pk=kept.pk).lock
    body = {"other": str(folded.pk), "lock": str(lock), "rationale": "One hand."}
    stale = page.post(f"{address}merge/", body | {"lock": "99"})
    assert stale.status_code == 412
    assert "One hand." in stale.content.decode()
    assert page.post(f"{address}merge/", body).status_code == 302
    assert page.get(f"/w/harbour/nodes/{folded.pk}/")["Location"] == address
    shown = page.get(address).content.decode()
    for words in ("Ines Ferro", "night train", "“J. Okoro” was folded into it", "One hand."):
        assert words in shown
    decision = Case.objects.get(kind="merge_suggestion").decisions.get()
    assert page.post(f"{address}undo/", {"decision": str(decision.pk)}).status_code == 302
    assert Node.objects.get(pk=folded.pk).state == "active"
    assert "taken back" in page.get(address).content.decode()


def test_what_is_ticked_goes_to_a_node_of_its_own(studio: dict[str, Node], reviewer: Principal) -> None:
    page, node = client_of(reviewer), studio["j"]
    address = f"/w/harbour/nodes/{node.pk}/split/"
    train = Belief.objects.get(content__icontains="night train")
    assert "night train" in page.get(address).content.decode()
    lock = str(Node.objects.get(pk=node.pk).lock)
    refused = page.post(address, {"lock": lock, "rationale": "Two."})
    assert refused.status_code == 422
    done = page.post(address, {"lock": lock, "belief": [str(train.pk)], "rationale": "Two."})
    assert done.status_code == 302
    assert "night train" in page.get(done["Location"]).content.decode()
    assert "prefers the night train" not in page.get(f"/w/harbour/nodes/{node.pk}/").content.decode()


def test_a_node_goes_out_of_use_and_comes_back(studio: dict[str, Node], reviewer: Principal) -> None:
    page, node = client_of(reviewer), studio["ines"]
    address = f"/w/harbour/nodes/{node.pk}/"
    for verb, state in (("retire", "retired"), ("use", "active")):
        lock = str(Node.objects.get(pk=node.pk).lock)
        assert page.post(f"{address}{verb}/", {"lock": lock, "reason": "She said so."}).status_code == 302
        assert Node.objects.get(pk=node.pk).state == state
        assert ("Ines Ferro" in page.get("/w/harbour/nodes/").content.decode()) is (state == "active")


def test_who_only_looks_is_offered_no_change_and_refused_it(studio: dict[str, Node], viewer: Principal) -> None:
    page, address = client_of(viewer), f"/w/harbour/nodes/{studio['jude'].pk}/"
    assert "merge/" not in page.get(address).content.decode()
    for verb in ("merge", "split"):
        assert page.get(f"{address}{verb}/").status_code == 403


def test_the_graph_is_opened_node_by_node_and_shows_a_way(studio: dict[str, Node], viewer: Principal) -> None:
    page = client_of(viewer)
    assert "Begin with" in page.get("/w/harbour/graph/").content.decode()
    opened = f"/w/harbour/graph/?open={studio['jude'].pk}"
    shown = page.get(opened).content.decode()
    assert "Ferro Studio" in shown
    assert "Ines Ferro" not in shown
    both = page.get(f"{opened}&open={studio['j'].pk}").content.decode()
    assert "Ines Ferro" in both
    narrow = page.get(f"{opened}&open={studio['j'].pk}&type=memberOf").content.decode()
    assert "Ines Ferro" not in narrow
    assert "No edge leads anywhere" in page.get(f"{opened}&at=1999-01-01").content.decode()
    way = page.get(f"{opened}&to={studio['ines'].pk}").content.decode()
    assert "The way" in way
    assert "Ines Ferro" in way
    assert page.get("/w/harbour/graph/?open=nobody").status_code == 422


def test_a_relation_of_several_is_on_the_page_of_each_and_a_hub_in_the_picture(
    studio: dict[str, Node], graph: Graph, viewer: Principal
) -> None:
    """T41: read back by people."""
    jude, ines, works = studio["jude"], studio["ines"], studio["studio"]
    players = (("shipper", jude), ("carrier", works), ("receiver", ines))
    made = graph.relate("shipment", *players, attributes={"reference": "S-17"})
    page = client_of(viewer)
    for node in (jude, works, ines):
        shown = page.get(f"/w/harbour/nodes/{node.pk}/").content.decode()
        assert "Part in relations" in shown
        assert "reference S-17" in shown
    picture = page.get(f"/w/harbour/graph/?open={ines.pk}").content.decode()
    assert "Joined by relations" in picture
    assert "<title>shipment (shipper: Jude Okoro, carrier: Ferro Studio, receiver: Ines Ferro)</title>" in picture
    graph.do(lambda write: retract_relation(write, made, reason="It was another."))
    assert "Part in relations" not in page.get(f"/w/harbour/nodes/{ines.pk}/").content.decode()


def test_a_node_is_shown_as_it_was_known_on_another_day(
    studio: dict[str, Node], graph: Graph, viewer: Principal
) -> None:
    page, jude = client_of(viewer), studio["jude"]
    address = f"/w/harbour/nodes/{jude.pk}/"
    yesterday, tomorrow = (f"{timezone.now() + dt.timedelta(days=days):%Y-%m-%d}" for days in (-1, 1))
    before = page.get(f"{address}?known={yesterday}").content.decode()
    assert "by what was known on" in before
    assert "Ferro Studio" not in before
    since = page.get(f"{address}?at=2026-03-05&known={tomorrow}").content.decode()
    assert "Ferro Studio" in since
    assert "Ferro Studio" not in page.get(f"{address}?at=2026-02-01&known={tomorrow}").content.decode()
    picture = f"/w/harbour/graph/?open={jude.pk}"
    assert "is a member of" not in page.get(f"{picture}&known={yesterday}").content.decode()
    opened = page.get(f"{picture}&known={tomorrow}").content.decode()
    assert f"known={tomorrow}" in opened
    assert "Ferro Studio" in opened
    assert page.get(f"{address}?known=someday").status_code == 422
