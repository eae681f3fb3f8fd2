"""Addresses of the ledger that belong to no workspace."""

from django.urls import path

from memoryapp.ledger import pages

app_name = "ledger"
urlpatterns = [
    path("healthz", pages.healthz, name="healthz"),
    path("status", pages.status, name="status"),
]
