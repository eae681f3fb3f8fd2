"""The declared types, to read in the console."""

from __future__ import annotations

import pytest

from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology
from tests.graph.nodes.telling import Graph
from tests.ontology.proposing import VESSEL, Office
from tests.visiting import client_of

pytestmark = pytest.mark.django_db


def test_every_declared_type_is_on_the_page(viewer: Principal) -> None:
    shown = client_of(viewer).get("/w/harbour/ontology/").content.decode()
    document = current_ontology(viewer).document
    for family in (
        *("belief_kinds", "node_classes", "relationships", "relation_kinds"),
        *("episode_kinds", "views", "source_kinds", "file_roots"),
    ):
        for name in getattr(document, family):
            assert f">{name}</code>" in shown, (family, name)


def test_an_edition_that_does_not_exist_is_not_found(viewer: Principal) -> None:
    client = client_of(viewer)
    assert client.get("/w/harbour/ontology/?edition=1").status_code == 200
    assert client.get("/w/harbour/ontology/?edition=99").status_code == 404
    assert client.get("/w/harbour/ontology/?edition=latest").status_code == 422


def test_a_type_has_a_page_with_examples_that_its_reader_may_see(
    viewer: Principal, operator: Principal, administrator: Principal
) -> None:
    """Case 143.

    Inherited and own properties, where it and what was added since came from, what names it, and rows of it within
    the reader's audience."""
    graph = Graph(operator)
    ines = graph.node("person", name="Ines", email="ines@ferro.example")
    graph.say("Ines likes tea.", ines, kind="preference")
    graph.say("Ines is ill.", ines, kind="preference", audience="owners")
    office = Office(operator, administrator)
    office.put_in_force(VESSEL)
    calls = {"family": "node_classes", "type": "vessel", "name": "berth", "declaration": {"type": "string"}}
    office.put_in_force({"change": "add_property", **calls})
    terms = [{"iri": "urn:mooring", "name": "Mooring", "aliases": ["berthing"]}]
    works = {"family": "vocabularies", "name": "works", "declaration": {"node_class": "topic", "terms": terms}}
    office.put_in_force({"change": "add_type", **works})
    firm = graph.node("organization", name="Ferro")
    graph.connect(ines, "worksAt", firm)
    graph.relate("shipment", ("shipper", ines), ("carrier", firm), ("receiver", graph.person("Tomas")))
    graph.node("vessel", name="Kestrel")
    client = client_of(viewer)
    shown = client.get("/w/harbour/ontology/belief_kinds/preference/").content.decode()
    assert "Ines likes tea." in shown
    assert "Ines is ill." not in shown
    assert "The view “" in shown
    boat = client.get("/w/harbour/ontology/node_classes/vessel/").content.decode()
    assert all(words in boat for words in ("Kestrel", "draught", "from thing", "proposal 1", "1 stored"))
    assert "Add berth to vessel: edition 3, <a" in boat
    works_at = client.get("/w/harbour/ontology/relationships/worksAt/").content.decode()
    assert all(words in works_at for words in ("1 stored", "Ines works at Ferro"))
    related = client.get("/w/harbour/ontology/relation_kinds/shipment/").content.decode()
    assert all(words in related for words in ("1 stored", "carrier: Ferro"))
    assert "Mooring" in client.get("/w/harbour/ontology/").content.decode()
    for unknown in ("node_classes/ship", "views/preferences", "kinds/person"):
        assert client.get(f"/w/harbour/ontology/{unknown}/").status_code == 404
    assert "/w/harbour/ontology/node_classes/vessel/" in client.get("/w/harbour/ontology/").content.decode()
