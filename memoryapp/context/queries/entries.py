"""Reading entries: those that stand now, as they stood at any time, and all that was said of one."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from memoryapp.context.models import Entry, EntryLink, EntryRevision, State
from memoryapp.doors.errors import NotFound
from memoryapp.graph.models import Belief, Node
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.normalise import normal_text
from memoryapp.sources.models import Source

ORDER = ("section_position", "section_key", "position", "pk")
"""Sections in their order, and entries in theirs."""


@dataclass(frozen=True)
class Asked:
    """Which entries are asked for. What is left out does not narrow.

    Only those that stand and have not expired are, unless `expired` keeps these and `history` also what was unset.
    `known_at` asks for what stood then, as it was said then.
    """

    sections: tuple[str, ...] = ()
    pinned: bool | None = None
    expired: bool = False
    history: bool = False
    known_at: dt.datetime | None = None

    @property
    def keys(self) -> list[str]:
        """The sections as they are compared."""
        return [normal_text(one) for one in self.sections]


STANDING = Asked()


@dataclass(frozen=True)
class Shown:
    """An entry by one revision, with those of its links that the asker may see."""

    revision: EntryRevision
    links: list[EntryLink] = field(default_factory=list)

    @property
    def entry(self) -> Entry:
        return self.revision.entry

    def expired(self, at: dt.datetime) -> bool:
        return self.revision.ends_at is not None and self.revision.ends_at <= at


def revisions(by: Principal, asked: Asked = STANDING) -> QuerySet[EntryRevision]:
    """What the entries that are asked for say, one revision each, in their order."""
    by.require("read_context")
    return narrowed(by, asked, at=asked.known_at or now(by), keys=asked.keys)


def narrowed(by: Principal, asked: Asked, *, at: dt.datetime, keys: Sequence[str]) -> QuerySet[EntryRevision]:
    """The same for whoever may read it: at an instant, in the sections with these keys."""
    found = known(EntryRevision.objects.visible_to(by), asked.known_at).select_related("entry")
    if not asked.history:
        found = found.filter(state=State.SET)
    if not asked.expired:
        found = found.filter(Q(ends_at__isnull=True) | Q(ends_at__gt=at))
    if keys:
        found = found.filter(section_key__in=keys)
    if asked.pinned is not None:
        found = found.filter(pinned=asked.pinned)
    return found.order_by(*ORDER)


def known(rows: QuerySet[EntryRevision], known_at: dt.datetime | None) -> QuerySet[EntryRevision]:
    """Of each entry the latest revision, or the latest that was known at that time."""
    if known_at is None:
        return rows.filter(sequence=F("entry__lock"))
    newer = EntryRevision.objects.filter(
        entry=OuterRef("entry"), recorded_at__lte=known_at, sequence__gt=OuterRef("sequence")
    )
    return rows.filter(recorded_at__lte=known_at).exclude(Exists(newer))


def now(by: Principal) -> dt.datetime:
    """This instant, never before what the workspace had recorded when the principal was read."""
    return max(timezone.now(), by.workspace.clock)


def entry(by: Principal, entry_id: uuid.UUID) -> Entry:
    """One entry in sight, whatever its state. Raises NotFound."""
    by.require("read_context")
    found = Entry.objects.visible_to(by).select_related("write__actor").filter(pk=entry_id).first()
    if found is None:
        raise NotFound("There is no such entry.", code="no_such_entry")
    return found


def shown(by: Principal, entry_id: uuid.UUID, known_at: dt.datetime | None = None) -> Shown:
    """One entry as it says now, or as it said then. Raises NotFound."""
    found = entry(by, entry_id)
    revision = known(EntryRevision.objects.filter(entry=found), known_at).select_related("entry__write__actor").first()
    if revision is None:
        raise NotFound("This entry was not there yet.", code="not_known_yet")
    return with_links(by, [revision])[0]


def history(by: Principal, entry_id: uuid.UUID) -> list[Shown]:
    """Everything that was said of an entry, the latest first, with who said it. Raises NotFound."""
    found = entry(by, entry_id)
    rows = EntryRevision.objects.filter(entry=found).select_related("entry", "write__actor").order_by("-sequence")
    return with_links(by, list(rows))


def with_links(by: Principal, rows: Sequence[EntryRevision]) -> list[Shown]:
    """These revisions with those of their links that lead to what is in sight. One query."""
    seen_node = Exists(Node.objects.visible_to(by).filter(pk=OuterRef("node")))
    seen_belief = Exists(Belief.objects.visible_to(by).filter(pk=OuterRef("belief")))
    seen_source = Exists(Source.objects.visible_to(by).filter(pk=OuterRef("source")))
    linked = EntryLink.objects.filter(revision__in=rows).filter(Q(seen_node) | Q(seen_belief) | Q(seen_source))
    found: dict[uuid.UUID, list[EntryLink]] = {}
    for one in linked.select_related("node", "belief", "source").order_by("revision", "position") if rows else ():
        found.setdefault(one.revision_id, []).append(one)
    return [Shown(row, found.get(row.pk, [])) for row in rows]


def naming(by: Principal, nodes: Collection[uuid.UUID]) -> int:
    """How many entries in sight are linked to one of these nodes."""
    linked = EntryLink.objects.filter(workspace=by.workspace, node__in=nodes).values("entry")
    return Entry.objects.visible_to(by).filter(pk__in=linked).count()
