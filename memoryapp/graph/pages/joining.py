"""Relations that join nodes, for the console: in words, and as a small hub in the picture of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from memoryapp.doors.pages import address
from memoryapp.graph.models import RelationPlayer
from memoryapp.graph.queries.joined import Joined
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology


class Placed(Protocol):
    """A node in the picture."""

    @property
    def x(self) -> int: ...

    @property
    def width(self) -> int: ...

    @property
    def middle(self) -> int: ...


def lines(by: Principal, several: Sequence[Joined]) -> list[dict[str, Any]]:
    """Each relation with who plays what in it, and when it holds."""
    declared = current_ontology(by).document.relation_kinds if several else {}
    return [
        {
            "title": (declared[one.relation.kind].title if one.relation.kind in declared else "")
            or one.relation.kind.replace("_", " ").capitalize(),
            "players": [_player(by, player) for player in one.players],
            "attributes": sorted(one.relation.attributes.items()),
            "valid_from": one.relation.valid_from,
            "valid_to": one.relation.valid_to,
        }
        for one in several
    ]


def _player(by: Principal, player: RelationPlayer) -> dict[str, str]:
    words, url = "a source" if player.source_id else "another relation", ""
    if player.node is not None:
        words, url = player.node.label, address(by, "graph:node", player.node.pk)
    elif player.belief is not None:
        words, url = player.belief.content, address(by, "graph:belief", player.belief.pk)
    return {"role": player.role, "words": words, "url": url}


def hubs(several: Sequence[Joined], placed: Mapping[Any, Placed]) -> list[dict[str, Any]]:
    """A hub for each relation of which two players are in the picture, with a spoke to each."""
    found = []
    for number, one in enumerate(several):
        boxes = [placed[player.node_id] for player in one.players if player.node_id in placed]
        if len(boxes) < 2:
            continue
        ends = [(box.x + box.width // 2, box.middle) for box in boxes]
        x = sum(end[0] for end in ends) // len(ends) + 12 * (number % 3)
        y = sum(end[1] for end in ends) // len(ends) + 24
        roles = ", ".join(f"{player.role}: {player.node.label}" for player in one.players if player.node)
        found.append(
            {
                "x": x,
                "y": y,
                "spokes": [f"M{x} {y}L{end[0]} {end[1]}" for end in ends],
                "words": f"{one.relation.kind.replace('_', ' ')} ({roles})",
            }
        )
    return found
