"""Where files lead, and which files lead to something."""

from __future__ import annotations

import uuid
from collections.abc import Collection

from django.db.models import Q, QuerySet

from memoryapp.access import paths
from memoryapp.files.models import Entry, Link, State
from memoryapp.graph.models import Node
from memoryapp.graph.queries.merges import family
from memoryapp.ledger.principal import Principal


def links_for(by: Principal, target: str) -> QuerySet[Link]:
    """The links of files in sight that lead to a path (in normal form) or an id, by the path they are in. Of a node
    also those that name what was folded into it, or the other way round."""
    by.require("read_files")
    seen = Entry.objects.readable_to(by).filter(state=State.CURRENT)
    meant = Q(target_type=Link.To.FILE, target=target)
    if not target.startswith("/"):
        meant = ~Q(target_type__in=[Link.To.FILE, Link.To.NODE]) & Q(target=target)
        meant |= Q(target_type=Link.To.NODE, target__in=_one_with(by, target))
    found = Link.objects.filter(meant, workspace=by.workspace, entry__in=seen.values("pk"))
    return found.select_related("entry").order_by("entry__path", "pk")


def _one_with(by: Principal, target: str) -> list[str]:
    """Every id that leads to the node which this id leads to."""
    try:
        node = Node.objects.filter(workspace=by.workspace, pk=uuid.UUID(target)).only("pk", "folded_into").first()
    except ValueError:
        return [target]
    return sorted(map(str, family(by, node.folded_into_id or node.pk))) if node else [target]


def naming(by: Principal, nodes: Collection[uuid.UUID]) -> int:
    """How many files in sight lead to one of these nodes."""
    if not by.may("read_files"):
        return 0
    seen = Entry.objects.readable_to(by).filter(state=State.CURRENT)
    links = Link.objects.filter(
        workspace=by.workspace, target_type=Link.To.NODE, target__in=[str(node) for node in nodes]
    )
    return links.filter(entry__in=seen.values("pk")).values("entry").distinct().count()


def links_from(by: Principal, entry: Entry) -> list[Link]:
    """Where a file leads. Paths that may not be read are left out, as if nothing led there."""
    policy = paths.of(by)
    rows = Link.objects.filter(workspace=by.workspace, entry=entry).order_by("target_type", "target", "pk")
    return [one for one in rows if one.target_type != Link.To.FILE or policy.may_read(one.target)]
