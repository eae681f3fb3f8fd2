"""What a service raises when it cannot do what was asked. Each door turns these into its own form.

Every error carries a stable `code` (what a program branches on), one sentence for a person, and, where the input is at
fault, a list of violations that name the place and what would be accepted there.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Violation:
    """One thing wrong with the input.

    `path` is a JSON pointer into the body (`/turns/3/said_at`) or the name of a parameter; `row` is the index in a
    batch; `accepted` says in words or values what would be taken. `gap` is what would have to be declared for it to be
    taken, where that is all that is wrong; it is for whoever can say more of it, and never shown.
    """

    path: str
    code: str
    message: str
    accepted: str = ""
    row: int | None = None
    gap: Any = field(default=None, compare=False)

    def as_dict(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"path": self.path, "code": self.code, "message": self.message}
        if self.accepted:
            shown["accepted"] = self.accepted
        if self.row is not None:
            shown["row"] = self.row
        return shown


@dataclass
class DomainError(Exception):
    """Base of everything a service refuses. `status` is the HTTP status its problem document carries."""

    detail: str
    code: str = "refused"
    violations: tuple[Violation, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    status = 400
    title = "Refused"

    def __str__(self) -> str:
        return self.detail

    def as_problem(self) -> dict[str, Any]:
        """The RFC 9457 document: type, title, status, detail, code, errors, and what the error adds."""
        problem: dict[str, Any] = {
            "type": f"urn:commonplace:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        if self.violations:
            problem["errors"] = [violation.as_dict() for violation in self.violations]
        return self.extra | problem


class Invalid(DomainError):
    """The input breaks a rule; the violations say which, where, and what would be accepted."""

    status = 422
    title = "Not valid"

    @classmethod
    def at(cls, path: str, code: str, message: str, accepted: str = "", **extra: Any) -> "Invalid":
        """One violation at one place."""
        return cls(message, code=code, violations=(Violation(path, code, message, accepted),), extra=extra)

    @classmethod
    def all(cls, violations: Iterable[Violation]) -> "Invalid":
        """Every violation of one request in one answer."""
        found = tuple(violations)
        if len(found) == 1:
            return cls(found[0].message, code=found[0].code, violations=found)
        return cls(f"{len(found)} things are not valid.", code="invalid", violations=found)


class Malformed(DomainError):
    """The input cannot be read at all: not JSON, an unknown field or parameter, a wrong type."""

    status = 400
    title = "Cannot be read"

    @classmethod
    def at(cls, path: str, code: str, message: str, accepted: str = "", **extra: Any) -> "Malformed":
        """One violation at one place."""
        return cls(message, code=code, violations=(Violation(path, code, message, accepted),), extra=extra)

    @classmethod
    def all(cls, violations: Iterable[Violation]) -> "Malformed":
        """Every violation of one request in one answer."""
        found = tuple(violations)
        if len(found) == 1:
            return cls(found[0].message, code=found[0].code, violations=found)
        return cls(f"{len(found)} things cannot be read.", code="malformed", violations=found)


class Unauthenticated(DomainError):
    status = 401
    title = "Who are you?"


class Denied(DomainError):
    """The caller is known and may not do this."""

    status = 403
    title = "Not allowed"


class NotFound(DomainError):
    """No such thing within the caller's sight."""

    status = 404
    title = "Not found"


class Conflict(DomainError):
    """The state of things forbids this: already decided, already there with other content, identity ambiguous."""

    status = 409
    title = "Conflict"


class Stale(DomainError):
    """The lock that the change named is not the current one."""

    status = 412
    title = "Changed meanwhile"


class TooLarge(DomainError):
    status = 413
    title = "Too large"


class WrongMediaType(DomainError):
    """The body is of a kind that is not taken here."""

    status = 415
    title = "Wrong media type"


class TooMany(DomainError):
    """More requests than this key is allowed for now."""

    status = 429
    title = "Too many requests"


class Unavailable(DomainError):
    """Something this answer needs is down; asking again later may work."""

    status = 503
    title = "Not available now"


class NoRoom(DomainError):
    """What keeps the memory has no room left; only an operator can help."""

    status = 507
    title = "No room left"
