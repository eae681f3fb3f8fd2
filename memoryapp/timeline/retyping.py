"""How the timeline follows a change of the declared types, and which of its rows would not fit one."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

from django.db.models import F, QuerySet

from memoryapp.index import exchanging
from memoryapp.ledger.changing import rename_key
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import following, rules
from memoryapp.ontology.changeset.moves import Move
from memoryapp.ontology.following import Follower, Ids, Only, Prepared, Touched
from memoryapp.ontology.rules import RequiredRule, Row, Rule, TakingPartRule, ValueRule
from memoryapp.timeline import feeding
from memoryapp.timeline.models import Audience, Episode, EpisodeParticipant, EpisodeRevision, EpisodeValue, State
from memoryapp.timeline.services import valuing

KINDS = "episode_kinds"
SHORT = 200


def register() -> None:
    follower = Follower(count, move, clear=clear, settle=settle, marks=marks, rehearse=rehearse, install=install)
    following.register(
        "timeline",
        follower,
        rows={KINDS: lambda workspace, types: Episode.objects.filter(workspace=workspace, kind__in=types)},
    )
    rules.register(breaks)


def count(workspace: Workspace, move: Move) -> dict[str, int]:
    """How many rows would follow."""
    rows = _rows(workspace, move)
    return {"episodes": rows.count()} if rows is not None else {}


def move(write: Write, move: Move, only: Only | None = None) -> dict[str, int]:
    """Let every row follow one move, or those of some episodes."""
    rows = _rows(write.workspace, move)
    if rows is None or (only is not None and only.family != KINDS):
        return {}
    if only is not None:
        rows = rows.filter(pk__in=only.ids) if rows.model is Episode else rows.filter(episode__in=only.ids)
    if not move.part:
        return {"episodes": rows.update(kind=move.to)}
    if move.part == "role":
        return {"episodes": rows.update(role=move.to)}
    held = EpisodeValue.objects.filter(
        workspace=write.workspace, episode__kind__in=move.types, name=move.name, revision__in=rows.values("pk")
    )
    held.update(name=move.to)
    return {"episodes": rename_key(rows, "properties", move.name, move.to)}


def _rows(workspace: Workspace, move: Move) -> QuerySet[Any] | None:
    if move.family != KINDS:
        return None
    if not move.part:
        return Episode.objects.filter(workspace=workspace, kind=move.type)
    if move.part == "role":
        return EpisodeParticipant.objects.filter(workspace=workspace, episode__kind__in=move.types, role=move.name)
    return EpisodeRevision.objects.filter(
        workspace=workspace, episode__kind__in=move.types, properties__has_key=move.name
    )


def clear(write: Write, touched: Touched) -> None:
    """Values are compared as what they are declared by now, before anything is settled."""
    if kinds := touched.of(KINDS):
        valuing.resort(write.workspace, kinds)


def settle(write: Write, family: str, ids: Ids) -> None:
    """The index, by what kinds are called now."""
    if family == KINDS:
        feeding.put(write, ids)


def marks(workspace: Workspace, family: str, ids: Ids) -> dict[uuid.UUID, str]:
    """How often they were said otherwise, and by which entries they are found."""
    if family != KINDS:
        return {}
    entries = exchanging.marks(workspace, feeding.EPISODE, ids)
    locks = Episode.objects.filter(pk__in=ids).values_list("pk", "lock", "state")
    return {pk: f"{lock}:{state}:{entries.get(pk, '')}" for pk, lock, state in locks}


def rehearse(write: Write, family: str, ids: Ids) -> dict[uuid.UUID, Any]:
    """The entries by which they would be found."""
    if family != KINDS:
        return {}
    return exchanging.drafted(write, feeding.EPISODE, ids, feeding.load(write.workspace, ids))


def install(write: Write, family: str, prepared: Prepared) -> None:
    """Exchange the entries."""
    if family == KINDS:
        exchanging.exchange(write, feeding.EPISODE, prepared)


def breaks(by: Principal, rule: Rule) -> Iterator[Row]:
    """Episodes that would not fit, as their latest revision says."""
    if rule.family != "episode_kinds":
        return
    revisions = EpisodeRevision.objects.filter(
        workspace=by.workspace, episode__kind__in=rule.types, sequence=F("episode__lock"), state=State.RECORDED
    ).order_by("pk")
    if isinstance(rule, ValueRule):
        for one in revisions.filter(properties__has_key=rule.name).iterator():
            if found := rule.check.violations(one.properties[rule.name], ""):
                yield _row(one, found[0].message)
    elif isinstance(rule, RequiredRule):
        for one in revisions.exclude(properties__has_key=rule.name).iterator():
            yield _row(one, "It holds none.")
    elif isinstance(rule, TakingPartRule):
        taking = EpisodeParticipant.objects.filter(revision__in=revisions, role=rule.role)
        for part in taking.select_related("node", "revision").order_by("pk").iterator():
            if not rule.accepts(part.node.node_class):
                yield _row(part.revision, f"A {part.node.node_class} takes part.")


def _row(revision: EpisodeRevision, why: str) -> Row:
    shown = revision.audience == Audience.WORKSPACE
    return Row("episode", revision.episode_id, revision.content[:SHORT] if shown else "", why if shown else "")
