"""The practice endpoint in place of the product's addresses."""

from typing import Any

import pytest

from memoryapp.ledger.models import Workspace
from tests.api.calling import Caller


@pytest.fixture
def notes(workspace: Workspace, settings: Any) -> Caller:
    settings.ROOT_URLCONF = "tests.doors.practice"
    return Caller(workspace, ["curate"], "Curator")
