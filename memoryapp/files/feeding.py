"""What of the files room is searched: current files below an indexed root, by their text, name, summary and tags.

Files enter no statistics of words: what is out of sight of some changes nothing in what is found by others.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from memoryapp.access.paths import name_of
from memoryapp.files.models import Entry, Kind, State, Version, VersionSource
from memoryapp.files.spellings import in_any_spelling
from memoryapp.index import services as index
from memoryapp.index.models import IndexEntry
from memoryapp.index.said import passages, sentences_of
from memoryapp.index.texts import Text
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology.normalise import normal_text
from memoryapp.ontology.queries import current_ontology
from memoryapp.sources.queries import withdrawn as taken_back

FILE = "file"
AUDIENCE = "paths"
"""Who may be served it is said by the rules of paths."""
AT_ONCE = 20
"""Sentences looked for with one question to the database."""


def put(write: Write, ids: Sequence[uuid.UUID]) -> None:
    """Bring the index up to date with these entries, within the write that changed them."""
    texts = list(load(write.workspace, ids))
    index.put(write, texts)
    found = {text.target_id for text in texts}
    if gone := [(FILE, one) for one in ids if one not in found]:
        index.remove(write, gone)


def ids(workspace: Workspace) -> Iterator[uuid.UUID]:
    """Every current file of the workspace, in the order first written."""
    current = Entry.objects.filter(workspace=workspace, kind=Kind.FILE, state=State.CURRENT).order_by("pk")
    roots = current_ontology(workspace)
    for one, path in current.values_list("pk", "path").iterator():
        root = roots.file_root(path)
        if root is not None and root[1].indexed:
            yield one


def load(workspace: Workspace, wanted: Sequence[uuid.UUID]) -> Iterator[Text]:
    """These files as they are searched; of what is a directory, taken away or below no indexed root, none."""
    ontology = current_ontology(workspace)
    for version in _saying(workspace, wanted):
        root = ontology.file_root(version.path)
        if root is None or not root[1].indexed:
            continue
        label = " ".join([name_of(version.path), version.summary, *version.tags]).strip()
        for part, passage in enumerate(passages(text_of(version) or version.path)):
            yield Text(
                FILE,
                version.entry_id,
                passage,
                part=part,
                label=label,
                kind=f"{FILE}/{version.entry.form}",
                said_at=version.recorded_at,
                audience=AUDIENCE,
            )


def text_of(version: Version) -> str:
    """What a version says: its text, or the text that was found in its attachment."""
    body = version.body
    if body is None:
        return ""
    extract = getattr(body, "extract", None)
    return extract.text if extract is not None else body.text


def _saying(workspace: Workspace, wanted: Sequence[uuid.UUID]) -> QuerySet[Version]:
    rows = Version.objects.filter(workspace=workspace, entry__in=wanted, sequence=F("entry__lock"))
    rows = rows.filter(state=State.CURRENT, entry__kind=Kind.FILE)
    return rows.select_related("entry", "body__extract").order_by("entry")


def traces(workspace: Workspace, sources: Sequence[uuid.UUID]) -> int:
    """How many entries hold words of files that were made from nothing but what is taken back, and how many files
    repeat a sentence of it without naming where it is from. These are somebody's own and stay until changed."""
    fallen = Entry.objects.filter(
        workspace=workspace, state=State.WITHDRAWN, versions__sources__source__in=sources
    ).values("pk")
    left = IndexEntry.objects.filter(workspace=workspace, target_type=FILE, target_id__in=fallen).count()
    return left + len(_repeating(workspace, sorted(sentences_of(sources))))


def _repeating(workspace: Workspace, sentences: Sequence[str]) -> set[uuid.UUID]:
    """Current files that rest on no other source and hold one of these sentences."""
    stands = VersionSource.objects.filter(version=OuterRef("pk")).exclude(source__in=taken_back(workspace.pk))
    current = Version.objects.filter(workspace=workspace, sequence=F("entry__lock"), state=State.CURRENT)
    current = current.filter(~Exists(stands), entry__kind=Kind.FILE).select_related("body__extract")
    found: set[uuid.UUID] = set()
    for few in (sentences[at : at + AT_ONCE] for at in range(0, len(sentences), AT_ONCE)):
        likely = Q()
        for pattern in {in_any_spelling(max(one.split(), key=len)) for one in few}:
            likely |= Q(body__text__iregex=pattern) | Q(body__extract__text__iregex=pattern)
            likely |= Q(summary__iregex=pattern)
        for version in current.filter(likely).iterator(chunk_size=100):
            said = normal_text(f"{version.summary}\n{text_of(version)}")
            if any(one in said for one in few):
                found.add(version.entry_id)
    return found
