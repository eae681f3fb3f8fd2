"""Forms take part in what holds for all that is kept: dumped and restored, erased with a person."""

from __future__ import annotations

import random

import pytest

from formsengine import queries
from formsengine.models import FormCommit, FormResponse
from formsengine.queries import loading
from memoryapp.access.services import operator
from memoryapp.doors.errors import NotFound
from memoryapp.graph.queries.anything import why_anything
from memoryapp.index.models import IndexEntry
from memoryapp.ledger import dump, erasing, integrity
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from tests.forms.telling import Forms
from tests.graph.nodes.telling import Graph
from tests.ledger.test_dump import empty_the_database
from tests.visiting import client_of

pytestmark = pytest.mark.django_db


def sound(workspace: Workspace) -> list[str]:
    return [
        finding.what
        for check in integrity.checks()
        if check.name.startswith("form ") or check.name == "index"
        for finding in check.run(workspace)
    ]


def test_a_workspace_restored_in_any_order_of_lines_has_the_same_responses(
    forms: Forms, graph: Graph, workspace: Workspace
) -> None:
    """Q7 over a dump: the restored log is the same log, and adds up to the same view."""
    opened = forms.opened(subject=graph.person("Ines Ferro").pk)
    forms.answer(opened, name="Ines Ferro", pain=4, pronouns="she")
    forms.submit(opened)
    before = forms.view(opened, scope="outline")
    lines = dump.snapshot(workspace)
    empty_the_database()
    random.Random(7).shuffle(lines)
    restored = dump.restore(lines)
    loading._responses.clear()
    row = FormResponse.objects.get(workspace=restored)
    assert queries.viewed(operator(restored), row, scope="outline") == before
    assert sound(restored) == []


def test_who_is_erased_takes_the_responses_about_them_and_is_blotted_out_of_others(
    forms: Forms, graph: Graph, workspace: Workspace, administrator: Principal
) -> None:
    ines, rui = graph.person("Ines Ferro"), graph.person("Rui Dias")
    about = forms.opened(subject=ines.pk)
    forms.answer(about, name="Ines Ferro", address="Rua do Cais 4")
    forms.submit(about)
    other = forms.opened(subject=rui.pk)
    forms.answer(other, name="Rui Dias", employer="Ask Ines Ferro", works=True)
    name = erasing.preview(administrator, "node", ines.pk)["name"]
    record(
        administrator,
        "erase",
        lambda write: erasing.erase(write, "node", ines.pk, name=name),
        rationale="She asked for it.",
    )
    bodies = str(list(FormCommit.objects.values_list("body", flat=True)))
    assert "Ines Ferro" not in bodies
    assert "Cais" not in bodies
    assert FormResponse.objects.get(pk=about.row.pk).state == "erased"
    loading._responses.clear()
    assert forms.view(other, scope="field", id="name")["value"] == "Rui Dias"
    assert sound(workspace) == []
    held = IndexEntry.objects.filter(workspace=workspace, target_type="form_response")
    assert set(held.values_list("target_id", flat=True)) == {other.row.pk}
    assert "Ines" not in " ".join(held.values_list("text", flat=True))


def test_a_response_is_explained_and_found_and_is_nothing_to_who_may_not_see_it(
    forms: Forms, graph: Graph, administrator: Principal, reviewer: Principal
) -> None:
    """Why of a response: who opened it, each answer, what it wrote; the search of the console leads to it."""
    ines = graph.person("Ines Ferro")
    opened = forms.opened(subject=ines.pk, audience="named", readers=(administrator.actor.pk,))
    forms.answer(opened, name="Ines Ferro", pronouns="she")
    forms.submit(opened)
    told = why_anything(administrator, opened.row.pk)
    assert (told["what"], told["response"]["state"]) == ("form_response", "submitted")
    assert told["wrote"][0]["binding"] == "pronouns"
    assert len(told["history"]) >= 2
    with pytest.raises(NotFound):
        why_anything(reviewer, opened.row.pk)
    at = f"/forms/responses/{opened.row.pk}/"
    pages = [client_of(one).get("/w/harbour/search/?q=Ines").content.decode() for one in (administrator, reviewer)]
    assert [at in page for page in pages] == [True, False]
