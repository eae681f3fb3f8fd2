"""The expressions of the rules are compiled when they are first asked; here all are."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from django.utils.functional import LazyObject

from memoryapp.extraction import rules


def lazy(value: Any) -> list[Any]:
    """What is compiled later in a value of a module, also within what it gathers."""
    if isinstance(value, LazyObject):
        return [value]
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [found for one in within for found in lazy(one)]


def test_every_expression_of_the_rules_is_one_that_runs_in_linear_time() -> None:
    modules = [importlib.import_module(f"{rules.__name__}.{one.name}") for one in pkgutil.iter_modules(rules.__path__)]
    found = [one for module in [rules, *modules] for value in vars(module).values() for one in lazy(value)]
    assert len(found) > 100
    assert all(hasattr(one, "groupindex") for one in found)
