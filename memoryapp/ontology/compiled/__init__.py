"""One edition of the declared types, ready to be asked: look-ups, subtypes, checks, and the nearest declared name.

Everything here is a pure function of the document. What is not declared raises `Invalid` with the nearest declared
name and what would be accepted; what is declared but wrong comes back as violations, so that a batch can list them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memoryapp.access.paths import above
from memoryapp.ontology.compiled.declared import KeySet, Property, look_up
from memoryapp.ontology.compiled.episodes import EpisodeKinds
from memoryapp.ontology.compiled.relations import RelationKinds
from memoryapp.ontology.compiled.relationships import Relationships
from memoryapp.ontology.consistency import check
from memoryapp.ontology.document import FileRoot, OntologyDocument, SourceKind, View, read

__all__ = ["FACT", "KeySet", "Ontology", "Property", "compile_document", "edition", "kept_edition"]

FACT = "fact"


@dataclass(frozen=True)
class Ontology(RelationKinds, Relationships, EpisodeKinds):
    """The declared types of one edition. `number` is the edition's in its workspace."""

    def source_kind(self, name: str, path: str = "/kind") -> SourceKind:
        return look_up(self.document.source_kinds, name, path, "kind of source", "undeclared_source_kind")

    def file_root(self, path: str) -> tuple[str, FileRoot] | None:
        """The declared root that a path is in or is, the nearest of them."""
        roots = self.document.file_roots
        for one in [path, *reversed(above(path))]:
            if one in roots:
                return one, roots[one]
        return None

    def view(self, name: str, path: str = "/view") -> View:
        return look_up(self.document.views, self.today("views", name), path, "view", "undeclared_view")


def compile_document(document: OntologyDocument, number: int = 0) -> Ontology:
    """The document ready to be asked. Raises Invalid that lists everything that does not fit together."""
    check(document)
    return Ontology(document, number)


_editions: dict[tuple[str, int], Ontology] = {}
EDITIONS_KEPT = 256


def consistent(document: OntologyDocument, digest: str) -> Ontology:
    """`compile_document`, at most once in a process for documents of the same digest."""
    return kept_edition(digest, 0) or _keep(digest, 0, compile_document(document))


def edition(digest: str, number: int, data: Any) -> Ontology:
    """The edition with this digest and number, read and compiled at most once in a process."""
    return kept_edition(digest, number) or _keep(digest, number, Ontology(read(data), number))


def kept_edition(digest: str, number: int) -> Ontology | None:
    """An edition that was compiled before."""
    return _editions.get((digest, number))


def _keep(digest: str, number: int, compiled: Ontology) -> Ontology:
    if len(_editions) >= EDITIONS_KEPT:
        _editions.pop(next(iter(_editions)), None)
    _editions[digest, number] = compiled
    return compiled
