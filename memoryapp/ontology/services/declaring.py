"""Writing down what a workspace's types are. Every edition is kept; the newest is in force."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from django.db import transaction

from memoryapp.access.services import operator
from memoryapp.doors.errors import Invalid
from memoryapp.doors.nearest import nearest
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.services import begin, create_workspace
from memoryapp.ontology import following
from memoryapp.ontology.changeset.moves import Move
from memoryapp.ontology.compiled import Ontology, consistent, edition
from memoryapp.ontology.document import OntologyDocument, read, read_text
from memoryapp.ontology.examining import examine, refuse
from memoryapp.ontology.models import DeclaredKey, DeclaredRole, DeclaredType, OntologyVersion

DEFINITIONS = Path(__file__).parent.parent / "definitions"
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


def declare(
    write: Write,
    document: OntologyDocument | dict[str, Any],
    *,
    moves: Sequence[Move] = (),
    ahead: Ahead | None = None,
) -> OntologyVersion:
    """Make this document the edition in force, and let stored rows follow the moves; `ahead` is what was prepared of
    them before.

    The same document again changes nothing. Refused, whole, when it takes away what stored rows use or other things
    mention (Conflict `in_use` with the count, `mentioned` with what does), or asks of rows what they do not hold
    (`rows_do_not_fit` with the rows). Rows keep the number of the edition they were written under.
    """
    write.by.require("apply_schema")
    document = document if isinstance(document, OntologyDocument) else read(document)
    data = document.as_data()
    digest = digest_of(data)
    compiled = consistent(document, digest)
    newest = OntologyVersion.objects.filter(workspace=write.workspace).order_by("-number").first()
    if newest is None:
        return _in_force(write, 1, data, digest, compiled)
    if newest.digest == digest:
        return newest
    old = edition(newest.digest, newest.number, newest.document)
    refuse(examine(write.by, old, compiled, moves))
    retyping = following.begin(write, moves) if moves else None
    version = _in_force(write, newest.number + 1, data, digest, compiled)
    touched = following.touched(old, compiled, moves)
    following.clear(write, touched)
    following.settle(write, touched, ahead.install(write) if ahead else None)
    if retyping is not None:
        following.close(retyping, version.number, write)
    return version


class Ahead(Protocol):
    """What was prepared of stored rows before."""

    def install(self, write: Write) -> dict[str, set[uuid.UUID]]:
        """Store it, for every row that has not changed since. Gives these rows, by family."""
        ...


def put_in_force(write: Write, number: int, document: OntologyDocument) -> OntologyVersion:
    """Make a document that was checked the edition of this number. No row follows by this."""
    data = document.as_data()
    digest = digest_of(data)
    return _in_force(write, number, data, digest, consistent(document, digest))


def _in_force(write: Write, number: int, data: dict[str, Any], digest: str, compiled: Ontology) -> OntologyVersion:
    version = OntologyVersion.objects.create(
        workspace=write.workspace,
        number=number,
        document=data,
        digest=digest,
        write=write,
        recorded_at=write.recorded_at,
    )
    _project_types(version, compiled)
    _project_roles(version.workspace, compiled.document)
    _project_keys(version.workspace, compiled.document)
    return version


def digest_of(data: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


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
