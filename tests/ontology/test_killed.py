"""A worker killed outright, at moments that a seed chooses, while very many rows follow a change of types."""

from __future__ import annotations

import json
import random
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.ledger.test_real_workers import Workshop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sql, pytest.mark.slow]

PLACES, CHUNKS = 24, 6
ASK = f"""
from memoryapp.access.services import operator
from memoryapp.graph.services import NodeInput, upsert_nodes
from memoryapp.graph.statements import Quoted
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.services import record
from memoryapp.ontology import services
from memoryapp.ontology.services import Draft, found_workspace
from tests.graph.nodes.telling import Graph
workspace = found_workspace("harbour", "Harbour")
Workspace.objects.filter(pk=workspace.pk).update(settings={{"filer_may_approve": True}})
by = operator(workspace)
quoted = (Quoted(Graph(by).source()),)
rows = [NodeInput("place", {{"name": f"Place {{n}}"}}, quoted) for n in range({PLACES})]
record(by, "fill", lambda write: upsert_nodes(write, rows))
rename = {{"change": "rename", "family": "node_classes", "type": "place", "to": "spot"}}
proposal = record(by, "propose", lambda write: services.propose(write, Draft([rename], "Needed.")))
record(by, "approve", lambda write: services.approve(write, proposal, "Fine."))
record(by, "ask", lambda write: services.apply_in_a_job(write, proposal))
"""
LOOK = """
import json
from django.db.models import Count
from memoryapp.graph.models import Node
from memoryapp.ledger import integrity
from memoryapp.ledger.models import Job, Workspace
from memoryapp.ontology.models import OntologyVersion, PreparedRows
workspace = Workspace.objects.get(slug="harbour")
job = Job.objects.get(kind="apply_proposal")
print(json.dumps({
    "state": job.state,
    "tries": job.attempts,
    "done": job.done,
    "classes": dict(Node.objects.values_list("node_class").annotate(Count("pk")).order_by()),
    "prepared": PreparedRows.objects.count(),
    "editions": OntologyVersion.objects.count(),
    "unsound": [one.what for report in integrity.examine(workspace) for one in report.findings],
}))
"""


class Office(Workshop):
    """Real workers, on the engine that the suite runs on."""

    application = "tests.ontology.slowly"

    def __init__(self, directory: Path, empty_database: Path) -> None:
        super().__init__(directory, empty_database)
        if connection.vendor == "postgresql":
            given = connection.settings_dict
            where = f"{given['USER']}@{given['HOST']}:{given['PORT']}/{given['NAME']}"
            self.environment["DATABASE_URL"] = f"postgres://{where}"

    def count(self, sql: str) -> Any:
        """One value, as any reader sees it now."""
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(sql)
                return cursor.fetchone()[0]
        import sqlite3

        with sqlite3.connect(self.directory / "commonplace.sqlite3", timeout=60) as file:
            return file.execute(sql).fetchone()[0]

    def prepared(self) -> int:
        return int(self.count("SELECT count(*) FROM ontology_preparedrows"))

    def state(self) -> str:
        return str(self.count("SELECT state FROM ledger_job WHERE kind = 'apply_proposal'"))

    def names(self) -> int:
        """By how many class names a reader finds the places."""
        return int(self.count("SELECT count(DISTINCT node_class) FROM graph_node"))

    def look_at_all(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("manage.py", "shell", "--no-imports", "-c", LOOK))
        return found


@pytest.fixture
def office(tmp_path: Path, empty_database: Path) -> Iterator[Office]:
    made = Office(tmp_path, empty_database)
    yield made
    made.close()


def test_a_worker_killed_anywhere_leaves_all_old_or_all_new_and_the_next_goes_on(office: Office) -> None:
    """A7: at each kill every row is read by one name; what was prepared is not prepared again; in the end it is done
    once, and nothing is left behind."""
    chance = random.Random(9)
    points = [*sorted(chance.sample(range(1, CHUNKS), 2)), CHUNKS]
    office.run("manage.py", "shell", "--no-imports", "-c", ASK)
    office.scheduler()
    kept = 0
    for point in points:
        doomed = office.worker()
        office.wait_for(
            lambda point=point: office.prepared() >= point or office.state() == "succeeded",  # type: ignore[misc]
            f"{point} chunks",
            within=600,
        )
        assert (office.names(), office.state() == "succeeded" or office.prepared() >= kept) == (1, True)
        doomed.send_signal(signal.SIGKILL)
        doomed.wait()
        kept = office.prepared()
        assert office.names() == 1
    office.worker()
    office.wait_for(lambda: office.state() == "succeeded", "the change to be made", within=600)
    found = office.look_at_all()
    assert found["tries"] > 2
    assert found | {"tries": 0} == {
        "state": "succeeded",
        "tries": 0,
        "done": PLACES,
        "classes": {"spot": PLACES},
        "prepared": 0,
        "editions": 2,
        "unsound": [],
    }
