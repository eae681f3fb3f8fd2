"""What was said or read, as the index takes it: turns one by one, long texts in passages."""

from __future__ import annotations

import datetime as dt
import re
import uuid
from collections.abc import Iterator, Sequence
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db.models import Q, QuerySet

from memoryapp.index import services
from memoryapp.index.models import EVERYONE, IndexEntry
from memoryapp.index.texts import Text, who_and_when
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.normalise import normal_text
from memoryapp.sources.models import Source
from memoryapp.sources.queries import withdrawn

SOURCE = "source"
NARROW = "named"
"""The audience of what few may be served: it is found by them, and counted nowhere."""
PASSAGE = 2000
"""Longest passage, in characters."""

_OFFSET = re.compile(r"[+-]\d{2}:?\d{2}")
_SENTENCE = re.compile(r"[.!?\n。！？]+")
SHORTEST = 12
"""Letters of a sentence from which on it is taken for a source's own words."""
_BREAKS = ("\n\n", "\n", ". ", "。", " ")


def arrived(write: Write, sources: Sequence[Source]) -> None:
    """Index new sources within the write that stored them: whoever told them finds them in the next request."""
    services.put(write, _texts(Source.objects.filter(pk__in=[source.pk for source in sources])))


def ids(workspace: Workspace) -> Iterator[uuid.UUID]:
    """Every source of the workspace that is not taken back, in the order stored."""
    standing = Source.objects.filter(workspace=workspace).exclude(pk__in=withdrawn(workspace))
    yield from standing.order_by("pk").values_list("pk", flat=True).iterator()


def load(workspace: Workspace, wanted: Sequence[uuid.UUID]) -> Iterator[Text]:
    """The texts of these sources; of one whose content is gone, or that is taken back, none."""
    standing = Source.objects.filter(workspace=workspace, pk__in=wanted).exclude(pk__in=withdrawn(workspace))
    yield from _texts(standing)


def hidden(by: Principal) -> Q:
    """Sources read from files that somebody may not read."""
    return Q(target_id__in=Source.objects.hidden_from(by).values("pk"))


def taken_back(write: Write, sources: Sequence[uuid.UUID]) -> None:
    """Nobody finds the words of a source that is taken back."""
    services.remove(write, [(SOURCE, source) for source in sources])


def given_back(write: Write, sources: Sequence[uuid.UUID]) -> None:
    """The words are found again."""
    services.put(write, load(write.workspace, sources))


def traces(workspace: Workspace, sources: Sequence[uuid.UUID]) -> int:
    """How many entries hold words of these sources."""
    return IndexEntry.objects.filter(workspace=workspace, target_type=SOURCE, target_id__in=sources).count()


def sentences_of(sources: Sequence[uuid.UUID]) -> set[str]:
    """The sentences of these sources as they are compared, without those too short to be anybody's own words."""
    texts = Source.objects.filter(pk__in=sources).values_list("content", flat=True)
    said = {normal_text(one) for text in texts for one in _SENTENCE.split(text)}
    return {one for one in said if len(one) >= SHORTEST}


def passages(content: str) -> Iterator[str]:
    """The content in pieces of at most `PASSAGE` characters, cut where a paragraph, line, sentence or word ends."""
    start = 0
    while len(content) - start > PASSAGE:
        end = start + PASSAGE
        for mark in _BREAKS:
            found = content.rfind(mark, start + PASSAGE // 2, end)
            if found > 0:
                end = found + len(mark)
                break
        yield content[start:end]
        start = end
    yield content[start:]


def _texts(found: QuerySet[Source]) -> Iterator[Text]:
    for source in found.select_related("participant", "member").order_by("pk"):
        if not source.content.strip():
            continue
        speaker, said_at = _speaker(source), source.said_at.astimezone(zone(source.said_zone))
        for part, passage in enumerate(passages(source.content)):
            yield Text(
                SOURCE,
                source.pk,
                passage,
                part=part,
                label=who_and_when(speaker or source.title, said_at),
                kind=f"{SOURCE}/{source.kind}",
                section=source.thread_id.hex if source.thread_id else "",
                position=source.position,
                speaker=speaker,
                said_at=said_at,
                audience=NARROW if source.audience_id else EVERYONE,
            )


def _speaker(source: Source) -> str:
    if source.participant:
        return source.participant.name or source.participant.key
    return source.member.name if source.member else source.speaker


def zone(name: str) -> dt.tzinfo:
    """The zone of an offset (`-05:00`) or a name (`Europe/Lisbon`); UTC when it says nothing."""
    if _OFFSET.fullmatch(name):
        return dt.datetime.fromisoformat(f"2000-01-01T00:00{name}").tzinfo or dt.UTC
    try:
        return ZoneInfo(name) if name else dt.UTC
    except (ZoneInfoNotFoundError, ValueError):
        return dt.UTC
