"""Who keeps files in these tests."""

import pytest

from memoryapp.ledger.principal import Principal
from tests.files.telling import Tree


@pytest.fixture
def tree(operator: Principal) -> Tree:
    return Tree(operator)
