"""What changes, told over REST: are the current answer and every past one exactly right?

    python -m bench.updates --histories 500

Each history is of one person's role: said, replaced, said again, dated, corrected, told late or out of order. What was
true when, as it was known after each step, is worked out here from the story alone, and asked for step by step: at the
ends of every span, between them, and now. Starts the product over `DATABASE_URL`; exits with 1 unless all is right.
"""

from __future__ import annotations

import argparse
import datetime as dt
import os
import random
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

import django

from bench.product import Agent, running

FIRST_DAY = dt.datetime(2024, 1, 1, 9, tzinfo=dt.UTC)
DAYS = 700
ROLES = ("baker", "pilot", "clerk", "editor", "welder", "printer", "tutor", "sailor", "cook", "glazier")
MOMENT = dt.timedelta(milliseconds=1)


@dataclass(frozen=True)
class Span:
    """A role and from when to when it was true; None is open."""

    role: str
    start: dt.datetime
    end: dt.datetime | None = None

    def holds(self, at: dt.datetime) -> bool:
        return self.start <= at and (self.end is None or at < self.end)


@dataclass
class History:
    """A person of whom things are told, and after each step what should be known."""

    agent: Agent
    person: str
    random: random.Random
    spans: dict[str, Span] = field(default_factory=dict)
    """What is held, by belief."""
    known: list[tuple[dt.datetime, list[Span]]] = field(default_factory=list)

    def days(self, count: int) -> list[dt.datetime]:
        """So many days, in order."""
        return [FIRST_DAY + dt.timedelta(days=day) for day in sorted(self.random.sample(range(DAYS), count))]

    def roles(self, count: int) -> list[str]:
        return self.random.sample(ROLES, count)

    def tell(self, role: str, said: dt.datetime, *, waits: bool = False, **dates: dt.datetime) -> str:
        """Remember a role on the evidence of a note of that day. Gives the belief; `waits` says that it contradicts."""
        note = {"kind": "file", "content": f"I work as a {role}.", "said_at": said.isoformat()}
        note["path"] = f"notes/{self.person}/{len(self.known)}-{self.random.getrandbits(32)}.txt"
        body = {"subject": self.person, "predicate": "role", "value": role, "evidence": [{"new_source": note}]}
        [told] = self.agent.ask("POST", "beliefs", body | {name: at.isoformat() for name, at in dates.items()})["items"]
        expected = "resolving" if waits else "created"
        if told["outcome"] != expected:
            raise SystemExit(f"{role} was {told['outcome']} and should have been {expected}.")
        belief = str(told["belief"]["id"])
        if not waits:
            self.spans[belief] = Span(role, dates.get("valid_from", said), dates.get("valid_to"))
        self.note()
        return belief

    def act(self, belief: str, verb: str, **told: Any) -> None:
        lock = self.agent.ask("GET", f"beliefs/{belief}")["lock"]
        body = {"reason": "The story goes on."} | told
        self.agent.ask("POST", f"beliefs/{belief}/{verb}", body, **{"If-Match": f'"{lock}"'})

    def replaced(self, older: str, newer: str, role: str, at: dt.datetime) -> None:
        """The newer one takes the older one's place from then on."""
        self.act(older, "supersede", successor=newer)
        self.spans[older] = replace(self.spans[older], end=at)
        self.spans[newer] = Span(role, at)
        self.note()

    def note(self) -> None:
        """Every later step is recorded after this instant."""
        self.known.append((dt.datetime.now(dt.UTC), list(self.spans.values())))


def replaced_once(story: History) -> None:
    (first, second), (one, other) = story.days(2), story.roles(2)
    older = story.tell(one, first)
    story.replaced(older, story.tell(other, second, waits=True), other, second)


def there_and_back(story: History) -> None:
    days, (one, other) = story.days(3), story.roles(2)
    held = story.tell(one, days[0])
    for role, day in ((other, days[1]), (one, days[2])):
        newer = story.tell(role, day, waits=True)
        story.replaced(held, newer, role, day)
        held = newer


def a_chain(story: History) -> None:
    days, roles = story.days(4), story.roles(4)
    held = story.tell(roles[0], days[0])
    for role, day in zip(roles[1:], days[1:], strict=True):
        newer = story.tell(role, day, waits=True)
        story.replaced(held, newer, role, day)
        held = newer


def intervals(story: History) -> None:
    """Dated spans with gaps and without, told in any order."""
    days, roles = story.days(6), story.roles(3)
    spans = [(roles[0], days[0], days[1]), (roles[1], days[1], days[3]), (roles[2], days[4], days[5])]
    story.random.shuffle(spans)
    for role, start, end in spans:
        story.tell(role, days[5], valid_from=start, valid_to=end)


def corrected(story: History) -> None:
    """The first never was right; the second was, all the time."""
    (first, second), (one, other) = story.days(2), story.roles(2)
    wrong = story.tell(one, first)
    right = story.tell(other, second, waits=True, valid_from=first)
    story.act(wrong, "retract")
    del story.spans[wrong]
    story.spans[right] = Span(other, first)
    story.note()


def told_late(story: History) -> None:
    """What was before is told after what is now."""
    (first, second, third), (one, other) = story.days(3), story.roles(2)
    story.tell(other, second)
    story.tell(one, third, valid_from=first, valid_to=second)


def out_of_order(story: History) -> None:
    """The newer note is read first."""
    (first, second), (one, other) = story.days(2), story.roles(2)
    newer = story.tell(other, second)
    older = story.tell(one, first, waits=True)
    story.spans[older] = Span(one, first)
    story.replaced(older, newer, other, second)


def over(story: History) -> None:
    """It ended, and nothing came after it; later something new began."""
    days, (one, other) = story.days(3), story.roles(2)
    held = story.tell(one, days[0])
    story.act(held, "retire", at=days[1].isoformat())
    story.spans[held] = replace(story.spans[held], end=days[1])
    story.note()
    story.tell(other, days[2])


def dated_anew(story: History) -> None:
    """It began earlier than it was said to, and has an end by now."""
    (first, second, third), [role] = story.days(3), story.roles(1)
    held = story.tell(role, second)
    story.act(held, "validity", valid_from=first.isoformat(), valid_to=third.isoformat())
    story.spans[held] = Span(role, first, third)
    story.note()


def ahead(story: History) -> None:
    """It will change on a day to come."""
    [day], (one, other) = story.days(1), story.roles(2)
    change = dt.datetime.now(dt.UTC).replace(microsecond=0) + dt.timedelta(days=story.random.randint(30, 300))
    held = story.tell(one, day)
    newer = story.tell(other, day + dt.timedelta(hours=1), waits=True, valid_from=change)
    story.replaced(held, newer, other, change)


KINDS: dict[str, Callable[[History], None]] = {
    "A then B": replaced_once,
    "A, B, A again": there_and_back,
    "A, B, C, D": a_chain,
    "dated spans, in any order": intervals,
    "never was right": corrected,
    "the time before, told late": told_late,
    "the newer read first": out_of_order,
    "over, and something new": over,
    "dated anew": dated_anew,
    "a change ahead": ahead,
}


def check(story: History) -> tuple[int, list[str]]:
    """How many questions were asked, and those that were answered wrongly."""
    asked, wrong = 1, []
    spans = story.known[-1][1]
    now = dt.datetime.now(dt.UTC)
    if (found := answer(story)) != (right := sorted(one.role for one in spans if one.holds(now))):
        wrong.append(f"now: {found}, not {right}")
    ends = {end for _, several in story.known for one in several for end in (one.start, one.end) if end}
    instants = {now, FIRST_DAY - dt.timedelta(days=9)} | ends | {end - MOMENT for end in ends}
    for known_at, several in story.known:
        for valid_at in sorted(instants):
            asked += 1
            right = sorted(one.role for one in several if one.holds(valid_at))
            if (found := answer(story, valid_at=valid_at, known_at=known_at)) != right:
                wrong.append(f"true {valid_at}, as known {known_at}: {found}, not {right}")
    return asked, wrong


def answer(story: History, **when: dt.datetime) -> list[str]:
    asked = {"subject": story.person, "predicate": "role"} | {name: at.isoformat() for name, at in when.items()}
    found = story.agent.ask("GET", f"beliefs?{urlencode(asked)}")
    return sorted(str(one["value"]) for one in found["items"])


def person(agent: Agent, number: int) -> str:
    note = {"kind": "file", "content": "A new face.", "said_at": FIRST_DAY.isoformat(), "path": f"faces/{number}.txt"}
    body = {"class": "person", "properties": {"handle": f"face-{number}"}, "evidence": [{"new_source": note}]}
    return str(agent.ask("POST", "nodes", body)["items"][0]["id"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--histories", type=int, default=500)
    parser.add_argument("--seed", type=int, default=3)
    arguments = parser.parse_args()
    results: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    faults: list[str] = []
    with running() as product:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
        django.setup()
        agent = Agent(product.port, "updates")
        for number in range(arguments.histories):
            kind, happen = list(KINDS.items())[number % len(KINDS)]
            story = History(agent, person(agent, number), random.Random(f"{arguments.seed} {number}"))
            happen(story)
            asked, wrong = check(story)
            results[kind][0] += 1
            results[kind][1] += asked
            results[kind][2] += len(wrong)
            faults += [f"{kind}, history {number}: {one}" for one in wrong]
    show(results, faults)
    sys.exit(1 if faults else 0)


def show(results: dict[str, list[int]], faults: list[str]) -> None:
    print("| history | told | asked | right |\n|---|---|---|---|")
    for kind, (told, asked, wrong) in results.items():
        print(f"| {kind} | {told} | {asked} | {100 * (asked - wrong) / asked:.1f} % |")
    told, asked, wrong = (sum(row[column] for row in results.values()) for column in range(3))
    print(f"| all | {told} | {asked} | {100 * (asked - wrong) / asked:.1f} % |")
    for fault in faults[:20]:
        print(fault)


if __name__ == "__main__":
    main()
