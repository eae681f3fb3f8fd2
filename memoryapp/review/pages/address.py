"""The queue's address: what of it is looked at. Every link and form of the page carries it on."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from memoryapp.doors.errors import DomainError
from memoryapp.ledger.principal import Principal
from memoryapp.review import queries, registry
from memoryapp.review.models import Case
from memoryapp.review.queries import Filters, Waiting

AGES = {"1": "A day and more", "7": "A week and more", "30": "A month and more"}
ASSIGNEES = {"me": "Mine", "nobody": "Unclaimed"}
NAMES = ("kind", "assignee", "older", "q", "snoozed", "page")


@dataclass(frozen=True)
class Address:
    """Where in the queue somebody is."""

    slug: str
    parameters: dict[str, str]

    @classmethod
    def of(cls, by: Principal, given: QueryDict) -> Address:
        """What of the address the queue knows; anything else is left out."""
        known = {name: given.get(name, "").strip() for name in NAMES}
        return cls(by.workspace.slug, {name: value for name, value in known.items() if value})

    @property
    def filters(self) -> Filters:
        older = self.parameters.get("older", "")
        return Filters(
            kind=self.parameters.get("kind", ""),
            assignee=self.parameters.get("assignee", ""),
            older_than=dt.timedelta(days=int(older)) if older in AGES else None,
            text=self.parameters.get("q", "")[:200],
            snoozed=self.parameters.get("snoozed") == "yes",
        )

    @property
    def page(self) -> int:
        number = self.parameters.get("page", "1")
        return max(1, int(number)) if number.isascii() and number.isdigit() and len(number) < 6 else 1

    @property
    def is_filtered(self) -> bool:
        return bool(self.parameters.keys() - {"page"})

    @property
    def query(self) -> str:
        return f"?{urlencode(self.parameters)}" if self.parameters else ""

    @property
    def plain(self) -> str:
        """The queue without filters."""
        return reverse("review:queue", args=[self.slug])

    @property
    def url(self) -> str:
        return self.plain + self.query

    def to(self, view: str, thing: object) -> str:
        """A page or form of the room about one thing, from which one comes back to here."""
        return reverse(f"review:{view}", args=[self.slug, thing]) + self.query

    def case(self, case: Case) -> str:
        return self.to("case", case.pk)

    def but(self, **changes: str) -> str:
        """The same with some of it changed or, when empty, left out; from the first page."""
        changed = {**self.parameters, "page": "", **changes}
        left = {name: value for name, value in changed.items() if value}
        return self.plain + (f"?{urlencode(left)}" if left else "")

    def choices(self, waiting: Waiting) -> list[dict[str, object]]:
        """The selects of the filter bar."""
        kinds = [
            (kind.name, f"{kind.title} ({waiting.by_kind[kind.name]})" if kind.name in waiting.by_kind else kind.title)
            for kind in registry.kinds()
        ]
        return [
            {"label": "Kind", "name": "kind", "chosen": self.parameters.get("kind"), "options": kinds},
            {
                "label": "Who",
                "name": "assignee",
                "chosen": self.parameters.get("assignee"),
                "options": list(ASSIGNEES.items()),
            },
            {
                "label": "Age",
                "name": "older",
                "chosen": self.parameters.get("older"),
                "options": list(AGES.items()),
            },
        ]

    def chips(self) -> list[dict[str, str]]:
        """The filters in force, each with the address without it."""
        return [
            {"words": self._words(name, value), "clear_url": self.but(**{name: ""})}
            for name, value in self.parameters.items()
            if name != "page"
        ]

    def _words(self, name: str, value: str) -> str:
        if name == "kind":
            return next((kind.title for kind in registry.kinds() if kind.name == value), value)
        if name == "assignee":
            return ASSIGNEES.get(value, "One person's")
        if name == "older":
            return AGES.get(value, value)
        return "Snoozed as well" if name == "snoozed" else f"“{value}”"


def checked(by: Principal, given: QueryDict) -> tuple[Address, DomainError | None]:
    """The address, without what cannot be, and what was wrong with it."""
    address = Address.of(by, given)
    try:
        queries.queue(by, address.filters)
    except DomainError as error:
        places = {violation.path for violation in error.violations}
        kept = {name: value for name, value in address.parameters.items() if name not in places}
        return Address(address.slug, kept), error
    return address, None
