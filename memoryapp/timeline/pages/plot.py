"""How much happened when, drawn as bars. Plain SVG, no script; each bar leads to its days."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field

from memoryapp.timeline.queries.density import Bar, Density

WIDTH, HEIGHT, FLOOR = 1000, 104, 20
LABELS = 5
"""Dates written below the bars: at both ends and evenly between."""
WRITTEN = {"day": "{at.day} {at:%B %Y}", "month": "{at:%B %Y}", "year": "{at:%Y}"}


@dataclass(frozen=True)
class DrawnBar:
    """A bar with where it leads and what it says; `count` 0 is not drawn."""

    x: str
    y: str
    width: str
    height: str
    url: str
    words: str


@dataclass
class Plot:
    """The drawing: bars above a line, some dates below it."""

    unit: str
    total: int
    highest: int
    width: int = WIDTH
    height: int = HEIGHT
    base: int = HEIGHT - FLOOR
    bars: list[DrawnBar] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)


def draw(found: Density, address_of: Callable[[Bar], str]) -> Plot:
    """Lay the bars out, each as high as its count; `address_of` gives where one leads."""
    plot = Plot(found.unit, sum(bar.count for bar in found.bars), found.highest)
    step = WIDTH / max(1, len(found.bars))
    for place, bar in enumerate(found.bars):
        if bar.count:
            plot.bars.append(_bar(plot, place, step, bar, address_of(bar)))
    last = len(found.bars) - 1
    places = {round(last * part / (LABELS - 1)) for part in range(LABELS)}
    plot.labels = [words_of(found.unit, found.bars[place].start) for place in sorted(places)]
    return plot


def _bar(plot: Plot, place: int, step: float, bar: Bar, url: str) -> DrawnBar:
    height = max(3.0, (plot.base - 4) * bar.count / plot.highest)
    gap = 1 if step > 4 else 0
    what = "1 episode" if bar.count == 1 else f"{bar.count} episodes"
    return DrawnBar(
        x=_number(place * step),
        y=_number(plot.base - height),
        width=_number(max(1.0, min(step, 40) - gap)),
        height=_number(height),
        url=url,
        words=f"{words_of(plot.unit, bar.start)}: {what}",
    )


def words_of(unit: str, at: dt.datetime) -> str:
    """A day, month or year in words."""
    return WRITTEN[unit].format(at=at)


def _number(value: float) -> str:
    """Written with a point, whatever the language of the page."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
