import pytest

from memoryapp.ledger.principal import Principal
from tests.graph.nodes.telling import Graph


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)
