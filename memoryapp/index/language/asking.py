"""A job asks the model: within the workspace's budget of the day, every call noted with what it cost.

An answer that keeps to its schema is given to the caller, who notes the call in the same write as what it made of the
answer. Whatever else came is kept raw, and the job is tried again or fails for people to see.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import structlog
from django.conf import settings
from django.db.models import Count, Q, Sum
from django.utils import timezone
from pydantic import BaseModel, ValidationError

from memoryapp.doors import strict
from memoryapp.doors.errors import DomainError, Unavailable
from memoryapp.index.language import client
from memoryapp.index.language.client import Question, Reply, Trouble
from memoryapp.index.models import ModelCall
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Job, JobAttempt, Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

log = structlog.get_logger(__name__)

Form = TypeVar("Form", bound=BaseModel)
BUDGET = "model_tokens_per_day"
"""In a workspace's settings: its own budget, in place of `MODEL_TOKENS_PER_DAY`. 0 keeps the model away."""
MOST_PAUSES = 20
"""How often a job waits because the model's server asks for it, before it fails."""
LONGEST_RAW = 100_000


class NoUse(Unavailable):
    """The model's answer cannot be used. What it was is kept with the call."""

    title = "The model's answer cannot be used"


class NoReply(Unavailable):
    title = "The model gave no answer"


EMBEDDING = "embed"
"""The purpose of calls for vectors: they have prices and a budget of their own."""


@dataclass(frozen=True)
class Asked:
    """For what a model is asked: the kind of task, the prompt's version, and which part of the job. `model` is the
    language model unless told; `keeps_raw` says whether words that came in place of an answer are kept."""

    purpose: str
    prompt_version: str
    part: int = 0
    model: str = ""
    keeps_raw: bool = True

    @property
    def name(self) -> str:
        return (self.model or str(settings.MODEL_NAME))[:200]


@dataclass(frozen=True)
class Answered(Generic[Form]):
    """A valid answer, with the call that has yet to be noted."""

    form: Form
    call: ModelCall

    def note(self, write: Write, *, raw: str = "") -> None:
        """Store the call, with the model's words when something in them was turned away."""
        self.call.raw = raw[:LONGEST_RAW]
        store(write, self.call)


def budget_of(workspace: Workspace) -> int:
    """Tokens that the workspace may spend on the model in a day (UTC)."""
    own = workspace.settings.get(BUDGET)
    return own if isinstance(own, int) and not isinstance(own, bool) and own >= 0 else settings.MODEL_TOKENS_PER_DAY


def available(workspace: Workspace) -> bool:
    """Whether there is a model that this workspace may ask at all."""
    return client.configured() and budget_of(workspace) > 0


def by_model(run: jobs.Run, asked: Asked) -> Principal:
    """The job as an actor whose writes name the model and the prompt that caused them."""
    return run.by.through(model=asked.name, prompt_version=asked.prompt_version)


def done_parts(run: jobs.Run, purpose: str) -> set[int]:
    """The parts of the job that the model has answered well already: they are not asked for again."""
    calls = ModelCall.objects.filter(workspace=run.job.workspace, job=run.job, purpose=purpose)
    return set(calls.filter(outcome=ModelCall.Outcome.USED).values_list("part", flat=True))


def ask(run: jobs.Run, asked: Asked, task: str, about: str, form: type[Form]) -> Answered[Form]:
    """Ask, and give the answer when it keeps to `form`.

    Raises jobs.Later when the budget of the day is used up or the server asks to wait, jobs.Failed when asking again
    cannot help, and Unavailable (the job is tried again, a bounded number of times) for everything else.
    """
    if not client.configured():
        raise jobs.Failed("No model is configured.")
    question = Question(task, about, asked.purpose, form.model_json_schema())
    within_budget(run.job.workspace, question.tokens, budget_of, ~Q(purpose=EMBEDDING))
    try:
        reply = client.complete(question)
    except Trouble as trouble:
        raise noted(run, asked, trouble) from trouble
    try:
        return Answered(_valid(reply, form), call_of(run, asked, ModelCall.Outcome.USED, reply))
    except (DomainError, ValidationError, RecursionError) as error:
        code = "cut_off" if not reply.whole else getattr(error, "code", "not_the_form")
        call = call_of(run, asked, ModelCall.Outcome.BAD, reply, code=code, raw=reply.content)
        record(by_model(run, asked), "ask_model", lambda write: store(write, call))
        log.warning("model_answered_badly", code=code, purpose=asked.purpose)
        raise NoUse("The model's answer cannot be used.", code=code) from error


def _valid(reply: Reply, form: type[Form]) -> Form:
    if not reply.whole:
        raise NoUse("The answer is cut off.", code="cut_off")
    return form.model_validate(strict.read(reply.content.encode("utf-8", "surrogatepass")), strict=True)


def noted(run: jobs.Run, asked: Asked, trouble: Trouble) -> Exception:
    """Keep that no answer came, and say what is to become of the job: what to raise."""
    call = ModelCall(
        workspace=run.job.workspace,
        job=run.job,
        purpose=asked.purpose,
        part=asked.part,
        model=asked.name,
        prompt_version=asked.prompt_version,
        outcome=ModelCall.Outcome.NONE,
        code=trouble.code,
        status=trouble.status,
        tokens_in=trouble.tokens_in,
        tokens_out=trouble.tokens_out,
        milliseconds=trouble.milliseconds,
        raw=trouble.raw[:LONGEST_RAW] if asked.keeps_raw else "",
    )
    record(by_model(run, asked), "ask_model", lambda write: store(write, call))
    log.warning("model_gave_no_answer", code=trouble.code, status=trouble.status, purpose=asked.purpose)
    if trouble.hopeless:
        return jobs.Failed(trouble.said)
    if trouble.wait is None:
        return NoReply(trouble.said, code=trouble.code)
    pauses = JobAttempt.objects.filter(job=run.job, ending="put off", error__startswith="The model asks").count()
    if pauses >= MOST_PAUSES:
        return jobs.Failed(f"The model asked to wait {pauses} times.")
    return jobs.Later(trouble.wait, trouble.said)


def within_budget(workspace: Workspace, tokens: int, of: Callable[[Workspace], int], calls: Q) -> None:
    """Raise jobs.Later, until after midnight (UTC), when so many tokens more would exceed the budget of these calls."""
    workspace.refresh_from_db(fields=["settings"])
    budget = of(workspace)
    now = timezone.now()
    midnight = now.astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if tokens_since(workspace, midnight, calls) + tokens > budget:
        tomorrow = (midnight + dt.timedelta(days=1, seconds=1) - now).total_seconds()
        raise jobs.Later(tomorrow, f"The day's budget of {budget} tokens is used up; it goes on after midnight UTC.")


def tokens_since(workspace: Workspace, since: dt.datetime, calls: Q) -> int:
    """Tokens, both ways, of these calls since then."""
    found = ModelCall.objects.filter(calls, workspace=workspace, at__gte=since)
    return int(found.aggregate(tokens=Sum("tokens_in", default=0) + Sum("tokens_out", default=0))["tokens"])


def call_of(
    run: jobs.Run, asked: Asked, outcome: ModelCall.Outcome, reply: Reply, *, code: str = "", raw: str = ""
) -> ModelCall:
    return ModelCall(
        workspace=run.job.workspace,
        job=run.job,
        purpose=asked.purpose,
        part=asked.part,
        model=asked.name,
        prompt_version=asked.prompt_version,
        outcome=outcome,
        code=code,
        status=200,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        milliseconds=reply.milliseconds,
        raw=raw[:LONGEST_RAW].replace("\x00", "\ufffd").encode("utf-8", "replace").decode(),
    )


def store(write: Write, call: ModelCall) -> None:
    """Note a call with what it cost, within the write of what was made of the answer."""
    if call.purpose == EMBEDDING:
        price = call.tokens_in * settings.EMBEDDING_PRICE
    else:
        price = call.tokens_in * settings.MODEL_PRICE_IN + call.tokens_out * settings.MODEL_PRICE_OUT
    call.cost_micros = round(price)
    call.write = write
    call.at = write.recorded_at
    call.save(force_insert=True)


def spending(calls: Any) -> dict[str, Any]:
    """What these calls came to: how many, tokens each way, milliseconds, and cost in the unit of the prices."""
    summed = calls.aggregate(
        tokens_in=Sum("tokens_in", default=0),
        tokens_out=Sum("tokens_out", default=0),
        milliseconds=Sum("milliseconds", default=0),
        cost_micros=Sum("cost_micros", default=0),
        calls=Count("pk"),
    )
    return {
        "calls": summed["calls"],
        "tokens_in": summed["tokens_in"],
        "tokens_out": summed["tokens_out"],
        "milliseconds": summed["milliseconds"],
        "cost": summed["cost_micros"] / 1_000_000,
    }


def spent_on(job: Job) -> dict[str, Any]:
    """What one job has spent on the model."""
    return spending(ModelCall.objects.filter(workspace=job.workspace_id, job=job))


def figures(by: Principal, of: Job) -> dict[str, Any]:
    """The model's part in a job: nothing for a job that asked no model."""
    spent = spent_on(of)
    return spent if spent["calls"] else {}


def spent_by(workspace: Workspace, since: dt.datetime | None = None, of: Q | None = None) -> dict[str, Any]:
    """What the workspace has spent on calls of models, or on these calls, in all or since then."""
    calls = ModelCall.objects.filter(of or Q(), workspace=workspace)
    return spending(calls.filter(at__gte=since) if since else calls)
