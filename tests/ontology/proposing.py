"""What tests of proposals say in one line: an agent proposes, an admin decides."""

from __future__ import annotations

from typing import Any

from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import services
from memoryapp.ontology.models import Proposal, ProposalRevision
from memoryapp.ontology.queries.proposals import seen
from memoryapp.ontology.services import Draft

VESSEL: dict[str, Any] = {
    "change": "add_type",
    "family": "node_classes",
    "name": "vessel",
    "declaration": {"parent": "thing", "properties": {"draught": {"type": "number"}}, "keys": [["name"]]},
}


class Office:
    """A workspace in which one files and another decides."""

    def __init__(self, filer: Principal, admin: Principal) -> None:
        self.filer, self.admin = filer, admin

    def propose(self, *changes: dict[str, Any], by: Principal | None = None, why: str = "Needed.") -> Proposal:
        found: Proposal = record(
            by or self.filer, "propose", lambda write: services.propose(write, Draft(list(changes), why))
        )
        return found

    def do(self, verb: Any, proposal: Proposal, *given: Any, by: Principal | None = None, **named: Any) -> Any:
        """One verb on a proposal as it stands now."""
        who = by or self.admin
        return record(who, "decide", lambda write: verb(write, seen(write.by, proposal.pk), *given, **named))

    def approve(self, proposal: Proposal, **named: Any) -> Any:
        return self.do(services.approve, proposal, "Fine.", **named)

    def apply(self, proposal: Proposal, **named: Any) -> Any:
        return self.do(services.apply_proposal, proposal, **named)

    def put_in_force(self, *changes: dict[str, Any]) -> Proposal:
        """Proposed, approved and applied."""
        proposal = self.propose(*changes)
        self.approve(proposal)
        self.apply(proposal)
        return seen(self.admin, proposal.pk)

    def says(self, proposal: Proposal) -> list[dict[str, Any]]:
        """The changes of its latest revision."""
        latest = ProposalRevision.objects.filter(proposal=proposal).order_by("-number").first()
        assert latest is not None
        found: list[dict[str, Any]] = latest.changes
        return found
