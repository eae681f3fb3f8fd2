"""What stands directly around beliefs: what each rests on, what was drawn from it, what replaced or contradicts it."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from memoryapp.graph.models import Belief, Relation, RelationPlayer
from memoryapp.graph.queries.told import Told, quotes_of
from memoryapp.ledger.principal import Principal

SHOWN = ("derivation", "supersession", "conflict")
MOST = 400
"""Players that are read at most."""
TIES = {
    ("derivation", "conclusion", "premise"): "rests on",
    ("derivation", "premise", "conclusion"): "concluded from it",
    ("supersession", "successor", "superseded"): "replaced",
    ("supersession", "superseded", "successor"): "replaced by",
    ("conflict", "claim", "claim"): "contradicts",
    ("settled", "claim", "claim"): "contradicted",
}
"""How a belief in the first role is tied to one in the second."""


@dataclass(frozen=True)
class Tie:
    """How one belief is tied to another: `words` is one of `TIES`."""

    words: str
    belief: uuid.UUID


@dataclass(frozen=True)
class Around:
    """The ties of the beliefs that were asked about, every belief in sight by its id, and the words each stands on.

    `cut`: there was more than is read.
    """

    ties: dict[uuid.UUID, list[Tie]]
    beliefs: dict[uuid.UUID, Belief]
    sources: dict[uuid.UUID, list[Told]]
    cut: bool


def around(by: Principal, belief_ids: Sequence[uuid.UUID]) -> Around:
    """What stands directly around these, of what is in sight; four queries however many they are."""
    wanted = list(dict.fromkeys(belief_ids))
    touching = RelationPlayer.objects.filter(
        workspace=by.workspace, belief__in=wanted, kind__in=SHOWN, relation__state=Relation.State.ACTIVATED
    )
    players = list(
        RelationPlayer.objects.filter(relation__in=touching.values("relation"), belief__isnull=False)
        .order_by("relation__recorded_at", "relation", "position", "pk")
        .values_list("relation", "kind", "relation__valid_to", "role", "belief")[: MOST + 1]
    )
    cut = len(players) > MOST
    beliefs = Belief.objects.visible_to(by).in_bulk({*wanted, *(belief for *_, belief in players[:MOST])})
    by_relation: dict[uuid.UUID, list[tuple[str, str, uuid.UUID]]] = defaultdict(list)
    for relation, kind, ended, role, belief in players[:MOST]:
        by_relation[relation].append(("settled" if ended and kind == "conflict" else kind, role, belief))
    ties: dict[uuid.UUID, list[Tie]] = {one: [] for one in wanted if one in beliefs}
    for together in by_relation.values():
        if any(belief not in beliefs for _, _, belief in together):
            continue
        for kind, role, belief in together:
            for _, other_role, other in together if belief in ties else ():
                words = TIES.get((kind, role, other_role))
                if words and other != belief:
                    ties[belief].append(Tie(words, other))
    return Around(ties, beliefs, quotes_of(by, list(ties)), cut)
