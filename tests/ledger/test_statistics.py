"""The planner of SQLite knows the tables, and the scheduler sees to it."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.db import connection

from memoryapp.ledger.models import Workspace
from memoryapp.ledger.tasks import gather_statistics

pytestmark = pytest.mark.django_db


def test_sqlite_is_told_what_its_indexes_tell_apart(workspace: Workspace) -> None:
    """PostgreSQL finds out by itself: there nothing is asked of it."""
    gather_statistics()
    assert settings.CELERY_BEAT_SCHEDULE["statistics"]["task"] == gather_statistics.name
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM sqlite_stat1 WHERE tbl = 'ledger_workspace'")
            assert cursor.fetchone()[0] > 0
