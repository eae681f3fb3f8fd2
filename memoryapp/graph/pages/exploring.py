"""The graph as a picture drawn by the server, and the same as a table: opened node by node, kept in the address."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from memoryapp.doors.errors import Invalid
from memoryapp.doors.pages import address, member_page, page
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.pages import joining
from memoryapp.graph.pages.as_of import Then, asked_times
from memoryapp.graph.queries import nodes as nodes_known
from memoryapp.graph.queries.exploring import Around, around, path
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology

MOST_OPEN = 40
MOST_OFFERED = 12
WIDTH, HEIGHT, ACROSS, DOWN = 196, 44, 96, 14
CHARACTERS = 24


@dataclass(frozen=True)
class Box:
    """A node in the picture, placed."""

    node: Node
    label: str
    css: str
    x: int
    y: int
    url: str
    width: int = WIDTH

    @property
    def middle(self) -> int:
        return self.y + HEIGHT // 2


@member_page("look_up")
def explorer(request: HttpRequest, by: Principal) -> HttpResponse:
    """`?open=` names the opened nodes, `to=` one to which a way is looked for, `type=`, `at=` and `known=` what is
    shown."""
    typed = {name: request.GET.get(name, "").strip()[:200] for name in ("q", "type", "to")}
    opened = _opened(request)
    times, then = asked_times(request, by)
    typed |= times
    types = (typed["type"],) if typed["type"] else ()
    way = _way(by, opened, typed["to"], types, then)
    ends = [one for edge in way for one in (edge.subject_id, edge.object_id) if one]
    found = around(
        by,
        list(dict.fromkeys([*opened, *ends])),
        relationships=types,
        valid_at=then.valid_at,
        known_at=then.known_at,
    )
    look = _Look(request, by, opened, typed)
    boxes = _placed(look, found, way)
    relationships = sorted(current_ontology(by).document.relationships)
    return page(
        request,
        "graph/explorer.html",
        {
            "by": by,
            "typed": typed,
            "search": typed["q"],
            "typed_open": [str(one) for one in opened],
            "offered": _offered(look, typed["q"]) if typed["q"] or not opened else [],
            "boxes": list(boxes.values()),
            "lines": [_line(boxes, edge, edge in way) for edge in found.edges if _drawn(boxes, edge)],
            "width": max((box.x + WIDTH for box in boxes.values()), default=0) + 2,
            "height": max((box.y + HEIGHT for box in boxes.values()), default=0) + 2,
            "hubs": joining.hubs(found.joined, boxes),
            "joined": joining.lines(by, found.joined),
            "rows": [_row(look, edge) for edge in found.edges],
            "opened": [_open_item(look, found, one) for one in opened if one in found.nodes],
            "way": [_row(look, edge) for edge in way],
            "way_asked": bool(typed["to"]) and len(opened) > 0,
            "cut": found.cut,
            "choices": [
                {
                    "label": "Any relationship",
                    "name": "type",
                    "chosen": typed["type"],
                    "options": [(name, name) for name in relationships],
                }
            ],
            "nodes": [(str(pk), one.label) for pk, one in found.nodes.items()],
            "clear_url": request.path,
        },
    )


class _Look:
    """Addresses of the picture with one thing changed."""

    def __init__(self, request: HttpRequest, by: Principal, opened: list[uuid.UUID], typed: dict[str, str]) -> None:
        self.path, self.by, self.opened, self.typed = request.path, by, opened, typed

    def with_open(self, *nodes: uuid.UUID) -> str:
        """The picture with exactly these nodes open."""
        kept = {name: self.typed[name] for name in ("type", "at", "known", "to") if self.typed[name]}
        return f"{self.path}?{urlencode([*(('open', str(node)) for node in nodes), *kept.items()])}"

    def toggled(self, node: uuid.UUID) -> str:
        """The picture with this node opened, or closed when it is open."""
        if node in self.opened:
            return self.with_open(*(one for one in self.opened if one != node))
        return self.with_open(*self.opened, node)


def _opened(request: HttpRequest) -> list[uuid.UUID]:
    try:
        found = [uuid.UUID(one) for one in request.GET.getlist("open")[:MOST_OPEN]]
    except ValueError:
        raise Invalid.at("open", "not_an_id", "That is not the id of anything.", "ids of nodes") from None
    return list(dict.fromkeys(found))


def _way(by: Principal, opened: list[uuid.UUID], to: str, types: tuple[str, ...], then: Then) -> list[Belief]:
    if not opened or not to:
        return []
    try:
        end = uuid.UUID(to)
    except ValueError:
        raise Invalid.at("to", "not_an_id", "That is not the id of anything.", "the id of a node") from None
    return path(by, opened[0], end, relationships=types, valid_at=then.valid_at, known_at=then.known_at)


def _placed(look: _Look, found: Around, way: list[Belief]) -> dict[uuid.UUID, Box]:
    """Columns by distance from the first opened node, each by name."""
    on_way = {one for edge in way for one in (edge.subject_id, edge.object_id)}
    columns: dict[int, list[Node]] = {}
    for pk, node in found.nodes.items():
        columns.setdefault(found.distance[pk], []).append(node)
    boxes: dict[uuid.UUID, Box] = {}
    for place, distance in enumerate(sorted(columns)):
        for row, node in enumerate(sorted(columns[distance], key=lambda one: (one.label, one.pk))):
            css = "is-root" if node.pk in look.opened else "is-belief"
            label = node.label if len(node.label) <= CHARACTERS else node.label[: CHARACTERS - 1] + "…"
            boxes[node.pk] = Box(
                node=node,
                label=label,
                css=f"{css} is-way" if node.pk in on_way else css,
                x=1 + place * (WIDTH + ACROSS),
                y=1 + row * (HEIGHT + DOWN),
                url=look.toggled(node.pk),
            )
    return boxes


def _drawn(boxes: dict[uuid.UUID, Box], edge: Belief) -> bool:
    return edge.subject_id in boxes and edge.object_id in boxes


def _line(boxes: dict[uuid.UUID, Box], edge: Belief, on_way: bool) -> dict[str, Any]:
    ends = sorted((boxes[edge.subject_id], boxes[edge.object_id]), key=lambda box: box.x)  # type: ignore[index]
    left, right = ends
    if left.x == right.x:
        x = left.x + WIDTH
        d = f"M{x} {left.middle}C{x + 40} {left.middle} {x + 40} {right.middle} {x} {right.middle}"
    else:
        start, end, bend = left.x + WIDTH, right.x, ACROSS // 2
        d = f"M{start} {left.middle}C{start + bend} {left.middle} {end - bend} {right.middle} {end} {right.middle}"
    return {"d": d, "css": "is-way" if on_way else "", "words": edge.content}


def _row(look: _Look, edge: Belief) -> dict[str, Any]:
    ends = [
        {"label": one.label, "class": one.node_class, "url": address(look.by, "graph:node", one.pk)} if one else None
        for one in (edge.subject, edge.object)
    ]
    return {
        "subject": ends[0],
        "object": ends[1],
        "relationship": edge.predicate,
        "url": address(look.by, "graph:belief", edge.pk),
        "valid_from": edge.valid_from,
        "from_precision": edge.valid_from_precision,
        "valid_to": edge.valid_to,
        "to_precision": edge.valid_to_precision,
    }


def _open_item(look: _Look, found: Around, node: uuid.UUID) -> dict[str, str]:
    return {"label": found.nodes[node].label, "url": look.toggled(node)}


def _offered(look: _Look, name: str) -> list[dict[str, str]]:
    """Nodes to begin with: those of the name, or the first by name."""
    rows = nodes_known.find(look.by, name=name).order_by("label", "pk")[:MOST_OFFERED]
    return [{"label": one.label, "class": one.node_class, "url": look.with_open(*look.opened, one.pk)} for one in rows]
