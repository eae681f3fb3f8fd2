"""What was read is read again by what reads now: shown first, nothing twice, what was learned stays (case 103)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from memoryapp.access.services import operator as machine
from memoryapp.doors.errors import Conflict, NotFound
from memoryapp.extraction import jobs, rereading, rules
from memoryapp.extraction.api.rereading import told as answered
from memoryapp.extraction.model import prompt, reading
from memoryapp.extraction.models import Candidate, ExtractionRun
from memoryapp.extraction.proposals import Conversation, Proposal
from memoryapp.extraction.queries import KIND
from memoryapp.graph.models import Belief, RelationPlayer
from memoryapp.ledger.models import Job, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources.withdrawing import withdraw
from tests.extraction.test_model import PIER, SAID, model, run_all, the_models
from tests.extraction.test_reading import MARCH, Work, say
from tests.modelserver import ModelServer, completion
from tests.visiting import client_of

__all__ = ["model"]
pytestmark = pytest.mark.django_db

WEEKLY, OAK = "I prefer weekly status emails.", "We decided to use oak for the stairs."


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """An earlier version of the rules, which found preferences alone, for as long as the patch is in place."""
    now = rules.extract

    def fewer(conversation: Conversation) -> list[Proposal]:
        return [one for one in now(conversation) if one.kind == "preference"]

    with monkeypatch.context() as patched:
        for module in (jobs, rereading):
            patched.setattr(module, "extract", fewer)
            patched.setattr(module, "VERSION", "0")
        yield patched


def ask(by: Principal, of: rereading.Of) -> list[Job]:
    return record(by, "read_again", lambda write: rereading.read_again(write, of))


def rows() -> tuple[list[object], ...]:
    """What is held, from which candidate and on which evidence."""
    return (
        list(Belief.objects.order_by("pk").values_list("pk", "content", "lock", "write")),
        list(Candidate.objects.order_by("pk").values_list("pk", "state", "belief", "run", "lock")),
        list(RelationPlayer.objects.order_by("pk").values_list("pk", "relation", "source")),
    )


def test_a_later_version_adds_what_it_finds_and_leaves_the_rest(
    curator_agent: Principal, work: Work, older: pytest.MonkeyPatch
) -> None:
    told = say(curator_agent, ("ines", WEEKLY, MARCH), ("ines", OAK, MARCH))
    work()
    before = rows()
    of = rereading.what(curator_agent, thread_id=told.thread.pk)
    unchanged = rereading.difference(curator_agent, of)
    assert (unchanged.new, unchanged.same, unchanged.gone, unchanged.version) == ([], 1, [], "rules 0")
    older.undo()
    found = rereading.difference(curator_agent, of)
    assert ([one.kind for one in found.new], found.same, found.gone) == (["decision"], 1, [])
    assert rows() == before
    [job] = ask(curator_agent, of)
    assert ask(curator_agent, of) == [job]
    work()
    job.refresh_from_db()
    assert (job.state, job.outcome["new"]) == ("succeeded", 1)
    runs = list(ExtractionRun.objects.order_by("recorded_at"))
    assert [(one.version == "0", one.candidates.count()) for one in runs] == [(True, 1), (False, 1)]
    after = rows()
    assert [one for one in after[0] if one in before[0]] == before[0]
    assert [one for one in after[1] if one in before[1]] == before[1]
    assert {"preference", "decision"} <= set(Belief.objects.values_list("kind", flat=True))
    ask(curator_agent, of)
    work()
    assert rows() == after


def test_what_is_not_found_any_more_is_named_and_stays(
    curator_agent: Principal, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = say(curator_agent, ("ines", WEEKLY, MARCH))
    work()
    of = rereading.what(curator_agent, source_id=told.turns_new[0].pk)
    before = rows()
    for module in (jobs, rereading):
        monkeypatch.setattr(module, "extract", lambda conversation: [])
    found = rereading.difference(curator_agent, of)
    assert [one.content for one in found.gone] == [Candidate.objects.get().content]
    assert [one.extractor for one in found.runs] == ["rules"]
    ask(curator_agent, of)
    work()
    assert rows() == before


def test_what_is_taken_back_or_out_of_sight_is_not_read_again(
    curator_agent: Principal, other_workspace: Workspace, operator: Principal
) -> None:
    turn = say(curator_agent, ("ines", WEEKLY, MARCH)).turns_new[0]
    with pytest.raises(NotFound):
        rereading.what(machine(other_workspace), source_id=turn.pk)
    record(operator, "withdraw", lambda write: withdraw(write, source=turn.pk), "Not theirs.")
    with pytest.raises(Conflict):
        rereading.what(curator_agent, source_id=turn.pk)


def test_a_person_sees_what_it_would_change_and_has_it_done(
    curator_agent: Principal, administrator: Principal, work: Callable[[], int], older: pytest.MonkeyPatch
) -> None:
    told = say(curator_agent, ("ines", WEEKLY, MARCH), ("ines", OAK, MARCH))
    work()
    older.undo()
    client = client_of(administrator)
    page = f"/w/harbour/conversations/{told.thread.pk}/"
    assert f"{page}again/" in client.get(page).content.decode()
    shown = client.get(f"{page}again/").content.decode()
    assert "Rules, version 0" in shown
    assert f"The rules (version {rules.VERSION}) would read it. What was learned" in shown
    assert "Decision, from “We decided to use oak" in shown
    assert Candidate.objects.filter(kind="decision").count() == 0
    assert client.post(f"{page}again/").status_code == 302
    work()
    assert Candidate.objects.filter(kind="decision").count() == 1
    turn = f"/w/harbour/conversations/sources/{told.turns_new[0].pk}/again/"
    assert "nothing new" in client.get(turn).content.decode()


def test_what_reading_a_long_conversation_again_would_change_only_a_job_finds_out(
    curator_agent: Principal, administrator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No page and no answer reads all of its turns; each says so, and has it done."""
    told = say(curator_agent, ("ines", WEEKLY, MARCH), ("ines", OAK, MARCH))
    monkeypatch.setattr(rereading, "MOST_COMPARED", 1)
    of = rereading.what(curator_agent, thread_id=told.thread.pk)
    found = rereading.difference(curator_agent, of)
    assert (found.sources, found.compared, found.new, found.same) == (2, False, [], 0)
    assert answered(found)["new_count"] is None
    page = client_of(administrator).get(f"/w/harbour/conversations/{told.thread.pk}/again/").content.decode()
    assert "It has 2 turns, too many to compare on a page." in page
    assert "Read it again" in page
    [job] = ask(curator_agent, of)
    assert (job.subject_id, job.arguments) == (told.thread.pk, of.arguments)


RAIL = "The rail has to be blue for me."


def test_a_model_reads_again_after_the_rules_and_holds_the_same_words_once(
    curator_agent: Principal, administrator: Principal, model: ModelServer
) -> None:
    """What an earlier reading by a model, or another extractor, made of the same words is not made anew."""
    turn = say(curator_agent, ("ines", f"{PIER} {RAIL}", MARCH)).turns_new[0]
    model.replies = [completion({"statements": [SAID]})]
    run_all()
    of = rereading.what(curator_agent, source_id=turn.pk)
    assert rereading.difference(curator_agent, of).with_model == f"small-one, {prompt.VERSION}"
    page = client_of(administrator).get(f"/w/harbour/conversations/sources/{turn.pk}/again/").content.decode()
    assert f"then the model small-one (instructions {prompt.VERSION})" in page
    blue = SAID | {"quote": RAIL[:-1], "content": "Wants the rail to be blue.", "topic": "colour of the rail"}
    model.replies = [completion({"statements": [SAID | {"content": "Likes grey piers."}, blue]})]
    asked = ask(curator_agent, of)
    assert [one.kind for one in asked] == [KIND, reading.KIND]
    last = run_all()
    assert (last.pk, last.state, last.outcome["candidates"]) == (asked[1].pk, "succeeded", 1)
    assert [one.content for one in the_models()] == [SAID["content"], blue["content"]]
    run = ExtractionRun.objects.get(job=last)
    assert (run.extractor, run.counts["read_already"]) == ("model:small-one", 1)
