"""Several small questions in one."""

from __future__ import annotations

import uuid

import pytest

from memoryapp.ledger.models import Actor, Workspace
from memoryapp.ledger.together import Rows, read

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


def test_the_rows_of_a_query_come_as_one_value_of_another_in_their_order(workspace: Workspace) -> None:
    for name in ("Ines", "Tomas", "Bo “the” \\ Ferro"):
        Actor.objects.create(workspace=workspace, kind=Actor.Kind.PERSON, key=name, name=name)
    people = Actor.objects.filter(workspace=workspace, kind=Actor.Kind.PERSON).order_by("-name")
    found = Workspace.objects.values_list(Rows(people, "pk", "name", "workspace__slug"), flat=True).get(pk=workspace.pk)
    assert [(uuid.UUID(pk), name, slug) for pk, name, slug in read(found)] == [
        (one.pk, one.name, workspace.slug) for one in people
    ]
    first = Workspace.objects.values_list(Rows(people.all()[:1], "name"), flat=True).get(pk=workspace.pk)
    assert read(first) == [["Tomas"]]


def test_no_rows_are_an_empty_list(workspace: Workspace) -> None:
    nobody = Actor.objects.filter(workspace=workspace, kind=Actor.Kind.AGENT)
    found = Workspace.objects.values_list(Rows(nobody, "pk"), flat=True).get(pk=workspace.pk)
    assert read(found) == read(None) == []
