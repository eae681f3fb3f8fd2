"""What is stored already of a statement that is said again, and what the repeat means for it."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet

from memoryapp.graph import slots
from memoryapp.graph.models import Belief, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.services.audiences import named_readers_of
from memoryapp.graph.services.conflict import interval
from memoryapp.graph.services.drafts import Draft
from memoryapp.graph.statements import Moment
from memoryapp.ledger import prepared
from memoryapp.ledger.among import found_by, whose
from memoryapp.ledger.models import Workspace, Write
from memoryapp.review.models import Decision


@dataclass
class Known:
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
        start, end = interval(self.belief)
        return (start or slots.EARLIEST) <= begins < (end or slots.LATEST)

    def is_over_before(self, draft: Draft) -> bool:
        """Whether an archived belief ended, or was ruled out, before the time the draft speaks of."""
        begins = draft.interval[0]
        if self.belief.standing == Standing.ENDED and self.belief.valid_to is not None:
            return begins is not None and begins >= self.belief.valid_to
        if not draft.evidence:
            return True
        return self.last_said is None or (draft.said_at is not None and draft.said_at > self.last_said)

    def bounded_by(self, draft: Draft) -> Moment | None:
        """The end that the draft names, when the belief is held without one or with a later one. News of an earlier
        time bounds nothing: what was said last counts."""
        belief, until = self.belief, draft.valid_to
        if until is None or belief.status != Status.ACTIVATED:
            return None
        if belief.valid_to is not None and belief.valid_to <= until.instant:
            return None
        if belief.valid_from is not None and until.instant < belief.valid_from:
            return None
        late = self.last_said is None or draft.said_at is None or draft.said_at >= self.last_said
        return until if late else None


def known_of(write: Write, drafts: Sequence[Draft]) -> defaultdict[str, list[Known]]:
    """What is stored already of the drafts' statements: by digest, the newest first."""
    found: defaultdict[str, list[Known]] = defaultdict(list)
    digests = sorted({draft.digest for draft in drafts})
    beliefs = prepared.rows(_saying, workspace=write.workspace, digests=digests)
    if not beliefs:
        return found
    readers = named_readers_of(beliefs)
    by_id = {belief.pk: Known(belief, readers.get(belief.pk, frozenset())) for belief in beliefs}
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


def _link_sources(by_id: dict[uuid.UUID, Known]) -> None:
    sourcing = RelationPlayer.objects.filter(
        whose("relation", Relation, state=Relation.State.ACTIVATED),
        kind="sourcing",
        role="sourced",
        belief__in=list(by_id),
    )
    of_relation = dict(sourcing.values_list("relation", "belief"))
    evidence = RelationPlayer.objects.filter(
        found_by("relation", sourcing.values("relation")), kind="sourcing", role="evidence"
    )
    for relation_id, source_id, said_at in evidence.values_list("relation", "source", "source__said_at"):
        known = by_id[of_relation[relation_id]]
        known.sources.add(source_id)
        known.last_said = max(said_at, known.last_said or said_at)


def _link_premises(by_id: dict[uuid.UUID, Known]) -> None:
    derivations = RelationPlayer.objects.filter(
        whose("relation", Relation, state=Relation.State.ACTIVATED),
        kind="derivation",
        role="conclusion",
        belief__in=list(by_id),
    )
    of_relation = dict(derivations.values_list("relation", "belief"))
    premises: defaultdict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    players = RelationPlayer.objects.filter(found_by("relation", derivations.values("relation")), role="premise")
    for relation_id, belief_id in players.values_list("relation", "belief"):
        premises[relation_id].add(belief_id)
    for relation_id, belief_id in of_relation.items():
        by_id[belief_id].premises.add(frozenset(premises[relation_id]))
