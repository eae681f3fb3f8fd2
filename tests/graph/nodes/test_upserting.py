"""Nodes are found by exact identity keys, completed, and never merged by a machine."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.access.services import operator as operator_of
from memoryapp.doors.errors import Conflict, Denied, Invalid, NotFound
from memoryapp.graph import services
from memoryapp.graph.identity import resolve
from memoryapp.graph.models import Belief, IdentityKey, Node, RelationPlayer
from memoryapp.graph.services import NodeInput, nodes, remembering
from memoryapp.graph.statements import NodeKeys, Quoted
from memoryapp.index.models import IndexEntry
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case
from tests.graph.nodes.telling import Graph

pytestmark = pytest.mark.django_db


def test_the_same_key_four_times_is_one_node_with_four_sources(graph: Graph) -> None:
    done = [graph.upsert("organization", f"2026-03-0{day}", acronym="QZTR") for day in range(1, 5)]
    assert [one.created for one in done] == [True, False, False, False]
    assert Node.objects.count() == 1
    belief = Belief.objects.get(predicate="acronym")
    assert belief.plays.filter(kind="sourcing", role="sourced").count() == 4


def test_case_spaces_and_unicode_forms_do_not_make_another_node(graph: Graph) -> None:
    first = graph.node("project", name="Ana  Petrov  Café")
    again = graph.upsert("project", name="ana petrov cafe\u0301")
    assert again.node == first
    assert again.node.label == "Ana  Petrov  Café"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("staging_eu_1", "staging_eu_2"),
        ("invoice_2024", "invoice_2025"),
        ("acme_north", "acme_south"),
        ("C", "C++"),
        ("C++", "C#"),
        ("Purchase Order PO-2031-000417", "Purchase Order PO-2031-000418"),
        ("Bulletin SB-31-114 Revision A", "Bulletin SB-31-114 Revision B"),
        ("Bay 14", "Bay 15"),
        ("2031 budget", "2032 budget"),
        ("Avin", "Tavin"),
        ("Мария", "Марина"),
        ("北京", "東京"),
        ("Αθήνα", "Αθηνά Β"),
    ],
)
def test_near_names_stay_two_and_nobody_is_asked(graph: Graph, one: str, other: str) -> None:
    """C3, C5."""
    assert graph.node("project", name=one) != graph.node("project", name=other)
    assert not Case.objects.exists()
    assert not graph.upsert("project", name=one.swapcase()).created


def test_an_apostrophe_apart_is_a_question_for_a_person_asked_once(graph: Graph) -> None:
    """C4, C10."""
    first, second = graph.node("project", name="O'Neil"), graph.node("project", name="ONeil")
    assert first != second
    case = Case.objects.get(kind="merge_suggestion")
    assert {subject.subject_id for subject in case.subjects.all()} == {first.pk, second.pk}
    graph.upsert("project", name="ONeil")
    assert Case.objects.count() == 1


def test_one_name_in_two_classes_is_two_nodes(graph: Graph) -> None:
    """C2."""
    assert graph.node("project", name="Mercury") != graph.node("place", name="Mercury")
    assert not Case.objects.exists()


def test_what_is_missing_is_filled_and_further_keys_find_the_same_node(graph: Graph) -> None:
    ines = graph.node("person", email="ines@ferro.example")
    graph.upsert("person", email="Ines@Ferro.example", phone="+351 910 000 111", name="Ines Ferro")
    found = graph.upsert("person", phone="00351 910-000-111", role="editor")
    assert found.node.pk == ines.pk
    assert found.node.properties == {
        "email": ["ines@ferro.example"],
        "name": "Ines Ferro",
        "phone": ["+351 910 000 111"],
        "role": "editor",
    }
    assert found.node.label == "Ines Ferro"


def test_another_value_of_a_single_valued_property_waits_for_a_person(graph: Graph) -> None:
    graph.upsert("person", email="ines@ferro.example", role="editor")
    again = graph.upsert("person", "2026-06-01", email="ines@ferro.example", role="publisher")
    assert [case.kind for case in again.conflicts] == ["property_conflict"]
    assert again.node.properties["role"] == "editor"
    assert Belief.objects.get(predicate="role", status="resolving").value == "publisher"


def test_another_name_waits_and_is_no_key_until_it_is_held(graph: Graph) -> None:
    graph.upsert("organization", domain="quillworks.example", name="Quillworks")
    graph.upsert("organization", "2026-06-01", domain="quillworks.example", name="Quill & Sons")
    assert graph.upsert("organization", name="Quill & Sons").created


def test_keys_of_two_nodes_are_refused_and_store_nothing(graph: Graph) -> None:
    one = graph.node("person", email="a@mail.example")
    other = graph.node("person", phone="+44 20 7000 0001")
    before = Belief.objects.count()
    with pytest.raises(Conflict) as refused:
        graph.upsert("person", email="a@mail.example", phone="+442070000001")
    assert refused.value.code == "identity_ambiguous"
    assert refused.value.extra["nodes"] == sorted([str(one.pk), str(other.pk)])
    assert Belief.objects.count() == before
    nodes = [one, other]
    case = graph.do(lambda write: services.open_ambiguity_case(write, nodes))
    assert case.kind == "ambiguous_identity"


def test_a_node_without_a_key_is_refused_naming_the_keys(graph: Graph) -> None:
    with pytest.raises(Invalid) as refused:
        graph.upsert("person", name="Ivo")
    assert refused.value.code == "identity_missing"
    assert refused.value.violations[0].accepted == "email, or phone, or handle, or iri"


@pytest.mark.parametrize(
    ("node_class", "properties", "code", "path"),
    [
        ("persn", {"email": "a@b.example"}, "undeclared_class", "/class"),
        ("thing", {"iri": "urn:x:1"}, "abstract_type", "/class"),
        ("person", {"emial": "a@b.example"}, "undeclared_property", "/properties/emial"),
        ("person", {"email": "nobody"}, "value_not_accepted", "/properties/email"),
        ("person", {"email": ["a@b.example", 7]}, "value_not_accepted", "/properties/email/1"),
        ("project", {"name": "Kestrel", "state": "asleep"}, "value_not_accepted", "/properties/state"),
        ("project", {"name": ["Kestrel"]}, "value_not_accepted", "/properties/name"),
    ],
)
def test_what_is_not_declared_is_refused_with_its_place(
    graph: Graph, node_class: str, properties: dict[str, Any], code: str, path: str
) -> None:
    with pytest.raises(Invalid) as refused:
        graph.upsert(node_class, **properties)
    assert [(one.code, one.path) for one in refused.value.violations] == [(code, path)]
    assert not Node.objects.exists()


def test_one_bad_row_of_a_hundred_stores_none_and_every_bad_row_is_named(graph: Graph) -> None:
    """T32, for nodes."""
    rows: list[tuple[str, dict[str, Any]]] = [("project", {"name": f"Project {n}"}) for n in range(100)]
    rows[17] = ("project", {"title": "x"})
    rows[71] = ("proyect", {"name": "y"})
    with pytest.raises(Invalid) as refused:
        graph.upsert_all(*rows)
    assert [(one.row, one.code) for one in refused.value.violations] == [
        (17, "undeclared_property"),
        (71, "undeclared_class"),
    ]
    assert not Node.objects.exists()


def test_a_batch_takes_so_many_values_however_few_its_nodes_are(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row with which they become too many is named; nothing is stored."""
    monkeypatch.setattr(nodes, "MOST_VALUES", 3)
    ada: dict[str, Any] = {"name": "Ada Lund", "email": ["ada@mail.example", "ada@lund.example"]}
    graph.upsert_all(("person", ada))
    with pytest.raises(Invalid) as refused:
        graph.upsert_all(("project", {"name": "Quay"}), ("person", ada), ("project", {"name": "Pier"}))
    [wrong] = refused.value.violations
    assert (wrong.path, wrong.code, wrong.row, wrong.accepted) == ("/properties", "too_many", 1, "at most 3")
    with pytest.raises(Invalid) as refused:
        graph.upsert("person", **ada | {"email": [f"{number}@lund.example" for number in range(3)]})
    assert refused.value.violations[0].row is None
    assert Node.objects.count() == 1


def test_a_batch_with_the_same_key_twice_makes_one_node(graph: Graph) -> None:
    done = graph.upsert_all(
        ("organization", {"name": "Quillworks"}),
        ("organization", {"name": "QUILLWORKS", "domain": "quillworks.example"}),
        ("organization", {"domain": "quillworks.example", "industry": "printing"}),
    )
    assert [one.created for one in done] == [True, False, False]
    assert len({one.node.pk for one in done}) == 1
    assert done[0].node.properties["industry"] == "printing"


def test_a_node_needs_evidence(graph: Graph) -> None:
    with pytest.raises(Invalid) as refused:
        graph.do(lambda write: services.upsert_node(write, "project", {"name": "Kestrel"}))
    assert not Node.objects.exists()
    assert all(one.row is None for one in refused.value.violations)


def test_a_hundred_nodes_take_at_most_ten_times_the_queries_of_one(graph: Graph) -> None:
    graph.upsert_all(("project", {"name": "First"}))
    with CaptureQueriesContext(
        connection,
    ) as one:
        graph.upsert_all(("project", {"name": "Alone"}))
    with CaptureQueriesContext(connection) as hundred:
        graph.upsert_all(*(("project", {"name": f"Of many {n}"}) for n in range(100)))
    assert len(hundred) <= 10 * len(one)


def test_a_value_that_never_was_right_no_longer_identifies(graph: Graph) -> None:
    ana = graph.upsert("person", email="ana@mail.example", handle="ana")
    wrong = next(belief for belief in ana.beliefs if belief.predicate == "email")
    graph.do(lambda write: services.retract(write, wrong, reason="It is her sister's."))
    sister = graph.upsert("person", email="ana@mail.example")
    assert sister.created
    assert Node.objects.get(pk=ana.node.pk).properties == {"handle": ["ana"]}
    assert IdentityKey.objects.filter(value="ana@mail.example", active=True).get().node == sister.node


def test_a_value_that_ended_still_finds_its_node(graph: Graph) -> None:
    """C9, for identity: reading an old file again does not make somebody anew."""
    ana = graph.upsert("person", email="ana@old.example", handle="ana")
    old = next(belief for belief in ana.beliefs if belief.predicate == "email")
    graph.do(lambda write: services.retire(write, old, reason="The address was closed."))
    assert "email" not in Node.objects.get(pk=ana.node.pk).properties
    assert resolve(graph.by, NodeKeys("person", {"email": "ana@old.example"})) == ana.node


def test_a_reference_by_keys_says_what_is_missing_unknown_or_not_there(graph: Graph) -> None:
    graph.node("team", name="Binders")
    assert resolve(graph.by, NodeKeys("organization", {"name": "binders"})).label == "Binders"
    for reference, code in [
        (NodeKeys("person", {"name": "Ivo"}), "identity_missing"),
        (NodeKeys("person", {"emial": "x"}), "undeclared_property"),
        (NodeKeys("persn", {}), "undeclared_class"),
    ]:
        with pytest.raises(Invalid) as refused:
            resolve(graph.by, reference)
        assert refused.value.code == code
    for unknown in (uuid.uuid4(), NodeKeys("person", {"email": "no@mail.example"})):
        with pytest.raises(NotFound):
            resolve(graph.by, unknown)


def test_a_node_of_another_workspace_is_not_there(graph: Graph, other_workspace: Any) -> None:
    from memoryapp.access.services import operator

    node = graph.node("project", name="Kestrel")
    stranger = operator(other_workspace)
    with pytest.raises(NotFound):
        resolve(stranger, node.pk)
    assert Graph(stranger).upsert("project", name="Kestrel").created


def test_who_only_reads_makes_no_nodes(graph: Graph, reader_agent: Principal) -> None:
    quoted = Quoted(graph.source())
    with pytest.raises(Denied):
        record(
            reader_agent, "upsert", lambda write: services.upsert_node(write, "project", {"name": "Kestrel"}, (quoted,))
        )


def test_a_verdict_on_a_property_changes_the_node_and_undo_changes_it_back(graph: Graph, reviewer: Principal) -> None:
    graph.upsert("organization", domain="quillworks.example", name="Quillworks")
    [case] = graph.upsert("organization", "2026-06-01", domain="quillworks.example", name="Quill & Sons").conflicts
    decided = record(
        reviewer,
        "decide",
        lambda write: review.decide(write, case.pk, lock=case.lock, verdict="newer_replaces"),
    )
    node = Node.objects.get()
    assert (node.label, node.properties["name"]) == ("Quill & Sons", "Quill & Sons")
    assert resolve(graph.by, NodeKeys("organization", {"name": "Quill & Sons"})) == node
    assert resolve(graph.by, NodeKeys("organization", {"name": "Quillworks"})) == node
    record(reviewer, "undo", lambda write: review.undo(write, decided.pk))
    node.refresh_from_db()
    assert (node.label, node.properties["name"]) == ("Quillworks", "Quillworks")
    with pytest.raises(NotFound):
        resolve(graph.by, NodeKeys("organization", {"name": "Quill & Sons"}))


INES, MIRA = "ines@ferro.example", "mira@oduya.example"
DESCRIBED: list[tuple[str, dict[str, Any]]] = [
    ("person", {"name": "Ines Ferro", "email": INES}),
    ("person", {"name": "Mira Oduya", "email": MIRA, "role": "pilot"}),
    ("person", {"email": "  Ines@Ferro.example", "handle": "ines"}),
    ("person", {"handle": "INES", "role": "chief"}),
    ("person", {"email": INES, "role": "clerk"}),
    ("person", {"email": MIRA, "role": "pilot"}),
    ("organization", {"name": "Ferro Studio", "domain": "ferro.example"}),
]
"""New, twins within the batch, found by a key that another row brought, contradicted, and said again."""


def stored(by: Principal) -> list[Any]:
    """All that is held of the nodes of a workspace, by what they are called."""
    here = {"workspace": by.workspace}
    beliefs, nodes = Belief.objects.filter(**here), Node.objects.filter(**here)
    entries = IndexEntry.objects.filter(**here, target_type__in=["node", "belief"])
    return [
        sorted((one.label, one.node_class, repr(one.properties)) for one in nodes),
        sorted(IdentityKey.objects.filter(**here).values_list("node__label", "key_set", "value", "active")),
        sorted(beliefs.values_list("content", "status", "lock", "valid_from")),
        sorted(beliefs.values_list("content", "states__reason")),
        sorted(RelationPlayer.objects.filter(**here).values_list("kind", "role", "relation__state")),
        sorted(entries.values_list("text", "label")),
        sorted(Case.objects.filter(**here).values_list("kind", "state", "reason")),
    ]


def test_a_batch_does_what_its_rows_do_one_by_one(
    graph: Graph, other_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is stored, believed, doubted and found is the same, however many statements it makes; and of a batch with
    one row that is refused, nothing."""
    monkeypatch.setattr(remembering, "MOST", 3)
    other = Graph(operator_of(other_workspace))
    together, one_by_one = graph.source(text="A list."), other.source(text="A list.")
    many = [NodeInput(*row, (Quoted(together),)) for row in DESCRIBED]
    batch = graph.do(lambda write: services.upsert_nodes(write, many))
    singles = [
        other.do(lambda write, row=row: services.upsert_node(write, row[0], row[1], (Quoted(one_by_one),)))
        for row in DESCRIBED
    ]
    assert [(one.created, len(one.beliefs), len(one.conflicts)) for one in batch] == [
        (one.created, len(one.beliefs), len(one.conflicts)) for one in singles
    ]
    assert stored(graph.by) == stored(other.by)
    before = stored(graph.by)
    refused = ("person", {"email": MIRA, "handle": "ines"})
    new = ("person", {"email": "ivo@lasker.example"})
    with pytest.raises(Conflict) as error:
        graph.upsert_all(new, refused, new)
    assert [(one.row, one.code) for one in error.value.violations] == [(1, "identity_ambiguous")]
    assert stored(graph.by)[:5] == before[:5]
