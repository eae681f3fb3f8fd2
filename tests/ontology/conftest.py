"""A signed-in page in the real browser, as the console's tests have it."""

from tests.console.conftest import signed_in

__all__ = ["signed_in"]
