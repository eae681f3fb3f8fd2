"""Where files lead, and which files lead to something."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from memoryapp.access import paths
from memoryapp.files.models import Entry, Link, State
from memoryapp.ledger.principal import Principal


def links_for(by: Principal, target: str) -> QuerySet[Link]:
    """The links of files in sight that lead to a path (in normal form) or an id, by the path they are in."""
    by.require("read_files")
    seen = Entry.objects.readable_to(by).filter(state=State.CURRENT)
    kind = Q(target_type=Link.To.FILE) if target.startswith("/") else ~Q(target_type=Link.To.FILE)
    found = Link.objects.filter(kind, workspace=by.workspace, target=target, entry__in=seen.values("pk"))
    return found.select_related("entry").order_by("entry__path", "pk")


def links_from(by: Principal, entry: Entry) -> list[Link]:
    """Where a file leads. Paths that may not be read are left out, as if nothing led there."""
    policy = paths.of(by)
    rows = Link.objects.filter(workspace=by.workspace, entry=entry).order_by("target_type", "target", "pk")
    return [one for one in rows if one.target_type != Link.To.FILE or policy.may_read(one.target)]
