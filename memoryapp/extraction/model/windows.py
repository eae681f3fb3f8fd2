"""Long material in pieces that a model can take: each new character in one window, a little context before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoryapp.doors import marker
from memoryapp.extraction.queries import CONTEXT_TURNS
from memoryapp.sources.models import Source

WINDOW = 12_000
"""Characters of new text in one window."""
CONTEXT = 500
"""Characters shown again of what came before."""
OURS = "[shown by the memory itself]"


@dataclass(frozen=True)
class Passage:
    """A stretch [start, end) of a source. `read` says that it is there for context alone."""

    source: Source
    start: int
    end: int
    read: bool = False

    @property
    def text(self) -> str:
        """The stretch, but for what we rendered ourselves: our own words are never something new."""
        kept, at = [], self.start
        for start, end in marker.strip(self.source.content):
            if end <= at or start >= self.end:
                continue
            kept += [self.source.content[at : max(at, start)], OURS]
            at = min(end, self.end)
        return "".join([*kept, self.source.content[at : self.end]])

    @property
    def speaker(self) -> str:
        return self.source.speaker or self.source.kind

    @property
    def by(self) -> str:
        participant = self.source.participant
        return (participant.name or participant.key) if participant else ""

    @property
    def said_at(self) -> str:
        return self.source.said_at.isoformat(timespec="minutes")

    def locate(self, quote: str) -> tuple[int, int] | None:
        """Where the quote stands in the source within this stretch, letter for letter; the first place not ours."""
        ours = marker.strip(self.source.content)
        at = self.source.content.find(quote, self.start, self.end)
        while at >= 0:
            end = at + len(quote)
            if all(end <= one or at >= other for one, other in ours):
                return at, end
            at = self.source.content.find(quote, at + 1, self.end)
        return None


@dataclass(frozen=True)
class Window:
    """What is shown to the model at once."""

    passages: tuple[Passage, ...]


def windows(sources: Sequence[Source], before: Sequence[Source] = ()) -> list[Window]:
    """The sources in order, in windows of at most `WINDOW` new characters."""
    gathered: list[list[Passage]] = []
    size = WINDOW
    for passage in _passages(sources):
        length = passage.end - passage.start
        if size + length > WINDOW:
            gathered.append([])
            size = 0
        gathered[-1].append(passage)
        size += length
    seen: list[Passage] = [Passage(source, max(0, len(source.content) - CONTEXT), len(source.content), True)
                           for source in before]  # fmt: skip
    made = []
    for new in gathered:
        made.append(Window((*_context(seen, new[0]), *new)))
        seen = [*seen, *new][-CONTEXT_TURNS:]
    return made


def _passages(sources: Sequence[Source]) -> Iterator[Passage]:
    """Every source whole, or in stretches that end where a paragraph, a line, a sentence or at least a word does."""
    for source in sources:
        start, length = 0, len(source.content)
        while length - start > WINDOW:
            end = _good_end(source.content, start, start + WINDOW)
            yield Passage(source, start, end)
            start = end
        if source.content[start:].strip():
            yield Passage(source, start, length)


def _good_end(text: str, start: int, latest: int) -> int:
    for mark in ("\n\n", "\n", ". ", " "):
        at = text.rfind(mark, start + WINDOW // 2, latest)
        if at >= 0:
            return at + len(mark)
    return latest


def _context(seen: Sequence[Passage], first: Passage) -> list[Passage]:
    """The end of what came before a window, marked as read."""
    return [Passage(one.source, max(one.start, one.end - CONTEXT), one.end, True) for one in seen[-CONTEXT_TURNS:]]
