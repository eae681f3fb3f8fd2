"""How the timeline follows a change of the declared types, and which of its rows would not fit one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import F, QuerySet

from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import following, rules
from memoryapp.ontology.changeset.moves import Move
from memoryapp.ontology.following import Follower, Touched
from memoryapp.ontology.rules import RequiredRule, Row, Rule, TakingPartRule, ValueRule
from memoryapp.timeline import feeding
from memoryapp.timeline.models import Audience, Episode, EpisodeParticipant, EpisodeRevision, State

CHUNK = 400
SHORT = 200


def register() -> None:
    following.register("timeline", Follower(count, move, settle))
    rules.register(breaks)


def count(workspace: Workspace, move: Move) -> dict[str, int]:
    """How many rows would follow."""
    rows = _rows(workspace, move)
    return {"episodes": rows.count()} if rows is not None else {}


def move(write: Write, move: Move) -> dict[str, int]:
    """Let every row follow one move."""
    rows = _rows(write.workspace, move)
    if rows is None:
        return {}
    if not move.part:
        return {"episodes": rows.update(kind=move.to)}
    if move.part == "role":
        return {"episodes": rows.update(role=move.to)}
    done = 0
    ids = list(rows.values_list("pk", flat=True))
    for start in range(0, len(ids), CHUNK):
        several = list(EpisodeRevision.objects.filter(pk__in=ids[start : start + CHUNK]))
        for one in several:
            one.properties = {move.to if name == move.name else name: it for name, it in one.properties.items()}
        EpisodeRevision.objects.bulk_update(several, ["properties"])
        done += len(several)
    return {"episodes": done}


def _rows(workspace: Workspace, move: Move) -> QuerySet[Any] | None:
    if move.family != "episode_kinds":
        return None
    if not move.part:
        return Episode.objects.filter(workspace=workspace, kind=move.type)
    if move.part == "role":
        return EpisodeParticipant.objects.filter(workspace=workspace, episode__kind__in=move.types, role=move.name)
    return EpisodeRevision.objects.filter(
        workspace=workspace, episode__kind__in=move.types, properties__has_key=move.name
    )


def settle(write: Write, touched: Touched) -> None:
    """The index, by what kinds are called now."""
    if kinds := touched.of("episode_kinds"):
        found = Episode.objects.filter(workspace=write.workspace, kind__in=kinds).order_by("pk")
        ids = list(found.values_list("pk", flat=True))
        for start in range(0, len(ids), CHUNK):
            feeding.put(write, ids[start : start + CHUNK])


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
