"""Jobs over REST: what long work is doing, and what came of it. The ledger lies below the door, so they are here."""

from __future__ import annotations

import uuid
from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, page_of
from memoryapp.doors.fields import Identifier, OneOf, Paged, Text
from memoryapp.ledger import jobs, queries
from memoryapp.ledger.models import Job, JobAttempt

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

ATTEMPT: Described = {
    "number": serializers.IntegerField(),
    "started_at": serializers.DateTimeField(),
    "ended_at": serializers.DateTimeField(allow_null=True),
    "ending": serializers.CharField(help_text="How the try ended; blank while it runs."),
    "error": serializers.CharField(),
}
SPENT = serializers.DictField(help_text="What the language model cost for this job; empty without one.")
JOB: Described = {
    "id": serializers.UUIDField(),
    "kind": serializers.CharField(),
    "title": serializers.CharField(),
    "state": serializers.ChoiceField(choices=Job.State.choices),
    "subject_id": serializers.UUIDField(help_text="What the job is about."),
    "done": serializers.IntegerField(),
    "total": serializers.IntegerField(),
    "attempts": serializers.IntegerField(),
    "created_at": serializers.DateTimeField(),
    "started_at": serializers.DateTimeField(allow_null=True),
    "finished_at": serializers.DateTimeField(allow_null=True),
    "outcome": serializers.DictField(help_text="Counts and ids of what came of it."),
    "error": serializers.CharField(help_text="Why it failed; blank when it did not."),
}


class JobFilters(Paged):
    state = OneOf(required=False, choices=[str(state) for state in Job.State])
    kind = Text(required=False, max_length=60)
    subject_id = Identifier(required=False)


def shape(job: Job) -> dict[str, Any]:
    """A job as it is answered."""
    return {
        "id": str(job.pk),
        "kind": job.kind,
        "title": jobs.title_of(job.kind),
        "state": job.state,
        "subject_id": str(job.subject_id),
        "done": job.done,
        "total": job.total,
        "attempts": job.attempts,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
        "outcome": job.outcome,
        "error": job.error,
    }


class Jobs(Endpoint):
    """Jobs of the workspace."""

    needs = {"get": "read_jobs"}
    parameters = {"get": JobFilters}

    @extend_schema(
        operation_id="list_jobs",
        tags=["jobs"],
        summary="List jobs",
        description="Jobs of the workspace, newest first.",
        responses=page_of("Job", JOB),
    )
    def get(self, request: Request) -> Response:
        return self.page(queries.jobs(self.by, **self.filters), order=("-created_at", "-id"), shape=shape)


class OneJob(Endpoint):
    """One job."""

    needs = {"get": "read_jobs"}

    @extend_schema(
        operation_id="read_job",
        tags=["jobs"],
        summary="Read a job",
        description="A job with its tries. Ask again while its state is queued or running.",
        responses=described("JobWithTries", JOB | {"tries": described("Try", ATTEMPT, many=True), "spent": SPENT}),
    )
    def get(self, request: Request, job_id: uuid.UUID) -> Response:
        job = queries.job(self.by, job_id)
        tries = [_attempt(attempt) for attempt in queries.attempts(self.by, job)]
        return Response(shape(job) | {"tries": tries, "spent": jobs.spent(self.by, job)})


def _attempt(attempt: JobAttempt) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "started_at": attempt.started_at,
        "ended_at": attempt.ended_at,
        "ending": attempt.ending,
        "error": attempt.error,
    }


urlpatterns = [
    path("jobs", Jobs.as_view(), name="jobs"),
    path("jobs/<uuid:job_id>", OneJob.as_view(), name="job"),
]
