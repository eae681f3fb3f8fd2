"""Addresses of the ledger: how the product does, and the jobs of a workspace."""

from django.urls import path

from memoryapp.doors.metrics import metrics
from memoryapp.ledger import pages

app_name = "ledger"
urlpatterns = [
    path("healthz", pages.healthz, name="healthz"),
    path("status", pages.status, name="status"),
    path("metrics", metrics, name="metrics"),
    path("w/<slug:workspace>/jobs/", pages.jobs, name="jobs"),
    path("w/<slug:workspace>/jobs/<uuid:job_id>/", pages.job, name="job"),
    path("w/<slug:workspace>/jobs/<uuid:job_id>/retry/", pages.retry, name="retry"),
    path("w/<slug:workspace>/jobs/<uuid:job_id>/cancel/", pages.cancel, name="cancel"),
]
