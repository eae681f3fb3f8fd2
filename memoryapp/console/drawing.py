"""Evidence drawn as a tree: the conclusion at the left, what it rests on to its right. Plain SVG, no script.

The same tree stands beside it as a nested list; the drawing is for the eye and is hidden from screen readers.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

BOX_WIDTH, BOX_GAP_X, BOX_GAP_Y = 232, 56, 14
LINE_HEIGHT, LINES, CHARACTERS = 18, 3, 32
BOXES = 60


@dataclass
class Box:
    """One belief or source in the drawing, placed."""

    label: str
    lines: list[str]
    css: str
    url: str
    x: int = 0
    y: int = 0

    @property
    def height(self) -> int:
        return 34 + LINE_HEIGHT * len(self.lines)

    @property
    def middle(self) -> int:
        return self.y + self.height // 2

    def placed_lines(self) -> list[tuple[int, int, str]]:
        return [(self.x + 12, self.y + 40 + LINE_HEIGHT * number, line) for number, line in enumerate(self.lines)]


@dataclass
class Drawing:
    """Boxes and the lines between them; `cut` counts what did not fit."""

    width: int = 0
    height: int = 0
    cut: int = 0
    boxes: list[Box] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


def draw(root: Mapping[str, Any]) -> Drawing:
    """Lay a tree out. An item has `content`, `label`, `is_source`, `url` and `rests_on`, a list of the same."""
    drawing = Drawing()
    _place(drawing, root, depth=0, top=0)
    drawing.width = max((box.x + BOX_WIDTH for box in drawing.boxes), default=0) + 2
    drawing.height = max((box.y + box.height for box in drawing.boxes), default=0) + 2
    return drawing


def _place(drawing: Drawing, item: Mapping[str, Any], *, depth: int, top: int) -> tuple[Box, int]:
    box = _box(item, depth)
    drawing.boxes.append(box)
    children: list[Box] = []
    bottom = top
    premises: Sequence[Mapping[str, Any]] = item.get("rests_on") or ()
    for premise in premises:
        if len(drawing.boxes) >= BOXES:
            drawing.cut += 1
            continue
        child, bottom = _place(drawing, premise, depth=depth + 1, top=bottom)
        children.append(child)
    if children:
        box.y = max(top, (children[0].middle + children[-1].middle) // 2 - box.height // 2)
    else:
        box.y = top
    for child in children:
        drawing.paths.append(_curve(box, child))
    return box, max(bottom, box.y + box.height + BOX_GAP_Y)


def _box(item: Mapping[str, Any], depth: int) -> Box:
    lines = textwrap.wrap(str(item.get("content", "")), CHARACTERS, max_lines=LINES, placeholder=" …") or [""]
    css = "is-source" if item.get("is_source") else "is-root" if depth == 0 else "is-belief"
    return Box(
        label=str(item.get("label", "")),
        lines=lines,
        css=css,
        url=str(item.get("url", "")),
        x=1 + depth * (BOX_WIDTH + BOX_GAP_X),
    )


def _curve(left: Box, right: Box) -> str:
    start, end, bend = left.x + BOX_WIDTH, right.x, BOX_GAP_X // 2
    return f"M{start} {left.middle}C{start + bend} {left.middle} {end - bend} {right.middle} {end} {right.middle}"
