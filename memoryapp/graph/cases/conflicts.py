"""What the graph puts before a person when two beliefs contradict each other, and what each verdict does."""

from __future__ import annotations

import datetime as dt
import difflib
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from memoryapp.doors import moments
from memoryapp.graph import policy
from memoryapp.graph.models import Belief, Node, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Audience
from memoryapp.graph.queries import walks, why
from memoryapp.graph.queries.told import provenance, quotes_of, told
from memoryapp.graph.services import conflict, undoing, verdicts
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.together import Rows, read
from memoryapp.review import registry, sight
from memoryapp.review.models import Case, CaseSubject, Decision
from memoryapp.review.registry import Asks, CaseKind, Field, Subject, Suggestion, Verdict
from memoryapp.sources.models import Source

SIDES = ("older", "newcomer")
NAMES = {"older": "Held now", "newcomer": "Newcomer"}

OWNER = "relation__players__node__label"
NEVER_RIGHT = "The newcomer takes its place, and what is held now is served no more, not even for its own time."
PUT_RIGHT = "Becomes a statement of yours, derived from the one you edit."
EDITS = (
    Field("older_text", "Held now, put right", help=PUT_RIGHT),
    Field("older_from", "Held now holds from", Asks.MOMENT),
    Field("older_to", "Held now holds until", Asks.MOMENT),
    Field("newcomer_text", "Newcomer, put right", help=PUT_RIGHT),
    Field("newcomer_from", "Newcomer holds from", Asks.MOMENT),
    Field("newcomer_to", "Newcomer holds until", Asks.MOMENT),
)

VERDICTS = (
    Verdict(
        verdicts.NEWER_REPLACES,
        "Newer replaces older",
        (Field("never_right", "Older never was right", Asks.FLAG, help=NEVER_RIGHT), *EDITS),
        explains="The one that begins later takes over from then on; the other one ended and is kept for its time.",
    ),
    Verdict(
        verdicts.OLDER_STANDS,
        "Older stands",
        EDITS,
        explains="What is held now stays. The newcomer never was right.",
    ),
    Verdict(
        verdicts.DIFFERENT_TIMES,
        "Both, at different times",
        EDITS,
        explains="Both hold, each for its time. Without dates the earlier one ends where the later one begins.",
        opens=("older_from", "older_to", "newcomer_from", "newcomer_to"),
    ),
    Verdict(
        verdicts.DIFFERENT_CIRCUMSTANCES,
        "Both, in different circumstances",
        (
            Field("condition", "The newcomer holds", required=True, help="For example: when travelling."),
            Field("older_condition", "What is held now holds"),
            *EDITS,
        ),
        explains="Both hold; the condition is recorded with them.",
    ),
    Verdict(
        verdicts.MERGED,
        "Merge into one statement",
        (Field("text", "The statement", required=True), Field("merged_from", "Holds from", Asks.MOMENT), *EDITS),
        explains="A new statement of yours takes the place of both and is derived from them.",
    ),
    Verdict(
        verdicts.NOT_A_CONFLICT,
        "Not a conflict",
        EDITS,
        remembered=True,
        explains="Both hold. These two are never put before anybody again.",
    ),
    Verdict(verdicts.NEITHER, "Neither", EDITS, explains="Neither ever was right."),
)


def register() -> None:
    """Let review know the kinds of case and the things that cases of this room are about."""
    for name, title in (
        (conflict.BELIEF_CONFLICT, "Two statements contradict each other"),
        (conflict.PROPERTY_CONFLICT, "Two values for one property"),
    ):
        registry.register(
            CaseKind(
                name=name,
                title=title,
                verdicts=VERDICTS,
                present=present,
                decide=decide,
                undo=undo,
                suggest=suggest,
                blocked=blocked,
                reach=reach,
                alike=alike,
                policy=policy_now,
                explains="The one held now stays current until somebody decides.",
                headlines=headlines,
                template="graph/cases/conflict.html",
            )
        )
    sight.register(sight.SubjectType("belief", _hidden_beliefs, _beliefs_holding, BELIEFS_BY))
    sight.register(sight.SubjectType("relation", hidden=_hidden_relations))


def present(by: Principal, case: Case) -> dict[str, Any]:
    """Both sides with their sources, what rests on each, the words that differ, and the dates that would fit."""
    sides = _sides(by, case)
    older, newcomer = sides["older"], sides["newcomer"]
    quoted = quotes_of(by, [older.pk, newcomer.pk])
    removed, added = word_diff(older.content, newcomer.content)
    owners = {belief.pk: [label for (label,) in read(belief.owned_by)] for belief in (older, newcomer)}  # type: ignore[attr-defined]
    resting = {belief.pk: _resting_on(by, belief) for belief in (older, newcomer)}
    served = why.times_served(by, {older.pk: None, newcomer.pk: case.opened_at})
    return {
        "sides": [
            {
                "side": side,
                "name": NAMES[side],
                "belief": told(belief),
                "owners": owners[belief.pk],
                "recorded": provenance(belief.write),
                "sources": quoted[belief.pk],
                "resting_on_it": resting[belief.pk],
                "served": served[belief.pk],
                "words": removed if side == "older" else added,
            }
            for side, belief in sides.items()
        ],
        "default_dates": verdicts.default_dates(older, newcomer),
        "conflict": str(_relation_id(case)),
        "question": question(by, newcomer, owners[newcomer.pk]),
        "initial": initial(older, newcomer),
    }


def reach(write: Write, subjects: Sequence[Subject]) -> int:
    """How many beliefs would fall with either side, and how often either was served."""
    ids = [one.subject_id for one in subjects if one.role in SIDES]
    fallen = {one for each in walks.dependants_of(write.by, ids).values() for one in each}
    resting = Belief.objects.filter(workspace=write.workspace_id, pk__in=fallen, audience=Audience.WORKSPACE).count()
    return resting + sum(why.times_served(write.by, dict.fromkeys(ids)).values())


def alike(by: Principal, case: Case) -> Any:
    """Conflicts whose newcomer is of the same kind."""
    same = Belief.objects.filter(kind=_sides(by, case)["newcomer"].kind, pk=OuterRef("subject_id"))
    return CaseSubject.objects.filter(Exists(same), workspace=by.workspace, role="newcomer")


def policy_now(by: Principal, case: Case) -> str:
    """What the conflict policy would do with these two."""
    if not by.workspace.settings.get(policy.SETTING):
        return "No conflict policy is in force: every conflict goes to a person."
    sides = _sides(by, case)
    rule = policy.suggested(by.workspace, sides["older"], sides["newcomer"])
    if rule is None:
        return "No rule of the conflict policy fits, so it goes to a person."
    return f"The rule “{rule.name}” of the conflict policy would decide: {rule.verdict.replace('_', ' ')}."


def question(by: Principal, belief: Belief, owners: Sequence[str]) -> str:
    """What the two disagree about, in a few words; empty where nothing names it."""
    if belief.shape == Belief.Shape.STATEMENT:
        about, of = belief.topic, ", ".join(owners)
    else:
        about = belief.predicate.replace("_", " ")
        named = Node.objects.visible_to(by).filter(pk=belief.subject_id) if belief.subject_id else Node.objects.none()
        of = named.values_list("label", flat=True).first() or ""
    return ": ".join(part for part in (of, about) if part) if about else ""


def headlines(by: Principal, cases: Sequence[Case]) -> dict[uuid.UUID, str]:
    """What the newcomer of each conflict says."""
    newcomers = {
        case.pk: subject.subject_id for case in cases for subject in case.subjects.all() if subject.role == "newcomer"
    }
    found = Belief.objects.visible_to(by).filter(pk__in=newcomers.values()).values_list("pk", "content")
    contents = dict(found)
    return {case: contents[belief] for case, belief in newcomers.items() if belief in contents}


def initial(older: Belief, newcomer: Belief) -> dict[str, str]:
    """What the fields of the verdicts hold before anybody changed them: both sides as they are, and fitting dates."""
    one = verdicts.Dispute(Relation(), older, newcomer)
    ends = "older_to" if one.earlier is older else "newcomer_to"
    begins = _day(one.later.valid_from, one.later.valid_from_precision)
    held = {
        f"{side}_{edge}": _day(getattr(belief, f"valid_{edge}"), getattr(belief, f"valid_{edge}_precision"))
        for side, belief in (("older", older), ("newcomer", newcomer))
        for edge in ("from", "to")
    }
    return held | {
        f"{verdicts.DIFFERENT_TIMES}.{ends}": begins,
        "older_text": older.content,
        "newcomer_text": newcomer.content,
        "text": one.later.content,
        "merged_from": begins,
    }


def owner_labels(beliefs: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[str]]:
    """Whose memory each of these is, by name."""
    labels: dict[uuid.UUID, list[str]] = {belief: [] for belief in beliefs}
    for belief, label in _ownerships().filter(belief__in=beliefs).values_list("belief", OWNER):
        labels[belief].append(label)
    return labels


def _ownerships() -> QuerySet[RelationPlayer]:
    """What is owned, once for each that owns it, in the order in which they were named."""
    owned = RelationPlayer.objects.filter(kind="ownership", role="owned", relation__state=Relation.State.ACTIVATED)
    return owned.filter(relation__players__role="owner").order_by("relation__players__position")


def _day(instant: dt.datetime | None, precision: str) -> str:
    """As exactly as it is known, to the day at most, in the zone of whoever looks."""
    if instant is None:
        return ""
    if precision != moments.Precision.INSTANT:
        return moments.render(instant, precision)
    return moments.render(instant, moments.Precision.DAY, timezone.get_current_timezone_name())


def decide(write: Write, case: Case, verdict: str, edits: dict[str, Any]) -> None:
    """Carry the verdict out on the conflict that the case is about."""
    verdicts.settle(write, verdicts.dispute(write, _relation_id(case)), verdict, edits)


def undo(write: Write, decision: Decision) -> None:
    """Put back what the decision changed, or say which later write stands in the way."""
    undoing.undo(write, decision)


def suggest(by: Principal, case: Case) -> Suggestion | None:
    """What a rule of the policy says, or what the dates of the two say when they say it plainly."""
    sides = _sides(by, case)
    older, newcomer = sides["older"], sides["newcomer"]
    if rule := policy.suggested(by.workspace, older, newcomer):
        return Suggestion(rule.verdict, f"The policy “{rule.name}” would decide so.")
    if older.valid_from and newcomer.valid_from and older.valid_from != newcomer.valid_from:
        later = "newcomer" if newcomer.valid_from > older.valid_from else "one held now"
        return Suggestion(verdicts.NEWER_REPLACES, f"The {later} was said of a later time.")
    return None


def blocked(by: Principal, case: Case) -> Mapping[str, str]:
    """Verdicts that these two cannot have."""
    if _sides(by, case)["older"].shape == Belief.Shape.STATEMENT:
        return {}
    return {verdicts.MERGED: "Only free statements can be merged into one."}


def word_diff(older: str, newer: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Both texts in pieces, each piece with whether only this text has it."""
    one, other = re.findall(r"\s+|[^\s]+", older), re.findall(r"\s+|[^\s]+", newer)
    left: list[tuple[str, bool]] = []
    right: list[tuple[str, bool]] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if i < j:
            left.append(("".join(one[i:j]), tag != "equal"))
        if k < m:
            right.append(("".join(other[k:m]), tag != "equal"))
    return left, right


def _sides(by: Principal, case: Case) -> dict[str, Belief]:
    """Both beliefs; looked up once for the case in hand, of which several things are asked in a row."""
    seen: tuple[Any, dict[str, Belief]] | None = getattr(case, "sides_seen", None)
    if seen is not None and seen[0] == by.actor.pk:
        return seen[1]
    ids = {one.role: one.subject_id for one in case.subjects.all() if one.role in SIDES}
    of_it = OuterRef("pk")
    beliefs = Belief.objects.visible_to(by).select_related("write__actor")
    asked = beliefs.annotate(
        owned_by=Rows(_ownerships().filter(belief=of_it), OWNER),
        is_rested_on=Exists(walks.used_by(of_it)),
    )
    found = asked.in_bulk(list(ids.values()))
    sides = {side: found[ids[side]] for side in SIDES}
    case.sides_seen = (by.actor.pk, sides)  # type: ignore[attr-defined]
    return sides


def _resting_on(by: Principal, belief: Belief) -> int:
    """How many would fall with it."""
    return len(walks.dependants(by, belief=belief.pk)) if belief.is_rested_on else 0  # type: ignore[attr-defined]


def _relation_id(case: Case) -> Any:
    return next(one.subject_id for one in case.subjects.all() if one.role == "conflict")


def _hidden_beliefs(by: Principal) -> Any:
    return Belief.objects.hidden_from(by).values("pk")


def _beliefs_of(by: Principal, node: uuid.UUID) -> Any:
    """Beliefs whose owner, subject or object is a node in sight."""
    seen = Node.objects.visible_to(by).filter(pk=node)
    owned = RelationPlayer.objects.filter(
        kind="ownership",
        role="owned",
        relation__state=Relation.State.ACTIVATED,
        relation__players__role="owner",
        relation__players__node__in=seen,
    )
    beliefs = Belief.objects.filter(workspace=by.workspace)
    named = [beliefs.filter(subject__in=seen).values("pk"), beliefs.filter(object__in=seen).values("pk")]
    return owned.values("belief").union(*named, all=True)


def _beliefs_from(by: Principal, source: uuid.UUID) -> Any:
    seen = Source.objects.visible_to(by).filter(pk=source)
    sourced = RelationPlayer.objects.filter(kind="sourcing", role="sourced", belief__isnull=False)
    return sourced.filter(relation__players__source__in=seen).values("belief")


def _beliefs_less_sure(by: Principal, percent: int) -> Any:
    return Belief.objects.filter(workspace=by.workspace, confidence__lt=percent).values("pk")


BELIEFS_BY: Mapping[str, Callable[[Principal, Any], Any]] = {
    "node": _beliefs_of,
    "source": _beliefs_from,
    "unsure": _beliefs_less_sure,
}


def _hidden_relations(by: Principal) -> Any:
    """Asked for apart: asked for either, an engine would go through all that plays in relations."""
    beliefs = RelationPlayer.objects.filter(belief__in=_hidden_beliefs(by))
    sources = RelationPlayer.objects.filter(source__in=Source.objects.hidden_from(by))
    return beliefs.values("relation").union(sources.values("relation"), all=True)


def _beliefs_holding(by: Principal, text: str) -> Any:
    return Belief.objects.visible_to(by).filter(content__icontains=text).values("pk")
