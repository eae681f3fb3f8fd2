"""Who sets entries in these tests."""

import pytest

from memoryapp.ledger.principal import Principal
from tests.console.conftest import signed_in
from tests.context.telling import Context
from tests.graph.nodes.telling import Graph


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


@pytest.fixture
def context(operator: Principal) -> Context:
    return Context(operator)


__all__ = ["context", "graph", "signed_in"]
