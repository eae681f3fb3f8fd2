"""What is told to few is for these few, with all that is learned from it; everybody else is told nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.graph import services as graph
from memoryapp.graph.models import Belief, IdentityKey, Node
from memoryapp.graph.queries.told import quotes
from memoryapp.graph.statements import Quoted, Statement
from memoryapp.index.models import Statistics
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources import queries
from memoryapp.sources.inputs import SourceInput, ThreadInput, TurnInput
from memoryapp.sources.models import Source, Thread
from memoryapp.sources.services import read, state, tell
from memoryapp.timeline.models import Episode
from tests.api.calling import Caller
from tests.graph.nodes.telling import Graph, at
from tests.visiting import INES

pytestmark = pytest.mark.django_db

WORDS = "I prefer zephyrine mail to letters."


def told(by: Principal, words: str, *, readers: tuple[Any, ...] | None = None, name: str = "plans") -> Thread:
    turn = TurnInput(speaker="user", by="ines", content=words, said_at=at("2026-05-01"))
    thread = ThreadInput(external_id=name, title=name, readers=readers)
    stored: Thread = record(by, "tell", lambda write: tell(write, thread, [INES], [turn])).thread
    return stored


def noted(by: Principal, words: str, readers: tuple[Any, ...] | None = None) -> Source:
    note = SourceInput("document", words, at("2026-05-02"), path="notes.md", readers=readers)
    stored: Source = record(by, "read", lambda write: read(write, note)).source
    return stored


def test_what_is_learned_from_a_conversation_of_few_is_for_these_few(
    workspace: Workspace, curator_agent: Principal, reviewer: Principal, viewer: Principal, work: Callable[[], int]
) -> None:
    """R6: turns, beliefs, the people in it and its episode; for who told it and the named readers alone."""
    counted = Statistics.objects.filter(workspace=workspace).values_list("documents", flat=True)
    thread = told(curator_agent, WORDS, readers=(reviewer.actor.pk,))
    while work():
        pass
    assert Belief.objects.filter(content__icontains="zephyrine").exists()
    for by in (curator_agent, reviewer):
        assert queries.thread(by, thread.pk) == thread
        assert queries.turns(by, thread.pk).count() == 1
        assert Belief.objects.visible_to(by).filter(content__icontains="zephyrine").exists()
        assert Node.objects.visible_to(by).filter(label="Ines Ferro").exists()
        assert Episode.objects.visible_to(by).filter(thread=thread).exists()
    assert not queries.threads(viewer).exists()
    assert not queries.sources(viewer).exists()
    for model in (Belief, Node, Episode):
        assert not model.objects.visible_to(viewer).exists()  # type: ignore[attr-defined]
    assert sum(counted.all()) == 0, "nothing of it is counted among the words of the workspace"
    out = StringIO()
    call_command("integrity", "--workspace", workspace.slug, stdout=out)
    assert out.getvalue().count(": ok") == out.getvalue().count("\n")


def test_who_is_known_to_few_is_not_made_twice_and_is_there_for_all_once_all_are_told(
    workspace: Workspace, curator_agent: Principal, reviewer: Principal, viewer: Principal, operator: Principal
) -> None:
    told(curator_agent, WORDS, readers=(reviewer.actor.pk,))
    told(curator_agent, "I prefer tea.", readers=(), name="others")
    assert Node.objects.filter(node_class="person").count() == 1
    assert not Node.objects.visible_to(viewer).exists()
    assert IdentityKey.objects.filter(active=True).count() == 1
    ines = Node.objects.get()
    told(operator, "I like oak.", name="open")
    assert Node.objects.visible_to(viewer).get() == ines
    assert IdentityKey.objects.filter(active=True).count() == 1


def test_a_conversation_goes_on_for_the_readers_it_began_with(
    curator_agent: Principal, reviewer: Principal, viewer: Principal, operator: Principal
) -> None:
    thread = told(curator_agent, WORDS, readers=(reviewer.actor.pk,))
    assert told(curator_agent, "I prefer tea.") == thread
    assert told(curator_agent, "I prefer oak.", readers=(reviewer.actor.pk,)) == thread
    assert queries.turns(reviewer, thread.pk).count() == 3
    assert {turn.audience_id for turn in Source.objects.filter(thread=thread)} == {thread.audience_id}
    with pytest.raises(Conflict) as refused:
        told(curator_agent, "I prefer ash.", readers=(viewer.actor.pk,))
    assert refused.value.code == "audience_differs"
    assert told(operator, "I prefer elm.") != thread, "who is out of sight of it tells another one of that name"


def test_the_same_words_for_others_are_another_source(
    curator_agent: Principal, reviewer: Principal, viewer: Principal
) -> None:
    few, again, all_ = (noted(curator_agent, WORDS, readers) for readers in ((reviewer.actor.pk,), None, None))
    assert few != again
    assert again == all_
    assert noted(curator_agent, WORDS, (reviewer.actor.pk,)) == few
    assert list(queries.sources(viewer)) == [again]
    with pytest.raises(Invalid) as refused:
        noted(curator_agent, "Other words.", (few.pk,))
    assert refused.value.violations[0].path == "/readers/0"


def test_nothing_is_believed_more_widely_than_it_was_told(
    curator_agent: Principal, reviewer: Principal, viewer: Principal, operator: Principal
) -> None:
    """What is learned is for the readers of all it stands on, or for fewer when it says so; wider is refused."""
    ines = Graph(operator).person("Ines Ferro")
    source = noted(curator_agent, WORDS, (reviewer.actor.pk,))

    def believed(words: str, *sources: Source, **more: Any) -> Belief:
        evidence = tuple(Quoted(one) for one in sources)
        statement = Statement(kind="preference", content=words, owners=(ines.pk,), evidence=evidence, **more)
        made: Belief = Graph(operator).do(lambda write: graph.remember(write, statement)).belief
        return made

    learned = believed("Likes mail", source)
    assert learned.audience == "named"
    assert {one.actor_id for one in learned.readers.all()} == {curator_agent.actor.pk, reviewer.actor.pk}
    fewer = believed("Likes letters", source, audience="named", readers=(reviewer.actor.pk,))
    assert fewer not in Belief.objects.visible_to(curator_agent)
    record(operator, "bind", lambda write: graph.bind_actor(write, actor=viewer.actor, node=ines))
    for wide in ({"audience": "named", "readers": (viewer.actor.pk,)}, {"audience": "owners"}):
        with pytest.raises(Invalid) as refused:
            believed("Likes telegrams", source, **wide)
        assert refused.value.violations[0].code == "wider_than_source"
    others = noted(operator, "Other words", (viewer.actor.pk,))
    with pytest.raises(Invalid, match="fewer"):
        believed("Likes both", source, others)
    known = believed("Likes oak", noted(curator_agent, "She likes oak"))
    graph_of = Graph(operator)
    graph_of.relate("sourcing", ("evidence", Quoted(source)), ("sourced", known))
    assert len(quotes(viewer, [known.pk])[known.pk]) == 1, "what is out of the reader's sight is not quoted"
    assert len(quotes(reviewer, [known.pk])[known.pk]) == 2


def test_a_member_states_something_for_their_own_eyes(reviewer: Principal, viewer: Principal) -> None:
    said = record(reviewer, "state", lambda write: state(write, WORDS, readers=()))
    assert list(queries.sources(reviewer)) == [said]
    assert not queries.sources(viewer).exists()


def test_by_rest_readers_are_named_and_the_audience_is_shown(workspace: Workspace, reviewer: Principal) -> None:
    hers, other = Caller(workspace, ["lookup", "recall", "curate"], "Hers"), Caller(workspace, ["recall"], "Other")
    note = {"kind": "document", "path": "a.md", "said_at": "2026-05-04T09:00:00Z", "content": WORDS}
    for words in ("We met on the pier.", "Oak is for stairs."):
        assert hers.post("sources", note | {"path": words[:3], "content": words}).status_code == 202
    made = hers.post("sources", note | {"readers": [str(reviewer.actor.pk)]}).json()["items"][0]["id"]
    assert hers.get(f"sources/{made}").json()["audience"] == "named"
    assert other.get(f"sources/{made}").status_code == 404
    asked = {"question": "zephyrine mail", "over": "all"}
    assert len(hers.post("recall", asked).json()["hits"]) == 1
    assert other.post("recall", asked).json()["hits"] == []
    wrong = hers.post("sources", note | {"readers": ["01890a5d-ac96-774b-bcce-b302099a8057"]})
    assert wrong.status_code == 422
    assert wrong.json()["errors"][0]["path"] == "/readers/0"
