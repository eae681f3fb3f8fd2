"""Which links of files somebody may know of: to paths that they may read, and to things in their sight."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable

from memoryapp.access import paths
from memoryapp.files.models import Link, Version
from memoryapp.graph.queries.anything import in_sight
from memoryapp.ledger.principal import Principal

Target = tuple[str, str]
"""What a link leads to: the sort of thing, and its path or id."""


class InSight:
    """Of these targets those that somebody may know of. A query for each sort of thing but paths."""

    def __init__(self, by: Principal, targets: Iterable[Target]) -> None:
        self._policy = paths.of(by)
        wanted: dict[str, set[uuid.UUID]] = defaultdict(set)
        for to, target in targets:
            if to != Link.To.FILE:
                wanted[to].add(uuid.UUID(target))
        self._seen = {(to, str(one)) for to, ids in wanted.items() for one in in_sight(by, to, ids)}

    def holds(self, to: str, target: str) -> bool:
        return self._policy.may_read(target) if to == Link.To.FILE else (to, target) in self._seen


def of_versions(by: Principal, versions: Iterable[Version]) -> InSight:
    """What of these versions' links somebody may know of."""
    return InSight(by, [(one["to"], one["target"]) for version in versions for one in version.links])
