"""What must hold of the index, checked by `manage.py integrity`."""

from __future__ import annotations

from collections.abc import Iterator

from memoryapp.index.models import IndexEntry
from memoryapp.index.queries import unindexed
from memoryapp.index.services import drifted, rebuild
from memoryapp.index.texts import shelves
from memoryapp.ledger import integrity
from memoryapp.ledger.integrity import Check, Finding, about
from memoryapp.ledger.models import Workspace


def register() -> None:
    """Let `manage.py integrity` run these."""
    integrity.register(Check("index", "Everything that is searched is in the index, and nothing else", _index, rebuild))


def _index(workspace: Workspace) -> Iterator[Finding]:
    for target_type, target in unindexed(workspace):
        yield Finding(target_type, str(target), "It is not in the index.")
    for target_type, target in drifted(workspace):
        yield Finding(target_type, str(target), "The index holds other words than its room.")
    for target_type, reader in sorted(shelves().items()):
        held = set(reader.ids(workspace))
        for entry in IndexEntry.objects.filter(workspace=workspace, target_type=target_type).order_by("pk"):
            if entry.target_id not in held:
                yield about(entry, "It is in the index, and its room no longer has it.")
