"""An embedder for tests that is configured at an address of its own, and its jobs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.test import override_settings
from django.utils import timezone

from memoryapp.index.vectors import KIND
from memoryapp.ledger import workers
from memoryapp.ledger.models import Job
from tests.modelserver import ModelServer, by_meaning

SEA, LAND, MONEY = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
MEANINGS = {"quay": SEA, "boat": SEA, "vessel": SEA, "field": LAND, "tractor": LAND, "invoice": MONEY, "bill": MONEY}


@contextmanager
def embedder(**settings: Any) -> Iterator[ModelServer]:
    """A server to which words of the sea, of the land and of money are three different things."""
    server = ModelServer()
    server.thinks = by_meaning(MEANINGS, [-0.1, -0.1, -0.1])
    given = {
        "EMBEDDING_URL": server.url,
        "EMBEDDING_NAME": "small",
        "EMBEDDING_KEY": "key-of-it",
        "EMBEDDING_SECONDS": 5,
    }
    with override_settings(**given | settings):
        yield server
    server.stop()


def make_vectors(rounds: int = 40) -> Job:
    """Run the jobs that make vectors until none is queued; waiting times are over at once. Gives the last."""
    for _ in range(rounds):
        queued = list(Job.objects.filter(kind=KIND, state=Job.State.QUEUED).order_by("created_at", "pk"))
        if not queued:
            break
        for job in queued:
            Job.objects.filter(pk=job.pk).update(run_after=timezone.now())
            workers.run(job.pk, "worker@test")
    return Job.objects.filter(kind=KIND).latest("created_at", "pk")
