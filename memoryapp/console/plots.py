"""Small plots drawn by the server as SVG: bars side by side for each day, with the same numbers as a table beside."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

HEIGHT, BAR, GAP, BETWEEN = 96, 7, 1, 9


@dataclass(frozen=True)
class Bar:
    """One bar, placed."""

    x: int
    y: int
    height: int
    css: str


@dataclass(frozen=True)
class Plot:
    """The bars with the size of the drawing, and the greatest number it reaches."""

    bars: list[Bar]
    labels: list[tuple[int, str, str]]
    width: int
    height: int
    most: int


def bars(days: Sequence[tuple[dt.date, Sequence[int]]], names: Sequence[str]) -> Plot:
    """For each day as many bars as there are names, all to one scale."""
    most = max((number for _, numbers in days for number in numbers), default=0)
    step = len(names) * (BAR + GAP) + BETWEEN
    drawn, labels = [], []
    for place, (date, numbers) in enumerate(days):
        left = place * step
        if place % 7 == 0 or place == len(days) - 1:
            last = place == len(days) - 1
            at, anchor = (left + step - BETWEEN, "end") if last else (left, "start")
            labels.append((at, f"{date.day} {date:%b}", anchor))
        for series, number in enumerate(numbers):
            height = round(HEIGHT * number / most) if most else 0
            height = max(height, 2) if number else 0
            drawn.append(Bar(left + series * (BAR + GAP), HEIGHT - height, height, f"plot__{names[series]}"))
    return Plot(drawn, labels, max(step * len(days) - BETWEEN, 1), HEIGHT + 18, most)
