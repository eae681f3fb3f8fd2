"""What the language model has been asked and what it cost, in all workspaces together, for a monitor."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import DatabaseError
from django.db.models import Count, Sum
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from memoryapp.index.models import ModelCall


class ModelCalls(Collector):
    """Calls by purpose and outcome, and tokens each way."""

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        calls = CounterMetricFamily("commonplace_model_calls", "Questions to the model.", labels=["purpose", "outcome"])
        tokens = CounterMetricFamily("commonplace_model_tokens", "Tokens read and written.", labels=["direction"])
        try:
            for purpose, outcome, number in (
                ModelCall.objects.order_by().values_list("purpose", "outcome").annotate(number=Count("pk"))
            ):
                calls.add_metric([purpose, outcome], number)
            summed = ModelCall.objects.aggregate(read=Sum("tokens_in", default=0), written=Sum("tokens_out", default=0))
        except DatabaseError:
            return
        for direction, number in summed.items():
            tokens.add_metric([direction], number)
        yield calls
        yield tokens
