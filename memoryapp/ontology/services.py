"""Writing down what a workspace's types are. Every edition is kept; the newest is in force."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.db import transaction

from memoryapp.access.services import operator
from memoryapp.doors.errors import Conflict, Invalid, Violation
from memoryapp.doors.nearest import nearest
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.services import begin, create_workspace
from memoryapp.ontology.changes import taken_away
from memoryapp.ontology.compiled import Ontology, consistent
from memoryapp.ontology.document import OntologyDocument, read, read_text
from memoryapp.ontology.models import DeclaredKey, DeclaredRole, DeclaredType, OntologyVersion
from memoryapp.ontology.usage import rows_using

DEFINITIONS = Path(__file__).parent / "definitions"
Family = DeclaredType.Family


def start(write: Write, name: str = "default") -> OntologyVersion:
    """Give a new workspace one of the ready-made ontologies. Does nothing when it has declared types already."""
    existing = OntologyVersion.objects.filter(workspace=write.workspace).order_by("-number").first()
    return existing or declare(write, ready_made(name))


def found_workspace(slug: str, name: str, time_zone: str = "UTC", ontology: str = "default") -> Workspace:
    """A new workspace with the types it starts from, ready to be written to. Both are made, or neither."""
    document = ready_made(ontology)
    with transaction.atomic():
        workspace = create_workspace(slug, name, time_zone)
        declare(begin(operator(workspace), "found", "The workspace begins."), document)
    return workspace


def ready_made_names() -> list[str]:
    return sorted(path.stem for path in DEFINITIONS.glob("*.yaml"))


@lru_cache(maxsize=16)
def ready_made(name: str) -> OntologyDocument:
    """One of the ontologies that ship with the product."""
    known = ready_made_names()
    if name not in known:
        close = nearest(name, known)
        meant = f" Did you mean {close}?" if close else ""
        raise Invalid.at("/ontology", "unknown_ontology", f"There is no ontology {name}.{meant}", ", ".join(known))
    return read_text((DEFINITIONS / f"{name}.yaml").read_text(encoding="utf-8"))


def declare(write: Write, document: OntologyDocument | dict[str, Any]) -> OntologyVersion:
    """Make this document the edition in force.

    The same document again changes nothing. Refused, whole and with the count, when it takes away or changes what
    stored rows use. Stored rows keep the number of the edition they were written under.
    """
    write.by.require("apply_schema")
    document = document if isinstance(document, OntologyDocument) else read(document)
    data = document.as_data()
    digest = digest_of(data)
    compiled = consistent(document, digest)
    newest = OntologyVersion.objects.filter(workspace=write.workspace).order_by("-number").first()
    if newest is not None:
        if newest.digest == digest:
            return newest
        _refuse_what_is_used(write.workspace, Ontology(read(newest.document), newest.number), compiled)
    version = OntologyVersion.objects.create(
        workspace=write.workspace,
        number=newest.number + 1 if newest else 1,
        document=data,
        digest=digest,
        write=write,
        recorded_at=write.recorded_at,
    )
    _project_types(version, compiled)
    _project_roles(version.workspace, document)
    _project_keys(version.workspace, document)
    return version


def digest_of(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _refuse_what_is_used(workspace: Workspace, old: Ontology, new: Ontology) -> None:
    found: list[Violation] = []
    seen: set[str] = set()
    for part in taken_away(old, new):
        if (where := f"{part.path}={part.value}") in seen:
            continue
        seen.add(where)
        if count := rows_using(workspace, part):
            rows = "1 stored row uses" if count == 1 else f"{count} stored rows use"
            found.append(Violation(part.path, "in_use", f"{rows} {part}.", "what they use kept as it is"))
    if found:
        raise Conflict(
            f"{len(found)} of the changes would leave stored rows without their type.", "in_use", tuple(found)
        )


def _types(compiled: Ontology) -> Iterator[tuple[str, str, dict[str, Any]]]:
    document = compiled.document
    for name, kind in document.belief_kinds.items():
        yield Family.BELIEF_KIND, name, _as_row(compiled.kind_line(name), kind.abstract, kind.retired)
    for name, node_class in document.node_classes.items():
        yield Family.NODE_CLASS, name, _as_row(compiled.class_line(name), node_class.abstract, node_class.retired)
    for name, relationship in document.relationships.items():
        yield Family.RELATIONSHIP, name, _as_row((name,), False, relationship.retired)
    for name, relation in document.relation_kinds.items():
        yield Family.RELATION_KIND, name, _as_row((name,), False, relation.retired)
    for name, episode in document.episode_kinds.items():
        yield Family.EPISODE_KIND, name, _as_row(compiled.episode_line(name), episode.abstract, episode.retired)


def _as_row(line: tuple[str, ...], abstract: bool, retired: bool) -> dict[str, Any]:
    parent = line[1] if len(line) > 1 else ""
    return {"parent": parent, "lineage": f"/{'/'.join(line)}/", "abstract": abstract, "retired": retired}


def _project_types(version: OntologyVersion, compiled: Ontology) -> None:
    existing = {(row.family, row.name): row for row in DeclaredType.objects.filter(workspace=version.workspace)}
    new: list[DeclaredType] = []
    changed: list[DeclaredType] = []
    for family, name, values in _types(compiled):
        row = existing.pop((family, name), None)
        if row is None:
            new.append(
                DeclaredType(workspace=version.workspace, family=family, name=name, since=version.number, **values)
            )
        elif any(getattr(row, column) != value for column, value in values.items()):
            for column, value in values.items():
                setattr(row, column, value)
            changed.append(row)
    for row in existing.values():
        if not row.retired:
            row.retired = True
            changed.append(row)
    DeclaredType.objects.bulk_create(new)
    DeclaredType.objects.bulk_update(changed, ["parent", "lineage", "abstract", "retired"], batch_size=200)


def _project_roles(workspace: Workspace, document: OntologyDocument) -> None:
    existing = {(row.relation_kind, row.role): row for row in DeclaredRole.objects.filter(workspace=workspace)}
    new: list[DeclaredRole] = []
    changed: list[DeclaredRole] = []
    for kind, declared in document.relation_kinds.items():
        for role, one in declared.roles.items():
            row = existing.pop((kind, role), None)
            if row is None:
                new.append(
                    DeclaredRole(
                        workspace=workspace, relation_kind=kind, role=role, minimum=one.minimum, maximum=one.maximum
                    )
                )
            elif (row.minimum, row.maximum) != (one.minimum, one.maximum):
                row.minimum, row.maximum = one.minimum, one.maximum
                changed.append(row)
    for row in existing.values():
        row.minimum, row.maximum = 0, 0
        changed.append(row)
    DeclaredRole.objects.bulk_create(new)
    DeclaredRole.objects.bulk_update(changed, ["minimum", "maximum"], batch_size=200)


def _project_keys(workspace: Workspace, document: OntologyDocument) -> None:
    existing = {(row.owner_class, row.key_set): row for row in DeclaredKey.objects.filter(workspace=workspace)}
    declared = {(n, "+".join(sorted(keys))) for n, one in document.node_classes.items() for keys in one.keys}
    DeclaredKey.objects.bulk_create(
        DeclaredKey(workspace=workspace, owner_class=owner, key_set=keys)
        for owner, keys in sorted(declared - set(existing))
    )
    changed = [row for key, row in existing.items() if row.retired is (key in declared)]
    for row in changed:
        row.retired = not row.retired
    DeclaredKey.objects.bulk_update(changed, ["retired"], batch_size=200)
