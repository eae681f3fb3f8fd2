"""T40 for episodes: whatever was recorded, amended and taken away, every moment answers later as it did then.

Beside the timeline runs a plain list of what was told, when. It is asked the same questions by going through it.
"""

from __future__ import annotations

import datetime as dt
import itertools
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.graph.models import Node
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.timeline import queries, services
from memoryapp.timeline.inputs import Amendment, EpisodeInput, Happened, Taking
from memoryapp.timeline.models import Episode
from memoryapp.timeline.queries import Asked
from tests.graph.nodes.telling import Graph
from tests.timeline.telling import moment

pytestmark = pytest.mark.django_db

DAYS = [f"2026-03-{day:02d}" for day in (1, 2, 3, 5, 8)]
KINDS = {"event": {"event"}, "call": {"call", "meeting"}, "meeting": {"meeting"}}
"""Each kind with those that asking for it, or for what is above it, brings."""


@dataclass(frozen=True)
class Said:
    """One telling of one episode, as the plain list holds it. Days are numbers; `until` is the last day."""

    episode: Any
    at: dt.datetime
    content: str
    kind: str
    since: int
    until: int | None
    people: frozenset[int]
    gone: bool = False


@dataclass
class PlainList:
    """What was told, in the order told."""

    said: list[Said] = field(default_factory=list)

    def answer(self, known: dt.datetime, first: int, last: int, who: int | None, kind: str) -> set[str]:
        latest: dict[Any, Said] = {}
        for one in self.said:
            if one.at <= known:
                latest[one.episode] = one
        return {
            one.content
            for one in latest.values()
            if not one.gone
            and one.since <= last
            and (one.until is None or one.until >= first)
            and (who is None or who in one.people)
            and (not kind or kind in KINDS[one.kind])
        }


acts = st.lists(
    st.tuples(
        st.sampled_from(["record", "amend", "amend", "retract", "reinstate"]),
        st.integers(0, 30),
        st.integers(0, len(DAYS) - 1),
        st.one_of(st.none(), st.integers(0, len(DAYS) - 1)),
        st.frozensets(st.integers(0, 2), max_size=2),
        st.sampled_from(sorted(KINDS)),
    ),
    min_size=3,
    max_size=10,
)


@settings(max_examples=10, derandomize=True, database=None)
@given(acts=acts)
def test_t40_every_moment_answers_later_as_it_did_then(operator: Principal, acts: list[Any]) -> None:
    """T40, E3: exact on both axes against a list that is simply gone through."""
    people = _people(operator)
    plain = PlainList()
    number = itertools.count()
    for act in acts:
        _do(operator, plain, people, act, f"{next(number)}")
    moments = sorted({one.at for one in plain.said})
    windows = itertools.cycle([(0, 4), (1, 2), (3, 3), (4, 4)])
    others = itertools.cycle(itertools.product([None, 0, 2], ["", "meeting", "event"]))
    mine = {one.episode for one in plain.said}
    for known, (first, last), (who, kind) in zip([*moments, *moments[-1:] * 3], windows, others, strict=False):
        asked = Asked(
            since=moment(DAYS[first]).instant,
            until=moment(DAYS[last]).instant + dt.timedelta(days=1),
            participants=(people[who].pk,) if who is not None else (),
            kinds=(kind,) if kind else (),
            ids=mine,
        )
        expected = plain.answer(known, first, last, who, kind)
        assert _contents(operator, replace(asked, known_at=known), known) == expected
        if known == moments[-1]:
            assert _contents(operator, asked, None) == expected, "now is as known now"


def _contents(by: Principal, asked: Asked, known: dt.datetime | None) -> set[str]:
    return {one.revision.content for one in queries.with_details(list(queries.episodes(by, asked)), known)}


def _people(by: Principal) -> list[Node]:
    """The same three in every example: what is stored of one stays in the next."""
    known = list(Node.objects.filter(workspace=by.workspace, node_class="person").order_by("pk"))
    graph = Graph(by)
    return known or [graph.person(name) for name in ("Ines Ferro", "Mira Oduya", "Ivo Lasker")]


def _do(by: Principal, plain: PlainList, people: list[Node], act: Any, words: str) -> None:
    what, which, since, until, who, kind = act
    until = None if until is not None and until < since else until
    told = list(dict.fromkeys(one.episode for one in plain.said))
    when = Happened(since=moment(DAYS[since]), until=moment(DAYS[until]) if until is not None else None)
    takings = tuple(Taking(people[one].pk) for one in sorted(who))
    if what == "record" or not told:
        given = EpisodeInput(kind, words, when, takings)
        made = record(by, "test", lambda write: services.record_episode(write, given)).episode
        plain.said.append(Said(made.pk, _clock(by), words, kind, since, until, who))
        return
    chosen = told[which % len(told)]
    before = [one for one in plain.said if one.episode == chosen][-1]
    lock = Episode.objects.get(pk=chosen).lock
    if what == "amend" and not before.gone:
        # An end that was told is not untold by leaving it out.
        change = Amendment(content=words, participants=takings)
        record(by, "test", lambda write: services.amend(write, chosen, change, reason="So it was.", lock=lock))
        plain.said.append(replace(before, at=_clock(by), content=words, people=who))
    elif what == "retract" and not before.gone:
        record(by, "test", lambda write: services.retract(write, chosen, reason="It was not.", lock=lock))
        plain.said.append(replace(before, at=_clock(by), gone=True))
    elif what == "reinstate" and before.gone:
        record(by, "test", lambda write: services.reinstate(write, chosen, reason="It was.", lock=lock))
        plain.said.append(replace(before, at=_clock(by), gone=False))


def _clock(by: Principal) -> dt.datetime:
    return Workspace.objects.values_list("clock", flat=True).get(pk=by.workspace.pk)
