"""Two nodes become one: what refers to the one refers to the other, and taking it back puts everything back."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from memoryapp.doors.errors import Conflict, Denied, DomainError, Stale
from memoryapp.graph import services
from memoryapp.graph.identity import resolve
from memoryapp.graph.models import (
    Belief,
    BeliefState,
    IdentityKey,
    Mention,
    Node,
    NodeMove,
    Relation,
    RelationPlayer,
)
from memoryapp.graph.queries import nodes
from memoryapp.graph.queries.views import Scope, current
from memoryapp.graph.statements import NodeKeys
from memoryapp.ledger import dump, integrity
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case, Decision
from tests.graph.nodes.telling import Graph

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def pair(graph: Graph) -> tuple[Node, Node]:
    """Jude Okoro, known by an address, and J. Okoro, known by a handle: one person, told of twice."""
    kept = graph.node("person", name="Jude Okoro", email="jude@okoro.example")
    folded = graph.node("person", name="J. Okoro", handle="jokoro", phone="+44 20 7000 0001")
    return kept, folded


def merge(graph: Graph, kept: Node, folded: Node, **more: Any) -> Decision:
    done: Decision = graph.do(lambda write: services.merge(write, kept=kept.pk, folded=folded.pk, **more))
    return done


def undo(by: Principal, decision: Decision) -> None:
    record(by, "undo", lambda write: review.undo(write, decision.pk), "It was somebody else.")


def everything(workspace: Workspace) -> list[str]:
    """Every head of the graph, without locks."""
    rows: list[Any] = []
    for model in (Node, Belief, IdentityKey, Mention, RelationPlayer, Relation):
        rows += model._default_manager.filter(workspace=workspace)
    return dump.heads(rows)


def says(graph: Graph, node: Node) -> set[str]:
    found: set[str] = set()
    for scope in (Scope(subject=node.pk), Scope(object=node.pk), Scope(owner=node.pk)):
        found |= set(current(graph.by, scope).values_list("content", flat=True))
    return found


def test_edges_statements_keys_and_names_follow_and_the_id_leads_on_for_ever(
    graph: Graph, pair: tuple[Node, Node]
) -> None:
    kept, folded = pair
    studio = graph.node("organization", name="Ferro Studio")
    graph.connect(folded, "worksAt", studio)
    graph.connect(graph.person("Ines Ferro"), "knows", folded)
    graph.say("J. Okoro prefers the night train.", folded)
    merge(graph, kept, folded)
    found = nodes.neighbourhood(graph.by, folded.pk)
    assert (found.node, found.asked) == (kept, folded.pk)
    assert {one.node.label for one in found.neighbours} == {"Ferro Studio", "Ines Ferro"}
    assert found.properties["phone"] == ["+44 20 7000 0001"]
    assert found.properties["email"] == ["jude@okoro.example"]
    assert "J. Okoro prefers the night train." in says(graph, kept)
    assert resolve(graph.by, NodeKeys("person", {"handle": "jokoro"})) == kept
    assert not graph.upsert("person", handle="jokoro", email="jude@okoro.example").created
    assert graph.connect(folded.pk, "knows", graph.person("Ana Petrov").pk).belief.subject == kept


def test_nothing_of_a_merge_is_a_finding(graph: Graph, pair: tuple[Node, Node]) -> None:
    kept, folded = pair
    graph.connect(folded, "knows", kept)
    graph.say("Likes tea.", kept)
    graph.say("Likes tea.", folded)
    merge(graph, kept, folded)
    assert [one for one in integrity.examine(graph.by.workspace) if one.findings] == []


def test_what_says_the_same_stays_once_on_all_the_evidence(graph: Graph, pair: tuple[Node, Node]) -> None:
    kept, folded = pair
    studio = graph.node("organization", name="Ferro Studio")
    first = graph.connect(kept, "memberOf", studio, "2026-03-02").belief
    second = graph.connect(folded, "memberOf", studio, "2026-01-05").belief
    merge(graph, kept, folded)
    [edge] = current(graph.by, Scope(subject=kept.pk, predicates=("memberOf",)))
    assert edge == first
    assert edge.valid_from == second.valid_from
    sources = RelationPlayer.objects.filter(role="evidence", relation__players__belief=edge, kind="sourcing")
    assert sources.values("source").distinct().count() == 2
    second.refresh_from_db()
    assert (second.status, second.standing) == ("archived", "holds")


def test_another_value_of_what_has_one_value_waits_for_a_person(graph: Graph, pair: tuple[Node, Node]) -> None:
    kept, folded = pair
    merge(graph, kept, folded)
    case = Case.objects.get(kind="property_conflict")
    kept.refresh_from_db()
    assert kept.label == "Jude Okoro"
    newcomer = Belief.objects.get(status="resolving")
    assert (newcomer.value, newcomer.subject) == ("J. Okoro", kept)
    assert {one.subject_id for one in case.subjects.all()} >= {newcomer.pk}


def test_an_edge_between_the_two_vanishes(graph: Graph, pair: tuple[Node, Node]) -> None:
    kept, folded = pair
    edge = graph.connect(folded, "knows", kept).belief
    merge(graph, kept, folded)
    edge.refresh_from_db()
    assert (edge.status, edge.standing) == ("archived", "retracted")
    assert nodes.neighbourhood(graph.by, kept.pk).neighbours == []


def test_a_statement_of_both_is_the_kept_ones_once(graph: Graph, pair: tuple[Node, Node]) -> None:
    kept, folded = pair
    belief = graph.say("They share a desk.", kept, folded)
    merge(graph, kept, folded)
    assert BeliefState.objects.filter(belief=belief).latest("sequence").owners == [str(kept.pk)]
    owners = RelationPlayer.objects.filter(kind="ownership", role="owner", relation__players__belief=belief)
    assert [one.node for one in owners.filter(relation__state="activated")] == [kept]


def test_a_supersession_is_of_the_same_owners_after_redirects(graph: Graph, pair: tuple[Node, Node]) -> None:
    kept, folded = pair
    older = graph.say("Prefers the window.", folded, said_at="2026-03-02")
    newer = graph.say("Prefers the aisle.", kept, said_at="2026-06-02")
    with pytest.raises(DomainError):
        graph.do(lambda write: services.supersede(write, older, newer, reason="Said so."))
    merge(graph, kept, folded)
    older.refresh_from_db()
    graph.do(lambda write: services.supersede(write, older, newer, reason="Said so."))
    assert newer.content in says(graph, kept)
    assert older.content not in says(graph, kept)


def test_taking_it_back_puts_back_every_touched_object_even_after_other_writes(
    graph: Graph, pair: tuple[Node, Node], reviewer: Principal
) -> None:
    """V1, for merges."""
    kept, folded = pair
    studio = graph.node("organization", name="Ferro Studio")
    for node, day in ((kept, "2026-03-02"), (folded, "2026-01-05")):
        graph.connect(node, "memberOf", studio, day)
        graph.say("Likes tea.", node, said_at=day)
    graph.connect(folded, "knows", kept)
    graph.connect(folded, "worksAt", studio)
    graph.say("They share a desk.", kept, folded)
    before = everything(graph.by.workspace)
    decision = merge(graph, kept, folded)
    assert everything(graph.by.workspace) != before
    made = graph.node("project", name="Kestrel")
    undo(reviewer, decision)
    after = everything(graph.by.workspace)
    assert set(before) <= set(after)
    assert {row.pk for row in Node.objects.all()} == {kept.pk, folded.pk, studio.pk, made.pk}
    assert resolve(graph.by, NodeKeys("person", {"handle": "jokoro"})) == folded
    assert [one for one in integrity.examine(graph.by.workspace) if one.findings] == []
    assert not Case.objects.filter(kind="property_conflict", state="open").exists()
    assert Case.objects.get(kind="merge_suggestion").state == "open"


def test_a_later_write_that_builds_on_the_merge_stands_in_the_way_and_is_named(
    graph: Graph, pair: tuple[Node, Node], reviewer: Principal
) -> None:
    kept, folded = pair
    decision = merge(graph, kept, folded)
    case = Case.objects.get(kind="property_conflict")
    settled = record(
        reviewer, "decide", lambda write: review.decide(write, case.pk, lock=case.lock, verdict="older_stands")
    )
    with pytest.raises(Conflict) as refused:
        undo(reviewer, decision)
    assert refused.value.code in ("later_write", "decided_again")
    undo(reviewer, settled)
    undo(reviewer, decision)
    assert Node.objects.get(pk=folded.pk).state == "active"


def test_a_merge_of_the_kept_node_stands_in_the_way_of_taking_back_the_first(
    graph: Graph, pair: tuple[Node, Node], reviewer: Principal
) -> None:
    kept, folded = pair
    third = graph.node("person", handle="jude-o")
    first = merge(graph, kept, folded)
    second = merge(graph, third, kept)
    assert Node.objects.get(pk=folded.pk).folded_into == third
    with pytest.raises(Conflict) as refused:
        undo(reviewer, first)
    assert refused.value.code == "later_write"
    assert refused.value.extra["write"] == str(second.write_id)
    undo(reviewer, second)
    assert Node.objects.get(pk=folded.pk).folded_into == kept
    undo(reviewer, first)
    assert Node.objects.get(pk=folded.pk).folded_into is None


def test_as_known_before_the_merge_they_are_two_and_since_then_one(graph: Graph, pair: tuple[Node, Node]) -> None:
    kept, folded = pair
    graph.connect(folded, "memberOf", graph.node("organization", name="Ferro Studio"))
    before = Belief.objects.latest("recorded_at").recorded_at
    decision = merge(graph, kept, folded)
    since = Node.objects.get(pk=folded.pk).states.get().recorded_at
    apart = nodes.neighbourhood(graph.by, folded.pk, known_at=before)
    assert (apart.node, apart.asked) == (folded, None)
    assert [one.node.label for one in apart.neighbours] == ["Ferro Studio"]
    assert apart.properties["handle"] == ["jokoro"]
    assert nodes.neighbourhood(graph.by, kept.pk, known_at=before).neighbours == []
    record(graph.by, "undo", lambda write: review.undo(write, decision.pk))
    together = nodes.neighbourhood(graph.by, folded.pk, known_at=since)
    assert (together.node, len(together.neighbours)) == (kept, 1)
    assert nodes.neighbourhood(graph.by, kept.pk).neighbours == []


def test_who_was_told_apart_is_not_made_one_by_anybody_who_does_not_take_that_back(
    graph: Graph, reviewer: Principal
) -> None:
    """V3, C4."""
    first, second = graph.node("project", name="O'Neil"), graph.node("project", name="ONeil")
    case = Case.objects.get(kind="merge_suggestion")
    said = record(
        reviewer, "decide", lambda write: review.decide(write, case.pk, lock=case.lock, verdict="not_the_same")
    )
    with pytest.raises(Conflict) as refused:
        merge(graph, first, second)
    assert (refused.value.code, refused.value.extra["decision"]) == ("told_apart", str(said.pk))
    third = graph.node("project", name="Oneil House")
    merge(graph, third, second)
    with pytest.raises(Conflict):
        merge(graph, first, third)
    undo(reviewer, said)
    merge(graph, first, third)
    assert resolve(graph.by, second.pk) == first


def test_the_verdict_of_a_suggestion_keeps_the_chosen_one(graph: Graph, reviewer: Principal) -> None:
    first, second = graph.node("project", name="O'Neil"), graph.node("project", name="ONeil")
    case = Case.objects.get(kind="merge_suggestion")
    decided = record(
        reviewer,
        "decide",
        lambda write: review.decide(write, case.pk, lock=case.lock, verdict="merge", edits={"keep": str(second.pk)}),
    )
    assert resolve(graph.by, first.pk) == second
    undo(reviewer, decided)
    assert resolve(graph.by, first.pk) == first


@pytest.mark.parametrize(
    ("one", "other", "code"),
    [
        (("project", {"name": "Kestrel"}), ("place", {"name": "Kestrel"}), "class_differs"),
        (("organization", {"name": "Binders"}), ("team", {"name": "Folders"}), "class_differs"),
    ],
)
def test_only_what_is_of_one_kind_becomes_one(graph: Graph, one: Any, other: Any, code: str) -> None:
    kept, folded = graph.node(one[0], **one[1]), graph.node(other[0], **other[1])
    with pytest.raises(Conflict) as refused:
        merge(graph, kept, folded)
    assert refused.value.code == code
    assert not NodeMove.objects.exists()


def test_a_subclass_keeps_what_was_known_by_the_class_above(graph: Graph) -> None:
    """T28, after a merge."""
    above, below = graph.node("organization", name="Binders"), graph.node("team", name="The Binders")
    merge(graph, below, above)
    assert resolve(graph.by, NodeKeys("organization", {"name": "Binders"})) == below


def test_a_merge_names_the_state_it_was_drawn_from_and_needs_the_right(
    graph: Graph, pair: tuple[Node, Node], curator_agent: Principal
) -> None:
    kept, folded = pair
    with pytest.raises(Stale):
        merge(graph, kept, folded, lock=kept.lock + 7)
    with pytest.raises(Denied):
        record(curator_agent, "m", lambda write: services.merge(write, kept=kept.pk, folded=folded.pk))
    with pytest.raises(Conflict) as same:
        merge(graph, kept, kept)
    assert same.value.code == "same_node"
    merge(graph, kept, folded)
    assert Node.objects.get(pk=kept.pk).lock > max(folded.lock, kept.lock)


def test_a_retired_node_is_left_out_of_lists_and_comes_back(graph: Graph, pair: tuple[Node, Node]) -> None:
    kept, folded = pair
    graph.do(lambda write: services.retire_node(write, node=kept.pk, reason="They left."))
    assert list(nodes.find(graph.by, "person")) == [folded]
    assert nodes.node(graph.by, kept.pk).state == "retired"
    with pytest.raises(Conflict):
        merge(graph, kept, folded)
    graph.do(lambda write: services.use_again(write, node=kept.pk, reason="They are back."))
    assert set(nodes.find(graph.by, "person")) == {kept, folded}


def test_a_part_is_split_off_with_its_keys_and_taken_back(graph: Graph, reviewer: Principal) -> None:
    both = graph.upsert("person", name="Jude Okoro", email="jude@okoro.example", handle="jokoro")
    studio = graph.node("organization", name="Ferro Studio")
    edge = graph.connect(both.node, "worksAt", studio).belief
    handle = next(one for one in both.beliefs if one.predicate == "handle")
    before = everything(graph.by.workspace)
    new, decision = graph.do(lambda write: services.split(write, node=both.node.pk, beliefs=[edge.pk, handle.pk]))
    assert resolve(graph.by, NodeKeys("person", {"handle": "jokoro"})) == new
    assert resolve(graph.by, NodeKeys("person", {"email": "jude@okoro.example"})) == both.node
    assert [one.node for one in nodes.neighbourhood(graph.by, new.pk).neighbours] == [studio]
    assert nodes.neighbourhood(graph.by, both.node.pk).neighbours == []
    assert [one for one in integrity.examine(graph.by.workspace) if one.findings] == []
    undo(reviewer, decision)
    assert set(before) <= set(everything(graph.by.workspace))
    assert Node.objects.get(pk=new.pk).state == "retired"
    assert resolve(graph.by, NodeKeys("person", {"handle": "jokoro"})) == both.node


def test_a_split_names_what_is_not_of_the_node(graph: Graph, pair: tuple[Node, Node]) -> None:
    kept, folded = pair
    other = Belief.objects.filter(subject=folded).first()
    assert other is not None
    for beliefs in ([], [uuid.uuid4()], [other.pk]):
        with pytest.raises(DomainError):
            graph.do(lambda write, some=beliefs: services.split(write, node=kept.pk, beliefs=some))
