"""What must hold of editions and proposals, checked by `manage.py integrity`."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, F, Max, OuterRef, Subquery

from memoryapp.ledger import integrity
from memoryapp.ledger.integrity import Check, Finding, about
from memoryapp.ledger.models import Workspace
from memoryapp.ontology.models import Occurrence, OntologyVersion, Proposal, ProposalMove
from memoryapp.ontology.services.declaring import digest_of


def register() -> None:
    """Let `manage.py integrity` run these."""
    integrity.register(Check("editions", "Every edition of the declared types is as it was declared", _editions))
    integrity.register(Check("proposals", "Proposals stand where their steps led", _proposals))


def _editions(workspace: Workspace) -> Iterator[Finding]:
    for place, version in enumerate(OntologyVersion.objects.filter(workspace=workspace).order_by("number"), start=1):
        if version.number != place:
            yield about(version, "An edition before it is missing.")
        if version.digest != digest_of(version.document):
            yield about(version, "Its document is not the one that was declared.")


def _proposals(workspace: Workspace) -> Iterator[Finding]:
    latest = ProposalMove.objects.filter(proposal=OuterRef("pk")).order_by("-sequence").values("to_status")[:1]
    found = Proposal.objects.filter(workspace=workspace).order_by("pk")
    for proposal in found.annotate(said=Subquery(latest)).exclude(said=F("status")):
        yield about(proposal, "Its status is not that of its latest step.")
    revised = found.annotate(last=Max("revisions__number"), many=Count("revisions", distinct=True))
    for proposal in revised.exclude(last=F("revision"), many=F("revision")):
        yield about(proposal, "A revision is missing, or there is one too many.")
    editions = OntologyVersion.objects.filter(workspace=workspace).values("number")
    for proposal in found.filter(applied_edition__isnull=False).exclude(applied_edition__in=editions):
        yield about(proposal, "It led to an edition that there is not.")
    for one in Occurrence.objects.filter(workspace=workspace, state="replayed", replayed=None).order_by("pk"):
        yield about(one, "It was written by nothing.")
