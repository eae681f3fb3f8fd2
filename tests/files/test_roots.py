"""The index follows the declared roots: what lies below one that came or went is searched accordingly at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.files import retyping
from memoryapp.ledger import integrity
from memoryapp.ledger.models import Job
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.services import declare
from tests.files.telling import Tree

pytestmark = pytest.mark.django_db


def declared(tree: Tree, **roots: Any) -> None:
    """These roots in place of those declared before: `declared(tree, notes=True, archive=False)`."""
    document = current_ontology(tree.by).document.as_data()
    document["file_roots"] = {f"/{name}": {"indexed": indexed} for name, indexed in roots.items()}
    tree.do(lambda write: declare(write, document))


def findings(tree: Tree) -> list[str]:
    return [one.what for report in integrity.examine(tree.by.workspace) for one in report.findings]


def test_files_below_a_root_that_is_declared_withdrawn_or_renamed_are_searched_accordingly(tree: Tree) -> None:
    tree.write("/notes/a.md", "A marlin.")
    tree.write("/archive/b.md", "A marlin.")
    assert tree.search("marlin") == ["/notes/a.md"]
    declared(tree, notes=True, archive=True)
    assert sorted(tree.search("marlin")) == ["/archive/b.md", "/notes/a.md"]
    declared(tree, notes=False, archive=True)
    assert tree.search("marlin") == ["/archive/b.md"]
    tree.move("/archive", "/attic")
    declared(tree, notes=True, attic=True)
    assert sorted(tree.search("marlin")) == ["/attic/b.md", "/notes/a.md"]
    assert findings(tree) == []


def test_a_root_within_a_root_is_searched_by_its_own_word(tree: Tree) -> None:
    tree.write("/notes/a.md", "A marlin.")
    tree.write("/notes/drafts/b.md", "A marlin.")
    declared(tree, **{"notes": True, "notes/drafts": False})
    assert tree.search("marlin") == ["/notes/a.md"]
    declared(tree, notes=True)
    assert sorted(tree.search("marlin")) == ["/notes/a.md", "/notes/drafts/b.md"]


def test_of_very_many_a_job_enters_the_rest(
    tree: Tree, work: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retyping, "AT_ONCE", 2)
    for number in range(5):
        tree.write(f"/archive/{number}.md", "A marlin.")
    declared(tree, notes=True, archive=True)
    assert len(tree.search("marlin")) == 2
    work()
    assert len(tree.search("marlin")) == 5
    assert Job.objects.get(kind=retyping.JOB).state == "succeeded"
    assert findings(tree) == []
