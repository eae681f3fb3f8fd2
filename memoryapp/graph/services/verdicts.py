"""What each verdict on a conflict does. One transaction each: statuses, dates, supersession or derivation, history."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memoryapp.doors import moments
from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.doors.moments import Precision
from memoryapp.graph import changes, slots
from memoryapp.graph.models import Belief, Relation
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.services import conflict
from memoryapp.graph.services.assembling import Assembly, Playing, change_relation
from memoryapp.graph.services.audiences import named_readers, readers_of
from memoryapp.graph.services.beliefs import change_state, owners_of, set_dates, supersede
from memoryapp.graph.services.editing import replace
from memoryapp.graph.services.remembering import record_all
from memoryapp.graph.statements import Moment, NodeStored, Quoted, Statement
from memoryapp.ledger.models import Write
from memoryapp.ontology.queries import current_ontology
from memoryapp.sources import services as sources

NEWER_REPLACES = "newer_replaces"
OLDER_STANDS = "older_stands"
DIFFERENT_TIMES = "both_at_different_times"
DIFFERENT_CIRCUMSTANCES = "both_in_different_circumstances"
MERGED = "merged"
NOT_A_CONFLICT = "not_a_conflict"
NEITHER = "neither"

WORDS = {
    NEWER_REPLACES: "The newer one replaces the older one.",
    OLDER_STANDS: "The older one stands.",
    DIFFERENT_TIMES: "Both hold, at different times.",
    DIFFERENT_CIRCUMSTANCES: "Both hold, in different circumstances.",
    MERGED: "Both are merged into a new statement.",
    NOT_A_CONFLICT: "They do not contradict each other.",
    NEITHER: "Neither holds.",
}

CONDITION_KIND = "long_term"
"""The kind of a condition, where it is declared; else that of what depends on it."""


@dataclass
class Dispute:
    """An open conflict with its two sides as they stand after any edit."""

    relation: Relation
    older: Belief
    newcomer: Belief
    made: list[Belief] = field(default_factory=list)
    """Beliefs that the verdict itself wrote down."""

    @property
    def earlier(self) -> Belief:
        """The side that begins first in valid time; the older one when they begin together."""
        return self.older if _begins(self.older) <= _begins(self.newcomer) else self.newcomer

    @property
    def later(self) -> Belief:
        return self.newcomer if self.earlier is self.older else self.older


def dispute(write: Write, relation_id: uuid.UUID) -> Dispute:
    """The open conflict with this id. Raises Conflict `settled` when it is not open any more."""
    relation = Relation.objects.get(workspace=write.workspace, pk=relation_id, kind="conflict")
    if relation.state != Relation.State.ACTIVATED or relation.valid_to is not None:
        raise Conflict("This conflict is settled already.", code="settled")
    claims = [player.belief for player in relation.players.select_related("belief").order_by("position")]
    older, newcomer = claims
    assert older is not None
    assert newcomer is not None
    return Dispute(relation, older, newcomer)


def settle(write: Write, one: Dispute, verdict: str, edits: Mapping[str, Any]) -> list[Belief]:
    """Carry a verdict out, after the edits of text and dates that come with it. Returns every belief it touched.

    A newcomer that no other open conflict holds is activated or archived by it, never left waiting. Raises what the
    verbs raise, and Invalid `still_overlap`, `nothing_to_merge`.
    """
    reason = _reason(write, verdict)
    before = [one.older, one.newcomer]
    _edit(write, one, edits, reason)
    for relation in [one.relation, *_of_edited_pair(write, one, before, verdict, reason)]:
        if verdict == NOT_A_CONFLICT:
            change_relation(write, relation, reason=reason, state=Relation.State.RETRACTED)
        else:
            conflict.close(write, relation, reason=reason)
    _VERDICTS[verdict](write, one, edits, reason)
    sides = list({belief.pk: belief for belief in [*before, one.older, one.newcomer, *one.made]}.values())
    others = conflict.reconsider(write, sides, reason=reason)
    touched = [*sides, *others]
    for belief in touched:
        belief.refresh_from_db()
        conflict.refuse_taken_slot(belief)
    changes.announce(write, touched)
    return touched


def default_dates(older: Belief, newcomer: Belief) -> dict[str, dt.datetime | None]:
    """Dates by which the two would not overlap: the earlier one ends where the later one begins."""
    one = Dispute(Relation(), older, newcomer)
    until = one.later.valid_from
    names = {id(older): "older", id(newcomer): "newcomer"}
    dates = {
        "older_from": older.valid_from,
        "older_to": older.valid_to,
        "newcomer_from": newcomer.valid_from,
        "newcomer_to": newcomer.valid_to,
    }
    dates[f"{names[id(one.earlier)]}_to"] = until
    return dates


def _newer_replaces(write: Write, one: Dispute, edits: Mapping[str, Any], reason: str) -> None:
    if edits.get("never_right"):
        supersede(write, one.older, one.newcomer, reason=reason, never_right=True)
    else:
        supersede(write, one.earlier, one.later, reason=reason)


def _older_stands(write: Write, one: Dispute, edits: Mapping[str, Any], reason: str) -> None:
    _never_right(write, one.newcomer, reason)


def _different_times(write: Write, one: Dispute, edits: Mapping[str, Any], reason: str) -> None:
    if slots.overlap(conflict.interval(one.older), conflict.interval(one.newcomer)):
        ends = "older_to" if one.earlier is one.older else "newcomer_to"
        if ends not in edits:
            until = one.later.valid_from
            moment = Moment(until, Precision(one.later.valid_from_precision)) if until else None
            begins = one.earlier.valid_from
            set_dates(
                write,
                one.earlier,
                Moment(begins, Precision(one.earlier.valid_from_precision)) if begins else None,
                moment,
                reason=reason,
            )
    if slots.overlap(conflict.interval(one.older), conflict.interval(one.newcomer)):
        raise Invalid.at(
            "/edits/older_to",
            "still_overlap",
            "By these dates both would still hold at one time.",
            "dates by which one ends before the other begins",
        )


def _different_circumstances(write: Write, one: Dispute, edits: Mapping[str, Any], reason: str) -> None:
    for name, dependent in (("condition", one.newcomer), ("older_condition", one.older)):
        if text := str(edits.get(name, "")).strip():
            one.made.append(_condition(write, dependent, text, reason))


def _merged(write: Write, one: Dispute, edits: Mapping[str, Any], reason: str) -> None:
    if one.older.shape != Belief.Shape.STATEMENT:
        raise Invalid.at("/verdict", "nothing_to_merge", "Only free statements are merged into one.", "another verdict")
    later = one.later
    merged = replace(
        write,
        later,
        content=str(edits["text"]),
        premises=(one.earlier.pk, later.pk),
        valid_from=edits.get("merged_from") or _moment(later.valid_from, later.valid_from_precision),
        status=Status.ACTIVATED,
        reason=reason,
    )
    one.made.append(merged)
    supersede(write, one.earlier, merged, reason=reason)
    supersede(write, later, merged, reason=reason)


def _not_a_conflict(write: Write, one: Dispute, edits: Mapping[str, Any], reason: str) -> None:
    """Both hold. The retracted conflict is what is remembered of the pair."""


def _neither(write: Write, one: Dispute, edits: Mapping[str, Any], reason: str) -> None:
    _never_right(write, one.older, reason)
    _never_right(write, one.newcomer, reason)


_VERDICTS = {
    NEWER_REPLACES: _newer_replaces,
    OLDER_STANDS: _older_stands,
    DIFFERENT_TIMES: _different_times,
    DIFFERENT_CIRCUMSTANCES: _different_circumstances,
    MERGED: _merged,
    NOT_A_CONFLICT: _not_a_conflict,
    NEITHER: _neither,
}


def _edit(write: Write, one: Dispute, edits: Mapping[str, Any], reason: str) -> None:
    """Texts and dates as the person put them right, before the verdict: a new text is a new belief of theirs."""
    one.older = _edited_side(write, one, one.older, "older", edits, reason)
    one.newcomer = _edited_side(write, one, one.newcomer, "newcomer", edits, reason)


def _edited_side(
    write: Write, one: Dispute, belief: Belief, side: str, edits: Mapping[str, Any], reason: str
) -> Belief:
    text = str(edits.get(f"{side}_text", "")).strip()
    changed = text and slots.normal_content(text) != slots.normal_content(belief.content)
    valid_from = edits.get(f"{side}_from") or _moment(belief.valid_from, belief.valid_from_precision)
    valid_to = edits.get(f"{side}_to") or _moment(belief.valid_to, belief.valid_to_precision)
    valid_from, valid_to = _as_moment(valid_from), _as_moment(valid_to)
    if not changed:
        if f"{side}_from" in edits or f"{side}_to" in edits:
            set_dates(write, belief, valid_from, valid_to, reason=reason)
        return belief
    edited = replace(
        write,
        belief,
        content=text,
        premises=(belief.pk,),
        valid_from=valid_from,
        valid_to=valid_to,
        status=Status(belief.status),
        reason=reason,
    )
    supersede(write, belief, edited, reason=reason, never_right=True)
    one.made.append(belief)
    return edited


def _of_edited_pair(write: Write, one: Dispute, before: list[Belief], verdict: str, reason: str) -> list[Relation]:
    """Where both may stand and a text was edited, the ruling is kept for the edited pair as well."""
    edited = [one.older, one.newcomer]
    if verdict not in (DIFFERENT_CIRCUMSTANCES, NOT_A_CONFLICT) or edited == before:
        return []
    assembly = Assembly(write, one.newcomer.ontology_version)
    assembly.add("conflict", [Playing("claim", belief=claim) for claim in edited], reason=reason)
    return assembly.finish()


def _never_right(write: Write, belief: Belief, reason: str) -> None:
    change_state(write, belief, reason=reason, status=Status.ARCHIVED, standing=Standing.RETRACTED)


def _condition(write: Write, dependent: Belief, text: str, reason: str) -> Belief:
    """The condition as a belief of the person who stated it, and the conditioning of what depends on it."""
    kind = CONDITION_KIND if CONDITION_KIND in current_ontology(write.workspace).instantiable_kinds else dependent.kind
    source = sources.state(write, text, readers=readers_of(dependent))
    statement = Statement(
        kind=kind,
        content=text,
        owners=tuple(NodeStored(uuid.UUID(owner)) for owner in owners_of(dependent)),
        evidence=(Quoted(source),),
        audience=dependent.audience,
        readers=tuple(named_readers(dependent)),
    )
    condition = record_all(write, [statement], numbered=False)[0].belief
    assembly = Assembly(write, dependent.ontology_version)
    players = [Playing("condition", belief=condition), Playing("dependent", belief=dependent)]
    assembly.add("conditioning", players, reason=reason)
    assembly.finish()
    return condition


def _reason(write: Write, verdict: str) -> str:
    return f"{WORDS[verdict]} {write.rationale}".strip()


def _begins(belief: Belief) -> dt.datetime:
    return belief.valid_from or slots.EARLIEST


def _moment(instant: dt.datetime | None, precision: str) -> Moment | None:
    return Moment(instant, Precision(precision)) if instant else None


def _as_moment(given: moments.Moment | Moment | None) -> Moment | None:
    return Moment(given.instant, Precision(given.precision)) if given else None
