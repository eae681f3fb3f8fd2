"""R6: outside its audience a belief does not exist. Every address is asked by an outsider before and after beliefs are
kept that the outsider may not see, and answers alike: no word, no count, no order, no score tells of them.

The addresses come from the URL map, so a new one is asked without being listed.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern

from memoryapp.access.endpoints import Endpoint
from memoryapp.extraction.models import Candidate
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries.why import why
from memoryapp.graph.queries.withdrawals import preview
from memoryapp.graph.services import withdrawing
from memoryapp.graph.services.remembering import remember
from memoryapp.graph.statements import Quoted, Statement
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case
from memoryapp.sources.inputs import ParticipantInput, SourceInput, ThreadInput, TurnInput
from memoryapp.sources.models import Source, Thread
from memoryapp.sources.services import read, state, tell
from memoryapp.timeline.models import Episode
from tests.api.calling import Caller
from tests.api.conftest import Things
from tests.api.test_every_address import ENDPOINTS, addresses
from tests.api.test_things_of_others import BODIES, REASON, filled
from tests.context.telling import Context
from tests.graph.nodes.telling import Graph, at, moment
from tests.visiting import client_of

pytestmark = pytest.mark.django_db

WORDS = ("zephyrine", "quicklime", "halcyon")
QUESTIONS: dict[str, list[dict[str, Any]]] = {
    "/api/v1/recall": [
        {"question": "what does Ines like", "over": "all", "history": True},
        {"question": "zephyrine quicklime", "over": "all"},
        {"question": "status emails", "over": "turns"},
    ]
}
FOUND: dict[str, Any] = {
    "thread_id": Thread,
    "source_id": Source,
    "candidate_id": Candidate,
    "job_id": Job,
    "node_id": Node,
    "belief_id": Belief,
    "episode_id": Episode,
    "case_id": Case,
}
PAGES_ASKED = ("", "?q=zephyrine&show=everything&state=decided")


@pytest.fixture
def outsider(workspace: Any) -> Caller:
    return Caller(workspace, ["lookup", "recall", "context", "curate", "steward", "propose"], "Outsider")


def hide(operator: Principal, things: Things, reviewer: Principal) -> Things:
    """Keep from everybody but two: statements that contradict each other, one decided and one open case, a property, an
    edge, a conclusion from what all may see, and an extension of it; all from a source that all may see."""
    graph = Graph(operator)
    there = set(Case.objects.values_list("pk", flat=True))
    ines, seen = Node.objects.get(pk=things["node_id"][0]), Belief.objects.get(pk=things["belief_id"][0])
    friend = Node.objects.filter(node_class="person").exclude(pk=ines.pk).order_by("pk")[0]
    quoted = (Quoted(Source.objects.get(pk=things["source_id"][0])),)

    def keep(**told: Any) -> Belief:
        kept = Statement(audience="named", readers=(operator.actor.pk, reviewer.actor.pk), **told)
        made: Belief = graph.do(lambda write: remember(write, kept)).belief
        return made

    said = [
        keep(
            kind="preference",
            content=f"Ines likes {word}",
            owners=(ines.pk,),
            topic="reporting cadence",
            evidence=quoted,
            valid_from=moment(day),
        )
        for word, day in (("zephyrine", "2026-03-05"), ("quicklime", "2026-06-05"), ("halcyon mail", "2026-07-05"))
    ]
    for case in Case.objects.filter(kind="belief_conflict", state="open").exclude(pk__in=there).order_by("pk")[:1]:
        record(reviewer, "d", lambda write, c=case: review.decide(write, c.pk, lock=c.lock, verdict="newer_replaces"))
    drawn = keep(kind="insight", content="Ines is a zephyrine person", premises=(seen.pk,))
    phone = keep(subject=ines.pk, predicate="phone", value="+351 912 000 111", evidence=quoted)
    works = keep(subject=ines.pk, predicate="knows", object=friend.pk, evidence=quoted)
    mine = {"audience": "named", "readers": (reviewer.actor.pk,)}
    kept_in_mind = Context(operator).set("Halcyon", "Zephyrine, please.", "Quicklime", **mine)
    return {
        "entry_id": [kept_in_mind.pk],
        "act_id": [kept_in_mind.write_id],
        "belief_id": [one.pk for one in [*said, drawn, phone, works]],
        "case_id": list(Case.objects.exclude(pk__in=there).values_list("pk", flat=True)),
        "relation_id": [graph.relate("extension", ("base", seen), ("addition", drawn)).pk],
    }


def tell_few(operator: Principal, reviewer: Principal, work: Callable[[], int]) -> Things:
    """Tell to the same two: a conversation among people whom nobody knew, one of whom is held for a person, a document
    and a statement; with all that is made of them."""
    few = (reviewer.actor.pk,)
    before = {model: set(model.objects.values_list("pk", flat=True)) for model in FOUND.values()}
    people = [
        ParticipantInput(key="ines", role="user", name="Ines", identity={"email": "ines@ferro.example"}),
        ParticipantInput(key="zoe", role="user", name="Zoe Zephyrine", identity={"email": "zoe@zephyrine.example"}),
        ParticipantInput(key="bot", role="assistant", name="Halcyon"),
    ]
    said = [
        ("zoe", "user", "I prefer quicklime plaster to paint."),
        ("ines", "user", "I prefer zephyrine mail to letters."),
        ("bot", "assistant", "Zoe lives in Halcyon."),
    ]
    turns = [
        TurnInput(speaker=speaker, by=by, content=words, said_at=at(f"2026-05-0{number}"), message_id=f"few-{number}")
        for number, (by, speaker, words) in enumerate(said, 1)
    ]
    thread = ThreadInput(external_id="halcyon-1", title="Halcyon plans", readers=few)
    record(operator, "tell", lambda write: tell(write, thread, people, turns))
    note = SourceInput("document", "We decided to use quicklime.", at("2026-05-04"), path="halcyon.md", readers=few)
    record(operator, "read", lambda write: read(write, note))
    words = "I live in Quicklime Street."
    record(reviewer, "state", lambda write: state(write, words, readers=(operator.actor.pk,)))
    while work():
        pass
    return {
        name: [pk for pk in model.objects.values_list("pk", flat=True) if pk not in before[model]]
        for name, model in FOUND.items()
    }


def asked(outsider: Caller, page: Client, things: Things) -> Iterator[tuple[str, Any]]:
    """What every GET, every question and every page answers, without what differs from one request to the next."""
    for address, pattern, endpoint in _endpoints():
        for one in _with_things(address, pattern, things):
            if "get" in endpoint.needs:
                yield f"GET {one}", _told(outsider.get(one))
                yield f"GET {one} long", _told(outsider.get(f"{one}?page_size=200"))
        for question in QUESTIONS.get(address, ()):
            answer = outsider.post(address, question)
            assert answer.status_code == 200, answer.content
            yield f"POST {address} {question}", _told(answer)
    for address, pattern in addresses():
        if address.startswith("/w/"):
            for one in _with_things(address, pattern, things):
                for more in PAGES_ASKED:
                    yield f"GET {one}{more}", _shown(page.get(one + more))


def _endpoints() -> Iterator[tuple[str, URLPattern, type[Endpoint]]]:
    kinds = dict(ENDPOINTS)
    for address, pattern in addresses():
        if address in kinds:
            yield address, pattern, kinds[address]


def _with_things(address: str, pattern: URLPattern, things: Things) -> Iterator[str]:
    named = [name for name in pattern.pattern.converters if name in things]
    if not named:
        yield address
    for thing in things[named[0]] if named else ():
        yield filled(address, thing)


def _told(answer: Any) -> tuple[int, str]:
    try:
        body = answer.json()
    except ValueError:
        return answer.status_code, answer.content.decode()
    return answer.status_code, json.dumps(_steady(body), sort_keys=True)


def _steady(value: Any) -> Any:
    """Without the trace of the request, and without what the walk itself adds to the log of what was served."""
    if isinstance(value, dict):
        return {name: _steady(inner) for name, inner in value.items() if name not in ("trace_id", "served")}
    return [_steady(inner) for inner in value] if isinstance(value, list) else value


def _apart(before: tuple[int, str], after: tuple[int, str]) -> str:
    """Where two answers part, and what stands there."""
    if before[0] != after[0]:
        return f"{before[0]}, then {after[0]}"
    start = next(
        (place for place, (one, other) in enumerate(zip(before[1], after[1], strict=False)) if one != other), 0
    )
    return " | ".join(text[max(0, start - 100) : start + 100] for text in (before[1], after[1]))


def _shown(answer: Any) -> tuple[int, str]:
    text = answer.getvalue().decode()
    text = re.sub(r'name="(csrfmiddlewaretoken|page)" value="[^"]*"|"X-CSRFToken": "[^"]*"', "", text)
    text = re.sub(r"<section[^>]*served-title.*?</section>", "", text, flags=re.S)
    text = re.sub(r"<span>Served [^<]*</span>|<dt>Serveds</dt><dd>\d+</dd>|What goes <span class=.count.>\d+", "", text)
    text = re.sub(r'data-since="[0-9]+"|figure__note">the oldest [^<]*', "", text)
    text = re.sub(r"<time[^>]*>.*?</time>|<li>A job has been waiting[^<]*</li>", "", text, flags=re.S)
    return answer.status_code, text


def test_everything_answers_an_outsider_as_if_nothing_were_kept_from_them(
    things: Things,
    outsider: Caller,
    operator: Principal,
    reviewer: Principal,
    person: Callable[..., Principal],
    workspace: Any,
    work: Callable[[], int],
) -> None:
    """R4 and R6, cases 70 and 106: REST and pages, lists and counts, recall and why, cases and decisions."""
    page = client_of(person(workspace, "admin", "Ada"))
    work()
    before = dict(asked(outsider, page, things))
    hidden = hide(operator, things, reviewer)
    assert len(hidden["case_id"]) >= 2
    told = tell_few(operator, reviewer, work)
    assert all(told.values()), {name: len(ids) for name, ids in told.items()}
    after = dict(asked(outsider, page, things))
    differ = [f"{what}: {_apart(before[what], after[what])}" for what in before if before[what] != after[what]]
    assert differ == [], "\n".join(differ)
    assert sum(what.startswith("POST") for what in before) == 3
    words = [what for what, (_, text) in after.items() if any(word in text.lower() for word in WORDS)]
    assert [what for what in words if "zephyrine" not in what] == []


def test_what_is_kept_from_somebody_is_to_them_as_what_does_not_exist(
    things: Things,
    outsider: Caller,
    operator: Principal,
    reviewer: Principal,
    person: Callable[..., Principal],
    workspace: Any,
    work: Callable[[], int],
) -> None:
    """R6: whatever verb, the answer about a hidden thing is word for word that about nothing."""
    hidden = hide(operator, things, reviewer)
    for name, ids in tell_few(operator, reviewer, work).items():
        hidden[name] = [*hidden.get(name, []), *ids]
    made = ("belief_id", "relation_id", "source_id", "node_id", "episode_id")
    hidden["thing_id"] = [one for name in made for one in hidden[name]]
    page = client_of(person(workspace, "admin", "Ada"))
    told: list[tuple[Any, ...]] = []
    for address, pattern in addresses():
        named = [name for name in pattern.pattern.converters if name in hidden]
        for thing in _ends(hidden[named[0]]) if named else ():
            theirs, nothing = filled(address, thing), filled(address, uuid.uuid4())
            if address.startswith("/w/"):
                answers = [page.get(theirs), page.post(theirs, {"until": "week"})]
                told += [(theirs, one.status_code) for one in answers if one.status_code not in (404, 405)]
            elif address.startswith("/api/"):
                endpoint = dict(ENDPOINTS)[address]
                for verb in endpoint.needs:
                    pair = [_ask(outsider, verb, one, pattern) for one in (theirs, nothing)]
                    if _bare(pair[0], theirs) != _bare(pair[1], nothing) or pair[0].status_code != 404:
                        told.append((verb, theirs, pair[0].content))
    assert told == []


def _ends(ids: list[Any]) -> list[Any]:
    """The first of many and the last, which are of different kinds."""
    return ids if len(ids) < 2 else [ids[0], ids[-1]]


def _ask(caller: Caller, verb: str, address: str, pattern: URLPattern) -> Any:
    if verb == "get":
        return caller.get(address)
    return caller.post(address, BODIES.get(pattern.name or "", REASON), If_Match='"1"')


def _bare(answer: Any, address: str) -> str:
    text = json.dumps(_steady(answer.json()), sort_keys=True)
    for one in re.findall(r"[0-9a-f-]{36}", address):
        text = text.replace(one, "")
    return text


def test_what_a_conclusion_rests_on_out_of_sight_is_withheld_without_a_word(
    things: Things, outsider: Caller, operator: Principal, reviewer: Principal
) -> None:
    """R6: `why` of what one sees says that something behind it is withheld, and nothing of it."""
    hidden = hide(operator, things, reviewer)
    premise = Belief.objects.filter(pk__in=hidden["belief_id"], status="activated", shape="statement").first()
    assert premise is not None
    drawn = Statement(kind="insight", content="Ines needs less mail", premises=(premise.pk,))
    seen = Graph(operator).do(lambda write: remember(write, drawn)).belief
    answer = outsider.get(f"why/{seen.pk}").json()
    assert answer["withheld"] == 1
    assert answer["ancestors"] == []
    assert not any(word in json.dumps(answer).lower() for word in WORDS)
    assert why(operator, seen.pk)["withheld"] == 0


def test_taking_a_source_back_tells_only_of_what_one_sees_and_reaches_everything(
    things: Things, outsider: Caller, operator: Principal, reviewer: Principal
) -> None:
    """R6 and R12: the preview counts nothing out of sight; what is out of sight falls all the same."""
    source = things["source_id"][0]
    before = outsider.get(f"sources/{source}/withdraw/preview").json()
    hidden = hide(operator, things, reviewer)
    assert outsider.get(f"sources/{source}/withdraw/preview").json() == before
    assert preview(operator, source=source) != before
    record(operator, "t", lambda write: withdrawing.take_back(write, source=source), rationale="It was wrong.")
    live = Belief.objects.filter(pk__in=hidden["belief_id"], status="activated").values_list("content", flat=True)
    assert set(live) == {"Ines likes quicklime", "Ines is a zephyrine person"}, "what a person confirmed, and the rest"
