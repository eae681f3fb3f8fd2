"""The queue's address: what of it is looked at. Every link and form of the page carries it on."""

from __future__ import annotations

import datetime as dt
import uuid
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from memoryapp.doors.errors import DomainError
from memoryapp.ledger.principal import Principal
from memoryapp.review import queries, registry
from memoryapp.review.models import Case
from memoryapp.review.queries import HIGH, Filters

AGES = {"1": "A day and more", "7": "A week and more", "30": "A month and more"}
ASSIGNEES = {"me": "Mine", "nobody": "Unclaimed"}
WEIGHTS = {
    "high": "High priority",
    "reach": "Something rests on it",
    "half": "Less than half sure",
    "most": "Less than 80 % sure",
}
UNSURE = {"half": 50, "most": 80}
"""Weights that mean: less sure than so many percent."""
ORDERS = {"": "Most important first", "age": "Oldest first", "reach": "Widest reach first"}
FILTERS = ("kind", "assignee", "older", "weight", "agent", "node", "source", "q", "snoozed")
PLACES = ("after", "before")
NAMES = (*FILTERS, "order", *PLACES)


@dataclass(frozen=True)
class Address:
    """Where in the queue somebody is. `after` and `before` name a case, beside which the page of the list lies."""

    slug: str
    parameters: dict[str, str]
    _found: dict[str, Filters] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, by: Principal, given: QueryDict) -> Address:
        """What of the address the queue knows; anything else is left out."""
        known = {name: given.get(name, "").strip()[:200] for name in NAMES}
        return cls(by.workspace.slug, {name: value for name, value in known.items() if value})

    @property
    def filters(self) -> Filters:
        older, weight = self.parameters.get("older", ""), self.parameters.get("weight")
        return Filters(
            kind=self.parameters.get("kind", ""),
            assignee=self.parameters.get("assignee", ""),
            older_than=dt.timedelta(days=int(older)) if older in AGES else None,
            text=self.parameters.get("q", ""),
            agent=identifier(self.parameters.get("agent", "")),
            node=identifier(self.parameters.get("node", "")),
            source=identifier(self.parameters.get("source", "")),
            unsure=UNSURE.get(weight or "", 0),
            priority=HIGH if weight == "high" else 0,
            reach=1 if weight == "reach" else 0,
            snoozed=self.parameters.get("snoozed") == "yes",
            order=self.parameters.get("order", "priority"),
        )

    def sought(self, by: Principal) -> Filters:
        """The filters, with the cases that hold the words looked for: found when first asked, once for a request."""
        if "sought" not in self._found:
            self._found["sought"] = queries.narrowed(by, self.filters)
        return self._found["sought"]

    def beside(self, name: str) -> uuid.UUID | None:
        """The case beside which the page lies, as `after` or as `before`."""
        return identifier(self.parameters.get(name, ""))

    @property
    def is_filtered(self) -> bool:
        return bool(self.parameters.keys() & set(FILTERS))

    @property
    def query(self) -> str:
        return f"?{urlencode(self.parameters)}" if self.parameters else ""

    @property
    def filters_query(self) -> str:
        """What is looked for and in which order, wherever in it one is."""
        return urlencode({name: value for name, value in self.parameters.items() if name not in PLACES})

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
        """The same with some of it changed or, when empty, left out; from the start of the list."""
        changed = {**self.parameters, **dict.fromkeys(PLACES, ""), **changes}
        left = {name: value for name, value in changed.items() if value}
        return self.plain + (f"?{urlencode(left)}" if left else "")

    def chips(self, actors: dict[str, str]) -> list[dict[str, str]]:
        """The filters in force, each with the address without it. `actors` names those that filters name by id."""
        return [
            {"words": self._words(name, value, actors), "clear_url": self.but(**{name: ""})}
            for name, value in self.parameters.items()
            if name in FILTERS
        ]

    def _words(self, name: str, value: str, actors: dict[str, str]) -> str:
        if name == "kind":
            return next((kind.title for kind in registry.kinds() if kind.name == value), value)
        if name == "assignee":
            return ASSIGNEES.get(value) or f"With {actors.get(value, 'one person')}"
        if name == "agent":
            return f"From {actors.get(value, 'one agent')}"
        if name in ("node", "source"):
            return {"node": "About one node", "source": "From one source"}[name]
        if name == "snoozed":
            return "Snoozed as well"
        return {"older": AGES, "weight": WEIGHTS}.get(name, {}).get(value, f"“{value}”")


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


def identifier(text: str) -> uuid.UUID | None:
    """An id that an address names; None for anything else."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
