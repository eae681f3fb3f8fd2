"""A workspace is dumped as lines and restored from them in any order: the same rows, ids and times, guards on."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from memoryapp.access import services as access
from memoryapp.access.models import Membership, User
from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.graph import services as graph
from memoryapp.graph.models import Belief, Node, Relation
from memoryapp.graph.queries import views
from memoryapp.ledger import dump, erasing, triggers
from memoryapp.ledger.models import Actor, Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import create_workspace, record
from memoryapp.review import services as review
from memoryapp.review.models import Case, Decision
from memoryapp.sources.withdrawing import withdraw
from tests.graph.telling import Memory
from tests.house.running import ROOT
from tests.review.conftest import Letters, letters, opened

__all__ = ["letters", "opened"]

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def lived_in(operator: Principal, reviewer: Principal, letters: Letters, opened: Callable[..., Case]) -> Workspace:
    """A workspace in which every sort of row has been written: also ended, retracted, folded and undone ones."""
    memory = Memory(operator)
    ines, twin = memory.node("Ines"), memory.node("Inés")
    memory.do(lambda write: Node.objects.filter(pk=ines.pk).update(state="folded", folded_into=twin))
    seat = memory.say("2026-03-02", "Ines prefers a window seat — “always”.", twin).belief
    wrong = memory.say("2026-03-03", "Ines prefers tea.", twin).belief
    memory.conclude("Ines likes to look out.", seat)
    aisle = memory.say("2026-06-02", "Ines prefers an aisle seat.", twin).belief
    memory.do(lambda write: graph.supersede(write, seat, aisle, reason="She said so."))
    memory.do(lambda write: graph.retract(write, wrong, reason="Never was right."))
    agent = memory.do(lambda write: access.create_agent(write, name="Clerk", surfaces=["lookup"]))
    memory.do(lambda write: access.issue_key(write, agent=agent))
    source = memory.source("2026-04-02", "Ines prefers the night train.")
    memory.say("2026-04-02", "Ines prefers the night train.", twin, source=source)
    record(operator, "t", lambda write: withdraw(write, source=source.pk), "It was said in jest.")
    gone = memory.node("Otto Brandt")
    memory.say("2026-05-02", "Otto Brandt prefers the bus.", gone)
    record(operator, "e", lambda write: erasing.erase(write, "node", gone.pk, name="Otto Brandt"), "He asked for it.")
    case = opened("a|b")
    decision = record(reviewer, "decide", lambda write: review.decide(write, case.pk, lock=1, verdict="same"), "Yes.")
    record(reviewer, "undo", lambda write: review.undo(write, decision.pk), "No.")
    return operator.workspace


def empty_the_database() -> None:
    """As on another machine: no row of any workspace, every guard in its place."""
    triggers.drop()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        tables: list[Any] = [*triggers.guarded_models(), Workspace]
        for model in tables:
            cursor.execute(f'DELETE FROM "{model._meta.db_table}"')
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    triggers.install()


def test_restored_in_any_order_of_lines_it_is_the_same_memory(lived_in: Workspace, operator: Principal) -> None:
    """Case 110: R1: five shuffled orders, each into an empty database, each the same to the byte."""
    lines = dump.snapshot(lived_in)
    current = [belief.pk for belief in views.current(operator)]
    assert lines == dump.snapshot(lived_in)
    for seed in range(5):
        shuffled = list(lines)
        random.Random(seed).shuffle(shuffled)
        empty_the_database()
        restored = dump.restore(shuffled)
        assert dump.snapshot(restored) == lines
        assert [belief.pk for belief in views.current(operator)] == current
    assert triggers.missing() == []


def test_what_must_be_born_in_one_state_is_restored_to_what_it_had_become(lived_in: Workspace) -> None:
    states = dict(Relation.objects.values_list("pk", "state"))
    folded = Node.objects.get(state="folded")
    lines = dump.snapshot(lived_in)
    empty_the_database()
    dump.restore(reversed(lines))
    assert dict(Relation.objects.values_list("pk", "state")) == states
    assert Node.objects.get(pk=folded.pk).folded_into_id == folded.folded_into_id
    undoing = Decision.objects.get(undoes__isnull=False)
    assert undoing.undoes is not None
    assert undoing.undoes.verdict == "same"


def test_the_guards_hold_on_what_was_restored(lived_in: Workspace) -> None:
    lines = dump.snapshot(lived_in)
    empty_the_database()
    dump.restore(lines)
    for statement in ("UPDATE graph_belief SET content = 'other'", "DELETE FROM ledger_write"):
        with pytest.raises(DatabaseError), transaction.atomic():
            connection.cursor().execute(statement)


def test_it_can_be_restored_under_another_name_beside_others(lived_in: Workspace, operator: Principal) -> None:
    lines = dump.snapshot(lived_in)
    empty_the_database()
    neighbour = create_workspace("lighthouse", "Lighthouse")
    before = dump.snapshot(neighbour)
    restored = dump.restore(lines, slug="quay")
    assert restored.slug == "quay"
    assert dump.digest(dump.snapshot(restored)) == dump.digest(lines)
    assert dump.snapshot(neighbour) == before
    record(operator, "go on", lambda write: None)
    assert Write.objects.order_by("-sequence")[0].recorded_at > Write.objects.order_by("-sequence")[1].recorded_at


def test_a_workspace_that_is_there_is_never_written_into(lived_in: Workspace) -> None:
    lines = dump.snapshot(lived_in)
    for slug in ("", "another"):
        with pytest.raises(Conflict, match="already"):
            dump.restore(lines, slug=slug)
    assert dump.snapshot(lived_in) == lines


def test_an_account_that_is_missing_is_made_without_a_way_in(lived_in: Workspace, reviewer: Principal) -> None:
    username = Membership.objects.get(actor=reviewer.actor).user.username
    lines = dump.snapshot(lived_in)
    empty_the_database()
    User.objects.all().delete()
    dump.restore(lines)
    account = Membership.objects.get(actor_id=reviewer.actor.pk).user
    assert (account.username, account.is_active, account.has_usable_password()) == (username, False, False)


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda line: "{not json", "not a line"),
        (lambda line: line.replace("graph.node", "graph.ghost"), "no table"),
        (lambda line: line.replace('"label":', '"lable":'), "other columns"),
        (lambda line: line.replace('"recorded_at":"20', '"recorded_at":"x'), "does not fit"),
    ],
)
def test_a_line_that_cannot_be_read_restores_nothing(
    lived_in: Workspace, spoil: Callable[[str], str], what: str
) -> None:
    lines = dump.snapshot(lived_in)
    at = next(number for number, line in enumerate(lines) if line.startswith('["graph.node"'))
    lines[at] = spoil(lines[at])
    empty_the_database()
    with pytest.raises(Invalid, match=what) as refused:
        dump.restore(lines)
    assert refused.value.violations[0].path == f"line {at + 1}"
    assert not Workspace.objects.exists()
    assert not Actor.objects.exists()


def test_a_dump_with_a_row_left_out_is_refused_whole(lived_in: Workspace) -> None:
    """What refers to a missing row is refused by the database itself."""
    lines = [line for line in dump.snapshot(lived_in) if not line.startswith('["ledger.actor"')]
    empty_the_database()
    with pytest.raises(DatabaseError), transaction.atomic():
        dump.restore(lines)
    assert not Belief.objects.exists()


def test_rows_next_door_are_not_in_a_dump(lived_in: Workspace, other_workspace: Workspace) -> None:
    text = "\n".join(dump.snapshot(other_workspace))
    assert "window seat" not in text
    assert str(lived_in.pk) not in text


def test_heads_tell_whether_a_verdict_was_wholly_taken_back(lived_in: Workspace) -> None:
    node = Node.objects.filter(state="active")[0]
    before = dump.heads([node])
    Node.objects.filter(pk=node.pk).update(label="Other", lock=2)
    assert dump.heads([node]) != before
    Node.objects.filter(pk=node.pk).update(label=node.label, lock=3)
    assert dump.heads([node]) == before


def test_the_commands_carry_a_workspace_to_another_machine(lived_in: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "harbour.jsonl"
    call_command("dump", "harbour", output=str(file))
    assert all(json.loads(line) for line in file.read_text("utf-8").splitlines())
    with pytest.raises(CommandError, match="Cannot write"):
        call_command("dump", "harbour", output=str(file))
    digest = dump.digest(dump.snapshot(lived_in))
    with pytest.raises(CommandError, match="Nothing was restored"):
        call_command("restore", str(file))
    empty_the_database()
    said = StringIO()
    call_command("restore", str(file), slug="quay", stdout=said)
    assert digest in said.getvalue()
    with pytest.raises(CommandError, match="no workspace"):
        call_command("dump", "harbour")


def test_what_one_engine_dumps_another_restores_to_the_byte(
    lived_in: Workspace, operator: Principal, empty_database: Path, tmp_path: Path
) -> None:
    """From the engine of this run into a file of SQLite by a process of its own, and back again."""
    lines, file, copy = dump.snapshot(lived_in), tmp_path / "harbour.jsonl", tmp_path / "copy.sqlite3"
    assert lines[1:] == sorted(lines[1:], key=place_of), "by table, then by id"
    file.write_text("\n".join(lines), "utf-8")
    shutil.copy(empty_database, copy)
    environment = os.environ | {"DATABASE_URL": f"sqlite:///{copy}", "DEBUG": "1", "COMMONPLACE_VAR": str(tmp_path)}
    for arguments in (["restore", str(file)], ["dump", "harbour", "--output", str(tmp_path / "again.jsonl")]):
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    again = (tmp_path / "again.jsonl").read_text("utf-8").splitlines()
    assert again == lines
    held = [belief.pk for belief in views.current(operator)]
    empty_the_database()
    assert dump.snapshot(dump.restore(again)) == lines
    assert [belief.pk for belief in views.current(operator)] == held


def place_of(line: str) -> tuple[str, str]:
    table, row = json.loads(line)
    return table, row["id"]


def test_every_table_is_restored_after_those_it_refers_to() -> None:
    order: list[Any] = dump.in_order()
    assert sorted(order, key=str) == sorted(dump._tables(), key=str)
    for place, model in enumerate(order):
        for table in dump._referred_tables(model):
            assert order.index(table) < place
