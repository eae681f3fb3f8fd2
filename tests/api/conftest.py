"""Agents of the REST tests."""

import pytest

from memoryapp.ledger.models import Workspace
from tests.api.calling import Caller


@pytest.fixture
def reader(workspace: Workspace) -> Caller:
    return Caller(workspace, ["lookup", "recall"], "Reader")


@pytest.fixture
def curator(workspace: Workspace) -> Caller:
    return Caller(workspace, ["lookup", "recall", "curate", "steward", "propose"], "Curator")


@pytest.fixture
def stranger(other_workspace: Workspace) -> Caller:
    """An agent of another workspace that may do everything an agent may."""
    return Caller(other_workspace, ["lookup", "recall", "curate", "steward", "propose"], "Stranger")
