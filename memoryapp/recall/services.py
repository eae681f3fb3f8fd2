"""Asking the memory: the answer, and the note in the served log that it was given."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from memoryapp.doors.metrics import RECALL_SECONDS
from memoryapp.ledger.models import Served
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import serve
from memoryapp.recall import queries
from memoryapp.recall.asked import Asked, Recalled
from memoryapp.recall.queries import Brief
from memoryapp.recall.queries.brief import USUAL_BUDGET


@dataclass(frozen=True)
class Answered:
    """An answer to a question with its row of the served log."""

    recalled: Recalled
    served: Served


@dataclass(frozen=True)
class Briefed:
    """A brief with its row of the served log."""

    brief: Brief
    served: Served


def recall(by: Principal, asked: Asked) -> Answered:
    """Answer a question from what is remembered; see `queries.find`. Nothing is changed but the served log."""
    with RECALL_SECONDS.labels("recall").time():
        recalled = queries.find(by, asked)
    items = [(hit.what, hit.id, hit.score) for hit in recalled.hits]
    served = serve(by, "recall", items, question=asked.question, parameters=asked.parameters())
    return Answered(recalled, served)


def brief(by: Principal, owner: uuid.UUID, budget_tokens: int = USUAL_BUDGET) -> Briefed:
    """What is currently believed of an owner, for a prompt; see `queries.compose`."""
    with RECALL_SECONDS.labels("brief").time():
        made = queries.compose(by, owner, budget_tokens)
    items = [("belief", belief.pk, None) for belief in made.beliefs]
    parameters = {"owner": str(made.owner.pk), "budget_tokens": budget_tokens}
    return Briefed(made, serve(by, "brief", items, parameters=parameters))
