"""Every example of docs/query.md runs, and finds what it says."""

from __future__ import annotations

import json
import re

import pytest

from memoryapp.graph.queries import asking
from memoryapp.graph.queries.asking.clauses import OPERATORS
from memoryapp.ontology.queries import current_ontology
from tests.graph.nodes.telling import Graph
from tests.house.running import ROOT

pytestmark = pytest.mark.django_db

DOCUMENT = (ROOT / "docs" / "query.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \|.*?`(\{\"class\".+?\})` \| (.+?) \|$", DOCUMENT, re.MULTILINE)


def harbour(graph: Graph) -> None:
    pier = graph.node("project", name="Pier", state="running", deadline="2026-05-01", alias=["Old pier", "North pier"])
    graph.node("project", name="Crane", state="planned", deadline="2026-09-01")
    graph.node("project", name="crane hall")
    ines = graph.node("person", name="Ines Ferro", email="ines@ferro.example", birthday="1980-05-03")
    noor = graph.person("Noor Vasht")
    graph.connect(ines, "worksAt", graph.node("organization", name="Acme"))
    graph.connect(noor, "worksAt", graph.node("organization", name="Quay Ltd"))
    graph.connect(ines, "worksOn", pier, qualifiers={"role": "lead"})


def test_every_example_finds_what_it_says(graph: Graph) -> None:
    """Case 137: no example of the documents fails."""
    harbour(graph)
    assert {name.strip("`") for name, _, _ in ROWS} >= set(OPERATORS)
    for name, written, expected in ROWS:
        answer = asking.ask(graph.by, asking.read(current_ontology(graph.by), json.loads(written)))
        assert ", ".join(one.label for one in answer.found) == expected, name


def test_the_example_of_hops_leads_through_two(graph: Graph) -> None:
    harbour(graph)
    written = "{" + DOCUMENT.split("    {", 1)[1].split("\n\n", 1)[0]
    told = asking.told(asking.ask(graph.by, asking.read(current_ontology(graph.by), json.loads(written))))
    [acme] = told["items"]
    person = acme["expanded"][0]["edges"][0]["node"]
    assert (person["label"], person["properties"]) == ("Ines Ferro", {"email": ["ines@ferro.example"]})
    on = person["expanded"][0]["edges"][0]
    assert (on["qualifiers"], on["node"]["properties"]) == ({"role": "lead"}, {"state": "running"})
