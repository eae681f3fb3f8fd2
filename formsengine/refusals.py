"""What the engine refuses, as the doors of the product say it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from formsengine.log.addresses import NotFound as NotInForm
from formsengine.problems import Problem, Refused
from memoryapp.doors.errors import Conflict, Denied, DomainError, Invalid, Stale, Violation

KINDS: dict[str, type[DomainError]] = {
    "stale": Stale,
    "key-reused": Conflict,
    "void": Conflict,
    "state": Conflict,
    "waits": Conflict,
    "moved": Conflict,
    "person": Denied,
    "review": Conflict,
    "breaking": Conflict,
}
"""What is refused for the state of things; everything else is the input's fault."""


@contextmanager
def refused() -> Iterator[None]:
    """Turn what the engine refuses into the errors of the product, with the place and what would be taken."""
    try:
        yield
    except Refused as error:
        raise as_error(error) from error
    except NotInForm as missing:
        problem = Violation("/field", coded(missing.code), missing.message, ", ".join(missing.accepted))
        raise Invalid(missing.message, code=coded(missing.code), violations=(problem,)) from missing


def as_error(error: Refused) -> DomainError:
    kind = KINDS.get(error.code, Invalid)
    return kind(error.message, code=coded(error.code), violations=tuple(violations(error.problems)))


def violations(problems: Iterable[Problem]) -> Iterator[Violation]:
    for each in problems:
        path = "/" + each.path.replace(":", "/").strip("/")
        yield Violation(path, coded(each.code), each.message, ", ".join(each.accepted))


def coded(code: str) -> str:
    """The engine's word as a code of the doors."""
    return code.replace("-", "_")
