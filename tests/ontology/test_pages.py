"""The declared types, to read in the console."""

from __future__ import annotations

import pytest

from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology
from tests.visiting import client_of

pytestmark = pytest.mark.django_db


def test_every_declared_type_is_on_the_page(viewer: Principal) -> None:
    shown = client_of(viewer).get("/w/harbour/ontology/").content.decode()
    document = current_ontology(viewer).document
    for names in (document.belief_kinds, document.node_classes, document.relationships, document.relation_kinds):
        for name in names:
            assert f">{name}</code>" in shown, name


def test_an_edition_that_does_not_exist_is_not_found(viewer: Principal) -> None:
    client = client_of(viewer)
    assert client.get("/w/harbour/ontology/?edition=1").status_code == 200
    assert client.get("/w/harbour/ontology/?edition=99").status_code == 404
    assert client.get("/w/harbour/ontology/?edition=latest").status_code == 422
