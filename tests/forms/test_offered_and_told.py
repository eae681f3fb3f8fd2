"""What a form takes from where it is opened, from the context and from the last time; what it writes beside what is
there; and what it tells the outside until it is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from formsengine import hooks, services
from formsengine.definition.builder import FormBuilder
from formsengine.definition.stored import as_data
from formsengine.models import FormNotice, FormOutcome
from formsengine.services.storing import DELIVER
from memoryapp.graph.models import Belief
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.queries.why import why
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from tests.context.telling import Context
from tests.forms.telling import Forms, acts, patient
from tests.graph.nodes.telling import Graph


def visit(**hook: Any) -> Any:
    form = FormBuilder("visit", "A visit")
    with form.step("one", "One"):
        form.asked("ward", "Ward", prefill={"source": "launch", "key": "ward", "policy": "fill"})
        form.asked("tone", "Tone", prefill={"source": "context", "key": "Style/Tone", "policy": "fill"})
        form.asked("diet", "Diet", prefill={"source": "previous", "key": "", "policy": "suggest"})
        form.asked("works", "Works at", prefill={"source": "related", "key": "worksAt", "policy": "fill"})
    if hook:
        form.hook("tell", "submitted", **hook)
    return form.compile()


def answers(forms: Forms, opened: Any) -> dict[str, Any]:
    fields = ("ward", "tone", "diet", "works")
    return {name: forms.view(opened, scope="field", id=name).get("value") for name in fields}


def test_answers_come_from_where_it_was_opened_from_the_context_and_from_the_last_time(
    operator: Principal, graph: Graph
) -> None:
    forms = Forms(operator)
    forms.published(visit())
    ines = graph.person("Ines Ferro")
    Context(operator).set("Tone", "Short and plain.", "Style")
    first = forms.opened("visit", subject=ines.pk, launch={"ward": "Harbour", "other": "unused"})
    assert answers(forms, first) == {"ward": "Harbour", "tone": "Short and plain.", "diet": None, "works": None}
    forms.answer(first, diet="No nuts")
    forms.submit(first)
    second = forms.opened("visit", subject=ines.pk)
    assert answers(forms, second) == {"ward": None, "tone": "Short and plain.", "diet": "No nuts", "works": None}
    asked = forms.view(second, scope="field", id="diet")
    assert (asked["state"], asked["why"]) == ("unconfirmed", "Is this still so: No nuts?")
    assert answers(forms, forms.opened("visit", subject=graph.person("Rui Dias").pk))["diet"] is None


def test_two_answers_of_memory_fill_nothing_and_both_are_named(operator: Principal) -> None:
    form = FormBuilder("style", "Style")
    with form.step("one", "One"):
        form.asked("tone", "Tone", prefill={"source": "context", "key": "Style", "policy": "fill"})
    forms = Forms(operator)
    forms.published(form.compile())
    for title, words in (("Tone", "Short."), ("Greeting", "None.")):
        Context(operator).set(title, words, "Style")
    opened = forms.opened("style")
    assert forms.view(opened, scope="field", id="tone")["state"] == "empty"
    (told,) = forms.do(lambda write: services.refresh(write, opened.row.pk)).verdicts
    assert (told["verdict"], sorted(told["accepted"])) == ("ambiguous", ["None.", "Short."])


SAID = [
    # the policy of the form, what it says, the act, what is held then
    ("review", "she", "corroborate", ["she"]),
    ("supersede", "they", "supersede", ["they"]),
    ("review", "they", "review", ["she"]),
]


@pytest.mark.parametrize(("policy", "said", "act", "held"), SAID)
def test_what_memory_holds_already_is_confirmed_replaced_or_left_as_the_form_declares(
    operator: Principal, graph: Graph, policy: str, said: str, act: str, held: list[str]
) -> None:
    forms = Forms(operator)
    data = as_data(patient())
    data["bindings"] = [one | {"policy": policy} for one in data["bindings"] if one["name"] == "pronouns"]
    forms.published(data)
    ines = graph.node("person", name="Ines Ferro", email="ines@ferro.example", pronouns="she")
    opened = forms.opened(subject=ines.pk)
    forms.answer(opened, name="Ines Ferro", pronouns=said)
    assert acts(forms.submit(opened)) == {"pronouns": act}
    rows = Belief.objects.filter(subject=ines, predicate="pronouns", status=Status.ACTIVATED)
    assert [one.value for one in rows] == held
    if act == "corroborate":
        assert "form_answer" in {one["kind"] for one in why(operator, rows[0].pk)["sources"]}


def test_a_row_is_the_same_node_when_it_is_submitted_again(forms: Forms, graph: Graph, reviewer: Principal) -> None:
    opened = forms.opened(subject=graph.person("Ines Ferro").pk)
    forms.write(opened, {"op": "row-add", "repeat": "medicines", "values": {"medicine": "Zinc"}})
    forms.answer(opened, name="Ines Ferro")
    (first,) = [one for one in forms.submit(opened) if one.binding == "taken"]
    forms.settle(services.reopen, opened, by=reviewer, reason="One more.")
    forms.write(opened, {"op": "row-add", "repeat": "medicines", "values": {"medicine": "Iron"}})
    (second,) = [one for one in forms.submit(opened) if one.binding == "taken"]
    assert (first.node.label, second.node.label) == ("Zinc", "Iron")  # type: ignore[union-attr]
    assert first.row != second.row
    assert FormOutcome.objects.filter(binding="taken", row=first.row).count() == 1
    field = forms.view(opened, scope="field", id=f"medicines/{first.row}/medicine")
    assert first.revision in {one["revision"] for one in field["revisions"]}


def test_a_node_is_made_only_where_the_form_says_so_and_one_that_is_there_is_meant_in_any_case(
    operator: Principal, graph: Graph
) -> None:
    forms = Forms(operator)
    data = as_data(patient())
    data["bindings"][3]["data"]["create_if"] = "${pain} > 3"
    forms.published(data)
    graph.upsert("organization", name="Harbour Works")
    ines = graph.person("Ines Ferro")
    for employer, pain, expected in (
        ("Ferro Studio", 2, {}),
        ("Ferro Studio", 5, {"employer": "create", "employed": "create"}),
        ("Harbour Works", 2, {"employer": "corroborate", "employed": "supersede"}),
    ):
        opened = forms.opened(subject=ines.pk)
        forms.answer(opened, name="Ines Ferro", works=True, employer=employer, pain=pain)
        found = acts(forms.submit(opened))
        assert {name: act for name, act in found.items() if name.startswith("employ")} == expected


@pytest.fixture
def called() -> Iterator[list[str]]:
    """A hook that fails the first time it is called, with the keys it was called with."""
    keys: list[str] = []

    def ring(notice: FormNotice) -> None:
        keys.append(notice.key)
        if len(keys) == 1:
            raise ConnectionError("Nobody answers.")

    hooks.register("ring", ring)
    yield keys
    hooks._called.pop("ring")


def test_the_outside_is_told_with_the_submission_and_again_until_it_is_taken(
    operator: Principal, called: list[str], work: Callable[[], int]
) -> None:
    forms = Forms(operator)
    forms.published(visit(calls="ring"))
    opened = forms.opened("visit", values={"ward": "Harbour"})
    assert not FormNotice.objects.exists()
    forms.submit(opened)
    notice = FormNotice.objects.get()
    assert (notice.key, notice.taken_at) == (f"{opened.row.pk}/tell/1", None)
    for _ in range(2):
        work()
        Job.objects.filter(kind=DELIVER).update(run_after=notice.recorded_at)
    assert called == [notice.key] * 2
    notice.refresh_from_db()
    assert notice.taken_at is not None
