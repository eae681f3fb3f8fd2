"""Editions: the newest is in force, none is changed, and the database knows what is declared."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from memoryapp.doors.errors import Denied, Invalid, NotFound
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import create_workspace, record
from memoryapp.ontology.models import DeclaredKey, DeclaredType, OntologyVersion
from memoryapp.ontology.queries import current_ontology, ontology_at, versions
from memoryapp.ontology.services import declare, ready_made, start

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


def changed(**classes: Any) -> dict[str, Any]:
    data = copy.deepcopy(ready_made("default").as_data())
    data["node_classes"].update(classes)
    return data


def test_starting_twice_and_declaring_the_same_change_nothing(operator: Principal) -> None:
    for act in (start, lambda write: declare(write, ready_made("default"))):
        assert record(operator, "declare", act).number == 1
    assert OntologyVersion.objects.filter(workspace=operator.workspace).count() == 1


def test_an_addition_is_a_new_edition_and_the_old_one_stays(operator: Principal) -> None:
    record(operator, "declare", lambda write: declare(write, changed(vessel={"parent": "thing", "keys": [["name"]]})))
    assert current_ontology(operator).number == 2
    assert current_ontology(operator).is_class("vessel", "thing")
    with pytest.raises(Invalid):
        ontology_at(operator, 1).node_class("vessel")
    assert [version.number for version in versions(operator)] == [2, 1]
    assert DeclaredType.objects.get(name="vessel").lineage == "/vessel/thing/"
    assert DeclaredType.objects.get(name="vessel").since == 2


def test_what_goes_is_retired_and_may_come_back(operator: Principal) -> None:
    with_vessel = changed(vessel={"parent": "thing", "keys": [["name"]]})
    for document, retired in [(with_vessel, False), (changed(), True), (with_vessel, False)]:
        record(operator, "declare", lambda write, given=document: declare(write, given))
        assert DeclaredType.objects.get(name="vessel").retired is retired
        assert DeclaredKey.objects.get(owner_class="vessel").retired is retired
    assert current_ontology(operator).number == 4


def test_an_edition_is_never_changed(operator: Principal) -> None:
    version = OntologyVersion.objects.get(workspace=operator.workspace)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        OntologyVersion.objects.filter(pk=version.pk).update(document={})


def test_only_who_may_apply_schema_declares(curator_agent: Principal, reviewer: Principal) -> None:
    for by in (curator_agent, reviewer):
        with pytest.raises(Denied):
            record(by, "declare", lambda write: declare(write, changed(vessel={"parent": "thing"})))


def test_an_edition_of_another_workspace_is_none_of_ours(operator: Principal, other_workspace: Workspace) -> None:
    record(operator, "declare", lambda write: declare(write, changed(vessel={"parent": "thing"})))
    assert "vessel" not in current_ontology(other_workspace).document.node_classes


def test_a_workspace_without_types_says_so(db: None) -> None:
    with pytest.raises(NotFound) as refused:
        current_ontology(create_workspace("bare", "Bare"))
    assert refused.value.code == "no_ontology"


def test_an_unknown_ready_made_ontology_is_refused_with_the_nearest(operator: Principal) -> None:
    with pytest.raises(Invalid, match="Did you mean default"):
        ready_made("defualt")
