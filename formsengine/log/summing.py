"""What a log adds up to, worked out once at its end: for whoever reads many responses and needs no state in between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from formsengine.evaluation.evaluate import Prepared
from formsengine.log.commits import Commit
from formsengine.log.response import Response


def summed(id: str, ready: Prepared, commits: Iterable[Mapping[str, Any]], later: Iterable[Prepared] = ()) -> Response:
    """The response with every answer and value as `replay` gives it; which commit moved which state is not kept."""
    response = Response(id, ready)
    response.known.update({each.plan.digest: each for each in later})
    last: Commit | None = None
    for body in commits:
        last = Commit.of(body)
        for event in last.events:
            response.fold(event, last.number)
        response.append(last)
    if last is not None:
        response.moved_version = False
        response.evaluation = response.evaluate()
        response.settle_clock(last.clock.at, last.clock.local)
    return response
