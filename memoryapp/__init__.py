"""Commonplace: memory for AI agents that people can read, question and correct."""

from memoryapp.celery import app as celery_app

__all__ = ["celery_app"]
