"""Proposals in a real browser: clean in both themes and widths, and decided there."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from memoryapp.ledger.models import Job, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.models import Proposal, ProposalMove
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
    return [
        *pages,
        "proposals/",
        "proposals/new/",
        "ontology/",
        "ontology/node_classes/barge/",
        "ontology/compare/",
        f"queue/{case.pk}/",
    ]


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


def test_two_people_settle_a_proposal_between_them(
    signed_in: Callable[..., Any], workspace: Workspace, work: Callable[[], int], administrator: Principal
) -> None:
    """A2: who filed it cannot approve it, is asked back and answers; the other edits, approves for a time, and it is
    applied then by itself."""
    ada = signed_in("admin", name="Ada")
    home = ada.url
    ada.goto(f"{home}proposals/new/")
    ada.get_by_label("Changes, as YAML or JSON").fill(yaml.safe_dump([VESSEL]))
    ada.get_by_label("Why").fill("Berths are booked for vessels.")
    ada.get_by_role("button", name="File the proposal").click()
    ada.get_by_text("Somebody else approves it.").wait_for()
    assert ada.get_by_role("button", name="Approve", exact=True).count() == 0
    address = ada.url
    bram = signed_in("admin", name="Bram")
    bram.goto(address)
    bram.get_by_label("Why").fill("By what is one known?")
    bram.get_by_role("button", name="Ask back").click()
    bram.get_by_text("By what is one known?").wait_for()
    ada.goto(f"{address}revise/")
    ada.get_by_label("Why").fill("By its name, painted on it.")
    ada.get_by_role("button", name="Save").click()
    ada.get_by_text("By its name, painted on it.").first.wait_for()
    bram.goto(f"{address}revise/")
    named = yaml.safe_dump([VESSEL | {"name": "barge"}])
    bram.get_by_label("Changes, as YAML or JSON").fill(named)
    bram.get_by_role("button", name="Save").click()
    bram.get_by_role("heading", name="Add the class barge below thing").wait_for()
    later = dt.datetime.now(ZoneInfo(workspace.time_zone)) + dt.timedelta(hours=2)
    bram.get_by_label("Apply by itself at").fill(later.strftime("%Y-%m-%dT%H:%M"))
    bram.get_by_role("button", name="Approve", exact=True).click()
    bram.get_by_text("to be applied").wait_for()
    proposal = Proposal.objects.get()
    assert (proposal.status, work(), current_ontology(administrator).number) == ("approved", 0, 1)
    Job.objects.filter(kind="apply_proposal").update(run_after=proposal.recorded_at)
    assert work() == 1
    bram.goto(address)
    bram.get_by_text("led to edition 2").wait_for()
    steps = ProposalMove.objects.order_by("sequence").values_list("to_status", "write__actor__name")
    assert list(steps) == [
        ("proposed", "Ada"),
        ("needs_changes", "Bram"),
        ("proposed", "Ada"),
        ("approved", "Bram"),
        ("applied", "Bram"),
    ]
    assert "barge" in current_ontology(administrator).document.node_classes
