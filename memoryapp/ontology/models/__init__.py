"""The tables of the room: editions of the declared types, and proposals to change them."""

from memoryapp.ontology.models.ahead import PreparedRows
from memoryapp.ontology.models.editions import DeclaredKey, DeclaredRole, DeclaredType, OntologyVersion
from memoryapp.ontology.models.proposals import (
    Occurrence,
    Proposal,
    ProposalMove,
    ProposalRevision,
    Severity,
    Status,
)

__all__ = [
    "DeclaredKey",
    "DeclaredRole",
    "DeclaredType",
    "Occurrence",
    "OntologyVersion",
    "PreparedRows",
    "Proposal",
    "ProposalMove",
    "ProposalRevision",
    "Severity",
    "Status",
]
