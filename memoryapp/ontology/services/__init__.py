"""Every write of the room: editions declared, and proposals filed, revised, decided, applied and rolled back."""

from memoryapp.ontology.services.applying import (
    apply_in_a_job,
    apply_proposal,
    approve,
    ask_back,
    go_back,
    note_failure,
    note_not_rolled_back,
    rebase,
    refuse_not_latest,
    reject,
    roll_back,
    roll_back_in_a_job,
    superseded_by,
)
from memoryapp.ontology.services.declaring import (
    declare,
    digest_of,
    found_workspace,
    ready_made,
    ready_made_names,
    start,
)
from memoryapp.ontology.services.proposing import Draft, Met, meet, propose, revise, withdraw

__all__ = [
    "Draft",
    "Met",
    "apply_in_a_job",
    "apply_proposal",
    "approve",
    "ask_back",
    "declare",
    "digest_of",
    "found_workspace",
    "go_back",
    "meet",
    "note_failure",
    "note_not_rolled_back",
    "propose",
    "ready_made",
    "ready_made_names",
    "rebase",
    "refuse_not_latest",
    "reject",
    "revise",
    "roll_back",
    "roll_back_in_a_job",
    "start",
    "superseded_by",
    "withdraw",
]
