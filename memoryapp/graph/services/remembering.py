"""Remembering: a statement becomes a new belief, one more evidence on an old one, or a newcomer in a conflict.

Writes of a workspace run one after another, so what is read here still holds when it is appended.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.db.models import QuerySet

from memoryapp.doors.errors import Conflict, Invalid, Violation
from memoryapp.graph import changes, slots
from memoryapp.graph.models import Belief, BeliefReader, BeliefState, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Audience, Standing, Status
from memoryapp.graph.services import conflict
from memoryapp.graph.services.assembling import Assembly, Playing
from memoryapp.graph.services.beliefs import state_of
from memoryapp.graph.services.drafts import Draft, Reading
from memoryapp.graph.statements import Quoted, Statement
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Workspace, Write
from memoryapp.review.models import Case, Decision

Outcome = Literal["created", "said_again", "already_known", "resolving"]

MOST = 1000
"""Statements in one batch."""


@dataclass(frozen=True)
class Remembered:
    """What became of a statement.

    created: a new belief. said_again: one more evidence on `belief`. already_known: nothing was stored. resolving: a
    new belief that contradicts what is held and waits for the verdicts on `conflicts`.
    """

    belief: Belief
    outcome: Outcome
    conflicts: tuple[Case, ...] = ()


def remember(write: Write, statement: Statement) -> Remembered:
    """Remember one statement; see `remember_all`. Violations name no row."""
    write.by.require("remember")
    return record_all(write, [statement], numbered=False)[0]


def remember_all(write: Write, statements: Sequence[Statement]) -> list[Remembered]:
    """Remember a batch: all or nothing, in order, every violation with its row.

    The same statement (normalised, same owners, kind and slot) over a time that touches that of an activated or
    resolving belief is one more evidence on it. A repeat of an archived one is nothing when its source is linked
    already, one more evidence when it speaks of the time before that belief ended, and a new belief when it is later.
    A different value for a filled slot is a conflict: the newcomer waits, the older one stays current.
    """
    write.by.require("remember")
    return record_all(write, statements)


def record_all(
    write: Write,
    statements: Sequence[Statement],
    *,
    numbered: bool = True,
    against: Sequence[conflict.Rival] = (),
) -> list[Remembered]:
    """What `remember_all` does, for whoever has a right of its own to it (a verdict, extraction).

    What is new waits beside those it is recorded `against`, whatever slot it fills.
    """
    if len(statements) > MOST:
        raise Invalid.at("", "too_many", f"{len(statements)} statements are too many at once.", f"at most {MOST}")
    reading = Reading(write, statements)
    read = [reading.draft(statement, row) for row, statement in enumerate(statements)]
    wrong = [violation for one in read if isinstance(one, list) for violation in one]
    if wrong:
        raise Invalid.all(wrong if numbered else (_unnumbered(violation) for violation in wrong))
    drafts = [one for one in read if isinstance(one, Draft)]
    batch = _Batch(write, reading.ontology.number, drafts)
    batch.against = against
    for draft in drafts:
        batch.take(draft)
    return batch.finish()


def store(write: Write, statement: Statement, *, status: Status, reason: str, apart_from: Belief) -> Belief:
    """A new belief, whatever it repeats or contradicts: for one that is about to take the place of `apart_from`.

    Raises Conflict `already_held` when another live belief says the same at that time.
    """
    reading = Reading(write, [statement])
    draft = reading.draft(statement, 0)
    if isinstance(draft, list):
        raise Invalid.all(_unnumbered(violation) for violation in draft)
    batch = _Batch(write, reading.ontology.number, [draft])
    same = batch.match(draft)
    if same is not None and same.belief.status != Status.ARCHIVED and same.belief.pk != apart_from.pk:
        raise Conflict("Another belief says this already.", code="already_held", extra={"belief": str(same.belief.pk)})
    belief = batch.create(draft, status, reason)
    batch.store()
    return belief


@dataclass
class _Known:
    """A belief that says the same as a draft, and what it stands on."""

    belief: Belief
    readers: frozenset[uuid.UUID]
    sources: set[uuid.UUID] = field(default_factory=set)
    premises: set[frozenset[uuid.UUID]] = field(default_factory=set)
    last_said: dt.datetime | None = None

    def stands_on(self, draft: Draft) -> bool:
        """Whether everything the draft stands on is linked already."""
        linked = all(quoted.source.pk in self.sources for quoted in draft.evidence)
        return linked and (not draft.premises or frozenset(one.pk for one in draft.premises) in self.premises)

    def held_when(self, draft: Draft) -> bool:
        """Whether the belief held at the time from which the draft speaks."""
        begins = draft.interval[0] or slots.EARLIEST
        start, end = _interval(self.belief)
        return (start or slots.EARLIEST) <= begins < (end or slots.LATEST)

    def is_over_before(self, draft: Draft) -> bool:
        """Whether an archived belief ended, or was ruled out, before the time the draft speaks of."""
        begins = draft.interval[0]
        if self.belief.standing == Standing.ENDED and self.belief.valid_to is not None:
            return begins is not None and begins >= self.belief.valid_to
        if not draft.evidence:
            return True
        return self.last_said is None or (draft.said_at is not None and draft.said_at > self.last_said)


class _Batch:
    """Decides draft by draft what becomes of it, and stores everything at the end in a few statements."""

    def __init__(self, write: Write, ontology_version: int, drafts: Sequence[Draft]) -> None:
        self.write = write
        self.assembly = Assembly(write, ontology_version)
        self.ontology_version = ontology_version
        self.known = _known(write, drafts)
        self.held = conflict.Held(write, drafts)
        self.made: list[Belief] = []
        self.states: list[BeliefState] = []
        self.readers: list[BeliefReader] = []
        self.rivals: list[tuple[Belief, list[conflict.Rival]]] = []
        self.taken: list[tuple[Belief, Outcome]] = []
        self.against: Sequence[conflict.Rival] = ()

    def take(self, draft: Draft) -> None:
        """Decide what becomes of one draft."""
        known = self.match(draft)
        if known is None:
            self.taken.append(self._newcomer(draft))
        elif known.stands_on(draft):
            self.taken.append((known.belief, "already_known"))
        else:
            self._support(known, draft)
            self.taken.append((known.belief, "said_again"))

    def finish(self) -> list[Remembered]:
        """Store everything, open the conflicts, and tell everybody who cares."""
        self.store()
        opened = {
            newcomer.pk: conflict.open_all(self.write, newcomer, rivals, self.ontology_version)
            for newcomer, rivals in self.rivals
        }
        touched = [belief for belief, outcome in self.taken if outcome != "already_known"]
        for cases in opened.values():
            touched += conflict.settle_by_policy(self.write, cases)
        changes.announce(self.write, touched)
        return [
            Remembered(belief, outcome, tuple(opened.get(belief.pk, ())) if outcome == "resolving" else ())
            for belief, outcome in self.taken
        ]

    def match(self, draft: Draft) -> _Known | None:
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
            if slots.touch(_interval(known.belief), draft.interval):
                return known
        return next((known for known in archived if not known.is_over_before(draft)), None)

    def _newcomer(self, draft: Draft) -> tuple[Belief, Outcome]:
        found = [*self.held.rivals(draft), *self.against]
        rivals = list({rival.older.pk: rival for rival in found}.values())
        if not rivals:
            return self.create(draft, Status.ACTIVATED, "Recorded."), "created"
        reason = "Recorded. It contradicts what is held and waits for a verdict."
        belief = self.create(draft, Status.RESOLVING, reason)
        self.rivals.append((belief, rivals))
        return belief, "resolving"

    def create(self, draft: Draft, status: Status, reason: str) -> Belief:
        """Gather a new belief with its owners and what it stands on."""
        belief = _belief(self.write, draft, self.ontology_version, status)
        owners = sorted(str(node.pk) for node in draft.owners)
        self.made.append(belief)
        self.states.append(state_of(self.write, belief, owners, reason))
        self.readers += [
            BeliefReader(workspace=self.write.workspace, belief=belief, actor_id=reader, write=self.write)
            for reader in dict.fromkeys(draft.readers)
        ]
        for owner in draft.owners:
            players = [Playing("owner", node=owner), Playing("owned", belief=belief)]
            self.assembly.add("ownership", players, reason="Recorded.")
        known = _Known(belief, frozenset(draft.readers))
        self._support(known, draft)
        self.known[draft.digest].append(known)
        self.held.add(belief, draft)
        return belief

    def store(self) -> None:
        """Store what was gathered."""
        prepared.insert(self.made)
        prepared.insert(self.states)
        prepared.insert(self.readers)
        self.assembly.finish()

    def _support(self, known: _Known, draft: Draft) -> None:
        """Link what the draft stands on and the belief does not yet."""
        fresh = [quoted for quoted in draft.evidence if quoted.source.pk not in known.sources]
        if fresh:
            players = [*_quoted(fresh), Playing("sourced", belief=known.belief)]
            self.assembly.add("sourcing", players, reason="Said in the quoted source.")
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
        object=draft.object,
        qualifiers=draft.qualifiers,
        topic=draft.topic,
        slot=draft.slot,
        statement=draft.digest,
        confidence=draft.confidence,
        status=status,
        standing=Standing.HOLDS,
        valid_from=draft.valid_from.instant if draft.valid_from else None,
        valid_from_precision=draft.valid_from.precision if draft.valid_from else "instant",
        valid_to=draft.valid_to.instant if draft.valid_to else None,
        valid_to_precision=draft.valid_to.precision if draft.valid_to else "instant",
        audience=draft.audience,
        ontology_version=ontology_version,
        write=write,
        recorded_at=write.recorded_at,
    )


def _known(write: Write, drafts: Sequence[Draft]) -> defaultdict[str, list[_Known]]:
    """What is stored already of the drafts' statements: by digest, the newest first."""
    found: defaultdict[str, list[_Known]] = defaultdict(list)
    digests = sorted({draft.digest for draft in drafts})
    beliefs = prepared.rows(_saying, workspace=write.workspace, digests=digests)
    if not beliefs:
        return found
    named = [belief.pk for belief in beliefs if belief.audience == Audience.NAMED]
    readers: defaultdict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    if named:
        for belief_id, actor_id in BeliefReader.objects.filter(belief__in=named).values_list("belief", "actor"):
            readers[belief_id].add(actor_id)
    by_id = {belief.pk: _Known(belief, frozenset(readers[belief.pk])) for belief in beliefs}
    for known in by_id.values():
        found[known.belief.statement].append(known)
    _link_sources(by_id)
    if any(draft.premises for draft in drafts):
        _link_premises(by_id)
    return found


def _saying(workspace: Workspace, digests: Sequence[str]) -> QuerySet[Belief]:
    """Beliefs with these statements, but for writes of decisions that were taken back: those count as never said."""
    taken_back = Decision.objects.filter(workspace=workspace, undone_by__isnull=False).values("write")
    said = Belief.objects.filter(workspace=workspace, statement__in=digests).exclude(status=Status.DELETED)
    said = said.exclude(standing=Standing.WITHDRAWN)
    return said.exclude(standing=Standing.RETRACTED, write__in=taken_back).order_by("-recorded_at", "-pk")


def _link_sources(by_id: dict[uuid.UUID, _Known]) -> None:
    sourcing = RelationPlayer.objects.filter(
        kind="sourcing", role="sourced", belief__in=list(by_id), relation__state=Relation.State.ACTIVATED
    )
    of_relation = dict(sourcing.values_list("relation", "belief"))
    evidence = RelationPlayer.objects.filter(kind="sourcing", role="evidence", relation__in=sourcing.values("relation"))
    for relation_id, source_id, said_at in evidence.values_list("relation", "source", "source__said_at"):
        known = by_id[of_relation[relation_id]]
        known.sources.add(source_id)
        known.last_said = max(said_at, known.last_said or said_at)


def _link_premises(by_id: dict[uuid.UUID, _Known]) -> None:
    derivations = RelationPlayer.objects.filter(
        kind="derivation", role="conclusion", belief__in=list(by_id), relation__state=Relation.State.ACTIVATED
    )
    of_relation = dict(derivations.values_list("relation", "belief"))
    premises: defaultdict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    players = RelationPlayer.objects.filter(role="premise", relation__in=derivations.values("relation"))
    for relation_id, belief_id in players.values_list("relation", "belief"):
        premises[relation_id].add(belief_id)
    for relation_id, belief_id in of_relation.items():
        by_id[belief_id].premises.add(frozenset(premises[relation_id]))


def _quoted(evidence: Sequence[Quoted]) -> list[Playing]:
    return [Playing("evidence", source=one.source, start=one.start, end=one.end) for one in evidence]


def _interval(belief: Belief) -> tuple[dt.datetime | None, dt.datetime | None]:
    return belief.valid_from, belief.valid_to


def _unnumbered(violation: Violation) -> Violation:
    return Violation(violation.path, violation.code, violation.message, violation.accepted)
