"""The example forms: publishable as they stand, filled from the first to the last question."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from formsengine.definition.publish import check
from formsengine.examples.injury import injury_intake
from formsengine.models import FormVersion
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from tests.forms.telling import Forms, verdicts
from tests.graph.nodes.telling import Graph


def test_the_injury_intake_has_nothing_wrong_and_about_sixty_questions() -> None:
    plan, problems = check(injury_intake())
    assert problems == []
    assert 55 <= sum(planned.question.writable for planned in plan.fields) <= 70


def test_it_is_published_once_by_a_command(workspace: Workspace) -> None:
    told = StringIO()
    for _ in range(2):
        call_command("example_forms", workspace.slug, stdout=told)
    assert FormVersion.objects.count() == 1
    assert "Injury intake: version 1 is live." in told.getvalue()
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


def _in_the_way(forms: Forms, opened: object) -> list[str]:
    from formsengine.log.snapshot import blockers
    from formsengine.queries import loaded

    return [f"{each.path} {each.message}" for each in blockers(loaded(forms.row(opened)))]  # type: ignore[arg-type]
