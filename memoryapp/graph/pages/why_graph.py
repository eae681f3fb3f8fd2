"""Why as a graph one opens: a belief, what it rests on to its right, what followed from it to its left. Plain SVG.

What is opened stands in the address, so that a picture can be sent to somebody, works without a script, and Back closes
what was opened last. The same stands beside it as text.
"""

from __future__ import annotations

import textwrap
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memoryapp.doors.errors import NotFound
from memoryapp.doors.pages import address, member_page, page
from memoryapp.graph.models import Belief
from memoryapp.graph.pages import presenting
from memoryapp.graph.queries.around import Around, around
from memoryapp.graph.queries.told import Told, told
from memoryapp.ledger.principal import Principal

MOST_OPENED = 12
MOST_BOXES = 60
WIDTH, GAP_X, GAP_Y, LINE, LINES, CHARACTERS = 240, 64, 16, 18, 3, 32
AWAY = {"rests on": 1, "replaced": 1, "contradicts": 0, "contradicted": 0, "concluded from it": -1, "replaced by": -1}
"""On which side of a belief what is so tied to it is drawn: to its right, below it, or to its left."""


@dataclass
class Box:
    """A belief or a quotation in the picture, placed in its column."""

    key: str
    label: str
    content: str
    css: str
    column: int
    url: str = ""
    toggle_url: str = ""
    opened: bool = False
    tie: str = ""
    x: int = 0
    y: int = 0

    @property
    def lines(self) -> list[str]:
        return textwrap.wrap(self.content, CHARACTERS, max_lines=LINES, placeholder=" …") or [""]

    @property
    def heading(self) -> str:
        """How it is tied to what it was reached from, and what it is."""
        return f"{self.tie} · {self.label}" if self.tie else self.label

    @property
    def height(self) -> int:
        return 40 + LINE * len(self.lines)

    @property
    def placed_lines(self) -> list[tuple[int, int, str]]:
        return [(self.x + 12, self.y + 44 + LINE * number, line) for number, line in enumerate(self.lines)]

    @property
    def corner(self) -> tuple[int, int]:
        """Where the button that opens it lies."""
        return self.x + WIDTH - 16, self.y + 16


@dataclass
class Picture:
    """Boxes, the lines between them with their words, and the same as sentences. `cut` counts what did not fit."""

    boxes: dict[str, Box] = field(default_factory=dict)
    lines: list[dict[str, Any]] = field(default_factory=list)
    said: list[dict[str, Any]] = field(default_factory=list)
    cut: int = 0
    width: int = 0
    height: int = 0


@require_safe
@member_page("look_up")
def why_graph(request: HttpRequest, by: Principal, belief_id: uuid.UUID) -> HttpResponse:
    """The picture around one belief, with those opened that the address names."""
    opened = list(dict.fromkeys([belief_id, *_named(request)]))[:MOST_OPENED]
    found = around(by, opened)
    root = found.beliefs.get(belief_id)
    if root is None:
        raise NotFound("There is no such belief.", code="no_such_belief")
    context = {
        "by": by,
        "belief": root,
        "belief_url": address(by, "graph:belief", belief_id),
        "picture": drawn(by, root, opened, found),
        "full": len(opened) == MOST_OPENED,
    }
    return page(request, "graph/why.html", context, partial="picture")


def drawn(by: Principal, root: Belief, opened: Sequence[uuid.UUID], found: Around) -> Picture:
    """The picture: the belief, and around each one that is opened what is tied to it."""
    picture = Picture()
    here = address(by, "graph:why", root.pk)
    others = [one for one in opened if one != root.pk]
    _add(picture, _box(by, root, 0, here, others, "is-root"))
    reached = [root.pk]
    for belief_id in reached:
        if belief_id not in opened or belief_id not in found.ties:
            continue
        start = picture.boxes[str(belief_id)]
        for tie in found.ties[belief_id]:
            known = str(tie.belief) in picture.boxes
            if known or _add(
                picture,
                _box(by, found.beliefs[tie.belief], start.column + AWAY[tie.words], here, others, "is-belief"),
            ):
                _tie(picture, start, picture.boxes[str(tie.belief)], tie.words)
            if not known and str(tie.belief) in picture.boxes:
                reached.append(tie.belief)
        for place, quoted in enumerate(found.sources.get(belief_id, [])):
            leaf = _leaf(by, quoted, f"{belief_id}/{place}", start.column + 1)
            if _add(picture, leaf):
                _tie(picture, start, leaf, "was said by")
    _place(picture)
    return picture


def _named(request: HttpRequest) -> list[uuid.UUID]:
    found = []
    for text in request.GET.get("open", "").split(",")[:MOST_OPENED]:
        try:
            found.append(uuid.UUID(text))
        except ValueError:
            continue
    return found


def _box(by: Principal, belief: Belief, column: int, here: str, others: Sequence[uuid.UUID], css: str) -> Box:
    card = presenting.told_card(by, told(belief))
    is_root, is_open = css == "is-root", belief.pk in others
    left = [one for one in others if one != belief.pk] if is_open else [*others, belief.pk]
    query = urlencode({"open": ",".join(map(str, left))}, safe=",") if left else ""
    return Box(
        key=str(belief.pk),
        label=f"{card['kind'].replace('_', ' ')}, {card['status'].replace('_', ' ')}",
        content=belief.content or "The content was erased.",
        css=f"{css} {'is-open' if is_open or is_root else ''}".strip(),
        column=column,
        url=card["url"],
        toggle_url="" if is_root or (not is_open and len(others) + 1 >= MOST_OPENED) else f"{here}?{query}".rstrip("?"),
        opened=is_open,
    )


def _leaf(by: Principal, quoted: Told, key: str, column: int) -> Box:
    shown = presenting.source(by, quoted)
    return Box(
        key=key,
        label=f"{shown['turn']['speaker_name']}, {quoted['said_at'][:10]}",
        content=f"“{quoted['quote'] or shown['turn']['content']}”",
        css="is-source",
        column=column,
        url=shown["url"],
    )


def _add(picture: Picture, box: Box) -> bool:
    if box.key in picture.boxes:
        return True
    if len(picture.boxes) >= MOST_BOXES:
        picture.cut += 1
        return False
    picture.boxes[box.key] = box
    return True


def _tie(picture: Picture, one: Box, other: Box, words: str) -> None:
    """A line, once for two that both are opened, and its sentence."""
    between = frozenset((one.key, other.key))
    if any(line["between"] == between for line in picture.lines):
        return
    other.tie = other.tie or ("" if other.css.startswith("is-root") or words == "was said by" else words)
    picture.lines.append({"between": between, "from": one, "to": other, "css": f"is-{words.replace(' ', '-')}"})
    picture.said.append({"from": one, "words": words, "to": other})


def _place(picture: Picture) -> None:
    """Columns from left to right, each filled from above in the order in which it was reached, all centred."""
    columns: dict[int, list[Box]] = {}
    for box in picture.boxes.values():
        columns.setdefault(box.column, []).append(box)
    heights = {column: sum(box.height for box in boxes) + GAP_Y * (len(boxes) - 1) for column, boxes in columns.items()}
    first, tallest = min(columns), max(heights.values())
    for column, boxes in columns.items():
        top = 1 + (tallest - heights[column]) // 2
        for box in boxes:
            box.x, box.y = 1 + (column - first) * (WIDTH + GAP_X), top
            top += box.height + GAP_Y
    picture.width = (max(columns) - first + 1) * (WIDTH + GAP_X) - GAP_X + 2
    picture.height = tallest + 2
    for line in picture.lines:
        line["path"] = _curve(line["from"], line["to"])


def _curve(one: Box, other: Box) -> str:
    if one.column == other.column:
        edge, out = one.x + WIDTH, 28
        start, end = one.y + one.height // 2, other.y + other.height // 2
        return f"M{edge} {start}C{edge + out} {start} {edge + out} {end} {edge} {end}"
    left, right = (one, other) if one.column < other.column else (other, one)
    start, end, bend = left.x + WIDTH, right.x, max(GAP_X // 2, (right.x - left.x - WIDTH) // 2)
    high, low = left.y + left.height // 2, right.y + right.height // 2
    return f"M{start} {high}C{start + bend} {high} {end - bend} {low} {end} {low}"
