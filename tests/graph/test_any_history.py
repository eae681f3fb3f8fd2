"""T40 and V1 over any mix of statements, verdicts, undo, retirement, edits, dates and sources taken back.

After every step the heads of that moment say, by a few lines of plain Python, what was true when. Whatever happens
later, the views must answer the same for that moment.
"""

from __future__ import annotations

import datetime as dt
import itertools
import os
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import QuerySet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryapp.access.services import operator
from memoryapp.doors.errors import DomainError
from memoryapp.graph import services as graph
from memoryapp.graph import slots
from memoryapp.graph.models import Belief, BeliefState, Relation, RelationPlayer
from memoryapp.graph.queries import views
from memoryapp.graph.services import conflict, verdicts, withdrawing
from memoryapp.graph.statements import Moment
from memoryapp.ledger import integrity
from memoryapp.ledger.models import Write
from memoryapp.ledger.services import create_workspace, record
from memoryapp.review import services as review
from memoryapp.review.models import Case, Decision
from memoryapp.sources.models import Source
from tests.graph.telling import Memory, at

pytestmark = pytest.mark.django_db

DAYS = [f"2026-0{month}-0{day}" for month in (1, 3, 5, 7) for day in (1, 5)]
GRID = [at(f"2026-0{month}-0{day}") for month in (1, 3, 5, 7) for day in (1, 3)] + [at("2025-12-01")]
TEXTS = ("weekly", "monthly", "daily")
VERDICTS: tuple[tuple[str, dict[str, Any]], ...] = (
    (verdicts.NEWER_REPLACES, {}),
    (verdicts.NEWER_REPLACES, {"never_right": True}),
    (verdicts.NEWER_REPLACES, {"newcomer_text": "quarterly"}),
    (verdicts.OLDER_STANDS, {}),
    (verdicts.DIFFERENT_TIMES, {}),
    (verdicts.DIFFERENT_TIMES, {"older_to": "2026-03-01", "newcomer_from": "2026-05-01"}),
    (verdicts.MERGED, {"text": "now and then"}),
    (verdicts.NOT_A_CONFLICT, {}),
    (verdicts.NOT_A_CONFLICT, {"newcomer_text": "quarterly"}),
    (verdicts.NEITHER, {}),
)
EXAMPLES = int(os.environ.get("HISTORIES", "3"))
"""Histories tried in one run."""

_count = itertools.count()

Head = tuple[Any, ...]


class Story:
    """A workspace of its own in which one thing after another happens."""

    def __init__(self) -> None:
        workspace = create_workspace(f"story-{next(_count)}-{uuid.uuid4().hex[:8]}", "Story")
        self.by = operator(workspace)
        self.memory = Memory(self.by)
        self.owner = self.memory.node("Ines")
        self.moments: list[tuple[dt.datetime, dict[dt.datetime, set[uuid.UUID]]]] = []

    def beliefs(self) -> list[Belief]:
        return list(Belief.objects.filter(workspace=self.by.workspace).order_by("pk"))

    def heads(self) -> dict[uuid.UUID, Head]:
        rows: dict[uuid.UUID, Head] = {
            one.pk: (one.status, one.standing, one.valid_from, one.valid_to) for one in self.beliefs()
        }
        for one in Relation.objects.filter(workspace=self.by.workspace):
            rows[one.pk] = (one.state, one.valid_to)
        for case in Case.objects.filter(workspace=self.by.workspace):
            rows[case.pk] = (case.state,)
        return rows

    def attempt(self, act: Callable[[Write], Any]) -> Any:
        """Do it; what is refused must leave everything as it was."""
        before = self.heads()
        try:
            return record(self.by, "step", act, rationale="The story goes on.")
        except DomainError:
            assert self.heads() == before
            return None

    def true_at(self, moments: list[dt.datetime]) -> dict[dt.datetime, set[uuid.UUID]]:
        """What the heads say was true at each of these times, in plain Python."""
        gone = {
            player.belief_id: player.relation.valid_from or slots.EARLIEST
            for player in RelationPlayer.objects.filter(
                workspace=self.by.workspace, kind="supersession", role="superseded", relation__state="activated"
            ).select_related("relation")
        }
        beliefs = self.beliefs()
        return {
            valid: {
                one.pk
                for one in beliefs
                if (one.status == "activated" or (one.status, one.standing) == ("archived", "ended"))
                and (one.valid_from or slots.EARLIEST) <= valid < (one.valid_to or slots.LATEST)
                and valid < gone.get(one.pk, slots.LATEST)
            }
            for valid in moments
        }

    def remember_moment(self) -> None:
        known = views.now(self.by.workspace)
        self.moments.append((known, self.true_at(GRID)))

    def step(self, what: str, one: int, two: int, three: int) -> None:
        getattr(self, f"_{what}")(one, two, three)
        self.check()
        self.remember_moment()

    def _say(self, one: int, two: int, three: int) -> None:
        fields: dict[str, Any] = {}
        day = DAYS[two % len(DAYS)]
        if three % 3 == 0:
            fields["valid_to"] = Moment(at(DAYS[three % len(DAYS)]))
        topic = ("", "cadence", "cadence", "cadence", "other")[one % 5]
        self.memory.say(day, TEXTS[(one // 5) % 3], self.owner, topic=topic, **fields)

    def _decide(self, one: int, two: int, three: int) -> None:
        cases = list(self.disputes().order_by("pk"))
        if not cases:
            return
        case = cases[one % len(cases)]
        verdict, edits = VERDICTS[two % len(VERDICTS)]
        before = self.heads()
        decision = self.attempt(
            lambda write: review.decide(write, case.pk, lock=case.lock, verdict=verdict, edits=edits)
        )
        if decision is None:
            return
        newcomer = case.subjects.get(role="newcomer").subject_id
        waits = Belief.objects.get(pk=newcomer).status == "resolving"
        assert not waits or conflict.open_conflicts(decision.write, [Belief.objects.get(pk=newcomer)])
        if three % 2:
            self.remember_moment()
            record(self.by, "undo", lambda write: review.undo(write, decision.pk))
            after = self.heads()
            assert {key: after[key] for key in before} == before

    def disputes(self) -> QuerySet[Case]:
        return Case.objects.filter(workspace=self.by.workspace, state="open", kind="belief_conflict")

    def _take_back(self, one: int, two: int, three: int) -> None:
        sources = list(Source.objects.filter(workspace=self.by.workspace, kind="file").order_by("pk"))
        if sources:
            chosen = sources[one % len(sources)].pk
            self.attempt(lambda write: withdrawing.take_back(write, source=chosen))

    def _undo(self, one: int, two: int, three: int) -> None:
        decisions = list(Decision.objects.filter(workspace=self.by.workspace, undoes=None).order_by("pk"))
        if decisions:
            chosen = decisions[one % len(decisions)]
            self.attempt(lambda write: review.undo(write, chosen.pk))

    def _change(self, one: int, two: int, three: int) -> None:
        beliefs = self.beliefs()
        if not beliefs:
            return
        belief = beliefs[one % len(beliefs)]
        moment = Moment(at(DAYS[three % len(DAYS)]))
        acts: tuple[Callable[[Write], Any], ...] = (
            lambda write: graph.retire(write, belief, reason="Over.", at=moment),
            lambda write: graph.retire(write, belief, reason="Over."),
            lambda write: graph.retract(write, belief, reason="Never."),
            lambda write: graph.reinstate(write, belief, reason="Yet."),
            lambda write: graph.edit(write, belief, content=TEXTS[three % 3], reason="Put right."),
            lambda write: graph.change_validity(write, belief, valid_from=moment, valid_to=None, reason="Dates."),
            lambda write: graph.supersede(write, belief, beliefs[three % len(beliefs)], reason="Replaced."),
            lambda write: graph.retract_relation(write, replacing[three % len(replacing)], reason="Not replaced."),
        )
        replacing = list(
            Relation.objects.filter(workspace=self.by.workspace, kind="supersession", state="activated").order_by("pk")
        )
        if two % len(acts) == len(acts) - 1 and not replacing:
            return
        self.attempt(acts[two % len(acts)])

    def check(self) -> None:
        """What must hold after every step."""
        now = views.now(self.by.workspace)
        held = {one.pk for one in views.current(self.by)}
        assert held == {one.pk for one in views.as_of(self.by)} == self.true_at([now])[now]
        beliefs = self.beliefs()
        states = {(one.belief_id, one.sequence): one for one in BeliefState.objects.filter(workspace=self.by.workspace)}
        for belief in beliefs:
            latest = states[belief.pk, belief.lock]
            assert (belief.pk, belief.lock + 1) not in states
            assert (latest.status, latest.standing) == (belief.status, belief.standing)
            assert (latest.valid_from, latest.valid_to) == (belief.valid_from, belief.valid_to)
        assert [finding for report in integrity.examine(self.by.workspace) for finding in report.findings] == []
        waiting = [belief for belief in beliefs if belief.status == "resolving"]
        doubted = {one.newcomer.pk for one in conflict.open_conflicts(waiting[0].write, waiting)} if waiting else set()
        assert {belief.pk for belief in waiting} <= doubted
        relations = Relation.objects.filter(
            workspace=self.by.workspace, kind="conflict", state="activated", valid_to=None
        )
        assert {case.key for case in self.disputes()} == {str(relation.pk) for relation in relations}

    def check_every_moment(self) -> None:
        for known, truth in self.moments:
            for valid, expected in truth.items():
                found = {one.pk for one in views.as_of(self.by, valid_at=valid, known_at=known)}
                assert found == expected, (known, valid)


numbers = st.integers(0, 59)
steps = st.tuples(
    st.sampled_from(["say", "say", "decide", "decide", "undo", "change", "take_back"]), numbers, numbers, numbers
)


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(st.lists(steps, min_size=4, max_size=12))
def test_t40_every_moment_answers_later_as_it_did_then(story: list[tuple[str, int, int, int]]) -> None:
    told = Story()
    for step in story:
        told.step(*step)
    told.check_every_moment()
