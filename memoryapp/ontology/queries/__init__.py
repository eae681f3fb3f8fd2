"""Every read of the room: editions of the declared types, proposals, and what a proposal would do."""

from memoryapp.ontology.queries.editions import current_ontology, ontology_at, since, versions

__all__ = ["current_ontology", "ontology_at", "since", "versions"]
