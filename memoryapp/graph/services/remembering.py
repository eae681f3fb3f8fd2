"""Remembering: a statement becomes a new belief, one more evidence on an old one, or a newcomer in a conflict.

Writes of a workspace run one after another, so what is read here still holds when it is appended.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from memoryapp.doors.errors import Conflict, Invalid, Violation
from memoryapp.graph import changes, slots
from memoryapp.graph import waiting as waiting_room
from memoryapp.graph.models import Belief, BeliefReader, BeliefState, Node
from memoryapp.graph.models.beliefs import Audience, Standing, Status
from memoryapp.graph.services import conflict
from memoryapp.graph.services.assembling import Assembly, Playing
from memoryapp.graph.services.beliefs import HEAD, end
from memoryapp.graph.services.confirmed import bound_by_people, is_confirmed
from memoryapp.graph.services.drafts import Draft, is_unvouched
from memoryapp.graph.services.known import Known, known_of
from memoryapp.graph.services.reading import Reading
from memoryapp.graph.statements import Moment, Quoted, Statement
from memoryapp.ledger import prepared
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.models import Actor, Write
from memoryapp.ontology.queries import current_ontology
from memoryapp.review.models import Case

Outcome = Literal["created", "said_again", "ended", "already_known", "resolving"]

MOST = 1000
"""Statements in one batch."""

OF_STATE = ("id", "belief_id", "owners", "reason", *HEAD)
"""What the first states of the beliefs of a batch do not have in common."""

SAID_TO_END = "It was said to end, and a person confirmed it as it is held."


@dataclass(frozen=True)
class Remembered:
    """What became of a statement.

    created: a new belief. said_again: one more evidence on `belief`. ended: said again with an end, which `belief` has
    now. already_known: nothing was stored. resolving: a new belief that contradicts what is held and waits for the
    verdicts on `conflicts`.
    """

    belief: Belief
    outcome: Outcome
    conflicts: tuple[Case, ...] = ()


@dataclass(frozen=True)
class Waiting:
    """A statement that is no belief yet: nobody but a machine said it, and a person decides on its case."""

    case: Case
    outcome: Literal["held"] = "held"


def remember(write: Write, statement: Statement) -> Remembered | Waiting:
    """Remember one statement; see `remember_all`. Violations name no row."""
    write.by.require("remember")
    return _remember(write, [statement], numbered=False)[0]


def remember_all(write: Write, statements: Sequence[Statement]) -> list[Remembered | Waiting]:
    """Remember a batch: all or nothing, in order, every violation with its row.

    The same statement (normalised, same owners, kind and slot) over a time that touches that of an activated or
    resolving belief is one more evidence on it. A repeat of an archived one is nothing when its source is linked
    already, one more evidence when it speaks of the time before that belief ended, and a new belief when it is later.
    A repeat that names an end, said no earlier than the last, ends what it repeats; what a person confirmed waits for a
    person. A different value for a filled slot is a conflict: the newcomer waits, the older stays current. What an
    agent draws from nothing but the words of assistants, tools or the system, and is not held already, waits as well.
    """
    write.by.require("remember")
    if len(statements) > MOST:
        raise Invalid.at("", "too_many", f"{len(statements)} statements are too many at once.", f"at most {MOST}")
    return _remember(write, statements, numbered=True)


def record_all(
    write: Write,
    statements: Sequence[Statement],
    *,
    numbered: bool = True,
    against: Sequence[conflict.Rival] = (),
    made: Mapping[uuid.UUID, Node] | None = None,
) -> list[Remembered]:
    """What `remember_all` does, for whoever has a right of its own to it (a verdict, extraction).

    What is new waits beside those it is recorded `against`, whatever slot it fills. `made` are the nodes that the same
    write made.
    """
    drafts = _drafts(write, statements, numbered, made)
    batch = _Batch(write, drafts)
    batch.against = against
    for draft in drafts:
        batch.take(draft)
    return batch.finish()


def _remember(write: Write, statements: Sequence[Statement], *, numbered: bool) -> list[Remembered | Waiting]:
    drafts = _drafts(write, statements, numbered)
    batch = _Batch(write, drafts)
    waiting = {
        draft.row for draft in drafts if bound_by_people(write) and is_unvouched(draft) and not batch.match(draft)
    }
    for draft in drafts:
        if draft.row not in waiting:
            batch.take(draft)
    remembered = iter(batch.finish())
    kept: list[Remembered | Waiting] = []
    for draft, statement in zip(drafts, statements, strict=True):
        if draft.row not in waiting:
            kept.append(next(remembered))
            continue
        if draft.audience != Audience.WORKSPACE:
            raise Invalid.all([_seen_by_reviewers(draft.row if numbered else None)])
        kept.append(Waiting(waiting_room.keep(write, statement)))
    return kept


def _seen_by_reviewers(row: int | None) -> Violation:
    message = "Nobody but a machine said this, so it waits for a person; what waits is seen by every reviewer."
    return Violation("/audience", "nobody_vouches", message, "words of a person, or the audience workspace", row)


def _drafts(
    write: Write, statements: Sequence[Statement], numbered: bool, made: Mapping[uuid.UUID, Node] | None = None
) -> list[Draft]:
    """The statements as they can be stored. Raises Invalid with everything that is wrong with any."""
    reading = Reading(write, statements, made)
    read = [reading.draft(statement, row) for row, statement in enumerate(statements)]
    wrong = [violation for one in read if isinstance(one, list) for violation in one]
    if wrong:
        raise Invalid.all(wrong if numbered else (_unnumbered(violation) for violation in wrong))
    return [one for one in read if isinstance(one, Draft)]


def store(write: Write, statement: Statement, *, status: Status, reason: str, apart_from: Belief) -> Belief:
    """A new belief, whatever it repeats or contradicts: for one that is about to take the place of `apart_from`.

    Raises Conflict `already_held` when another live belief says the same at that time.
    """
    [draft] = _drafts(write, [statement], numbered=False)
    batch = _Batch(write, [draft])
    same = batch.match(draft)
    if same is not None and same.belief.status != Status.ARCHIVED and same.belief.pk != apart_from.pk:
        raise Conflict("Another belief says this already.", code="already_held", extra={"belief": str(same.belief.pk)})
    belief = batch.create(draft, status, reason)
    batch.store()
    return belief


class _Batch:
    """Decides draft by draft what becomes of it, and stores everything at the end in a few statements."""

    def __init__(self, write: Write, drafts: Sequence[Draft]) -> None:
        self.write = write
        self._alike = {
            "workspace_id": write.workspace_id,
            "write_id": write.pk,
            "recorded_at": write.recorded_at,
            "sequence": 1,
        }
        self.ontology_version = current_ontology(write.workspace).number
        self.assembly = Assembly(write, self.ontology_version)
        self.known = known_of(write, drafts)
        self.held = conflict.Held(write, drafts)
        self.made: list[Belief] = []
        self.states: list[tuple[Any, ...]] = []
        self.met: dict[uuid.UUID, Node] = {}
        self.readers: list[BeliefReader] = []
        self.rivals: list[tuple[Belief, list[conflict.Rival]]] = []
        self.taken: list[tuple[Belief, Outcome]] = []
        self.against: Sequence[conflict.Rival] = ()
        self.ended: list[tuple[Belief, Moment]] = []

    def take(self, draft: Draft) -> None:
        """Decide what becomes of one draft."""
        known = self.match(draft)
        until = known.bounded_by(draft) if known else None
        if known is None:
            self.taken.append(self._newcomer(draft))
        elif until is not None and self._may_end(known):
            self._support(known, draft)
            self.ended.append((known.belief, until))
            self.taken.append((known.belief, "ended"))
        elif until is not None and not known.stands_on(draft):
            self.taken.append(self._waits(draft, [conflict.Rival(known.belief, SAID_TO_END)]))
        elif known.stands_on(draft):
            self.taken.append((known.belief, "already_known"))
        else:
            self._support(known, draft)
            self.taken.append((known.belief, "said_again"))

    def finish(self) -> list[Remembered]:
        """Store everything, open the conflicts, and tell everybody who cares."""
        self.store()
        touched = self._end()
        opened = {
            newcomer.pk: conflict.open_all(self.write, newcomer, rivals, self.ontology_version)
            for newcomer, rivals in self.rivals
        }
        touched += [belief for belief, outcome in self.taken if outcome != "already_known"]
        for cases in opened.values():
            touched += conflict.settle_by_policy(self.write, cases)
        changes.announce(self.write, [*touched, *self.met.values()])
        return [
            Remembered(belief, outcome, tuple(opened.get(belief.pk, ())) if outcome == "resolving" else ())
            for belief, outcome in self.taken
        ]

    def _end(self) -> list[Belief]:
        """End what was said again with an end. Returns what changed by it besides."""
        for belief, until in self.ended:
            end(self.write, belief, until.instant, reason="It was said again, with its end.", precision=until.precision)
        return conflict.reconsider(self.write, [belief for belief, _ in self.ended]) if self.ended else []

    def match(self, draft: Draft) -> Known | None:
        """The belief of which the draft is a repeat."""
        same = [
            known
            for known in self.known[draft.digest]
            if known.belief.audience == draft.audience and known.readers == frozenset(draft.readers)
        ]
        for known in same:
            if known.stands_on(draft):
                return known
        live = [known for known in same if known.belief.status != Status.ARCHIVED]
        archived = [known for known in same if known.belief.status == Status.ARCHIVED]
        ended = [known for known in archived if known.belief.standing == Standing.ENDED]
        for known in [*live, *ended]:
            if known.held_when(draft):
                return known
        for known in live:
            if slots.touch(conflict.interval(known.belief), draft.interval):
                return known
        return next((known for known in archived if not known.is_over_before(draft)), None)

    def _newcomer(self, draft: Draft) -> tuple[Belief, Outcome]:
        found = [*self.held.rivals(draft), *self.against]
        rivals = list({rival.older.pk: rival for rival in found}.values())
        if not rivals:
            return self.create(draft, Status.ACTIVATED, "Recorded."), "created"
        return self._waits(draft, rivals)

    def _may_end(self, known: Known) -> bool:
        """What a person confirmed only a person ends."""
        return self.write.by.actor.kind == Actor.Kind.PERSON or not is_confirmed(known.belief)

    def _waits(self, draft: Draft, rivals: list[conflict.Rival]) -> tuple[Belief, Outcome]:
        reason = "Recorded. It contradicts what is held and waits for a verdict."
        belief = self.create(draft, Status.RESOLVING, reason)
        self.rivals.append((belief, rivals))
        return belief, "resolving"

    def create(self, draft: Draft, status: Status, reason: str) -> Belief:
        """Gather a new belief with its owners and what it stands on."""
        belief = _belief(self.write, draft, self.ontology_version, status)
        owners = sorted(str(node.pk) for node in draft.owners)
        if draft.audience == Audience.WORKSPACE:
            nodes = [*draft.owners, draft.subject, draft.object]
            self.met |= {node.pk: node for node in nodes if node and not node.known_to_all}
        self.made.append(belief)
        self.states.append((new_id(), belief.pk, owners, reason, *(getattr(belief, name) for name in HEAD)))
        self.readers += [
            BeliefReader(workspace=self.write.workspace, belief=belief, actor_id=reader, write=self.write)
            for reader in dict.fromkeys(draft.readers)
        ]
        for owner in draft.owners:
            players = [Playing("owner", node=owner), Playing("owned", belief=belief)]
            self.assembly.support("ownership", players, reason="Recorded.")
        known = Known(belief, frozenset(draft.readers))
        self._support(known, draft)
        self.known[draft.digest].append(known)
        self.held.add(belief, draft)
        return belief

    def store(self) -> None:
        """Store what was gathered."""
        if self.met:
            Node.objects.filter(pk__in=self.met).update(known_to_all=True)
        prepared.insert(self.made)
        prepared.fill(BeliefState, self._alike, OF_STATE, self.states)
        prepared.insert(self.readers)
        self.assembly.finish()

    def _support(self, known: Known, draft: Draft) -> None:
        """Link what the draft stands on and the belief does not yet."""
        fresh = [quoted for quoted in draft.evidence if quoted.source.pk not in known.sources]
        if fresh:
            players = [*_quoted(fresh), Playing("sourced", belief=known.belief)]
            self.assembly.support("sourcing", players, reason="Said in the quoted source.")
            known.sources |= {quoted.source.pk for quoted in fresh}
            known.last_said = max(
                [*(quoted.source.said_at for quoted in fresh), *([known.last_said] if known.last_said else [])]
            )
        premises = frozenset(one.pk for one in draft.premises)
        if known.belief.pk in premises:
            raise Invalid.at(
                "/premises", "concluded_from_itself", "It says the same as one of its premises.", "other premises"
            )
        if premises and premises not in known.premises:
            players = [
                *(Playing("premise", belief=one) for one in draft.premises),
                Playing("conclusion", belief=known.belief),
            ]
            self.assembly.add("derivation", players, reason="Concluded from the premises.")
            known.premises.add(premises)


def _belief(write: Write, draft: Draft, ontology_version: int, status: Status) -> Belief:
    return Belief(
        workspace=write.workspace,
        shape=draft.shape,
        kind=draft.kind,
        content=draft.content,
        attributes=draft.attributes,
        subject=draft.subject,
        predicate=draft.predicate,
        value=draft.value,
        value_key=draft.value_key,
        object=draft.object,
        qualifiers=draft.qualifiers,
        topic=draft.topic,
        slot=draft.slot,
        statement=draft.digest,
        confidence=draft.confidence,
        status=status.value,
        standing=Standing.HOLDS.value,
        valid_from=draft.valid_from.instant if draft.valid_from else None,
        valid_from_precision=draft.valid_from.precision if draft.valid_from else "instant",
        valid_to=draft.valid_to.instant if draft.valid_to else None,
        valid_to_precision=draft.valid_to.precision if draft.valid_to else "instant",
        audience=draft.audience,
        ontology_version=ontology_version,
        write=write,
        recorded_at=write.recorded_at,
    )


def _quoted(evidence: Sequence[Quoted]) -> list[Playing]:
    return [Playing("evidence", source=one.source, start=one.start, end=one.end) for one in evidence]


def _unnumbered(violation: Violation) -> Violation:
    return replace(violation, row=None)
