"""Proposals as they are read: listed, one with all that belongs to it, and what it would do now."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet
from django.utils import timezone

from memoryapp.doors.errors import DomainError, NotFound
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.changeset import Changed, Difference, apply, differences, read_changes, title_of
from memoryapp.ontology.changeset.moves import Follow, Move
from memoryapp.ontology.compiled import Ontology, compile_document
from memoryapp.ontology.examining import Examined, examine, named, problems
from memoryapp.ontology.examples import SHOWN, Example, of_type
from memoryapp.ontology.mentions import Mention
from memoryapp.ontology.models import Occurrence, Proposal, ProposalMove, ProposalRevision, Status
from memoryapp.ontology.models.proposals import OPEN
from memoryapp.ontology.queries.editions import current_ontology, ontology_at

EMPTIED = "Erased"
SAMPLED = 5
"""Types of which rows are shown as samples."""
JOB = "apply_proposal"
"""Kind of the job that applies a proposal."""
BACK = "roll_back_proposal"
"""Kind of the job that rolls one back."""


def proposals(by: Principal, *, status: str = "", open_only: bool = False) -> QuerySet[Proposal]:
    """Those of the workspace, newest first."""
    found = Proposal.objects.visible_to(by).select_related("filer").order_by("-number")
    if open_only:
        found = found.filter(status__in=OPEN)
    return found.filter(status=status) if status else found


def seen(by: Principal, proposal_id: uuid.UUID) -> Proposal:
    """One proposal, or NotFound."""
    found = Proposal.objects.visible_to(by).filter(pk=proposal_id).select_related("filer").first()
    if found is None:
        raise NotFound("There is no such proposal.", code="no_such_proposal")
    return found


def numbered(by: Principal, number: int) -> Proposal:
    """One proposal by what people call it."""
    found = Proposal.objects.visible_to(by).filter(number=number).select_related("filer").first()
    if found is None:
        raise NotFound("There is no such proposal.", code="no_such_proposal")
    return found


def revision_of(proposal: Proposal) -> ProposalRevision:
    """What it says now."""
    return ProposalRevision.objects.select_related("write__actor").get(proposal=proposal, number=proposal.revision)


def revisions(found: Sequence[Proposal]) -> dict[uuid.UUID, ProposalRevision]:
    """What each of these says now, in one query."""
    wanted = {one.pk: one.revision for one in found}
    rows = ProposalRevision.objects.filter(proposal__in=list(wanted))
    return {row.proposal_id: row for row in rows if wanted[row.proposal_id] == row.number}


def latest_revisions(found: QuerySet[Proposal]) -> QuerySet[ProposalRevision]:
    """The same of proposals that a query finds, as one query."""
    return ProposalRevision.objects.filter(proposal__in=found.values("pk"), number=F("proposal__revision"))


def title(revision: ProposalRevision | None) -> str:
    """What it does, in one line."""
    try:
        return title_of(read_changes(revision.changes)) if revision else EMPTIED
    except DomainError:
        return EMPTIED


def moves_of(proposal: Proposal) -> list[ProposalMove]:
    """Every step, with who took it, oldest first."""
    return list(ProposalMove.objects.filter(proposal=proposal).select_related("write__actor").order_by("sequence"))


def occurrences(by: Principal, proposal: Proposal) -> QuerySet[Occurrence]:
    """What was refused for want of it, oldest first."""
    found = Occurrence.objects.filter(workspace=by.workspace, proposal=proposal)
    return found.select_related("actor").order_by("sequence")


def job_at_work(proposal: Proposal) -> Job | None:
    """The job that applies it or rolls it back, once it is due."""
    open_ones = Job.objects.filter(
        workspace=proposal.workspace_id,
        kind__in=(JOB, BACK),
        subject_id=proposal.pk,
        state__in=[Job.State.QUEUED, Job.State.RUNNING],
    )
    due = open_ones.exclude(state=Job.State.QUEUED, attempts=0, run_after__gt=timezone.now())
    return due.order_by("-created_at").first()


def payload_shown(by: Principal, occurrence: Occurrence) -> Any:
    """The row as it was sent; for others than its sender nothing of what was not meant for the whole workspace."""
    if occurrence.private and occurrence.actor_id != by.actor.pk:
        return None
    return occurrence.payload


@dataclass(frozen=True)
class Outlook:
    """What a proposal would do now: the two documents, what differs, and what would come of stored rows.

    `stale` when another edition is in force than it was drawn against; `problems` when it cannot be made at all.
    """

    before: Ontology
    after: Ontology | None
    changed: Changed | None
    differences: tuple[Difference, ...]
    examined: Examined
    stale: bool = False
    problems: tuple[dict[str, Any], ...] = ()
    named: tuple[Mention, ...] = ()
    """What names the types that are declared otherwise, and goes on naming them."""
    samples: tuple[Example, ...] = ()
    """Some of the rows that would follow, in sight of the asker."""

    @property
    def stands_in_the_way(self) -> bool:
        return bool(self.problems or self.examined.violations)

    def as_data(self) -> dict[str, Any]:
        return {
            "edition": self.before.number,
            "stale": self.stale,
            "problems": list(self.problems),
            "differences": [one.as_data() for one in self.differences],
            **self.examined.as_data(),
            "named": [one.as_data() for one in self.named],
        }


def outlook(by: Principal, changes: Any, base_edition: int | None = None) -> Outlook:
    """What changes would do to the edition in force, and to what is stored. A dry run: nothing is written."""
    ontology = current_ontology(by)
    stale = base_edition is not None and base_edition != ontology.number
    try:
        changed = apply(ontology.document, read_changes(changes))
        after = compile_document(changed.document, ontology.number + 1)
    except DomainError as error:
        return Outlook(ontology, None, None, (), Examined(), stale, tuple(problems(error)))
    told = tuple(differences(ontology.document, changed.document))
    examined = examine(by, ontology, after, changed.moves)
    naming = named(by, ontology, after, Follow(changed.moves))
    return Outlook(ontology, after, changed, told, examined, stale, (), naming, _samples(by, changed.moves))


def _samples(by: Principal, moves: Sequence[Move]) -> tuple[Example, ...]:
    """The latest rows of the first types of which rows follow."""
    types = list(dict.fromkeys((move.family, move.type) for move in moves))[:SAMPLED]
    found = (one for family, name in types for one in of_type(by, family, name))
    return tuple(dict.fromkeys(found))[:SHOWN]


def looked_at(by: Principal, proposal: Proposal) -> Outlook:
    """What a proposal would do now; of a closed one, what it did."""
    revision = revision_of(proposal)
    if proposal.status == Status.APPLIED and proposal.applied_edition:
        before = ontology_at(by, revision.base_edition)
        after = ontology_at(by, proposal.applied_edition)
        told = tuple(differences(before.document, after.document))
        return Outlook(before, after, None, told, Examined())
    return outlook(by, revision.changes, revision.base_edition)


def applied_between(by: Principal, after: int, until: int) -> QuerySet[Proposal]:
    """Proposals that led to editions after one and up to another, newest first."""
    found = Proposal.objects.visible_to(by).filter(applied_edition__gt=after, applied_edition__lte=until)
    return found.order_by("-applied_edition")


def who_added(by: Principal) -> dict[int, Proposal]:
    """The proposal under which each edition came to be, by edition."""
    found = Proposal.objects.visible_to(by).filter(applied_edition__isnull=False).select_related("filer")
    return {one.applied_edition: one for one in found if one.applied_edition}
