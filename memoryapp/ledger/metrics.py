"""What the database knows of how the product does, read when a monitor asks: jobs, workers, broker, database."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import DatabaseError
from django.db.models import Count
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from memoryapp.ledger import queries
from memoryapp.ledger.models import Job


class Health(Collector):
    """The same truth as the status page, in numbers. With the database down that is the only thing it says."""

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        found = queries.status()
        yield _gauge("commonplace_up", "1 when everything answers and nothing waits too long.", found.well)
        yield _gauge("commonplace_database_up", "Whether the database answers.", found.database == "up")
        if found.database != "up":
            return
        yield _gauge("commonplace_broker_up", "Whether the broker answers.", found.broker == "up")
        seen = GaugeMetricFamily("commonplace_seen_seconds", "Since a process of this role was seen.", labels=["role"])
        for role, seconds in (("worker", found.worker_seen_seconds), ("scheduler", found.scheduler_seen_seconds)):
            if seconds is not None:
                seen.add_metric([role], seconds)
        yield seen
        yield _gauge(
            "commonplace_oldest_due_job_seconds", "Since the oldest job was due.", found.oldest_due_job_seconds
        )
        try:
            yield _jobs()
        except DatabaseError:
            return


def _jobs() -> Metric:
    counted = GaugeMetricFamily("commonplace_jobs", "Jobs by kind and state.", labels=["kind", "state"])
    for kind, state, number in (
        Job.objects.order_by().values_list("kind", "state").annotate(number=Count("pk")).order_by("kind", "state")
    ):
        counted.add_metric([kind, state], number)
    return counted


def _gauge(name: str, said: str, value: float) -> Metric:
    return GaugeMetricFamily(name, said, value=float(value))
