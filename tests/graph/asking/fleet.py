"""A small fleet to ask about: vessels with a value of every sort, who owns them and what tows what."""

from __future__ import annotations

import datetime as dt
from typing import Any

from memoryapp.graph.models import Node
from memoryapp.graph.queries import asking
from memoryapp.graph.queries.asking import Answer
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import services as ontology
from memoryapp.ontology.queries import current_ontology
from tests.graph.nodes.telling import Graph

VESSEL: dict[str, Any] = {
    "parent": "thing",
    "properties": {
        "length": {"type": "number"},
        "crew": {"type": "integer"},
        "built": {"type": "string", "format": "partial-date-time"},
        "moored": {"type": "boolean"},
        "note": {"type": "string", "maxLength": 4000},
        "flag": {"type": "string", "maxLength": 100},
        "engine": {"type": "object"},
    },
    "multi_valued": ["flag"],
    "keys": [["name"]],
    "label": "{name}",
}
RELATIONSHIPS: dict[str, Any] = {
    "ownedBy": {
        "pairs": [{"subject": "vessel", "object": "organization"}],
        "properties": {"share": {"type": "integer"}},
        "template": "{subject} is owned by {object}",
    },
    "tows": {"pairs": [{"subject": "vessel", "object": "vessel"}], "template": "{subject} tows {object}"},
}
ENGINE = {"hp": 90, "fuel": "a"}
FLEET: list[dict[str, Any]] = [
    {"name": "Alba", "length": 12.5, "crew": 2, "built": "1999", "moored": True, "flag": ["PT"], "note": "Blue hull"},
    {"name": "albatros", "length": 12.5, "crew": 10, "built": "1999-05-03", "moored": False, "flag": ["PT", "ES"]},
    {"name": "Bryde", "length": -3, "built": "2001-05-03T23:30:00-05:00", "note": "a_b%c*d", "flag": ["DK"]},
    {
        "name": "Çetus",
        "length": 100,
        "crew": 9,
        "built": "2001-05-04",
        "moored": False,
        "engine": {"hp": 90, "fuel": "a"},
    },
    {"name": "Dolly 14", "length": 99.999, "crew": 0, "note": "blue hull, new", "engine": {"fuel": "a", "hp": 90}},
    {"name": "Dolly 15", "length": 2, "crew": 1, "moored": True, "note": "榛子 hull 🐝"},
    {"name": "Ebb", "crew": -4, "built": "0099-01-01", "flag": ["pt"], "note": "x" * 1500 + "end"},
    {"name": "Ebb tide", "length": 2.0000001, "note": "x" * 1500 + "END"},
]


def declare_vessels(graph: Graph) -> None:
    document = current_ontology(graph.by).document.model_dump(mode="json", by_alias=True)
    document["node_classes"] |= {"vessel": VESSEL, "tug": {"parent": "vessel"}}
    document["relationships"] |= RELATIONSHIPS
    graph.do(lambda write: ontology.declare(write, document))


def launched(graph: Graph) -> dict[str, Node]:
    """The fleet, its owners, and some edges between them."""
    declare_vessels(graph)
    nodes = {
        one["name"]: graph.node("tug" if one["name"].startswith("Dolly") else "vessel", **_told(one)) for one in FLEET
    }
    for name in ("Acme", "Quay Ltd"):
        nodes[name] = graph.node("organization", name=name)
    for vessel, owner in (("Alba", "Acme"), ("albatros", "Quay Ltd"), ("Bryde", "Acme"), ("Dolly 14", "Acme")):
        graph.connect(nodes[vessel], "ownedBy", nodes[owner], qualifiers={"share": 50})
    for tug, towed in (("Dolly 14", "Alba"), ("Dolly 14", "Bryde"), ("Dolly 15", "Dolly 14"), ("Ebb", "Dolly 15")):
        graph.connect(nodes[tug], "tows", nodes[towed])
    return nodes


def _told(one: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name != "name"} | {"name": one["name"]}


def ask(by: Principal, asked: dict[str, Any], valid_at: dt.datetime | None = None, **times: Any) -> Answer:
    question = asking.read(current_ontology(by), {"class": "vessel"} | asked, valid_at=valid_at, **times)
    return asking.ask(by, question)


def labels(answer: Answer) -> list[str]:
    return [one.label for one in answer.found]
