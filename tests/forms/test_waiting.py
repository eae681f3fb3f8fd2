"""Writes of a device out of order: each waits for the one before it, and none is waited for without end."""

from __future__ import annotations

from typing import Any

from formsengine.models import FormWaiting
from formsengine.services import waiting
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Job
from tests.forms.telling import Forms, verdicts


def said(name: str) -> dict[str, Any]:
    return {"op": "set", "field": "name", "value": name}


def test_a_write_that_came_too_early_waits_and_is_taken_after_the_one_before_it(forms: Forms) -> None:
    """Three writes of one device arrive backwards and count in the order in which they were made."""
    opened = forms.opened()
    third = forms.write(opened, said("Third"), base=0, key="c", after="b", device="phone")
    second = forms.write(opened, said("Second"), base=0, key="b", after="a", device="phone")
    assert (verdicts(third), verdicts(second), forms.row(opened).lock) == (["waits"], ["waits"], 0)
    first = forms.write(opened, said("First"), base=0, key="a", device="phone")
    assert verdicts(first) == ["in-force", "in-force", "in-force"]
    shown = forms.view(opened, scope="field", id="name")
    assert (shown["value"], shown["state"], forms.row(opened).lock) == ("Third", "filled", 3)
    assert not FormWaiting.objects.filter(taken_at=None).exists()


def test_sent_again_it_waits_once_and_once_taken_it_is_a_repeat(forms: Forms) -> None:
    opened = forms.opened()
    for _ in range(2):
        forms.write(opened, said("Second"), base=0, key="b", after="a", device="phone")
    assert FormWaiting.objects.count() == 1
    forms.write(opened, said("First"), base=0, key="a", device="phone")
    again = forms.write(opened, said("Second"), base=0, key="b", after="a", device="phone")
    assert (again.repeated, forms.row(opened).lock) == (True, 2)


def test_what_is_waited_for_in_vain_is_done_without_after_a_while(forms: Forms, monkeypatch: Any) -> None:
    opened = forms.opened()
    forms.write(opened, said("Second"), base=0, key="b", after="a", device="phone")
    job = Job.objects.get(kind=waiting.KIND)
    assert job.run_after > job.created_at
    run = jobs.Run(job, forms.by, "")
    monkeypatch.setattr(jobs.Run, "finish", lambda self, outcome=None: None)
    waiting.give_up(run)
    assert forms.view(opened, scope="field", id="name")["value"] == "Second"
    waiting.give_up(run)
    assert forms.row(opened).lock == 1


def test_a_device_has_seen_its_own_answers_and_another_has_not(forms: Forms) -> None:
    """Q4: the second answer of one device that was made before the first came back is no dispute with oneself."""
    opened = forms.opened()
    forms.write(opened, said("Ana"), base=0, key="a", device="phone")
    assert verdicts(forms.write(opened, said("Anna"), base=0, key="b", device="phone")) == ["in-force"]
    assert verdicts(forms.write(opened, said("Anne"), base=0, key="c", device="desk")) == ["candidate"]
