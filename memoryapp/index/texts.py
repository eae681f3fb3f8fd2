"""What other rooms hand to the index, and the registry by which the index asks a room for its texts again."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Q

from memoryapp.access import paths
from memoryapp.index.models import EVERYONE
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal


@dataclass(frozen=True)
class Text:
    """One text to be searched.

    `said_at` carries the zone it was said in: its date there is the day a question may name. `section` and `position`
    say what it is a turn of and where; without them it has no neighbours. `label` is who and when in words; it is
    searched with the text. Parts of one target are put together: those not handed over again are gone.
    """

    target_type: str
    target_id: uuid.UUID
    text: str
    part: int = 0
    label: str = ""
    kind: str = ""
    section: str = ""
    position: int | None = None
    speaker: str = ""
    said_at: dt.datetime | None = None
    audience: str = EVERYONE


Loader = Callable[[Workspace, Sequence[uuid.UUID]], Iterable[Text]]
Walker = Callable[[Workspace], Iterator[uuid.UUID]]


@dataclass(frozen=True)
class Shelf:
    """How a room's texts are read again: all ids of a workspace in order, and the texts of some of them.

    Texts that are found `by_words_only` get no vector, and are sent to no embedder.
    """

    ids: Walker
    load: Loader
    by_words_only: bool = False


_shelves: dict[str, Shelf] = {}


def register(target_type: str, ids: Walker, load: Loader, *, by_words_only: bool = False) -> None:
    """Name the room's reader for a target type. Called once from the room's AppConfig.ready()."""
    _shelves[target_type] = Shelf(ids, load, by_words_only)


def by_words_only() -> list[str]:
    """The target types whose texts are never searched by their meaning."""
    return sorted(target_type for target_type, one in _shelves.items() if one.by_words_only)


def shelf(target_type: str) -> Shelf | None:
    return _shelves.get(target_type)


def shelves() -> dict[str, Shelf]:
    return dict(_shelves)


Hider = Callable[[Principal], Q | None]
_hiders: dict[str, Hider] = {}


def hide(target_type: str, hidden: Hider) -> None:
    """`hidden(by)`: the entries of a target type that somebody may not know of by the rules of paths they are under,
    though every other reader may. Called once from the room's AppConfig.ready()."""
    _hiders[target_type] = hidden


def unseen(by: Principal) -> Q | None:
    """All entries of the workspace that somebody may not know of by the rules of paths they are under. None for
    whoever may read every path."""
    if not paths.of(by).readable():
        return None
    found = Q(pk__in=[])
    for target_type, hidden in sorted(_hiders.items()):
        entries = hidden(by)
        if entries is not None:
            found |= Q(target_type=target_type) & entries
    return found


def who_and_when(speaker: str, said_at: dt.datetime | None) -> str:
    """The label of something said: name and date in words, e.g. `Mira 8 May 2023`."""
    when = f"{said_at.day} {said_at:%B %Y}" if said_at else ""
    return " ".join(part for part in (speaker, when) if part)


def place(section: str, position: int | None) -> str:
    """How a turn's place is written, so that its neighbours' can be."""
    return f"{section}/{position}" if section and position is not None else ""


def beside(taken: str) -> list[str]:
    """The places before and after a place; of nowhere, none."""
    section, found, position = taken.rpartition("/")
    return [place(section, int(position) + step) for step in (-1, 1)] if found else []
