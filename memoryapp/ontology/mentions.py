"""What else names a declared type: views, policies, forms, tools. The rooms that keep such things say so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from memoryapp.ledger.models import Workspace
from memoryapp.ontology.document import View
from memoryapp.ontology.usage import Part


@dataclass(frozen=True)
class Mention:
    """Something that would no longer work: what it is, its name, and where it is looked at."""

    what: str
    name: str
    url: str = ""

    def __str__(self) -> str:
        return f"the {self.what} “{self.name}”"

    def as_data(self) -> dict[str, str]:
        return {"what": self.what, "name": self.name, "url": self.url}


Mentioning = Callable[[Workspace, Part], Iterable[Mention]]

_mentioning: list[Mentioning] = []


def register(mentioning: Mentioning) -> None:
    """Add what a room keeps that mentions a part of the declared types."""
    if mentioning not in _mentioning:
        _mentioning.append(mentioning)


def mentions_of(workspace: Workspace, part: Part) -> list[Mention]:
    """Everything that mentions it, in every room."""
    return list(dict.fromkeys(one for mentioning in _mentioning for one in mentioning(workspace, part)))


def of_views(views: Mapping[str, View], part: Part) -> Iterator[Mention]:
    """The named views that ask for a kind, property or relationship that goes."""
    for name, view in views.items():
        kinds = part.family == "belief_kinds" and not part.part and part.type in view.kinds
        edges = part.family == "relationships" and not part.part and part.type in view.predicates
        values = part.family == "node_classes" and part.part == "property" and part.name in view.predicates
        if kinds or edges or values:
            yield Mention("view", view.title or name)
