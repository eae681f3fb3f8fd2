"""How files answer when a source is taken back: what was made from nothing else is out of sight until it returns."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db.models import Exists, F, OuterRef, QuerySet

from memoryapp.files import queries
from memoryapp.files.models import Entry, State, Version, VersionSource
from memoryapp.files.services import placing
from memoryapp.files.services.storing import Next, put_down
from memoryapp.ledger.models import Write
from memoryapp.sources.queries import withdrawn as taken_back

FELL = "What it was made from was taken back."
RETURNED = "What it was made from stands again."


def withdrawn(write: Write, sources: Sequence[uuid.UUID]) -> None:
    """Take out of sight every file that was made from these sources and from nothing else that stands."""
    gone = [one for one in resting_on(sources).filter(state=State.CURRENT) if not _stands(one)]
    latest = queries.latest_of([one.pk for one in gone])
    put_down(write, [Next(one, "withdraw", latest[one.pk], state=State.WITHDRAWN, reason=FELL) for one in gone])


def lifted(write: Write, sources: Sequence[uuid.UUID]) -> None:
    """Let those stand again that were taken out of sight for it. Where the path was taken meanwhile, the file becomes a
    tombstone that a person may restore."""
    back = [one for one in resting_on(sources).filter(state=State.WITHDRAWN) if _stands(one)]
    latest = queries.latest_of([one.pk for one in back])
    for one in back:
        free = placing.here(write, one.path) is None and placing.way_is_free(write, one.path)
        if free:
            placing.make_way(write, one.path)
        state = State.CURRENT if free else State.REMOVED
        put_down(write, [Next(one, "return", latest[one.pk], state=state, reason=RETURNED)])


def resting_on(sources: Sequence[uuid.UUID]) -> QuerySet[Entry]:
    """Files whose latest version was made from one of these sources, or told as one."""
    made = VersionSource.objects.filter(
        source__in=sources, version__entry=OuterRef("pk"), version__sequence=OuterRef("lock")
    )
    return Entry.objects.filter(Exists(made)).order_by("pk")


def _stands(entry: Entry) -> bool:
    version = Version.objects.get(entry=entry, sequence=F("entry__lock"))
    gone = taken_back(entry.workspace_id)
    return VersionSource.objects.filter(version=version).exclude(source__in=gone).exists()
