"""Types declared in Python: classes that are Pydantic models, gathered from a module into the one document of types.

What a class says is what the same declaration in YAML says, no more: `document_of(module)` gives an `OntologyDocument`,
and everything after it (checks, proposals, export) is the same for both. The classes can be used to check and shape
what an agent sends, as any model can.
"""

from memoryapp.ontology.authoring.classes import (
    BeliefKind,
    Declared,
    EpisodeKind,
    NodeClass,
    RelationKind,
    Relationship,
)
from memoryapp.ontology.authoring.fields import Date, Email, Hostname, Iri, Normalised, Said, Searchable
from memoryapp.ontology.authoring.gathering import Types, document_of, load
from memoryapp.ontology.document import FileRoot, Role, SourceKind, Term, View, Vocabulary

__all__ = [
    "BeliefKind",
    "Date",
    "Declared",
    "Email",
    "EpisodeKind",
    "FileRoot",
    "Hostname",
    "Iri",
    "NodeClass",
    "Normalised",
    "RelationKind",
    "Relationship",
    "Role",
    "Said",
    "Searchable",
    "SourceKind",
    "Term",
    "Types",
    "View",
    "Vocabulary",
    "document_of",
    "load",
]
