"""Putting a version down: its row, the head that repeats it, where it leads, and what is searched of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from memoryapp.access.paths import parent
from memoryapp.files import feeding
from memoryapp.files.lines import split
from memoryapp.files.links import found
from memoryapp.files.models import Body, Entry, Form, Link, State, Version, VersionSource
from memoryapp.ledger.models import Write
from memoryapp.sources.models import Source

HEAD = ("path", "directory", "state", "form", "size", "lock", "modified_at")


@dataclass
class Next:
    """The next version of an entry: what differs from the one before."""

    entry: Entry
    action: str
    before: Version | None
    path: str = ""
    state: str = ""
    body: Body | None = None
    about: dict[str, Any] | None = None
    sources: Sequence[Source] | None = None
    told: Source | None = None
    reason: str = ""
    version: Version | None = field(default=None, init=False)


def new_body(write: Write, form: str, text: str, **more: Any) -> Body:
    """The text of a file, stored."""
    body = Body(
        workspace=write.workspace,
        form=form,
        text=text,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        size=len(text),
        lines=len(split(text)),
        write=write,
        **more,
    )
    body.save(force_insert=True)
    return body


def put_down(write: Write, planned: Sequence[Next]) -> list[Version]:
    """Store these versions and bring everything that repeats them up to date. A fixed number of statements, but for one
    for each head."""
    versions = [_version(write, one) for one in planned]
    Version.objects.bulk_create(versions)
    VersionSource.objects.bulk_create(
        VersionSource(workspace=write.workspace, version=version, source=source, told=source == one.told)
        for one, version in zip(planned, versions, strict=True)
        for source in _sources(one)
    )
    for one, version in zip(planned, versions, strict=True):
        _repeat(write, one.entry, version)
    Entry.objects.bulk_update([one.entry for one in planned if one.before is not None], HEAD, batch_size=200)
    lead(write, versions)
    feeding.put(write, [one.entry.pk for one in planned])
    return versions


def _version(write: Write, one: Next) -> Version:
    before, entry = one.before, one.entry
    about = one.about or {
        name: getattr(before, name) if before else empty
        for name, empty in (("summary", ""), ("tags", []), ("properties", {}), ("links", []))
    }
    return Version(
        workspace=write.workspace,
        entry=entry,
        sequence=before.sequence + 1 if before else 1,
        action=one.action,
        path=one.path or entry.path,
        state=one.state or entry.state,
        body=one.body or (before.body if before else None),
        reason=one.reason,
        source_count=len(_sources(one)),
        write=write,
        recorded_at=write.recorded_at,
        **about,
    )


def sources_of(version: Version) -> list[Source]:
    """What a version was made from, and what it was told as."""
    rows = version.sources.select_related("source").order_by("pk") if version.source_count else []
    return [each.source for each in rows]


def _sources(one: Next) -> list[Source]:
    if one.sources is None and one.before is not None:
        kept = list(one.before.sources.select_related("source").order_by("pk")) if one.before.source_count else []
        one.told = one.told or next((each.source for each in kept if each.told), None)
        one.sources = [each.source for each in kept]
    chosen = [*(one.sources or ()), *([one.told] if one.told else [])]
    return list({source.pk: source for source in chosen}.values())


def _repeat(write: Write, entry: Entry, version: Version) -> None:
    entry.path, entry.directory = version.path, parent(version.path)
    entry.state, entry.lock, entry.modified_at = version.state, version.sequence, write.recorded_at
    if version.body is not None:
        entry.form, entry.size = version.body.form, version.body.size


def lead(write: Write, versions: Iterable[Version]) -> None:
    """Make anew where these entries lead, as these versions of them say."""
    latest = {version.entry_id: version for version in versions}
    Link.objects.filter(workspace=write.workspace, entry__in=list(latest)).delete()
    Link.objects.bulk_create(row for version in latest.values() for row in links_of(version))


def links_of(version: Version) -> list[Link]:
    """Where a version leads: what was put down beside its text, and the links within markdown."""
    if version.state != State.CURRENT:
        return []
    to = [(link["to"], link["target"], False) for link in version.links]
    if version.body is not None and version.body.form == Form.MARKDOWN:
        to += [(Link.To.FILE.value, path, True) for path in found(version.body.text, version.path)]
    return [
        Link(
            workspace_id=version.workspace_id,
            entry_id=version.entry_id,
            target_type=kind,
            target=target,
            written=written,
        )
        for kind, target, written in dict.fromkeys(to)
    ]
