"""Who tells what happened in these tests."""

import pytest

from memoryapp.ledger.principal import Principal
from tests.graph.nodes.telling import Graph
from tests.timeline.telling import Timeline


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


@pytest.fixture
def timeline(operator: Principal) -> Timeline:
    return Timeline(operator)
