"""Who plays which role in a relation, checked against the declared kind before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memoryapp.doors.errors import DomainError, NotFound, Violation
from memoryapp.graph.identity import resolve
from memoryapp.graph.models import Belief
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.queries.relations import relations as relations_seen
from memoryapp.graph.services.assembling import Playing
from memoryapp.graph.services.drafts import TAKEN_BACK
from memoryapp.graph.statements import Moment, Player, Quoted
from memoryapp.ledger.models import Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.document import Role
from memoryapp.sources.queries import taken_back

MOST_PLAYERS = 1000


@dataclass
class ReadPlayers:
    """What was handed over, as far as it can be read, and everything that is wrong with it."""

    players: list[Playing] = field(default_factory=list)
    wrong: list[Violation] = field(default_factory=list)

    def add(self, path: str, code: str, message: str, accepted: str = "") -> None:
        self.wrong.append(Violation(path, code, message, accepted))

    def in_role(self, role: str) -> list[Playing]:
        return [player for player in self.players if player.role == role]

    def belief(self, role: str) -> Belief:
        belief = self.in_role(role)[0].belief
        if belief is None:
            raise AssertionError("who may play was checked before")
        return belief


def read_players(
    write: Write,
    ontology: Ontology,
    kind: str,
    players: Sequence[Player],
    attributes: dict[str, Any],
    valid_from: Moment | None,
    valid_to: Moment | None,
    evidence: Sequence[Quoted],
) -> ReadPlayers:
    read = ReadPlayers()
    roles = ontology.relation_kind(kind).roles
    if len(players) > MOST_PLAYERS:
        read.add("/players", "too_many", f"{len(players)} players are too many.", f"at most {MOST_PLAYERS}")
        return read
    for place, player in enumerate(players):
        _read_player(write, ontology, kind, player, f"/players/{place}", read)
    counts = Counter(player.role for player in players)
    for name, role in roles.items():
        _check_count(kind, name, role, counts[name], read)
    _check_twice(read)
    read.wrong += ontology.relation_attribute_violations(kind, attributes)
    for path, moment in (("/valid_from", valid_from), ("/valid_to", valid_to)):
        if moment is not None and moment.instant.utcoffset() is None:
            read.add(path, "naive_time", "It does not say in which time zone.", "a time with its offset")
            return read
    if valid_from and valid_to and valid_to.instant < valid_from.instant:
        accepted = f"a time from {valid_from.instant.isoformat()} on"
        read.add("/valid_to", "valid_to_before_valid_from", "It would end before it began.", accepted)
    for place, quoted in enumerate(evidence):
        _check_quoted(write, quoted, f"/evidence/{place}", read)
    if evidence and kind == "sourcing":
        read.add("/evidence", "evidence_not_asked", "A sourcing is itself evidence.", "no evidence")
    return read


def _read_player(write: Write, ontology: Ontology, kind: str, player: Player, path: str, read: ReadPlayers) -> None:
    try:
        role = ontology.role(kind, player.role, f"{path}/role")
        playing = _playing(write, player, path, read)
        if playing is not None:
            _check_may_play(ontology, kind, role, playing, path, read)
            read.players.append(playing)
    except DomainError as error:
        found = error.violations or (Violation(path, error.code, error.detail),)
        for one in found:
            inner = one.path if one.path.startswith(path) else path + one.path
            read.wrong.append(replace(one, path=inner))


def _playing(write: Write, player: Player, path: str, read: ReadPlayers) -> Playing | None:
    given = [name for name in ("belief", "node", "source", "relation") if getattr(player, name) is not None]
    if len(given) != 1:
        message = "A player is exactly one thing."
        read.add(path, "player_is_one_thing", message, "one of belief, node, source and relation")
        return None
    if player.belief is not None:
        belief = Belief.objects.visible_to(write.by).filter(pk=player.belief).exclude(status=Status.DELETED).first()
        if belief is None:
            raise NotFound("There is no such belief.", code="no_such_belief")
        return Playing(player.role, belief=belief)
    if player.node is not None:
        return Playing(player.role, node=resolve(write, player.node))
    if player.relation is not None:
        relation = relations_seen(write.by).filter(pk=player.relation).first()
        if relation is None:
            raise NotFound("There is no such relation.", code="no_such_relation")
        return Playing(player.role, relation=relation)
    quoted = player.source
    if quoted is None or not _check_quoted(write, quoted, f"{path}/source", read):
        return None
    return Playing(player.role, source=quoted.source, start=quoted.start, end=quoted.end)


def _check_quoted(write: Write, quoted: Quoted, path: str, read: ReadPlayers) -> bool:
    length = len(quoted.source.content)
    if quoted.source.workspace_id != write.workspace_id:
        read.add(path, "no_such_source", "There is no such source.", "a source's id")
        return False
    if taken_back([quoted.source.pk]):
        read.add(path, "source_withdrawn", TAKEN_BACK, "a source that stands")
        return False
    if quoted.start is None and quoted.end is None:
        return True
    if quoted.start is None or quoted.end is None or not 0 <= quoted.start < quoted.end <= length:
        read.add(path, "span_outside_source", "The quoted span is not in the source.", f"0 <= start < end <= {length}")
        return False
    return True


def _check_may_play(ontology: Ontology, kind: str, role: Role, player: Playing, path: str, read: ReadPlayers) -> None:
    if player.belief is not None:
        allowed, what = ontology.belief_may_play(role, player.belief.kind), f"a {player.belief.kind}"
    elif player.node is not None:
        allowed, what = ontology.node_may_play(role, player.node.node_class), f"a {player.node.node_class}"
    elif player.source is not None:
        allowed, what = ontology.source_may_play(role, player.source.kind), f"a {player.source.kind}"
    else:
        plays = player.relation.kind if player.relation else ""
        allowed, what = ontology.relation_may_play(role, plays), f"a {plays}"
    if not allowed:
        message = f"{what[0].upper()}{what[1:]} may not be the {player.role} of a {kind}."
        read.add(path, "may_not_play", message, who_may_play(role))


def who_may_play(role: Role) -> str:
    """Who may play a role, in words."""
    listed = (("belief", role.beliefs), ("node", role.nodes), ("source", role.sources), ("relation", role.relations))
    return "; ".join(f"{what}: {'any' if '*' in names else ', '.join(names)}" for what, names in listed if names)


def _check_count(kind: str, name: str, role: Role, count: int, read: ReadPlayers) -> None:
    if count < role.minimum:
        message = f"A {kind} needs {_number(role)} in the role {name}; there {_are(count)}."
        read.add("/players", "role_missing", message, f"{_number(role)} in the role {name}")
    elif role.maximum is not None and count > role.maximum:
        message = f"A {kind} takes {_number(role)} in the role {name}; there {_are(count)}."
        read.add("/players", "role_too_many", message, f"{_number(role)} in the role {name}")


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count}"


def _number(role: Role) -> str:
    least, most = role.minimum, role.maximum
    if most is None:
        return f"at least {least}"
    return f"exactly {least}" if least == most else f"{least} to {most}"


def _check_twice(read: ReadPlayers) -> None:
    seen: Counter[tuple[str, Any]] = Counter()
    for player in read.players:
        thing = player.belief or player.node or player.source or player.relation
        if thing is not None:
            seen[type(thing).__name__, (thing.pk, player.start if player.source else None)] += 1
    for (what, _), count in seen.items():
        if count > 1:
            message = f"The same {what.lower()} plays twice in one relation."
            read.add("/players", "player_twice", message, "each player once")
