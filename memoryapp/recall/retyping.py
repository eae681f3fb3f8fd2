"""The index follows a change of the declared types: entries say of which kinds and classes things are."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from memoryapp.index import exchanging
from memoryapp.index.texts import Text
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology import following
from memoryapp.ontology.following import Follower, Ids, Prepared
from memoryapp.recall import feeding

INDEXED: dict[str, tuple[str, Callable[[Workspace, Sequence[uuid.UUID]], Iterator[Text]]]] = {
    "node_classes": (feeding.NODE, feeding.node_texts),
    "belief_kinds": (feeding.BELIEF, feeding.belief_texts),
}
"""What rows of a family are in the index, and how they are read for it."""


def register() -> None:
    follower = Follower(
        lambda workspace, move: {},
        lambda write, move, only: {},
        settle=settle,
        marks=marks,
        rehearse=rehearse,
        install=install,
    )
    following.register("recall", follower)


def settle(write: Write, family: str, ids: Ids) -> None:
    """Put what was touched into the index as it is called now."""
    if family == "node_classes":
        feeding.refresh(write, nodes=ids)
    elif family == "belief_kinds":
        feeding.refresh(write, beliefs=ids)


def marks(workspace: Workspace, family: str, ids: Ids) -> dict[uuid.UUID, str]:
    """By which entries they are found."""
    return exchanging.marks(workspace, INDEXED[family][0], ids) if family in INDEXED else {}


def rehearse(write: Write, family: str, ids: Ids) -> dict[uuid.UUID, Any]:
    """The entries by which they would be found."""
    if family not in INDEXED:
        return {}
    target_type, texts = INDEXED[family]
    return exchanging.drafted(write, target_type, ids, texts(write.workspace, ids))


def install(write: Write, family: str, prepared: Prepared) -> None:
    """Exchange the entries."""
    if family in INDEXED:
        exchanging.exchange(write, INDEXED[family][0], prepared)
