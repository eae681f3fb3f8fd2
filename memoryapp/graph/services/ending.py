"""Ending what is believed when somebody says that it is over, or that something else is so instead."""

from __future__ import annotations

from memoryapp.graph import changes, slots
from memoryapp.graph.models import Belief
from memoryapp.graph.models.beliefs import Audience, Status
from memoryapp.graph.services.assembling import Assembly, Playing
from memoryapp.graph.services.beliefs import end, supersede
from memoryapp.graph.services.confirmed import is_confirmed
from memoryapp.graph.services.conflict import Rival, interval, reconsider
from memoryapp.graph.services.reading import read_one
from memoryapp.graph.services.remembering import Remembered, record_all
from memoryapp.graph.statements import Quoted, Statement
from memoryapp.ledger.models import Actor, Write
from memoryapp.ontology.normalise import normal_value
from memoryapp.ontology.queries import current_ontology

CONFIRMED = "It was said to have changed, and a person confirmed what is held."


def end_like(write: Write, statement: Statement, *, reason: str) -> Belief | None:
    """End the activated belief that says the same as `statement`, or fills the slot of the free statement it is.

    It ends at the statement's valid_to, else at its valid_from, else when its evidence was said. None when nothing of
    the kind is believed. Raises Invalid as remembering the statement would.
    """
    draft = read_one(write, statement)
    live = Belief.objects.visible_to(write.by).filter(status=Status.ACTIVATED)
    standing = live.filter(statement=draft.digest).first()
    if standing is None and draft.slot and draft.shape == Belief.Shape.STATEMENT:
        standing = live.filter(slot=draft.slot).first()
    if standing is None:
        return None
    over = draft.valid_to or draft.valid_from
    ended = end(
        write,
        standing,
        over.instant if over else draft.said_at or write.recorded_at,
        reason=reason,
        precision=over.precision if over else "instant",
    )
    changes.announce(write, [ended, *reconsider(write, [ended])])
    return ended


def change_value(write: Write, statement: Statement, *, instead_of: str = "", reason: str) -> Remembered | None:
    """The value of a property takes the place of the one that is held of it: `instead_of`, or the only one there is.

    None when nothing is plainly replaced: no value or several are held, the same one is, or the one that is held began
    later. What a person confirmed is not replaced by anybody else: then the new value waits beside it.
    """
    draft = read_one(write, statement)
    begins = draft.interval[0]
    if draft.shape != Belief.Shape.PROPERTY or begins is None or draft.subject is None:
        return None
    rows = Belief.objects.filter(
        workspace=write.workspace,
        shape=Belief.Shape.PROPERTY,
        subject=draft.subject,
        predicate=draft.predicate,
        status=Status.ACTIVATED,
        audience=Audience.WORKSPACE,
    )
    held = [one for one in rows.order_by("recorded_at", "pk") if slots.overlap(interval(one), draft.interval)]
    if any(one.statement == draft.digest for one in held):
        return None
    normaliser = current_ontology(write.workspace).property(draft.subject.node_class, draft.predicate).normaliser
    left = normal_value(instead_of, normaliser) if instead_of else None
    named = [one for one in held if left and normal_value(one.value, normaliser) == left]
    if len(named or held) != 1:
        return None
    [older] = named or held
    if older.valid_from is not None and older.valid_from >= begins:
        return None
    if write.by.actor.kind != Actor.Kind.PERSON and is_confirmed(older):
        return record_all(write, [statement], numbered=False, against=[Rival(older, CONFIRMED)])[0]
    end(write, older, begins, reason=reason)
    remembered = record_all(write, [statement], numbered=False)[0]
    supersede(write, older, remembered.belief, reason=reason)
    changes.announce(write, [older])
    return remembered


def support(write: Write, belief: Belief, quoted: Quoted) -> None:
    """One more quote that a belief stands on; nothing when it stands on exactly these words already."""
    known = belief.plays.filter(
        kind="sourcing",
        role="sourced",
        relation__players__source=quoted.source,
        relation__players__span_start=quoted.start,
        relation__players__span_end=quoted.end,
    )
    if known.exists():
        return
    assembly = Assembly(write, belief.ontology_version)
    evidence = Playing("evidence", source=quoted.source, start=quoted.start, end=quoted.end)
    assembly.add("sourcing", [evidence, Playing("sourced", belief=belief)], reason="Said in the quoted source.")
    assembly.finish()
    changes.announce(write, [belief])
