"""A change of the declared types that very many rows follow, measured: prepared by a job, then in force all at once.

    DATABASE_URL=sqlite:///var/types.sqlite3 python -m bench.types --nodes 100000

The database must be empty; it is migrated. So many people with an address each are put there as `bench.graph` does it,
with their index entries. A property of theirs is called otherwise: proposed, approved, and applied by the job that a
worker would run. Printed are seconds by the clock and of processor time of this process.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

RENAME = {
    "change": "rename",
    "family": "node_classes",
    "type": "person",
    "part": "property",
    "name": "email",
    "to": "mail",
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--nodes", type=int, default=10_000)
    asked = options.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    run(asked.nodes)


def run(nodes: int) -> None:
    from bench.filling import analyse
    from bench.graph_filling import fill_nodes
    from memoryapp.access.services import operator
    from memoryapp.graph.models import Belief
    from memoryapp.ledger import triggers, workers
    from memoryapp.ledger.services import record
    from memoryapp.ontology import services
    from memoryapp.ontology.models import PreparedRows, Proposal
    from memoryapp.ontology.services import Draft, found_workspace
    from memoryapp.recall import feeding

    by = operator(found_workspace(f"types{os.getpid()}", "Types"))
    with measured("put there", nodes):
        triggers.drop()
        try:
            ids = fill_nodes(by, nodes, edges=False)
        finally:
            triggers.install()
        for start in range(0, nodes, 2000):
            some = ids[start : start + 2000]
            record(by, "index", lambda write, some=some: feeding.refresh(write, nodes=some))  # type: ignore[misc]
        analyse()
    person = somebody(by)
    proposal: Proposal = record(by, "propose", lambda write: services.propose(write, Draft([RENAME], "Shorter.")))
    with measured("looked at and approved", nodes):
        record(person, "approve", lambda write: services.approve(write, proposal, "Fine."))
    job = record(person, "apply", lambda write: services.apply_in_a_job(write, proposal), "Now.")
    watched("prepared", "prepare", nodes)
    watched("switched", "switch", nodes)
    assert workers.run(job.pk, "worker@bench")
    assert Belief.objects.filter(workspace=by.workspace, predicate="mail").count() == nodes
    assert not PreparedRows.objects.exists()


def somebody(by: Any) -> Any:
    """A member who may decide about types."""
    from memoryapp.access import services
    from memoryapp.access.models import User
    from memoryapp.ledger.services import record

    user = User.objects.create_user(f"bench{os.getpid()}", password="a long enough password")
    record(by, "let in", lambda write: services.create_member(write, user=user, role="admin", name="Bench"))
    return services.principal_for_member(user, by.workspace.slug)


@contextmanager
def measured(what: str, rows: int) -> Iterator[None]:
    """Print what it took: seconds by the clock and of this processor, and of the latter milliseconds for each row."""
    clock, processor = time.perf_counter(), time.process_time()
    yield
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    print(f"{what:24} {clock:8.1f} s {processor:8.1f} s of processor {processor * 1000 / rows:8.3f} ms a row")


def watched(what: str, name: str, rows: int) -> None:
    """Measure one step of the job."""
    from memoryapp.ontology import jobs

    step: Callable[..., Any] = getattr(jobs, name)

    def timed(*given: Any, **named: Any) -> Any:
        with measured(what, rows):
            return step(*given, **named)

    setattr(jobs, name, timed)


if __name__ == "__main__":
    main()
