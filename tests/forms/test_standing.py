"""Answers that become standing words and files: planned, written once, followed later, never over others."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from formsengine.bindings.declared import wrong_bindings
from formsengine.definition.builder import FormBuilder
from formsengine.definition.model import Form
from formsengine.log.commits import Clock
from formsengine.models import FormOutcome
from formsengine.services import Written, reopen
from formsengine.services.settling import planned
from memoryapp.context import services as context
from memoryapp.context.inputs import EntryInput
from memoryapp.context.models import EntryRevision
from memoryapp.files import queries as tree
from memoryapp.ledger.principal import Principal
from tests.context.telling import Context
from tests.files.telling import Tree
from tests.forms.telling import Forms, acts


def preferences(policy: str = "supersede", path: str = "/notes/{topic}.md") -> Form:
    form = FormBuilder("preferences", "How we write to you")
    with form.step("how", "How"):
        form.asked("topic", "Topic", required=True)
        form.asked("tone", "Tone")
        form.ask("longtext", "why", "Why")
    data = {"section": "Style", "title": "Tone of {topic}", "text": "{tone}"}
    form.bind("tone", "context", ["tone"], policy=policy, data=data)
    form.bind("note", "resource", ["why"], policy=policy, data={"path": path, "text": "# {topic}\n\n{why}"})
    return form.compile()


@pytest.fixture
def told(operator: Principal) -> Forms:
    return Forms(operator)


def submitted(told: Forms, **answers: Any) -> Written:
    opened = told.opened("preferences")
    told.answer(opened, **answers)
    told.submit(opened)
    return opened


def says(told: Forms, path: str) -> str:
    _, version = tree.file(told.by, path)
    return tree.text_of(version)


def standing() -> dict[str, str]:
    rows = EntryRevision.objects.filter(state="set").select_related("entry")
    return {one.title: one.content for one in rows if one.sequence == one.entry.lock}


def test_answers_become_an_entry_of_the_context_and_a_file_and_lead_back_to_the_form(told: Forms) -> None:
    told.published(preferences())
    opened = submitted(told, topic="invoices", tone="Short and plain.", why="They are read on a phone.")
    assert standing() == {"Tone of invoices": "Short and plain."}
    assert "They are read on a phone." in says(told, "/notes/invoices.md")
    outcomes = FormOutcome.objects.filter(response=opened.row)
    assert {one.binding: (one.act, bool(one.entry or one.file)) for one in outcomes} == {
        "tone": ("create", True),
        "note": ("create", True),
    }


def test_a_later_submission_writes_the_difference_and_takes_back_what_it_said_itself(told: Forms) -> None:
    told.published(preferences())
    opened = submitted(told, topic="invoices", tone="Short.", why="A phone.")
    told.settle(reopen, opened, reason="Asked again.")
    told.answer(opened, tone="Short and warm.")
    told.write(opened, {"op": "retract", "field": "why"}, base=told.row(opened).lock)
    assert acts(told.submit(opened)) == {"tone": "supersede", "note": "retract"}
    assert standing() == {"Tone of invoices": "Short and warm."}
    assert not tree.exists(told.by, "/notes/invoices.md")


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("supersede", "Short."), ("append", "Be kind.\nShort."), ("review", "Be kind.")],
)
def test_what_says_something_else_already_is_replaced_added_to_or_left_as_the_form_declares(
    told: Forms, policy: str, expected: str
) -> None:
    told.published(preferences(policy))
    Context(told.by).set("Tone of invoices", "Be kind.", "Style")
    opened = told.opened("preferences")
    told.answer(opened, topic="invoices", tone="Short.")
    told.submit(opened)
    assert standing() == {"Tone of invoices": expected}


def test_what_somebody_changed_since_is_left_to_a_person_and_the_plan_says_so(told: Forms) -> None:
    told.published(preferences())
    opened = submitted(told, topic="invoices", tone="Short.", why="A phone.")
    Tree(told.by).write("/notes/invoices.md", "Rewritten by hand.", lock=1)
    entry = EntryInput("Style", "Tone of invoices", "As you like.")
    told.do(lambda write: context.set_entries(write, [entry]))
    told.settle(reopen, opened, reason="Asked again.")
    told.answer(opened, tone="Long.", why="A desk.")
    lines = planned(told.by, told.row(opened), base=told.row(opened).lock, at=Clock(timezone.now()))
    left = {one["binding"] for one in lines if "leaves that to a person" in one["problem"]}
    assert left == {"tone", "note"}
    told.submit(opened)
    assert standing() == {"Tone of invoices": "As you like."}
    assert says(told, "/notes/invoices.md") == "Rewritten by hand."


def test_what_is_for_named_readers_becomes_an_entry_for_them_and_no_file(told: Forms, administrator: Principal) -> None:
    told.published(preferences())
    opened = told.opened("preferences", audience="named", readers=(administrator.actor.pk,))
    told.answer(opened, topic="pay", tone="Private.", why="Nobody else.")
    told.submit(opened)
    assert EntryRevision.objects.get().audience == "named"
    assert not tree.exists(told.by, "/notes/pay.md")


def test_a_binding_that_names_no_field_or_no_path_is_told_before_anybody_fills_it(told: Forms) -> None:
    problems = wrong_bindings(preferences(path="notes/{topc}.md"), told.by.workspace)
    assert [(each.message, each.accepted) for each in problems] == [
        ("There is no field topc.", ("topic",)),
        ("A path begins at the root and names a file.", ("/reports/a.md",)),
    ]
