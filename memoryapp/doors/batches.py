"""One thing or many in one request: the same fields, either at the top of the body or each within `items`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar

from rest_framework import serializers

from memoryapp.doors.errors import DomainError, Violation
from memoryapp.doors.fields import Fields, Several, Told

MOST = 500
"""Items in one request."""


class OneOrMany(Told):
    """A body that is one item, or holds up to `most` of them in `items`. Both are read into `items`.

    In the result `items` is a list of one or more values, and `many` says which of the two was sent. All of a request
    is stored or nothing of it: a violation in a batch names its row.
    """

    item: ClassVar[type[Fields]]
    most: ClassVar[int] = MOST

    def get_fields(self) -> Any:
        """What can stand in either form: for naming what would be accepted at a place."""
        return {**_batch(type(self))().get_fields(), **_single(type(self))().get_fields()}

    def run_validation(self, data: Any = serializers.empty) -> Any:
        kind = type(self)
        if isinstance(data, dict) and "items" in data:
            return dict(_batch(kind)(context=self.context).run_validation(data)) | {"many": True}
        told = _single(kind)(context=self.context).run_validation(data)
        own = set(kind.item().fields)
        item = {name: value for name, value in told.items() if name in own}
        return {name: value for name, value in told.items() if name not in own} | {"items": [item], "many": False}

    @classmethod
    def forms(cls) -> list[type[Told]]:
        """Both forms of the body, for its description."""
        return [_single(cls), _batch(cls)]


@cache
def _single(body: type[OneOrMany]) -> type[Told]:
    return type(f"{body.__name__}One", (body.item, Told), {"__doc__": body.item.__doc__})


@cache
def _batch(body: type[OneOrMany]) -> type[Told]:
    items = Several(child=body.item(), min_length=1, max_length=body.most)
    return type(f"{body.__name__}Batch", (Told,), {"items": items, "__doc__": "Many at once: all or none."})


@contextmanager
def named_rows(many: bool, within: str = "items") -> Iterator[None]:
    """Turn the places a service names (within an item, with its row) into places in the body that was sent."""
    try:
        yield
    except DomainError as error:
        error.violations = tuple(_in_body(violation, many, within) for violation in error.violations)
        raise


def _in_body(violation: Violation, many: bool, within: str) -> Violation:
    if not many:
        return dataclasses.replace(violation, row=None)
    if violation.row is None:
        return violation
    return dataclasses.replace(violation, path=f"/{within}/{violation.row}{violation.path}")
