"""What a day at the console needs beside deciding: search, views of one's own, others at work, the way things go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.access.models import SavedView
from memoryapp.graph.models import Belief, Node
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import queries, services
from memoryapp.review.models import Case
from memoryapp.review.queries import Filters
from memoryapp.sources.models import Source
from tests.forms.telling import Forms, patient
from tests.graph.telling import Memory
from tests.visiting import client_of, tell_a_story

pytestmark = pytest.mark.django_db(transaction=True)

QUEUE = "/w/harbour/queue/"


@pytest.fixture
def told(curator_agent: Principal, work: Callable[[], int]) -> Case:
    tell_a_story(curator_agent, work)
    return Case.objects.get(kind="belief_conflict")


@pytest.fixture
def memory(curator_agent: Principal, operator: Principal) -> Memory:
    return Memory(curator_agent, operator)


def test_a_search_finds_beliefs_things_words_and_cases(told: Case, administrator: Principal) -> None:
    client = client_of(administrator)
    text = client.get("/w/harbour/search/?q=emails").content.decode()
    for part in ("Beliefs", "Conversations", "What was said"):
        assert f">{part}</h2>" in text
    assert str(Belief.objects.filter(content__contains="weekly status emails")[0].pk) in text
    found = client.get("/w/harbour/search/?q=ferro").content.decode()
    assert f"/w/harbour/nodes/{Node.objects.get(label='Ines Ferro').pk}/" in found, "a node by any word of its name"
    assert "Waiting cases" in client.get("/w/harbour/search/?q=monthly").content.decode()
    assert "Nothing has these words" in client.get("/w/harbour/search/?q=zebra").content.decode()
    assert client.get("/w/harbour/search/?q=%00%22%27%2A").status_code == 200


def test_a_search_finds_forms_and_what_was_filled_within_its_audience(
    operator: Principal, administrator: Principal, reviewer: Principal
) -> None:
    Memory(operator)
    filled = Forms(administrator)
    filled.published(patient())
    everybodys = filled.opened(values={"name": "Teresa Vidal", "address": "Rua do Cais 4"})
    own = filled.opened(audience="named", readers=(administrator.actor.pk,), values={"name": "Teresa Vidal"})
    mine = client_of(administrator).get("/w/harbour/search/?q=patient").content.decode()
    others = client_of(reviewer).get("/w/harbour/search/?q=patient").content.decode()
    for text in (mine, others):
        assert ">Forms</h2>" in text
        assert f"/w/harbour/forms/responses/{everybodys.row.pk}/" in text
    assert f"/w/harbour/forms/responses/{own.row.pk}/" in mine
    assert str(own.row.pk) not in others
    found = client_of(administrator).get("/w/harbour/search/?q=vidal").content.decode()
    assert found.count(">Teresa Vidal<") == 2
    assert ">Answers in forms</h2>" in found
    hidden = client_of(reviewer).get("/w/harbour/search/?q=vidal").content.decode()
    assert (hidden.count(">Teresa Vidal<"), str(own.row.pk) in hidden) == (1, False)
    assert "Answers in forms" not in client_of(reviewer).get("/w/harbour/search/?q=cais").content.decode()


def test_a_view_is_kept_shown_to_whom_it_is_for_and_forgotten(
    told: Case, administrator: Principal, reviewer: Principal
) -> None:
    mine, others = client_of(administrator), client_of(reviewer)
    given = {"place": "queue", "query": "kind=belief_conflict", "name": "Contradictions"}
    back = mine.post("/w/harbour/views/", given)
    assert back["Location"] == f"{QUEUE}?kind=belief_conflict"
    assert "Contradictions" in mine.get(QUEUE).content.decode()
    assert "Contradictions" not in others.get(QUEUE).content.decode()
    mine.post("/w/harbour/views/", given | {"shared": "yes"})
    assert "Contradictions" in others.get(QUEUE).content.decode()
    view = SavedView.objects.get()
    assert others.post(f"/w/harbour/views/{view.pk}/forget/").status_code == 404
    assert mine.post(f"/w/harbour/views/{view.pk}/forget/").status_code == 302
    assert not SavedView.objects.exists()
    mine.post("/w/harbour/views/", {"place": "beliefs", "query": "show=ended", "name": "Over"})
    assert "Over" in mine.get("/w/harbour/beliefs/").content.decode()
    assert mine.post("/w/harbour/views/", given | {"place": "jobs"}).status_code == 422
    mine.post("/w/harbour/views/", given | {"name": "x" * 61})
    assert SavedView.objects.count() == 1


def test_the_queue_is_told_what_others_did_and_nothing_when_nothing_was(
    told: Case, administrator: Principal, reviewer: Principal
) -> None:
    client = client_of(administrator)
    administrator.workspace.refresh_from_db()
    since = administrator.workspace.write_sequence
    live = f"{QUEUE}live/?here={told.pk}&lock={told.lock}&since="
    assert client.get(f"{live}{since}", headers={"HX-Request": "true"}).status_code == 204
    record(reviewer, "claim", lambda write: services.claim(write, told.pk))
    claimed = client.get(f"{live}{since}", headers={"HX-Request": "true"}).content.decode()
    assert f"{reviewer.actor.name} is on this" in claimed
    record(reviewer, "decide", lambda write: services.decide(write, told.pk, lock=told.lock, verdict="older_stands"))
    decided = client.get(f"{live}{since}", headers={"HX-Request": "true"}).content.decode()
    assert "decided: Older stands." in decided
    assert f"item-{told.pk}" not in decided


def test_the_queue_is_walked_page_by_page_in_every_order(memory: Memory, administrator: Principal) -> None:
    """However a page is reached, forwards or back, the pages together are the queue, each case once."""
    for number in range(7):
        owner = memory.node(f"Person {number}")
        memory.say("2026-03-02", f"Person {number} wants weekly letters", owner, topic="letters")
        memory.say("2026-06-01", f"Person {number} wants monthly letters", owner, topic="letters")
    for number, case in enumerate(Case.objects.order_by("pk")):
        Case.objects.filter(pk=case.pk).update(priority=(number % 3) * 10, reach=number % 2)
    for order in queries.ORDERS:
        filters = Filters(order=order)
        whole = list(queries.queue(administrator, filters))
        walked, page = [], queries.listed(administrator, filters, size=3)
        pages = [page.cases]
        while page.after:
            page = queries.listed(administrator, filters, size=3, after=page.cases[-1])
            pages.append(page.cases)
        walked = [case for cases in pages for case in cases]
        assert walked == whole, order
        back = queries.listed(administrator, filters, size=3, before=pages[2][0])
        assert (back.cases, back.before, back.after) == (pages[1], True, True), order


def test_the_queue_is_narrowed_by_node_by_source_and_by_how_sure_it_is(told: Case, administrator: Principal) -> None:
    """What a case is about leads to it: of whom it is held, where it was said, how sure it is."""
    sides = Belief.objects.filter(pk__in=told.subjects.values("subject_id"))
    sure = min(int(side.confidence or 0) for side in sides)
    ines, other = Node.objects.get(label="Ines Ferro"), Node.objects.exclude(label="Ines Ferro").first()
    june = Source.objects.get(content__contains="monthly summary")
    oak = Source.objects.get(content__contains="oak")

    def found(**narrowed: Any) -> bool:
        return told in queries.queue(administrator, Filters(**narrowed))

    assert [found(node=ines.pk), found(node=new_id()), found(node=other.pk) if other else False] == [True, False, False]
    assert [found(source=june.pk), found(source=oak.pk)] == [True, False]
    assert [found(unsure=sure + 1), found(unsure=sure)] == [True, False]
    client = client_of(administrator)
    assert f"{QUEUE}?node={ines.pk}" in client.get(f"/w/harbour/nodes/{ines.pk}/").content.decode()
    text = client.get(f"{QUEUE}?node={ines.pk}&weight=most").content.decode()
    assert "About one node" in text
    assert "Less than 80 % sure" in text
    assert client.get(f"{QUEUE}?node=nonsense&source={june.pk}").status_code == 200


def test_two_weeks_of_what_opened_and_was_decided_are_drawn(told: Case, administrator: Principal) -> None:
    record(
        administrator,
        "decide",
        lambda write: services.decide(write, told.pk, lock=told.lock, verdict="newer_replaces"),
    )
    today = queries.trend(administrator)[-1]
    assert today.by_people == 1
    assert today.by_policy > 0
    text = client_of(administrator).get("/w/harbour/").content.decode()
    assert "The last two weeks" in text
    assert "plot__people" in text


def test_a_belief_is_asked_as_of_a_time_on_both_axes(told: Case, administrator: Principal) -> None:
    """Weekly held in April; after the verdict it does not hold in July, though by what was known before it would."""
    record(
        administrator,
        "decide",
        lambda write: services.decide(write, told.pk, lock=told.lock, verdict="newer_replaces"),
    )
    weekly = Belief.objects.get(content__contains="weekly status emails")
    client, page = client_of(administrator), f"/w/harbour/beliefs/{weekly.pk}/"
    before = weekly.states.order_by("sequence")[0].recorded_at.isoformat().replace("+00:00", "Z")
    for query, held in (
        ("valid_at=2026-04-01", True),
        ("valid_at=2026-07-01", False),
        (f"valid_at=2026-07-01&known_at={before}", True),
        ("known_at=2020-01-01", False),
    ):
        assert client.get(f"{page}?{query}").context["as_of"]["held"] is held, query
    assert client.get(f"{page}?valid_at=someday").status_code == 422
    assert client.get(page).context["as_of"]["asked"] is False


def test_what_was_taken_back_stands_behind_what_holds(told: Case, administrator: Principal) -> None:
    """A supersession that was undone is shown below the one that stands."""
    decide = lambda verdict: record(  # noqa: E731
        administrator,
        "decide",
        lambda write: services.decide(write, told.pk, lock=Case.objects.get(pk=told.pk).lock, verdict=verdict),
    )
    decision = decide("newer_replaces")
    record(administrator, "undo", lambda write: services.undo(write, decision.pk))
    decide("newer_replaces")
    weekly = Belief.objects.get(content__contains="weekly status emails")
    page = client_of(administrator).get(f"/w/harbour/beliefs/{weekly.pk}/")
    assert [one["stands"] for one in page.context["superseded_by"]] == [True, False]
