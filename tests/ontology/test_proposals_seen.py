"""Proposals in a real browser: clean in both themes and widths, and decided there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.models import Proposal
from memoryapp.ontology.queries import current_ontology
from memoryapp.review.models import Case
from tests.api.calling import Caller
from tests.browser import page_is_clean
from tests.graph.nodes.telling import Graph
from tests.ontology.proposing import VESSEL, Office

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


@pytest.fixture
def proposed(workspace: Workspace, operator: Principal, person: Callable[..., Principal]) -> list[str]:
    """Pages with something on each: a class that writes were refused for, and a tightening that does not fit."""
    quay = Caller(workspace, ["curate", "propose"], "Quay")
    Graph(operator).node("person", name="Ines", email="ines@ferro.example", role="harbour master")
    source = {"kind": "document", "path": "/k.md", "content": "Kestrel.", "said_at": "2026-03-02T09:00:00Z"}
    body = {"class": "vessel", "properties": {"name": "Kestrel", "draught": 2}, "evidence": [{"new_source": source}]}
    assert quay.post("nodes?park=true", body).status_code == 422
    tight = {"change": "set_property", "family": "node_classes", "type": "person", "name": "role"}
    office = Office(operator, person(workspace, "admin", "Vera"))
    office.propose(tight | {"declaration": {"type": "string", "maxLength": 5}}, why="Short ones.")
    office.put_in_force(VESSEL | {"name": "barge"})
    pages = [f"proposals/{one.pk}/" for one in Proposal.objects.order_by("number")]
    case = Case.objects.filter(kind="schema_proposal", state="open").order_by("opened_at")[0]
    return [*pages, "proposals/", "proposals/new/", "ontology/", "ontology/compare/", f"queue/{case.pk}/"]


@pytest.mark.parametrize(("theme", "width"), [("light", 1440), ("dark", 390)])
def test_every_page_is_clean_and_no_wider_than_the_screen(
    signed_in: Callable[..., Any], proposed: list[str], theme: str, width: int
) -> None:
    page = signed_in("admin", name="Nadia", theme=theme, width=width)
    home = page.url
    for address in proposed:
        page.goto(f"{home}{address}")
        page_is_clean(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address


def test_a_proposal_is_approved_and_applied_by_its_buttons(
    signed_in: Callable[..., Any], proposed: list[str], administrator: Principal
) -> None:
    """What was parked is rebased, approved, applied and written, with five clicks."""
    page = signed_in("admin", name="Nadia")
    page.goto(f"{page.url}{proposed[0]}")
    for button in ("Rebase", "Approve", "Apply now"):
        page.get_by_role("button", name=button, exact=True).click()
        page.wait_for_load_state()
    page.get_by_text("1 written, 0 refused").wait_for()
    assert "vessel" in current_ontology(administrator).document.node_classes
