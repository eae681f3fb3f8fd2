"""Names that look alike are a question for a person, each with why; names that only a number tells apart never are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memoryapp.graph import likeness
from memoryapp.graph.likeness import (
    ACCENTS,
    ACRONYM,
    INITIAL,
    LETTER,
    NICKNAME,
    SPELLING,
    forms,
    shorter_forms,
    why_alike,
)
from memoryapp.graph.looking import ask_to_look
from memoryapp.graph.models import Node
from memoryapp.graph.services import connect_all
from memoryapp.graph.statements import Quoted, Statement
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case
from tests.graph.nodes.telling import Graph


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("O'Neil", "ONeil", SPELLING),
        ("Ferro-Studio", "ferro studio", SPELLING),
        ("José Peña", "Jose Pena", ACCENTS),
        ("Zoë-Ann Løkke", "zoe ann lokke", ACCENTS),
        ("Ελένη Νίκου", "Ελενη Νικου", ACCENTS),
        ("Мой Двор", "Мои Двор", ""),
        ("É. Okoro", "Emile Okoro", INITIAL),
        ("ÉQTR", "Elm Quay Trade Register", ACRONYM),
        ("QZTR", "Quay Zone Trade Register", ACRONYM),
        ("HOB", "House of the Binders", ""),
        ("HTB", "House of the Binders", ""),
        ("HOTB", "House of the Binders", ACRONYM),
        ("J. Okoro", "Jude Okoro", INITIAL),
        ("Bill Harrow", "William Harrow", NICKNAME),
        ("Quillworks Press", "Quilworks Press", LETTER),
        ("Harbuor Light", "Harbour Light", LETTER),
        ("staging_eu_1", "staging_eu_2", ""),
        ("invoice_2024", "invoice_2025", ""),
        ("acme_north", "acme_south", ""),
        ("Revision A of the bulletin", "Revision B of the bulletin", ""),
        ("C", "C++", ""),
        ("C++ tooling", "C# tooling", ""),
        ("Bay 14", "Bay 15", ""),
        ("PO-2031-000417", "PO-2031-000418", ""),
        ("Мария", "Марина", ""),
        ("北京", "東京", ""),
        ("J. Okoro", "K. Okoro", ""),
        ("Avin", "Tavin", ""),
    ],
)
def test_why_two_names_look_alike(one: str, other: str, why: str) -> None:
    """C3, C4, C5."""
    assert why_alike(one, other) == why_alike(other, one) == why


@pytest.mark.parametrize("given", ["bill", "william", "sasha", "zora"])
def test_a_short_form_leads_to_the_name_and_back(given: str) -> None:
    assert all(given in likeness.short_forms(form) for form in likeness.short_forms(given))


def test_a_name_is_looked_up_by_every_form_it_may_be_known_by() -> None:
    assert forms("William Harrow") == {"williamharrow", "billharrow", "billyharrow", "willharrow", "wharrow"}
    assert "quay" not in forms("Quay Zone Trade Register")
    assert "qztr" in forms("Quay Zone Trade Register")
    assert shorter_forms("Avin") == set()
    assert "quilworks" in shorter_forms("Quillworks")


@pytest.mark.django_db
def test_a_new_node_is_asked_about_beside_an_older_one_whose_name_it_may_be(graph: Graph) -> None:
    """C10: only ever a suggestion."""
    graph.node("person", name="J. Okoro", handle="jokoro")
    graph.node("person", name="Jude Okoro", email="jude@okoro.example")
    graph.node("organization", name="Café Quay")
    graph.node("organization", name="CAFE QUAY")
    graph.node("organization", name="Quilworks")
    graph.node("organization", name="Quillworks")
    assert sorted(case.reason for case in Case.objects.all()) == sorted([ACCENTS, INITIAL, LETTER])


@pytest.mark.django_db
def test_a_short_name_is_asked_about_at_once_whichever_is_told_first(graph: Graph) -> None:
    """C10: initials and an initial, before and after the name they stand for."""
    graph.node("organization", name="Quay Zone Trade Register")
    graph.node("person", name="Jude Okoro", email="jude@okoro.example")
    graph.node("person", name="K. Lindqvist", handle="klq")
    assert not Case.objects.exists()
    graph.node("organization", name="QZTR")
    graph.node("person", name="J. Okoro", handle="jokoro")
    graph.node("person", name="Karin Lindqvist", handle="karin")
    graph.node("person", name="Q. Okoro", handle="qokoro")
    found = []
    for case in Case.objects.filter(kind="merge_suggestion").order_by("opened_at", "pk"):
        about = Node.objects.filter(pk__in=case.subjects.values("subject_id")).order_by("label")
        found.append((case.reason, *about.values_list("label", flat=True)))
    assert found == [
        (ACRONYM, "QZTR", "Quay Zone Trade Register"),
        (INITIAL, "J. Okoro", "Jude Okoro"),
        (INITIAL, "K. Lindqvist", "Karin Lindqvist"),
    ]


@pytest.mark.django_db
def test_the_forms_of_a_name_follow_the_name(graph: Graph) -> None:
    """What is kept of a name to be found by is that of the name it has now."""
    told = graph.node("person", handle="jude-1")
    assert Node.objects.get(pk=told.pk).bare_label == "jude1"
    graph.node("person", handle="jude-1", name="Jude Okoro")
    node = Node.objects.get(pk=told.pk)
    assert (node.label, node.initials, node.initialled) == ("Jude Okoro", None, "jokoro")
    assert likeness.kept_forms("Harbour Board of Trade") == ("harbourboardoftrade", "hbt", "hboardoftrade")
    assert likeness.kept_forms("Ann") == ("ann", None, None)


@pytest.mark.django_db
def test_the_job_finds_what_no_write_asked_about_and_asks_once(
    graph: Graph, reviewer: Principal, work: Callable[[], int]
) -> None:
    """V3: what was told apart stays so."""
    long = graph.node("organization", name="Quay Zone Trade Register")
    short = graph.node("organization", name="Quay Registry")
    graph.node("organization", name="QZTR", acronym="QZTR")
    people = [graph.person(name) for name in ("Ines Ferro", "Mira Oduya")]
    quoted = (Quoted(graph.source()),)
    edges = [
        Statement(subject=one.pk, predicate="memberOf", object=other.pk, evidence=quoted)
        for one in people
        for other in (long, short)
    ]
    graph.do(lambda write: connect_all(write, edges))
    for times in (1, 2):
        graph.do(ask_to_look)
        work()
        assert Case.objects.filter(kind="merge_suggestion", state="open").count() == 2, times
    assert {case.reason for case in Case.objects.all()} == {
        ACRONYM,
        "They share a part of their name, and are connected with the same 2 things.",
    }
    for case in Case.objects.filter(state="open"):
        verdict = "not_the_same" if case.reason == ACRONYM else "later"
        record(
            reviewer,
            "decide",
            lambda write, case=case, verdict=verdict: review.decide(write, case.pk, lock=case.lock, verdict=verdict),
        )
    graph.do(ask_to_look)
    work()
    assert not Case.objects.filter(state="open").exists()
    assert Job.objects.latest("created_at").outcome["questions"] == 0
