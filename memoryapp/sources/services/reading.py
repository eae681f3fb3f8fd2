"""Single sources: documents and pages read, statements made, answers kept."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from django.db.models import QuerySet

from memoryapp.doors.errors import Conflict, Denied, DomainError, Invalid, Violation
from memoryapp.ledger.models import Actor, Write
from memoryapp.sources import arrivals, audiences, declared, rules
from memoryapp.sources.audiences import Audiences, Readers
from memoryapp.sources.declared import Drafted
from memoryapp.sources.inputs import SourceInput
from memoryapp.sources.models import Source
from memoryapp.sources.services.drafting import digest_of, having, source_of


@dataclass(frozen=True)
class Read:
    """What came of reading one thing. `repeated` when the very same was read before: nothing was stored."""

    source: Source
    repeated: bool


def state(
    write: Write,
    content: str,
    said_at: dt.datetime | None = None,
    said_zone: str = "",
    *,
    readers: Collection[uuid.UUID] | None = None,
) -> Source:
    """Store what a member writes down in their own words, as said now unless they say when.

    `readers` may be served it besides themselves; without them that is everybody. Only people state; what an agent
    holds true it tells or remembers (Denied `only_members_state`).
    """
    write.by.require("tell")
    if write.by.actor.kind != Actor.Kind.PERSON:
        raise Denied("Only a member can make a statement of their own.", code="only_members_state")
    wrong = list(rules.text("/content", content, None, blank=False))
    zone = said_zone or write.workspace.time_zone
    said = rules.moment(said_at or write.recorded_at, zone if said_zone or not said_at else "", "", "/said_at")
    if isinstance(said, Violation) or wrong:
        raise Invalid.all([*wrong, *([said] if isinstance(said, Violation) else [])])
    source = source_of(
        write,
        kind=Source.Kind.STATEMENT,
        content=content,
        said=rules.Said(said.at, said_zone or said.zone),
        digest=digest_of(Source.Kind.STATEMENT, str(write.actor_id), content, said.at),
        member=write.by.actor,
        audience=Audiences(write).of(Audiences(write).readers(readers)),
    )
    declared.refuse(write.workspace, [Drafted(source)])
    source.save(force_insert=True)
    arrivals.announce(write, [source])
    return source


def keep_answer(
    write: Write,
    *,
    content: str,
    title: str,
    said_at: dt.datetime,
    said_zone: str,
    external_id: str,
    readers: Sequence[uuid.UUID] = (),
) -> Source:
    """Store an answer given in a form, for whoever has a right of its own to it. The same one again stores nothing."""
    known = _sources(write).filter(kind=Source.Kind.FORM_ANSWER, external_id=external_id).first()
    if known is not None:
        return known
    source = source_of(
        write,
        kind=Source.Kind.FORM_ANSWER,
        content=content,
        said=rules.Said(said_at.astimezone(dt.UTC), said_zone),
        digest=digest_of(Source.Kind.FORM_ANSWER, external_id, content, None),
        title=title[:300],
        external_id=external_id,
        audience=Audiences(write).of(Audiences(write).readers(readers or None)),
    )
    source.save(force_insert=True)
    arrivals.announce(write, [source])
    return source


def read(write: Write, source: SourceInput) -> Read:
    """Store one document, file, web page or system note; see `read_all`. Violations name no row."""
    try:
        return read_all(write, [source])[0]
    except DomainError as error:
        error.violations = tuple(replace(violation, row=None) for violation in error.violations)
        raise


def read_all(write: Write, sources: Sequence[SourceInput]) -> list[Read]:
    """Store what was read: all or nothing, every violation with its place in the source and the source's row.

    The same words from the same place (`external_id`, path or url) for the same readers are the same source, whenever
    they are read again.
    A system note comes from no place and is the same only at the same time. Raises Conflict `source_changed` when an
    `external_id` is known with other content.
    """
    write.by.require("tell")
    wrong = [violation for row, source in enumerate(sources) for violation in rules.source_violations(source, "", row)]
    wrong += audiences.violations(write, [("/readers", row, source.readers) for row, source in enumerate(sources)])
    if wrong or not sources:
        raise Invalid.all(wrong or [Violation("", "nothing_read", "There is no source.", "at least one source")])
    kept = Audiences(write)
    drafts = [(_reading(write, source), kept.readers(source.readers)) for source in sources]
    declared.refuse(write.workspace, [Drafted(draft, "", row) for row, (draft, _) in enumerate(drafts)])
    known = _Known(write, [draft for draft, _ in drafts])
    new: dict[tuple[str, Readers], Source] = {}
    read: list[Read] = []
    for row, (draft, readers) in enumerate(drafts):
        same = known.by_digest.get((draft.digest, readers)) or new.get((draft.digest, readers))
        known.refuse_changed(draft, readers, row)
        if same is None:
            draft.audience = kept.of(readers)
            new[draft.digest, readers] = draft
            known.name(draft, readers)
        read.append(Read(same or draft, repeated=same is not None))
    Source.objects.bulk_create(new.values())
    arrivals.announce(write, list(new.values()))
    return read


class _Known:
    """What is stored already of the same words or under the same external ids, for the same readers and in sight."""

    def __init__(self, write: Write, drafts: Sequence[Source]) -> None:
        stored = [
            *having(_sources(write), "digest", (draft.digest for draft in drafts)),
            *having(_sources(write), "external_id", (draft.external_id for draft in drafts if draft.external_id)),
        ]
        readers = audiences.audience_of(stored)
        self.by_digest = {(source.digest, readers[source.pk]): source for source in stored}
        self.named: dict[tuple[str, str, Readers], Source] = {}
        for source in stored:
            self.name(source, readers[source.pk])

    def name(self, source: Source, readers: Readers) -> None:
        """Keep it by its external id, where it has one."""
        if source.external_id:
            self.named[source.kind, source.external_id, readers] = source

    def refuse_changed(self, draft: Source, readers: Readers, row: int) -> None:
        """One external id is one text."""
        other = self.named.get((draft.kind, draft.external_id, readers))
        if other is not None and other.digest != draft.digest:
            message = f"“{draft.external_id}” is stored with other content."
            violation = Violation("/external_id", "source_changed", message, "a new external_id", row)
            raise Conflict(message, code="source_changed", violations=(violation,), extra={"source": str(other.pk)})


def _reading(write: Write, source: SourceInput) -> Source:
    said = rules.moment(source.said_at, source.said_zone, "", "")
    assert isinstance(said, rules.Said)
    place = source.external_id or source.path.strip() or source.url.strip()
    return source_of(
        write,
        kind=Source.Kind(source.kind),
        content=source.content,
        said=said,
        digest=digest_of(source.kind, place, source.content, None if place else said.at),
        title=source.title,
        path=source.path.strip(),
        url=source.url.strip(),
        external_id=source.external_id,
    )


def _sources(write: Write) -> QuerySet[Source]:
    return Source.objects.visible_to(write.by).filter(thread__isnull=True)
