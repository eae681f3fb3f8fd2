"""The example forms: publishable as they stand, filled from the first to the last question."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from formsengine.definition.model import Form
from formsengine.definition.publish import check
from formsengine.examples.household import household_survey
from formsengine.examples.injury import injury_intake
from formsengine.examples.inspection import site_inspection
from formsengine.log.response import Response
from formsengine.log.snapshot import blockers
from formsengine.models import FormOutcome, FormVersion
from formsengine.queries import loaded
from formsengine.services import Written
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from tests.forms.telling import Forms, verdicts
from tests.graph.nodes.telling import Graph


@pytest.mark.parametrize(
    ("form", "questions"), [(injury_intake(), (55, 70)), (household_survey(), (25, 40)), (site_inspection(), (30, 40))]
)
def test_an_example_has_nothing_wrong_and_its_number_of_questions(form: Form, questions: tuple[int, int]) -> None:
    plan, problems = check(form)
    assert problems == []
    assert questions[0] <= sum(planned.question.writable for planned in plan.fields) <= questions[1]


def test_it_is_published_once_by_a_command(workspace: Workspace) -> None:
    told = StringIO()
    for _ in range(2):
        call_command("example_forms", workspace.slug, stdout=told)
    assert FormVersion.objects.count() == 3
    for title in ("Injury intake", "Household survey", "Site inspection"):
        assert f"{title}: version 1 is live." in told.getvalue()
    with pytest.raises(CommandError, match="no workspace"):
        call_command("example_forms", "nowhere")


def test_a_likely_fracture_waits_for_somebody_and_who_withdraws_ends_it(operator: Principal, graph: Graph) -> None:
    forms = Forms(operator)
    forms.published(injury_intake())
    ines = graph.person("Ines Ferro")
    opened = forms.opened("injury_intake", subject=ines.pk)
    assert forms.view(opened, scope="field", id="name")["value"] == "Ines Ferro"
    forms.answer(opened, fracture=True, agreed=True)
    assert any("nurse" in one.lower() or "fracture_seen" in one for one in _in_the_way(forms, opened))
    ended = forms.answer(opened, withdraws=True)
    assert verdicts(ended) == ["in-force"]
    assert forms.row(opened).state == "void"


def set_in(row: str, name: str, value: object) -> dict[str, object]:
    return {"op": "set", "field": f"people/{row}/{name}", "value": value}


def test_a_household_is_surveyed_person_by_person_to_its_submission(operator: Principal, graph: Graph) -> None:
    forms = Forms(operator)
    forms.published(household_survey())
    opened = forms.opened("household_survey")
    forms.answer(opened, visited_on="2026-05-12", region="south", district="harbour", agreed=True, size=3)
    head = {
        "person": "Ines Ferro",
        "kinship": "head",
        "age": 41,
        "works": True,
        "earned": "900",
        "own_phone": "+351912345678",
    }
    child = {"person": "Rui Ferro", "kinship": "child", "age": 9, "at_school": True}
    ana = {"person": "Ana Ferro", "kinship": "head", "age": 70, "works": False}
    rows = list(_loaded(forms, opened).rows.by_id)
    told_of = zip(rows, (head, child, ana), strict=True)
    forms.write(opened, *(set_in(row, name, value) for row, one in told_of for name, value in one.items()))
    told = {name: forms.view(opened, scope="field", id=name)["value"] for name in ("children", "income", "income_each")}
    assert told == {"children": 1, "income": 900, "income_each": 300}
    forms.answer(opened, rooms=2, water="tap", water_minutes=15, worried=False, tenure="owned")
    assert any("Only one can be the head" in one for one in _in_the_way(forms, opened))
    forms.write(opened, set_in(rows[2], "kinship", "parent"), base=forms.row(opened).lock)
    assert _in_the_way(forms, opened) == []
    forms.submit(opened)
    assert forms.row(opened).state == "submitted"
    members = FormOutcome.objects.filter(binding="member").exclude(node=None)
    assert [str(one.node) for one in members] == ["Ines Ferro"]
    assert FormOutcome.objects.get(binding="surveyed").episode is not None


RATED = {
    "ways_clear": "good", "lit": "fair", "signs": "absent", "extinguishers": "good", "alarm": "good", "stores": "good",
    "guards": "bad", "switches": "good", "serviced": "good", "equipment": "good", "trained": "good",
    "first_aid": "good",
}  # fmt: skip


def test_a_site_is_inspected_scored_and_held_while_something_stops_its_work(operator: Principal, graph: Graph) -> None:
    forms = Forms(operator)
    forms.published(site_inspection())
    opened = forms.opened("site_inspection")
    head = {"site": "Quay 4", "inspected_on": "2026-05-12", "inspector": "Ana Sousa", "company": "Ferro Docks"}
    answers: dict[str, Any] = head | RATED
    forms.answer(opened, **answers)
    scores = [forms.view(opened, scope="field", id=f"{area}_score")["value"] for area in ("access", "fire", "machines")]
    assert scores == [75, 100, 67]
    assert any("machines_why" in one for one in _in_the_way(forms, opened))
    found = {"finding": "No guard on the winch", "severity": "stop", "responsible": "Rui Ferro"}
    forms.answer(opened, machines_why="The winch has no guard.")
    forms.write(opened, {"op": "row-add", "repeat": "findings", "values": found})
    assert forms.view(opened, scope="field", id="score")["value"] == 86
    assert forms.view(opened, scope="field", id="passed")["value"] in (False, "no", "false")
    assert any("stopped" in one or "manager" in one for one in _in_the_way(forms, opened))
    row = next(iter(_loaded(forms, opened).rows.by_id))
    ops = [{"op": "set", "field": f"findings/{row}/severity", "value": "high"}]
    ops += [{"op": "set", "field": f"findings/{row}/by_when", "value": "2026-05-20"}]
    forms.write(opened, *ops, base=forms.row(opened).lock)
    assert _in_the_way(forms, opened) == []
    forms.submit(opened)
    assert forms.row(opened).state == "submitted"
    company = FormOutcome.objects.get(binding="company")
    assert str(company.node) == "Ferro Docks"


def _loaded(forms: Forms, opened: Written) -> Response:
    return loaded(forms.row(opened))


def _in_the_way(forms: Forms, opened: Written) -> list[str]:
    return [f"{each.path} {each.message}" for each in blockers(_loaded(forms, opened))]
