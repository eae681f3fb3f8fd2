"""What the rooms above made of a source: the page of a conversation shows it beside each turn.

This room knows of no belief and no candidate. Each room that makes something of sources says what, with `register`.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from memoryapp.ledger.principal import Principal


@dataclass(frozen=True)
class Learned:
    """One thing learned from a source. Two rooms that speak of the same thing give it the same `key`.

    `state` is a word of the console's states; `note` says why it is in that state; `start` is where its quote begins.
    """

    key: uuid.UUID
    words: str
    kind: str
    state: str
    url: str = ""
    note: str = ""
    case_url: str = ""
    start: int = 0


Teller = Callable[[Principal, Sequence[uuid.UUID]], Mapping[uuid.UUID, Sequence[Learned]]]
_tellers: dict[str, Teller] = {}


def register(room: str, teller: Teller) -> None:
    """`teller(by, source_ids)`: what its room made of each source, in a fixed number of queries."""
    _tellers[room] = teller


def learned(by: Principal, source_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[Learned]]:
    """What was learned from each source, in the order of its words. What two rooms tell is told once."""
    found: dict[uuid.UUID, dict[uuid.UUID, Learned]] = {source_id: {} for source_id in source_ids}
    for teller in _tellers.values():
        for source_id, items in teller(by, source_ids).items():
            for item in items:
                known = found[source_id].get(item.key)
                found[source_id][item.key] = _together(known, item) if known else item
    return {source_id: sorted(items.values(), key=_place) for source_id, items in found.items()}


def _together(one: Learned, other: Learned) -> Learned:
    return replace(one, note=one.note or other.note, url=one.url or other.url, case_url=one.case_url or other.case_url)


def _place(item: Learned) -> tuple[int, uuid.UUID]:
    return item.start, item.key
