"""Between a form and memory: what is offered before it is asked, and what a submission writes, line by line."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from formsengine import queries, services
from formsengine.bindings import offers
from formsengine.inputs import Opening
from formsengine.log.commits import Clock
from formsengine.models import FormOutcome
from formsengine.services.settling import planned
from memoryapp.access.models import Agent, Membership
from memoryapp.access.services import rule_paths
from memoryapp.doors.errors import NotFound
from memoryapp.graph.models import Belief, Node, places
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.queries.why import why
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review.models import Case
from memoryapp.sources.inputs import ParticipantInput, ThreadInput, TurnInput
from memoryapp.sources.models import Source
from memoryapp.sources.services import tell
from memoryapp.timeline.models import Episode
from tests.forms.telling import Forms, acts, verdicts
from tests.graph.nodes.telling import Graph, at


def held(subject: Node, name: str) -> list[Any]:
    """What is held of the property, in the order recorded."""
    rows = Belief.objects.filter(subject=subject, predicate=name, status=Status.ACTIVATED)
    return list(rows.order_by("recorded_at").values_list("value", flat=True))


@pytest.fixture
def ines(graph: Graph) -> Node:
    """Of whom a birthday and an address are known."""
    graph.upsert("person", name="Ines Ferro", email="ines@ferro.example")
    return graph.node("person", email="ines@ferro.example", birthday="1980-04-02", address="Rua do Cais 4")


def test_what_memory_knows_is_filled_in_or_asked_as_still_so(forms: Forms, ines: Node) -> None:
    opened = forms.opened(subject=ines.pk)
    born = forms.view(opened, scope="field", id="born")
    assert (born["state"], born["value"]) == ("filled", "1980-04-02")
    belief = Belief.objects.get(subject=ines, predicate="birthday")
    kept = next(each for each in opened.response.revisions.values() if each.kept == "1980-04-02")
    assert kept.sources == {"fact": str(belief.pk), "version": str(belief.lock)}
    address = forms.view(opened, scope="field", id="address")
    assert (address["state"], address["why"]) == ("unconfirmed", "Is this still so: Rua do Cais 4?")


def test_what_was_learned_from_a_file_that_one_reader_may_not_see_is_not_offered(
    forms: Forms, ines: Node, reviewer: Principal, administrator: Principal
) -> None:
    """Whoever reads the response would read it there: it is offered where nobody who may is under such a rule."""
    membership = Membership.objects.get(actor=reviewer.actor)
    forms.do(lambda write: rule_paths(write, of=membership, rules=[("/plans", "read")], default="none"))
    everybodys = forms.opened(subject=ines.pk)
    assert forms.view(everybodys, scope="field", id="born")["state"] == "empty"
    few = forms.opened(subject=ines.pk, audience="named", readers=(administrator.actor.pk,))
    assert forms.view(few, scope="field", id="born")["value"] == "1980-04-02"
    with_them = forms.opened(subject=ines.pk, audience="named", readers=(reviewer.actor.pk,))
    assert forms.view(with_them, scope="field", id="born")["state"] == "empty"


def test_who_may_read_no_response_keeps_nothing_from_being_offered(
    forms: Forms, ines: Node, agent: Any, workspace: Any
) -> None:
    """An agent that recalls alone and sees no file decides for nobody; one that reads forms does."""
    for surface, state in (("recall", "filled"), ("forms", "empty")):
        ruled = Agent.objects.get(actor=agent(workspace, [surface], surface).actor)
        forms.do(lambda write, ruled=ruled: rule_paths(write, of=ruled, rules=[], default="none"))
        assert forms.view(forms.opened(subject=ines.pk), scope="field", id="born")["state"] == state


def test_what_is_slow_to_find_is_found_before_the_write_and_kept_for_it(
    forms: Forms, ines: Node, reviewer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    membership = Membership.objects.get(actor=reviewer.actor)
    forms.do(lambda write: rule_paths(write, of=membership, rules=[], default="none"))
    found: list[bool] = []
    find = places._found

    def noted(*given: Any) -> Any:
        found.append(True)
        return find(*given)

    monkeypatch.setattr(places, "_found", noted)
    monkeypatch.setattr(places, "connection", SimpleNamespace(in_atomic_block=False))
    opening = Opening("patient", ines.pk)
    offers.look_ahead(forms.by, opening)
    assert found == [True]
    forms.opened(subject=ines.pk)
    assert found == [True]
    offers.look_ahead(forms.by, Opening("patient"))
    assert found == [True]


def test_what_was_not_changed_is_not_written_and_what_was_takes_its_place(forms: Forms, ines: Node) -> None:
    """The three values of the write plan: as offered nothing, another one an update with the old one's history."""
    opened = forms.opened(subject=ines.pk)
    forms.answer(opened, name="Ines Ferro", address="Travessa da Luz 1")
    row = forms.row(opened)
    lines = planned(forms.by, row, base=row.lock, at=Clock(row.changed_at))
    assert {line["binding"]: line["act"] for line in lines} == {"address": "update"}
    assert lines[0] | {"offered": "Rua do Cais 4", "answer": "Travessa da Luz 1"} == lines[0]
    assert forms.row(opened).state == "draft"
    assert acts(forms.submit(opened)) == {"address": "update"}
    assert held(ines, "address") == ["Travessa da Luz 1"]
    assert held(ines, "birthday") == ["1980-04-02"]
    newer = Belief.objects.get(subject=ines, value="Travessa da Luz 1")
    assert newer.plays.filter(kind="supersession", role="successor").exists()


def test_what_memory_says_otherwise_meanwhile_waits_for_a_person(forms: Forms, graph: Graph, ines: Node) -> None:
    opened = forms.opened(subject=ines.pk)
    forms.answer(opened, name="Ines Ferro", born="1981-04-02")
    read = graph.source(text="Born on 1 January 1979.")
    graph.do(lambda write: _correct(write, ines, "1979-01-01", read))
    outcome = forms.submit(opened)[0]
    assert (outcome.binding, outcome.act) == ("born", "review")
    assert outcome.case is not None
    assert outcome.case.state == Case.State.OPEN
    assert held(ines, "birthday") == ["1979-01-01"]


def _correct(write: Any, subject: Node, value: str, source: Source) -> None:
    from memoryapp.graph.services import beliefs, remembering
    from memoryapp.graph.statements import Quoted, Statement

    older = Belief.objects.get(subject=subject, predicate="birthday", status=Status.ACTIVATED)
    statement = Statement(subject=subject.pk, predicate="birthday", value=value, evidence=(Quoted(source),))
    newer = remembering.store(write, statement, status=Status.ACTIVATED, reason="Recorded.", apart_from=older)
    beliefs.supersede(write, older, newer, reason="It was misread.")


def test_a_second_submission_writes_only_the_difference(forms: Forms, ines: Node, reviewer: Principal) -> None:
    """Q5: unchanged nothing, changed its own belief superseded, taken back its own belief retracted."""
    opened = forms.opened(subject=ines.pk)
    forms.answer(opened, name="Ines Ferro", pronouns="she", works=True, employer="Ferro Studio")
    first = acts(forms.submit(opened))
    assert first == {"pronouns": "create", "employer": "create", "employed": "create"}
    forms.settle(services.reopen, opened, by=reviewer, reason="She called.")
    assert acts(forms.submit(opened)) == {}
    forms.settle(services.reopen, opened, by=reviewer, reason="She called again.")
    forms.answer(opened, pronouns="they")
    assert acts(forms.submit(opened)) == {"pronouns": "supersede"}
    assert held(ines, "pronouns") == ["they"]
    forms.settle(services.reopen, opened, by=reviewer, reason="And again.")
    forms.answer(opened, works=False)
    forms.write(opened, {"op": "retract", "field": "pronouns"}, base=forms.row(opened).lock)
    assert acts(forms.submit(opened)) == {"pronouns": "retract", "employed": "retract"}
    assert held(ines, "pronouns") == []
    assert not Belief.objects.filter(predicate="worksAt", status=Status.ACTIVATED).exists()
    assert Node.objects.filter(label="Ferro Studio", state=Node.State.ACTIVE).exists()


def test_held_and_declined_answers_are_not_written(forms: Forms, ines: Node) -> None:
    opened = forms.opened(subject=ines.pk)
    forms.answer(opened, name="Ines Ferro", works=True, employer="Ferro Studio")
    forms.answer(opened, works=False)
    declined = forms.write(opened, {"op": "decline", "field": "pronouns", "reason": "refused"})
    assert verdicts(declined) == ["declined"]
    assert forms.submit(opened) == []


def test_from_the_words_that_were_said_to_the_belief_and_back(
    forms: Forms, ines: Node, agent: Any, workspace: Any
) -> None:
    """The belief stands on the answer and on the quoted turn; its outcome names submission, field and revision."""
    said = "My pronouns are they, by the way."
    turns = [TurnInput("user", said, at("2026-05-02"), by="ines")]
    people = [ParticipantInput("ines", "user", "Ines Ferro", {"email": "ines@ferro.example"})]
    told = record(forms.by, "tell", lambda write: tell(write, ThreadInput("call-7"), people, turns))
    turn = told.turns[0]
    desk = agent(workspace, ["forms"])
    opened = forms.opened(subject=ines.pk, by=desk)
    quote = {"source": str(turn.pk), "quote": "pronouns are they"}
    ops: list[dict[str, Any]] = [
        {"op": "set", "field": "pronouns", "value": "they", "speaker": "Ines Ferro", "evidence": [quote]},
        {"op": "set", "field": "name", "value": "Ines Ferro"},
    ]
    forms.write(opened, *ops, by=desk)
    outcome = forms.submit(opened, by=desk)[0]
    belief = outcome.belief
    assert belief is not None
    assert belief.content == "Ines Ferro's pronouns are they"
    evidence = why(forms.by, belief.pk)["sources"]
    assert {each["kind"] for each in evidence} == {"form_answer", "chat_turn"}
    assert "pronouns are they" in {each["quote"] for each in evidence}
    assert (outcome.path, outcome.submission, outcome.response_id) == ("pronouns", 1, opened.row.pk)
    assert outcome.source is not None
    assert outcome.source.content == "Pronouns: they (said by Ines Ferro)"


def test_rows_become_nodes_of_their_own_and_the_whole_an_episode(forms: Forms, ines: Node) -> None:
    opened = forms.opened(subject=ines.pk)
    rows = [{"op": "row-add", "repeat": "medicines", "values": {"medicine": name}} for name in ("Ibuprofen", "Zinc")]
    forms.write(opened, *rows)
    forms.answer(opened, name="Ines Ferro", pain=4)
    outcomes = forms.submit(opened)
    assert sorted(one.node.label for one in outcomes if one.binding == "taken" and one.node) == ["Ibuprofen", "Zinc"]
    episode = Episode.objects.get(external_id__startswith="form/")
    assert episode.revisions.get().content == "Ines Ferro has a pain of 4."
    assert [one.node for one in episode.participants.all()] == [ines]


def test_what_a_person_confirmed_no_agent_changes_through_a_form(
    forms: Forms, graph: Graph, ines: Node, reviewer: Principal, person: Any, agent: Any, workspace: Any
) -> None:
    from memoryapp.graph import services as graph_services

    curator = person(workspace, "curator", "Nadia")
    belief = Belief.objects.get(subject=ines, predicate="address")
    record(curator, "date", lambda write: graph_services.change_validity(
        write, belief, valid_from=None, valid_to=None, reason="I know it."))  # fmt: skip
    desk = agent(workspace, ["forms"])
    opened = forms.opened(subject=ines.pk, by=desk)
    ops = [{"op": "set", "field": "address", "value": "Elsewhere 9"}, {"op": "set", "field": "name", "value": "Ines"}]
    forms.write(opened, *ops, by=desk)
    outcome = forms.submit(opened, by=desk)[0]
    assert (outcome.act, held(ines, "address")) == ("review", ["Rua do Cais 4"])


def test_an_erased_response_leaves_a_stone_without_words(forms: Forms, ines: Node, administrator: Principal) -> None:
    from memoryapp.ledger import erasing

    opened = forms.opened(subject=ines.pk)
    forms.answer(opened, name="Ines Ferro", pronouns="she/they")
    forms.submit(opened)
    preview = erasing.preview(administrator, "form_response", opened.row.pk)
    record(
        administrator,
        "erase",
        lambda write: erasing.erase(write, "form_response", opened.row.pk, name=preview["name"]),
        rationale="She asked for it.",
    )
    assert not any(opened.row.commits.values_list("body", flat=True))
    with pytest.raises(NotFound):
        queries.response(administrator, opened.row.pk)
    assert not Source.objects.filter(kind="form_answer", content__contains="she/they").exists()
    assert FormOutcome.objects.filter(response=opened.row).exists()


def test_what_a_narrow_response_writes_stays_within_its_audience(
    forms: Forms, ines: Node, reviewer: Principal, viewer: Principal
) -> None:
    opened = forms.opened(subject=ines.pk, by=reviewer, audience="named")
    forms.write(opened, {"op": "set", "field": "name", "value": "Ines"}, by=reviewer)
    forms.write(opened, {"op": "set", "field": "pronouns", "value": "they"}, by=reviewer)
    row = queries.response(reviewer, opened.row.pk)
    done = record(reviewer, "submit", lambda write: services.submit(write, row.pk, base=row.lock))
    outcome = done[1][0]
    assert outcome.belief is not None
    assert outcome.source is not None
    assert Belief.objects.visible_to(reviewer).filter(pk=outcome.belief.pk).exists()
    assert not Belief.objects.visible_to(viewer).filter(pk=outcome.belief.pk).exists()
    assert not Source.objects.visible_to(viewer).filter(pk=outcome.source.pk).exists()
