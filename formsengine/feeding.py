"""What of forms is searched: every response by the answers that count, in words, and by what its form is called.

Sensitive answers are in no index. Responses enter no statistics of words: what is out of sight of some changes nothing
in what is found by others.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence

from formsengine.bindings.things import spoken
from formsengine.log.response import Response
from formsengine.log.summing import Sum, answered
from formsengine.models import FormResponse, ResponseState
from formsengine.queries.filled import RESPONSE, UNREAD
from formsengine.queries.loading import summed_up
from memoryapp.index import services as index
from memoryapp.index.said import passages
from memoryapp.index.texts import Text
from memoryapp.ledger.models import Workspace, Write

AUDIENCE = "forms"
"""Who may be served it is said by the response."""
UNSAID = {"boolean", "consent", "meta"}
"""Types whose answers are nothing that anybody looks for."""
PASSAGES = 1000
"""Places for the passages of one step."""


def put(write: Write, row: FormResponse, response: Response) -> None:
    """Bring the index up to date with the response, within the write that changed it: what stays is not written."""
    index.put(write, _texts(row, response))


def erased(write: Write, ids: Iterable[uuid.UUID]) -> None:
    """Leave nothing of these responses in the index."""
    index.erase(write, [(RESPONSE, one) for one in ids])


def blotted(write: Write, ids: Iterable[uuid.UUID]) -> None:
    """Build the entries of these responses anew, in whose logs somebody was blotted out."""
    index.reload(write, [(RESPONSE, one) for one in ids])


def ids(workspace: Workspace) -> Iterator[uuid.UUID]:
    """Every response of the workspace that is not erased."""
    kept = FormResponse.objects.filter(workspace=workspace).exclude(state=ResponseState.ERASED)
    yield from kept.order_by("pk").values_list("pk", flat=True).iterator()


def load(workspace: Workspace, wanted: Sequence[uuid.UUID]) -> Iterator[Text]:
    """These responses as they are searched; of one that was erased, none."""
    kept = FormResponse.objects.filter(workspace=workspace, pk__in=wanted).exclude(state=ResponseState.ERASED)
    rows = list(kept.select_related("form", "version", "started_under").defer(*UNREAD).order_by("pk"))
    for row, response in summed_up(rows):
        yield from _texts(row, response)


def _texts(row: FormResponse, response: Response | Sum) -> Iterator[Text]:
    """The answers of each step, a line each; the first step says what the form is called besides."""
    plan, language = response.plan, row.language
    said: dict[str, list[str]] = {step: [] for step in plan.steps}
    for planned, _, kept in answered(response):
        if planned.question.writable and planned.question.type not in UNSAID and not planned.question.sensitive:
            said[planned.step].append(spoken(plan, planned, kept, language))
    for number, lines in enumerate(said.values()):
        text = "\n".join(([row.version.title] if number == 0 else []) + lines).strip()
        if text or number == 0:
            for part, passage in enumerate(passages(text)):
                yield Text(
                    RESPONSE, row.pk, passage, part=number * PASSAGES + part, said_at=row.recorded_at, audience=AUDIENCE
                )
