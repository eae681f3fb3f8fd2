"""Who may be served what is told: named readers, given once, when it is told."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence

from memoryapp.doors.errors import Violation
from memoryapp.ledger.models import Actor, Write
from memoryapp.sources.models import Source, TellingAudience, TellingReader, Thread
from memoryapp.sources.queries import readers_of

Readers = frozenset[uuid.UUID] | None
"""The actors within an audience; None for the whole workspace."""

READS = (Actor.Kind.PERSON, Actor.Kind.AGENT)


class Audiences:
    """The audiences of one write: each set of readers is stored once."""

    def __init__(self, write: Write) -> None:
        self.write = write
        self._made: dict[frozenset[uuid.UUID], TellingAudience] = {}

    def readers(self, named: Iterable[uuid.UUID] | None) -> Readers:
        """Those named and whoever tells it; everybody when nobody is named."""
        return None if named is None else frozenset(named) | {self.write.by.actor.pk}

    def of(self, readers: Readers) -> TellingAudience | None:
        """The audience of these readers, stored."""
        if readers is None:
            return None
        if readers not in self._made:
            audience = TellingAudience.objects.create(workspace=self.write.workspace, write=self.write)
            TellingReader.objects.bulk_create(
                TellingReader(workspace=self.write.workspace, audience=audience, actor_id=actor)
                for actor in sorted(readers)
            )
            self._made[readers] = audience
        return self._made[readers]


def violations(write: Write, named: Iterable[tuple[str, int | None, Sequence[uuid.UUID] | None]]) -> list[Violation]:
    """Readers that are no members or agents of the workspace, each with the place and row where it is named."""
    given = [(path, row, reader, place) for path, row, ids in named for place, reader in enumerate(ids or ())]
    if not given:
        return []
    wanted = {reader for _, _, reader, _ in given}
    rows = Actor.objects.filter(workspace=write.workspace, kind__in=READS, pk__in=wanted)
    known = set(rows.values_list("pk", flat=True))
    message = "There is no such reader."
    return [
        Violation(f"{path}/{place}", "unknown_reader", message, "ids of members or agents of this workspace", row)
        for path, row, reader, place in given
        if reader not in known
    ]


def audience_of(told: Collection[Thread | Source]) -> dict[uuid.UUID, Readers]:
    """The readers of each of these threads or sources, by its id."""
    named = readers_of({one.audience_id for one in told if one.audience_id})
    return {one.pk: named[one.audience_id] if one.audience_id else None for one in told}


def within_all(several: Iterable[Readers]) -> Readers:
    """Who is within each of these audiences."""
    found: Readers = None
    for readers in several:
        if readers is not None:
            found = readers if found is None else found & readers
    return found
