"""Who stores and fills forms in these tests."""

from __future__ import annotations

import pytest

from memoryapp.ledger.principal import Principal
from tests.forms.telling import Forms, patient
from tests.graph.nodes.telling import Graph


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


@pytest.fixture
def forms(operator: Principal) -> Forms:
    """A workspace in which the form about a patient is live."""
    told = Forms(operator)
    told.published(patient())
    return told
