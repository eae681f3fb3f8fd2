"""The values of properties as they are compared: read off what a revision says, and made anew when that is another."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from memoryapp.doors.errors import NotFound
from memoryapp.graph import typed
from memoryapp.graph.queries.asking.comparing import EMPTY
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology
from memoryapp.timeline.models import EpisodeRevision, EpisodeValue
from memoryapp.timeline.queries.having import one_of

CHUNK = 500


def store(write: Write, revisions: Collection[EpisodeRevision]) -> None:
    """The values of new revisions. One statement."""
    if any(one.properties for one in revisions):
        _make(current_ontology(write.workspace), revisions)


def read_anew(workspace: Workspace, revisions: Collection[EpisodeRevision]) -> None:
    """Put down again what these revisions say, by the types in force."""
    EpisodeValue.objects.filter(revision__in=revisions).delete()
    _make(current_ontology(workspace), revisions)


def rebuild(workspace: Workspace) -> None:
    """Put down all values of a workspace again."""
    with contextlib.suppress(NotFound):
        for several in _in_chunks(_saying(workspace)):
            read_anew(workspace, several)


def rebuild_all(write: Write) -> None:
    """The same, within a write."""
    rebuild(write.workspace)


def resort(workspace: Workspace, kinds: Collection[str]) -> None:
    """Put down again what is compared as another sort than these kinds declare by now. Only texts and dates can be."""
    ontology = current_ontology(workspace)
    wrong = Q()
    for kind in kinds:
        dates: list[str] = []
        texts: list[str] = []
        for name, declared in ontology.episode_properties(kind).items():
            (dates if typed.sort_of(one_of(declared).schema) == typed.DATE else texts).append(name)
        for names, sort in ((dates, typed.TEXT), (texts, typed.DATE)):
            if names:
                until = bytes((sort[0] + 0x10,))
                wrong |= Q(episode__kind=kind, name__in=names, value_key__gte=sort, value_key__lt=until)
    if not wrong:
        return
    ids = EpisodeValue.objects.filter(wrong, workspace=workspace).values("revision")
    for several in _in_chunks(EpisodeRevision.objects.filter(pk__in=ids)):
        read_anew(workspace, several)


def misread(workspace: Workspace) -> Iterator[EpisodeRevision]:
    """The revisions whose values are not put down as they say them."""
    with contextlib.suppress(NotFound):
        ontology = current_ontology(workspace)
        for several in _in_chunks(_saying(workspace)):
            stored: dict[Any, list[tuple[str, bytes]]] = defaultdict(list)
            for one in EpisodeValue.objects.filter(revision__in=several):
                stored[one.revision_id].append((one.name, bytes(one.value_key)))
            for revision in several:
                if sorted(stored[revision.pk]) != sorted(_said(ontology, revision)):
                    yield revision


def _saying(workspace: Workspace) -> QuerySet[EpisodeRevision]:
    """Every revision that has properties or values."""
    has_values = Exists(EpisodeValue.objects.filter(revision=OuterRef("pk")))
    return EpisodeRevision.objects.filter(~Q(properties={}) | Q(has_values), workspace=workspace)


def _in_chunks(rows: QuerySet[EpisodeRevision]) -> Iterator[list[EpisodeRevision]]:
    """Read in pieces, so that what is read may be written of meanwhile."""
    ids = list(rows.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), CHUNK):
        some = EpisodeRevision.objects.filter(pk__in=ids[start : start + CHUNK])
        yield list(some.select_related("episode").order_by("pk"))


def _make(ontology: Ontology, revisions: Iterable[EpisodeRevision]) -> None:
    EpisodeValue.objects.bulk_create(
        EpisodeValue(
            workspace_id=revision.workspace_id,
            episode_id=revision.episode_id,
            revision=revision,
            name=name,
            value_key=key,
        )
        for revision in revisions
        for name, key in _said(ontology, revision)
    )


def _said(ontology: Ontology, revision: EpisodeRevision) -> list[tuple[str, bytes]]:
    """What a revision says, each value once; none of what is as good as no value."""
    kind = revision.episode.kind
    declared = ontology.episode_properties(kind) if kind in ontology.document.episode_kinds else {}
    found: dict[tuple[str, bytes], None] = {}
    for name, value in revision.properties.items():
        sort = typed.sort_of(one_of(declared[name]).schema) if name in declared else typed.TEXT
        for one in value if isinstance(value, list) else [value]:
            if (key := typed.key_of(one, sort)) not in EMPTY:
                found[name, key] = None
    return list(found)
