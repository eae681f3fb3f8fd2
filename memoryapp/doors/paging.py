"""Pages by key, not by number: a page goes on right after the last row of the one before, whatever was added since."""

import datetime as dt
import hashlib
import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet

from memoryapp.doors.errors import Malformed

Row = TypeVar("Row", bound=Model)
Item = TypeVar("Item")

USUAL_SIZE = 50
LARGEST_SIZE = 200
_SALT = "commonplace.cursor"


@dataclass(frozen=True)
class Page(Generic[Item]):
    """Some rows in order, and the cursor of the page after them when there is one."""

    items: list[Item]
    next: str | None

    def shaped(self, shape: Callable[[Item], Any]) -> dict[str, Any]:
        """The page as it is answered."""
        return {"items": [shape(item) for item in self.items], "next": self.next}


def page(
    rows: QuerySet[Row], *, order: Sequence[str], size: int = USUAL_SIZE, cursor: str | None = None, question: Any = ""
) -> Page[Row]:
    """One page of `rows` in `order`: field names, `-` for descending, the last of them unique and none of them null.

    `question` is whatever the cursor must not be used without: workspace, filters, who asks. A cursor of another
    question, or one that was tampered with, is refused (`cursor_not_valid`).
    """
    bound = _digest(order, question)
    if cursor:
        rows = rows.filter(_after(order, _opened(cursor, bound, len(order))))
    found = list(rows.order_by(*order)[: size + 1])
    more = len(found) > size
    found = found[:size]
    return Page(found, _closed(found[-1], order, bound) if more else None)


def cursor_after(row: Model, *, order: Sequence[str], question: Any = "") -> str:
    """The cursor of the page that begins right after this row: a way into the middle of a long list."""
    return _closed(row, order, _digest(order, question))


def page_of_keys(
    keys: Sequence[tuple[Any, ...]], *, size: int = USUAL_SIZE, cursor: str | None = None, question: Any = ""
) -> Page[tuple[Any, ...]]:
    """One page of keys that are in ascending order already: for an order that no query can give."""
    bound = _digest(("keys",), question)
    if cursor:
        after = tuple(_opened(cursor, bound))
        keys = [key for key in keys if key > after]
    found = list(keys[:size])
    last = [_written(value) for value in found[-1]] if len(keys) > size else None
    return Page(found, signing.dumps([bound, last], salt=_SALT, compress=True) if last else None)


def _digest(order: Sequence[str], question: Any) -> str:
    text = json.dumps([list(order), question], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _after(order: Sequence[str], values: Sequence[Any]) -> Q:
    condition = Q()
    same: dict[str, Any] = {}
    for name, value in zip(order, values, strict=True):
        field = name.lstrip("-")
        beyond = "lt" if name.startswith("-") else "gt"
        condition |= Q(**same, **{f"{field}__{beyond}": value})
        same[field] = value
    return condition


def _closed(row: Model, order: Sequence[str], bound: str) -> str:
    values = [_written(_value(row, name.lstrip("-"))) for name in order]
    return signing.dumps([bound, values], salt=_SALT, compress=True)


def _opened(cursor: str, bound: str, length: int | None = None) -> list[Any]:
    try:
        held, values = signing.loads(cursor, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise _not_valid() from error
    if held != bound or length not in (None, len(values)):
        raise _not_valid()
    return [_read(value) for value in values]


def _not_valid() -> Malformed:
    return Malformed.at(
        "cursor",
        "cursor_not_valid",
        "This cursor does not belong to this question.",
        "the `next` of the page before, with the same parameters",
    )


def _value(row: Model, path: str) -> Any:
    value: Any = row
    for step in path.split("__"):
        value = getattr(value, step)
    return value


def _written(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return {"t": value.isoformat()}
    if isinstance(value, uuid.UUID):
        return {"u": value.hex}
    return value


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        return dt.datetime.fromisoformat(value["t"]) if "t" in value else uuid.UUID(value["u"])
    return value
