"""C8: the integrity check finds what drifted, and nothing where nothing did."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memoryapp.graph import services
from memoryapp.graph.models import Belief, IdentityKey, Node, Relation
from memoryapp.graph.services import withdrawing
from memoryapp.graph.statements import Quoted
from memoryapp.index.models import IndexEntry
from memoryapp.ledger import dump, erasing, triggers
from memoryapp.ledger.integrity import examine
from memoryapp.ledger.models import Erasure
from memoryapp.ledger.services import record
from tests.graph.nodes.telling import Graph

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


def findings(graph: Graph) -> set[tuple[str, str]]:
    return {(report.check.name, one.what) for report in examine(graph.by.workspace) for one in report.findings}


def busy(graph: Graph) -> None:
    """A memory in which something of everything happened."""
    ines, ferro = (
        graph.node("person", email="ines@ferro.example", role="editor"),
        graph.node("organization", name="Ferro"),
    )
    graph.upsert("person", "2026-06-01", email="ines@ferro.example", role="publisher")
    edge = graph.connect(ines, "worksAt", ferro).belief
    graph.connect(ines, "worksAt", ferro, "2026-04-01", qualifiers={"role": "editor"})
    ana = graph.upsert("person", email="ana@mail.example", handle="ana")
    graph.do(lambda write: services.retract(write, ana.beliefs[0], reason="Misread."))
    edge.refresh_from_db()
    one, two = graph.say("Weekly.", ines), graph.say("Monthly.", ines, said_at="2026-06-01")
    graph.relate("supersession", ("superseded", one), ("successor", two))


def test_nothing_is_found_after_much_happened(graph: Graph) -> None:
    busy(graph)
    assert findings(graph) == set()


def _drift(model: type, **change: Any) -> Callable[[], None]:
    def drift() -> None:
        table = model._meta.db_table  # type: ignore[attr-defined]
        columns = ", ".join(f'"{name}" = %s' for name in change)
        with connection.cursor() as cursor:
            cursor.execute(f'UPDATE "{table}" SET {columns}', list(change.values()))

    return drift


@pytest.mark.parametrize(
    ("drift", "found"),
    [
        (_drift(Node, properties="{}"), ("nodes", "Its properties are not what is believed of it.")),
        (_drift(IdentityKey, active=False), ("nodes", "Its identity keys are not what is believed of it.")),
        (_drift(Belief, status="archived"), ("heads", "Its status is not that of its latest state.")),
        (
            _drift(Belief, valid_to="2031-01-01 00:00:00+00:00"),
            ("heads", "Its valid time is not that of its latest state."),
        ),
        (_drift(Relation, state="retracted"), ("heads", "Its state is not that of its latest state.")),
        (_drift(Relation, state="assembling"), ("relations", "It was never activated.")),
        (_drift(Belief, status="resolving"), ("conflicts", "It waits for a verdict, and no conflict of it is open.")),
    ],
    ids=["properties", "keys", "status", "dates", "relation", "assembling", "waiting"],
)
def test_what_drifted_is_found(graph: Graph, drift: Callable[[], None], found: tuple[str, str]) -> None:
    """C8."""
    graph.say("Ines likes tea.", graph.person("Ines"))
    triggers.drop()
    drift()
    assert found in findings(graph)


def test_only_projections_and_the_index_are_made_anew(graph: Graph) -> None:
    """C8: a repair leaves what was told, believed and decided as it stands, and what it cannot mend stays a finding."""
    ines = graph.person("Ines")
    belief = graph.say("Ines likes tea.", ines)
    before = dump.heads(list(Belief.objects.all()))
    kept = Node.objects.get(pk=ines.pk).properties
    triggers.drop()
    _drift(Node, properties="{}", label="Nobody")()
    _drift(IdentityKey, active=False)()
    IndexEntry.objects.filter(target_id=belief.pk).delete()
    _drift(IndexEntry, text="Ines likes rum.")()
    triggers.install()
    assert {check for check, _ in findings(graph)} == {"nodes", "index"}
    said = StringIO()
    call_command("integrity", workspace=graph.by.workspace.slug, repair=True, stdout=said)
    assert "made anew: Nodes and their keys" in said.getvalue()
    assert findings(graph) == set()
    assert Node.objects.get(pk=ines.pk).properties == kept
    assert dump.heads(list(Belief.objects.all())) == before
    triggers.drop()
    _drift(Belief, status="archived")()
    triggers.install()
    with pytest.raises(CommandError, match="findings"):
        call_command("integrity", workspace=graph.by.workspace.slug, repair=True, stdout=said)


def test_what_is_held_though_its_source_was_taken_back_is_found(graph: Graph) -> None:
    """C8, T33 in spirit: nothing is held without support unless a person is asked."""
    source = graph.source()
    belief = graph.say("Ines likes tea.", graph.person("Ines"), evidence=(Quoted(source),))
    record(graph.by, "t", lambda write: withdrawing.take_back(write, source=source.pk), rationale="Wrong.")
    assert findings(graph) == set()
    triggers.drop()
    with connection.cursor() as cursor:
        for table, column in (("graph_belief", "id"), ("graph_beliefstate", "belief_id")):
            value = Belief._meta.pk.get_db_prep_value(belief.pk, connection)
            cursor.execute(f"UPDATE {table} SET status = 'activated', standing = 'holds' WHERE {column} = %s", [value])
    triggers.install()
    assert ("taken_back", "All it stood on was taken back, it is held, and nobody is asked.") in findings(graph)


def test_an_erasure_left_open_and_a_receipt_rewritten_are_found(graph: Graph) -> None:
    ines = graph.person("Ines")
    record(graph.by, "e", lambda write: erasing.erase(write, "node", ines.pk, name="Ines"), rationale="Asked for.")
    assert findings(graph) == set()
    triggers.drop()
    _drift(Erasure, receipt="{}")()
    assert ("erasures", "Its receipt is not as it was written.") in findings(graph)
    _drift(Erasure, closed_at=None)()
    triggers.install()
    assert ("erasures", "It was never closed, so that content can still be changed.") in findings(graph)
