"""T40 against a model that knows nothing of the product: one topic, and what each verdict does, what taking back and
erasing do, in two pages of Python.

The model keeps, after every step, a copy of all it holds. What the product answers for any time, as it was known after
any step, must be what the copy of that step says; which verdicts it refuses and what waits for a person as well.
"""

from __future__ import annotations

import copy
import datetime as dt
import random
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from memoryapp.doors.errors import DomainError
from memoryapp.graph import services as graph
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries import views
from memoryapp.graph.services import withdrawing
from memoryapp.graph.statements import Moment
from memoryapp.ledger import erasing
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case, Decision
from memoryapp.sources.models import Source
from tests.graph.telling import Memory, at

pytestmark = pytest.mark.django_db

DAYS = [at(f"2026-0{month}-0{day}") for month in (1, 3, 5, 7) for day in (1, 5)]
GRID = [at(f"2026-0{month}-0{day}") for month in (1, 3, 5, 7) for day in (1, 3)] + [at("2025-12-01")]
VERDICTS = (
    "newer_replaces",
    "never_right",
    "older_stands",
    "both_at_different_times",
    "merged",
    "merged",
    "not_a_conflict",
    "neither",
)
STEPS = (
    *("say",) * 5,
    *("decide",) * 4,
    *("undo", "undo", "retire", "retract", "put_right", "put_right", "take_back", "take_back", "erase"),
)
"""What a story is made of, in any order; it begins with three things said."""
SEEDS = (9, 13, 39, 92)
"""Stories in which something is merged and put right, and what that was drawn from is taken back or erased."""
FOREVER = dt.datetime.max.replace(tzinfo=dt.UTC)

Pair = tuple[str, str]


class Refused(Exception):
    """The model does not allow it."""


@dataclass
class Said:
    begins: dt.datetime
    ends: dt.datetime
    state: str
    """held, waits, ended, never, fallen or gone."""
    confirmed: bool = False
    """A person decided about it."""
    taken_back: bool = False
    """Nothing that it stands on is left."""
    drawn_from: tuple[str, ...] = ()
    """What it says otherwise, for what somebody put right or merged: it has no source of its own."""

    @property
    def lives(self) -> bool:
        return self.state not in ("never", "fallen", "gone")

    def overlaps(self, other: Said) -> bool:
        return max(self.begins, other.begins) < min(self.ends, other.ends)


@dataclass
class Model:
    """What is held of one topic of one owner, by name, in the order in which it was recorded."""

    said: dict[str, Said] = field(default_factory=dict)
    open: set[Pair] = field(default_factory=set)
    settled: set[frozenset[str]] = field(default_factory=set)

    def true_at(self, moment: dt.datetime) -> set[str]:
        served = ("held", "ended")
        return {name for name, one in self.said.items() if one.state in served and one.begins <= moment < one.ends}

    def say(self, name: str, begins: dt.datetime, ends: dt.datetime) -> None:
        one = Said(begins, ends, "held")
        rivals = [other for other, held in self.said.items() if held.state == "held" and held.overlaps(one)]
        self.said[name] = one
        if rivals:
            one.state = "waits"
            self.open |= {(rival, name) for rival in rivals}

    def end(self, name: str, moment: dt.datetime) -> None:
        one = self.said[name]
        one.ends = max(min(one.ends, moment), one.begins)
        one.state = "ended"

    def retire(self, name: str, moment: dt.datetime) -> None:
        one = self.said[name]
        if one.state not in ("held", "waits") or moment < one.begins:
            raise Refused
        self.end(name, moment)
        self.reconsider()

    def retract(self, name: str) -> None:
        self.said[name].state = "never"
        self.reconsider()

    def put_right(self, name: str, words: str) -> None:
        """Other words take its place for all its time, and it never was right."""
        one = self.said[name]
        if one.state not in ("held", "waits"):
            raise Refused
        one.state = "never"
        self.said[words] = Said(one.begins, one.ends, "held", drawn_from=(name,))
        self.reconsider()
        if any(self.clash(words, other) for other in self.said if other != words):
            raise Refused

    def decide(self, pair: Pair, verdict: str, words: str) -> None:
        older, newcomer = pair
        self.open.remove(pair)
        self.settled.add(frozenset(pair))
        earlier, later = sorted(pair, key=lambda name: (self.said[name].begins, name != older))
        if verdict == "newer_replaces":
            self.end(earlier, self.said[later].begins)
        elif verdict == "never_right":
            self.said[older].state = "never"
        elif verdict == "older_stands":
            self.said[newcomer].state = "never"
        elif verdict == "both_at_different_times":
            if self.said[older].overlaps(self.said[newcomer]):
                self.said[earlier].ends = self.said[later].begins
        elif verdict == "merged":
            last = self.said[later]
            self.said[words] = Said(last.begins, last.ends, "held", drawn_from=(earlier, later))
            self.end(earlier, last.begins)
            self.end(later, last.begins)
        elif verdict == "neither":
            self.said[older].state = self.said[newcomer].state = "never"
        changed = {older, newcomer, *self.reconsider()} | ({words} & self.said.keys())
        for name in changed:
            self.said[name].confirmed = True
        if any(self.clash(name, other) for name in changed for other in self.said if other != name):
            raise Refused

    def take_back(self, name: str) -> None:
        """Its source is taken back: it falls, with what was drawn from it. What a person confirmed stays, and what was
        drawn from that, until somebody decides."""
        if self.said[name].taken_back:
            raise Refused
        self.said[name].taken_back = True
        lost = self.lost_with(name)
        for each in lost:
            if self.said[each].lives and not self.said[each].confirmed:
                self.said[each].state = "fallen"
        self.reconsider()

    def lost_with(self, name: str, *, for_good: bool = False) -> set[str]:
        """What stands on nothing without the source of this one. In the order said, so what is drawn comes later."""
        lost = {name}
        for each, one in self.said.items():
            if lost & set(one.drawn_from):
                lost.add(each)
            if each in lost and one.confirmed and one.lives and not for_good:
                lost.discard(each)
        return lost

    def erase(self, name: str) -> None:
        """Its source is erased, with all that stands on it alone: it is gone from every time."""
        for each in self.lost_with(name, for_good=True):
            self.said[each].state = "gone"
        self.reconsider()

    def clash(self, name: str, other: str) -> bool:
        one, two = self.said[name], self.said[other]
        both_held = one.state == two.state == "held"
        return both_held and one.overlaps(two) and frozenset((name, other)) not in self.settled

    def reconsider(self) -> set[str]:
        """What waited for something that is over is held, or waits for what is held instead."""
        released = set()
        for name, one in self.said.items():
            self.open -= {
                (rival, waiting)
                for rival, waiting in self.open
                if waiting == name
                and not (self.said[rival].state == "held" and one.state == "waits" and self.said[rival].overlaps(one))
            }
            if one.state != "waits":
                continue
            self.open |= {
                (rival, name)
                for rival, held in self.said.items()
                if held.state == "held" and held.overlaps(one) and frozenset((rival, name)) not in self.settled
            }
            if not any(waiting == name for _, waiting in self.open):
                one.state = "held"
                released.add(name)
        return released | (self.reconsider() if released else released)


class Both:
    """The model and the product, told the same."""

    def __init__(self, by: Principal, reviewer: Principal, chance: random.Random) -> None:
        self.memory, self.reviewer, self.chance = Memory(by), reviewer, chance
        self.owner: Node = self.memory.node("Ines")
        self.model = Model()
        self.copies: list[tuple[dt.datetime, Model]] = []
        self.decided: tuple[Decision, Model] | None = None
        self.sources: dict[str, Source] = {}
        self.done: Counter[str] = Counter()

    def step(self, what: str) -> None:
        before = self.decided
        getattr(self, what)()
        if self.decided is before:
            self.decided = None
        self.compare()

    def say(self) -> None:
        name, begins = self.words(), self.chance.choice(DAYS)
        ends = self.chance.choice([FOREVER, FOREVER, *[day for day in DAYS if day > begins]])
        fields: dict[str, Any] = {} if ends == FOREVER else {"valid_to": Moment(ends)}
        self.sources[name] = source = self.memory.source("2026-01-01", name)
        self.memory.say("", name, self.owner, topic="cadence", source=source, valid_from=Moment(begins), **fields)
        self.model.say(name, begins, ends)

    def decide(self) -> None:
        if not self.model.open:
            return
        pair, verdict = self.chance.choice(sorted(self.model.open)), self.chance.choice(VERDICTS)
        case, known, words = self.cases()[pair], copy.deepcopy(self.model), self.words()
        more: dict[str, dict[str, Any]] = {"never_right": {"never_right": True}, "merged": {"text": words}}
        edits = more.get(verdict, {})
        asked = "newer_replaces" if verdict == "never_right" else verdict
        act = lambda write: review.decide(write, case.pk, lock=case.lock, verdict=asked, edits=edits)  # noqa: E731
        if self.alike(lambda model: model.decide(pair, verdict, words), lambda: record(self.reviewer, "decide", act)):
            self.decided = (Decision.objects.get(case=case, undoes=None, undone_by=None), known)
            self.done["decide"] += 1
            self.done[verdict] += 1

    def undo(self) -> None:
        """Only of what was decided in the step before: nothing stands in its way."""
        if self.decided is None:
            return
        decision, known = self.decided
        record(self.reviewer, "undo", lambda write: review.undo(write, decision.pk))
        if decision.case.kind == "belief_conflict":
            for name, one in known.said.items():
                one.confirmed |= self.model.said[name] != replace(one, confirmed=self.model.said[name].confirmed)
        self.model = known
        self.done["undo"] += 1

    def take_back(self) -> None:
        if not self.told():
            return
        name, known = self.chance.choice(self.told()), copy.deepcopy(self.model)
        act = lambda write: withdrawing.take_back(write, source=self.sources[name].pk)  # noqa: E731
        did = lambda: record(self.memory.by, "take_back", act, rationale="It was somebody else.")  # noqa: E731
        if self.alike(lambda model: model.take_back(name), did):
            self.decided = (Decision.objects.filter(case__kind="withdrawal").latest("decided_at"), known)
            self.done["take_back"] += 1

    def erase(self) -> None:
        if not self.told():
            return
        name = self.chance.choice(self.told())
        source = self.sources[name]
        typed = erasing.marked(self.memory.by, "source", source.pk).name
        act = lambda write: erasing.erase(write, "source", source.pk, name=typed)  # noqa: E731
        record(self.memory.by, "erase", act, rationale="Asked for.")
        self.model.erase(name)
        gone = {name for name, one in self.model.said.items() if one.state == "gone"}
        for _, known in self.copies:
            known.said = {name: one for name, one in known.said.items() if name not in gone}
        self.done["erase"] += 1

    def living(self) -> list[str]:
        """What is not erased."""
        return [name for name, one in self.model.said.items() if one.state != "gone"]

    def told(self) -> list[str]:
        """What has a source of its own; more often what something was drawn from."""
        living = self.living()
        drawn = [name for one in self.model.said.values() for name in one.drawn_from * 3 if name in living]
        return [name for name in [*living, *drawn] if not self.model.said[name].drawn_from]

    def words(self) -> str:
        """Words that nobody has used yet."""
        self.done["words"] += 1
        return f"cadence {self.done['words']}"

    def put_right(self) -> None:
        open_to_it = [name for name, one in self.model.said.items() if one.state in ("held", "waits")]
        if not self.living():
            return
        name, words = self.chance.choice([*open_to_it * 2, *self.living()]), self.words()
        act = lambda write: graph.edit(write, self.belief(name), content=words, reason="Put right.")  # noqa: E731
        if self.alike(lambda model: model.put_right(name, words), lambda: self.memory.do(act)):
            self.done["put_right"] += 1

    def retire(self) -> None:
        if not self.living():
            return
        name, day = self.chance.choice(self.living()), self.chance.choice(DAYS)
        act = lambda write: graph.retire(write, self.belief(name), reason="Over.", at=Moment(day))  # noqa: E731
        self.alike(lambda model: model.retire(name, day), lambda: self.memory.do(act))

    def retract(self) -> None:
        if not self.living():
            return
        name = self.chance.choice(self.living())
        act = lambda write: graph.retract(write, self.belief(name), reason="Wrong.")  # noqa: E731
        self.alike(lambda model: model.retract(name), lambda: self.memory.do(act))

    def alike(self, in_model: Any, in_product: Any) -> bool:
        """Do it in both. Both do it, or both refuse and stay as they were."""
        tried = copy.deepcopy(self.model)
        try:
            in_model(tried)
        except Refused:
            with pytest.raises(DomainError):
                in_product()
            return False
        in_product()
        self.model = tried
        return True

    def belief(self, name: str) -> Belief:
        return Belief.objects.get(workspace=self.memory.by.workspace, content=name)

    def cases(self) -> dict[Pair, Case]:
        names = dict(Belief.objects.values_list("pk", "content"))
        found = {}
        for case in Case.objects.filter(workspace=self.memory.by.workspace, state="open", kind="belief_conflict"):
            sides = dict(case.subjects.values_list("role", "subject_id"))
            found[names[sides["older"]], names[sides["newcomer"]]] = case
        return found

    def compare(self) -> None:
        known = views.now(self.memory.by.workspace)
        self.copies.append((known, copy.deepcopy(self.model)))
        assert set(self.cases()) == self.model.open
        assert self.contents(views.current(self.memory.by)) == self.model.true_at(known)

    def compare_every_moment(self) -> None:
        for known, model in self.copies:
            for valid in GRID:
                answered = views.as_of(self.memory.by, valid_at=valid, known_at=known)
                assert self.contents(answered) == model.true_at(valid), (known, valid)

    def contents(self, beliefs: Any) -> set[str]:
        return {one.content for one in beliefs if one.topic}


@pytest.mark.parametrize("seed", SEEDS)
def test_t40_any_history_of_verdicts_answers_as_a_naive_model_does(
    operator: Principal, reviewer: Principal, seed: int
) -> None:
    both = Both(operator, reviewer, random.Random(seed))
    for step in ["say"] * 3 + both.chance.sample(STEPS, len(STEPS)):
        both.step(step)
    both.compare_every_moment()
    assert both.done["decide"] >= 2
    assert both.done["merged"] >= 1
    assert both.done["put_right"] >= 1
    assert both.done["take_back"] + both.done["erase"] >= 1
