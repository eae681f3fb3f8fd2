"""C8: the integrity check finds what drifted, and nothing where nothing did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from memoryapp.graph import services
from memoryapp.graph.models import Belief, IdentityKey, Node, Relation
from memoryapp.ledger.integrity import examine
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
    from memoryapp.ledger import triggers

    graph.say("Ines likes tea.", graph.person("Ines"))
    triggers.drop()
    drift()
    assert found in findings(graph)
