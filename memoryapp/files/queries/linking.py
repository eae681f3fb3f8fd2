"""Where files lead, and which files lead to something."""

from __future__ import annotations

import uuid
from collections.abc import Collection

from django.db.models import Q, QuerySet

from memoryapp.access import paths
from memoryapp.files.models import Entry, Link, State
from memoryapp.files.queries.leading import InSight
from memoryapp.graph.models import Node
from memoryapp.graph.queries.anything import in_sight
from memoryapp.graph.queries.merges import family
from memoryapp.ledger.principal import Principal


def links_for(by: Principal, target: str) -> QuerySet[Link]:
    """The links of files in sight that lead to a path (in normal form) or an id, by the path they are in. Of a node
    also those that name what was folded into it, or the other way round. To what is out of sight nothing leads."""
    by.require("read_files")
    seen = Entry.objects.readable_to(by).filter(state=State.CURRENT)
    if target.startswith("/"):
        meant = Q(target_type=Link.To.FILE, target=target) if paths.of(by).may_read(target) else Q(pk__in=[])
    else:
        meant = _to_a_thing(by, target)
    found = Link.objects.filter(meant, workspace=by.workspace, entry__in=seen.values("pk"))
    return found.select_related("entry").order_by("entry__path", "pk")


def links_to_node(by: Principal, node: Node) -> QuerySet[Link]:
    """The links of files in sight that lead to a node in sight, by any id that leads there."""
    by.require("read_files")
    seen = Entry.objects.readable_to(by).filter(state=State.CURRENT)
    meant = Q(target_type=Link.To.NODE, target__in=_family(by, node))
    found = Link.objects.filter(meant, workspace=by.workspace, entry__in=seen.values("pk"))
    return found.select_related("entry").order_by("entry__path", "pk")


def _to_a_thing(by: Principal, target: str) -> Q:
    """Of links: that they lead to the thing of this id."""
    try:
        thing = uuid.UUID(target)
    except ValueError:
        return Q(pk__in=[])
    node = Node.objects.visible_to(by).filter(pk=thing).only("pk", "folded_into").first()
    if node is not None:
        return Q(target_type=Link.To.NODE, target__in=_family(by, node))
    for what in (Link.To.BELIEF, Link.To.EPISODE, Link.To.SOURCE):
        if in_sight(by, what, [thing]):
            return Q(target_type=what, target=str(thing))
    return Q(pk__in=[])


def _family(by: Principal, node: Node) -> list[str]:
    return sorted(map(str, family(by, node.folded_into_id or node.pk)))


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
    """Where a file leads. What is out of sight is left out, as if nothing led there."""
    rows = list(Link.objects.filter(workspace=by.workspace, entry=entry).order_by("target_type", "target", "pk"))
    seen = InSight(by, [(one.target_type, one.target) for one in rows])
    return [one for one in rows if seen.holds(one.target_type, one.target)]
