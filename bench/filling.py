"""Workspaces full of beliefs for a benchmark: made once, found again by their names. Django is set up before."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterator
from typing import Any

from django.db import connection

from bench.language import Language
from memoryapp.access.services import operator
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.services import NodeInput, remember_all, upsert_nodes
from memoryapp.graph.statements import Quoted, Statement
from memoryapp.ledger import statistics
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology.services import found_workspace
from memoryapp.sources.inputs import ParticipantInput, ThreadInput, TurnInput
from memoryapp.sources.models import Source
from memoryapp.sources.services import tell

PEOPLE = 20
BATCH = 100


class Filled:
    """A workspace that is told turns, and remembers one belief of each."""

    began = dt.datetime(2026, 1, 5, 9, tzinfo=dt.UTC)

    def __init__(self, language: Language, slug: str) -> None:
        self.language = language
        self.random = random.Random(slug)
        workspace = Workspace.objects.filter(slug=slug).first() or found_workspace(slug, "Speed", "UTC", "default")
        self.by: Principal = operator(workspace)
        self.told = Source.objects.filter(workspace=workspace).count()
        self.owners = list(Node.objects.filter(workspace=workspace, node_class="person").order_by("pk")[:PEOPLE])
        if not self.owners:
            self._people()

    def up_to(self, beliefs: int) -> None:
        """Remember until there are so many."""
        missing = beliefs - Belief.objects.filter(workspace=self.by.workspace, kind="preference").count()
        for start in range(0, missing, BATCH):
            self._remember(self.turns(min(BATCH, missing - start)))

    def question(self) -> str:
        """Of one of the people, and four words that may have been said."""
        return f"what does {self.random.choice(self.owners).label} say of {self.language.say(4)}"

    def turns(self, count: int) -> list[Source]:
        """So many turns of a new thread."""
        thread = ThreadInput(external_id=f"thread-{self.told}", title=f"Thread {self.told}")
        someone = ParticipantInput(key="guest", role="assistant", name="Guest")
        turns = [
            TurnInput(
                speaker="assistant",
                by="guest",
                content=self.language.say(self.random.randint(8, 24)),
                said_at=self.began + dt.timedelta(minutes=self.told + number),
                said_zone="UTC",
                message_id=f"m-{self.told + number}",
            )
            for number in range(count)
        ]
        self.told += count
        return list(self._write(lambda write: tell(write, thread, [someone], turns)).turns)

    def _remember(self, turns: list[Source]) -> None:
        statements = [self._statement(turn) for turn in turns]
        self._write(lambda write: remember_all(write, statements))

    def _people(self) -> None:
        quoted = (Quoted(self.turns(1)[0]),)
        given = [
            NodeInput("person", {"name": f"Person {number}", "handle": f"p{number}"}, quoted)
            for number in range(PEOPLE)
        ]
        self.owners = [one.node for one in self._write(lambda write: upsert_nodes(write, given))]

    def _statement(self, turn: Source) -> Statement:
        owner = self.random.choice(self.owners)
        content = f"{owner.label} {self.language.say(8)}"
        return Statement(kind="preference", content=content, owners=(owner.pk,), evidence=(Quoted(turn),))

    def _write(self, act: Callable[[Write], Any]) -> Any:
        return record(self.by, "benchmark", act)


def filled_with(beliefs: int, workspaces: int) -> Iterator[Filled]:
    """So many workspaces with so many beliefs in all of them together."""
    language = Language(20_000, seed=7)
    for number in range(workspaces):
        filled = Filled(language, f"speed-{beliefs}-{number + 1}-of-{workspaces}")
        filled.up_to(beliefs // workspaces)
        yield filled


def analyse() -> None:
    """Give the planner the statistics that a database of some age has: PostgreSQL by itself, SQLite by the product."""
    statistics.gather()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
