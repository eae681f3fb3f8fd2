"""The job that brings the index up to date with what changed since it was built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoryapp.index import services
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Write
from memoryapp.ledger.services import record

BATCH = 500
KIND = services.UPKEEP


def run(run: jobs.Run) -> Mapping[str, Any] | None:
    """Build what is missing or stale, a batch a write, until none is left; the last batch ends the job."""
    done = 0

    def build(write: Write) -> int:
        built = services.refresh(write, BATCH)
        if built < BATCH:
            run.finish({"targets": done + built})
        return built

    while (built := record(run.by, "index", build)) == BATCH:
        done += built
        run.progress(done, done + BATCH)
    return None
