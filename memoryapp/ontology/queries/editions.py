"""Which edition of the declared types is in force."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet

from memoryapp.doors.errors import NotFound
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.compiled import Ontology, edition, kept_edition
from memoryapp.ontology.models import DeclaredType, OntologyVersion


def current_ontology(of: Principal | Workspace) -> Ontology:
    """The edition in force, compiled. One small query; the document is read once in a process."""
    workspace = of.workspace if isinstance(of, Principal) else of
    newest = prepared.first(_newest, workspace=workspace)
    if newest is None:
        raise NotFound(f"{workspace.name} has not declared any types yet.", code="no_ontology")
    return _compiled(*newest)


def _newest(workspace: Workspace) -> QuerySet[OntologyVersion, tuple[uuid.UUID, str, int]]:
    versions = OntologyVersion.objects.filter(workspace=workspace).order_by("-number")
    return versions.values_list("id", "digest", "number")[:1]


def ontology_at(of: Principal | Workspace, number: int) -> Ontology:
    """An earlier edition, by its number."""
    workspace = of.workspace if isinstance(of, Principal) else of
    found = (
        OntologyVersion.objects.filter(workspace=workspace, number=number).values_list("id", "digest", "number").first()
    )
    if found is None:
        raise NotFound(f"There is no edition {number} of the declared types.")
    return _compiled(*found)


def versions(by: Principal) -> list[OntologyVersion]:
    """Every edition, newest first, without the documents."""
    return list(OntologyVersion.objects.filter(workspace=by.workspace).order_by("-number").defer("document"))


def since(by: Principal) -> list[tuple[str, str, int]]:
    """For each declared type its family, its name, and the edition that declared it."""
    return list(DeclaredType.objects.filter(workspace=by.workspace).values_list("family", "name", "since"))


def _compiled(id: uuid.UUID, digest: str, number: int) -> Ontology:
    kept = kept_edition(digest, number)
    if kept is not None:
        return kept
    return edition(digest, number, OntologyVersion.objects.values_list("document", flat=True).get(pk=id))
