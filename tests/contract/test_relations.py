"""T12 to T21 and T41: what declared relations guarantee.


What is enforced by the database is also tried past every service, straight at the tables.
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.graph import services as graph_services
from memoryapp.graph.models import Belief, Node, Relation, RelationPlayer
from memoryapp.graph.queries.relations import relation as read_relation
from memoryapp.graph.queries.views import Scope, current
from memoryapp.graph.statements import NodeKeys, Player, Quoted
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.services import declare
from tests.graph.nodes.telling import Graph, moment

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


def redeclare(graph: Graph, change: Callable[[dict[str, Any]], None]) -> None:
    """Make a changed copy of the document in force the next edition."""
    data = copy.deepcopy(current_ontology(graph.by).document.as_data())
    change(data)
    graph.do(lambda write: declare(write, data))


def inserted(graph: Graph, row: Any) -> None:
    """Insert a row past every service."""
    with transaction.atomic():
        row.save(force_insert=True)


def assembled(graph: Graph, kind: str, *players: tuple[str, Any]) -> None:
    """Insert a relation with players and activate it, past every service."""

    def act(write: Write) -> None:
        given = {"workspace": write.workspace, "kind": kind}
        relation = Relation.objects.create(**given, ontology_version=1, write=write, recorded_at=write.recorded_at)
        for place, (role, thing) in enumerate(players):
            what = {Belief: "belief", Node: "node", Relation: "played_by"}.get(type(thing), "source")
            RelationPlayer.objects.create(**given, relation=relation, role=role, position=place, **{what: thing})
        with connection.cursor() as cursor:
            cursor.execute("UPDATE graph_relation SET state = 'activated' WHERE id = %s", [_stored(relation.pk)])

    graph.do(act)


def _stored(pk: uuid.UUID) -> Any:
    return pk.hex if connection.vendor == "sqlite" else pk


def refusal(graph: Graph, kind: str, *players: tuple[str, Any], **more: Any) -> list[str]:
    with pytest.raises(Invalid) as refused:
        graph.relate(kind, *players, **more)
    return sorted({violation.code for violation in refused.value.violations})


# T12 to T21: relations

ONE_EACH = [
    ("supersession", "superseded", "successor"),
    ("extension", "base", "addition"),
    ("causation", "cause", "effect"),
    ("conditioning", "condition", "dependent"),
    ("succession", "predecessor", "follower"),
]


@pytest.mark.parametrize(("kind", "first", "second"), ONE_EACH)
def test_each_role_of_a_two_sided_relation_has_exactly_one_player(
    graph: Graph, kind: str, first: str, second: str
) -> None:
    """T13 (DB)."""
    ines = graph.person("Ines")
    a, b, c = (graph.say(f"Ines said {word}.", ines) for word in ("one", "two", "three"))
    assert refusal(graph, kind, (first, a)) == ["role_missing"]
    assert refusal(graph, kind, (second, a)) == ["role_missing"]
    assert refusal(graph, kind, (first, a), (second, b), (second, c)) == ["role_too_many"]
    assert refusal(graph, kind, (first, a), (first, c), (second, b)) == ["role_too_many"]
    for players in ([(first, a)], [(first, a), (second, b), (second, c)], [(first, a), (first, b), (second, c)]):
        with pytest.raises(DatabaseError, match="declared number of players"):
            assembled(graph, kind, *players)
    assembled(graph, kind, (first, a), (second, b))
    assert Relation.objects.filter(kind=kind, state="activated").count() == 1


def test_evidence_is_of_exactly_one_thing_and_at_least_one_source(graph: Graph) -> None:
    """T11, T12."""
    ines = graph.person("Ines")
    one, two = graph.say("Ines likes tea.", ines), graph.say("Ines likes figs.", ines)
    sources = [("evidence", graph.source()) for _ in range(3)]
    assert refusal(graph, "sourcing", ("sourced", one)) == ["role_missing"]
    assert refusal(graph, "sourcing", *sources, ("sourced", one), ("sourced", two)) == ["role_too_many"]
    assert graph.relate("sourcing", *sources, ("sourced", one)).players.count() == 4
    with pytest.raises(DatabaseError, match="declared number of players"):
        assembled(graph, "sourcing", ("sourced", one))


def test_the_last_evidence_of_a_belief_is_not_taken_back(graph: Graph) -> None:
    """T11: the stated policy is refusal."""
    belief = graph.say("Ines likes tea.", graph.person("Ines"))
    only = Relation.objects.get(kind="sourcing", players__belief=belief)
    with pytest.raises(Conflict) as refused:
        graph.do(lambda write: graph_services.retract_relation(write, only, reason="Misread."))
    assert refused.value.code == "last_support"
    graph.relate("sourcing", ("evidence", graph.source()), ("sourced", belief))
    graph.do(lambda write: graph_services.retract_relation(write, only, reason="Misread."))
    only.refresh_from_db()
    assert only.state == "retracted"


def test_a_belief_has_an_owner_for_each_link_and_a_link_one_owner(graph: Graph) -> None:
    """T14."""
    ines, ana = graph.person("Ines"), graph.person("Ana")
    belief = graph.say("They share a desk.", ines)
    assert refusal(graph, "ownership", ("owner", ines), ("owner", ana), ("owned", belief)) == ["role_too_many"]
    graph.relate("ownership", ("owner", ana), ("owned", belief))
    assert set(current(graph.by, Scope(owner=ana.pk, kinds=("preference",)))) == {belief}
    assert set(current(graph.by, Scope(owner=ines.pk, kinds=("preference",)))) == {belief}
    assert belief.states.order_by("sequence").last().owners == sorted([str(ines.pk), str(ana.pk)])  # type: ignore[union-attr]


def test_a_derivation_is_one_relation_of_all_its_premises(graph: Graph) -> None:
    """T15, and a conclusion among its own premises."""
    ines = graph.person("Ines")
    premises = [("premise", graph.say(f"Premise {n}.", ines)) for n in range(5)]
    one, two = graph.say("So it is.", ines, kind="insight"), graph.say("So it is not.", ines, kind="insight")
    assert refusal(graph, "derivation", ("conclusion", one)) == ["role_missing"]
    assert refusal(graph, "derivation", *premises, ("conclusion", one), ("conclusion", two)) == ["role_too_many"]
    assert refusal(graph, "derivation", *premises, ("premise", one), ("conclusion", one)) == ["player_twice"]
    assert graph.relate("derivation", *premises, ("conclusion", one)).players.count() == 6
    assert Relation.objects.filter(kind="derivation").count() == 1


def test_a_conflict_is_of_exactly_two_different_beliefs(graph: Graph) -> None:
    """T16 (DB)."""
    ines = graph.person("Ines")
    a, b, c = (graph.say(f"Ines said {word}.", ines) for word in ("one", "two", "three"))
    assert refusal(graph, "conflict", ("claim", a)) == ["role_missing"]
    assert refusal(graph, "conflict", ("claim", a), ("claim", b), ("claim", c)) == ["role_too_many"]
    assert refusal(graph, "conflict", ("claim", a), ("claim", a)) == ["player_twice"]
    for claims in ([a], [a, b, c]):
        with pytest.raises(DatabaseError, match="declared number of players"):
            assembled(graph, "conflict", *(("claim", one) for one in claims))
    with pytest.raises(DatabaseError, match=r"player_belief_once|UNIQUE"):
        assembled(graph, "conflict", ("claim", a), ("claim", a))
    assembled(graph, "conflict", ("claim", a), ("claim", b))


def test_only_a_summary_summarises_and_may_itself_be_a_member(graph: Graph) -> None:
    """T17."""
    ines = graph.person("Ines")
    member, plain = graph.say("Ines likes tea.", ines), graph.say("Ines likes figs.", ines)
    lower, upper = (graph.say(f"Summary {n}.", ines, kind="summary") for n in (1, 2))
    assert refusal(graph, "grouping", ("summary", lower)) == ["role_missing"]
    assert refusal(graph, "grouping", ("summary", plain), ("member", member)) == ["may_not_play"]
    graph.relate("grouping", ("summary", lower), ("member", member), ("member", plain))
    graph.relate("grouping", ("summary", upper), ("member", lower))


def test_a_person_makes_no_claim_and_a_wrong_role_names_the_right_ones(graph: Graph) -> None:
    """T18."""
    ines = graph.person("Ines")
    a, b = graph.say("Ines said one.", ines), graph.say("Ines said two.", ines)
    with pytest.raises(Invalid) as refused:
        graph.relate("conflict", ("claim", a), ("claim", ines))
    violation = next(one for one in refused.value.violations if one.code == "may_not_play")
    assert violation.accepted == "belief: memory"
    with pytest.raises(Invalid) as refused:
        graph.relate("extension", ("base", a), ("adition", b))
    wrong = next(one for one in refused.value.violations if one.code == "undeclared_role")
    assert (wrong.path, wrong.accepted) == ("/players/1/role", "addition, base")
    assert "Did you mean addition?" in wrong.message


def test_a_role_of_a_subtype_is_played_by_what_is_below_it_not_above(graph: Graph) -> None:
    """T19."""

    def change(data: dict[str, Any]) -> None:
        data["belief_kinds"]["travel_preference"] = {"parent": "preference"}
        data["belief_kinds"]["rail_preference"] = {"parent": "travel_preference"}
        data["relation_kinds"]["itinerary"] = {
            "roles": {"wish": {"beliefs": ["travel_preference"]}, "traveller": {"nodes": ["person"]}}
        }

    redeclare(graph, change)
    ines = graph.person("Ines")
    parent = graph.say("Ines likes tea.", ines)
    below = graph.say("Ines sits by the window in trains.", ines, kind="rail_preference")
    assert refusal(graph, "itinerary", ("wish", parent), ("traveller", ines)) == ["may_not_play"]
    graph.relate("itinerary", ("wish", below), ("traveller", ines))


def test_a_supersession_has_evidence_of_its_own(graph: Graph) -> None:
    """T20."""
    ines = graph.person("Ines")
    older, newer = graph.say("Weekly mails.", ines), graph.say("Monthly mails.", ines, said_at="2026-06-01")
    supersession = graph.relate("supersession", ("superseded", older), ("successor", newer))
    more = graph.source("2026-06-02")
    graph.relate("sourcing", ("evidence", more), ("sourced", supersession))
    assert more in {player.source for player in read_relation(graph.by, supersession.pk).evidence}


def test_when_a_relation_was_recorded_is_set_once(graph: Graph) -> None:
    """T21 (DB)."""
    ines = graph.person("Ines")
    extension = graph.relate(
        "extension", ("base", graph.say("Tea.", ines)), ("addition", graph.say("Green tea.", ines))
    )
    assert extension.recorded_at == extension.write.recorded_at
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Relation.objects.filter(pk=extension.pk).update(recorded_at="2020-01-01T00:00:00Z")


def test_a_supersession_of_itself_in_a_circle_by_two_or_across_owners_is_refused(graph: Graph) -> None:
    """T38, for supersession (two rivals also DB)."""
    ines, ana = graph.person("Ines"), graph.person("Ana")
    a, b, c = (graph.say(f"Ines said {word}.", ines) for word in ("one", "two", "three"))
    other = graph.say("Ana said so.", ana)
    assert refusal(graph, "supersession", ("superseded", a), ("successor", a)) == ["player_twice"]
    assert refusal(graph, "supersession", ("superseded", a), ("successor", other)) == ["owners_differ"]
    graph.relate("supersession", ("superseded", a), ("successor", b))
    assert refusal(graph, "supersession", ("superseded", b), ("successor", a)) == ["supersession_circle"]
    with pytest.raises(Conflict) as refused:
        graph.relate("supersession", ("superseded", a), ("successor", c))
    assert refused.value.code == "already_superseded"
    with pytest.raises(DatabaseError, match="at most one successor"):
        assembled(graph, "supersession", ("superseded", a), ("successor", c))


def test_taking_a_supersession_back_makes_the_older_one_current_again(graph: Graph) -> None:
    """T22, for a relation retracted by itself."""
    ines = graph.person("Ines")
    older, newer = graph.say("Weekly mails.", ines), graph.say("Monthly mails.", ines, said_at="2026-06-01")
    supersession = graph.relate("supersession", ("superseded", older), ("successor", newer))
    assert older not in current(graph.by)
    graph.do(lambda write: graph_services.retract_relation(write, supersession, reason="They are of two things."))
    assert {older, newer} <= set(current(graph.by))
    older.refresh_from_db()
    assert (older.status, older.valid_to) == ("activated", None)


def test_players_are_not_added_to_a_relation_later(graph: Graph) -> None:
    """A relation is whole when it is activated, and stays so (DB)."""
    ines = graph.person("Ines")
    a, b, c = (graph.say(f"Ines said {word}.", ines) for word in ("one", "two", "three"))
    extension = graph.relate("extension", ("base", a), ("addition", b))
    late = RelationPlayer(
        workspace=extension.workspace, relation=extension, kind="extension", role="addition", belief=c
    )
    with pytest.raises(DatabaseError, match="not later"):
        inserted(graph, late)
    with pytest.raises(DatabaseError, match="must begin as assembling"):
        inserted(
            graph,
            Relation(
                workspace=extension.workspace,
                kind="extension",
                state="activated",
                ontology_version=1,
                write=extension.write,
                recorded_at=extension.recorded_at,
            ),
        )


# T41


def test_who_shipped_what_to_whom_is_one_relation_with_its_own_evidence_time_and_attributes(graph: Graph) -> None:
    """T41."""
    dock, wheel, shelf = (graph.node("organization", name=name) for name in ("Dock", "Wheel", "Shelf"))
    source = graph.source(text="Wheel took the crate from Dock to Shelf, W-17.")
    quoted = (Quoted(source, 0, 40),)
    time = {"valid_from": moment("2026-03-01"), "valid_to": moment("2026-03-03")}
    assert refusal(graph, "shipment", ("shipper", dock), ("receiver", shelf)) == ["role_missing"]
    wrong = refusal(
        graph,
        "shipment",
        ("shipper", dock),
        ("carrier", graph.node("place", name="Lisbon")),
        ("receiver", shelf),
        attributes={"weight": 3},
        valid_from=moment("2026-03-02"),
        valid_to=moment("2026-03-01"),
    )
    assert wrong == ["may_not_play", "undeclared_attribute", "valid_to_before_valid_from"]
    players = [
        ("shipper", NodeKeys("organization", {"name": "dock"})),
        ("carrier", wheel),
        ("receiver", shelf),
    ]
    stored = graph.relate("shipment", *players, attributes={"reference": "W-17"}, evidence=quoted, **time)
    read = read_relation(graph.by, stored.pk)
    assert [(one.role, one.node) for one in read.players] == [
        ("shipper", dock),
        ("carrier", wheel),
        ("receiver", shelf),
    ]
    assert [one.quote for one in read.evidence] == [source.content[:40]]
    assert read.relation.attributes == {"reference": "W-17"}
    assert (read.relation.valid_from, read.relation.valid_to) == tuple(one.instant for one in time.values())
    assert [state.state for state in read.states] == ["activated"]
    with pytest.raises(DatabaseError, match="declared number of players"):
        assembled(graph, "shipment", ("shipper", dock), ("receiver", shelf))


def test_a_player_is_exactly_one_thing_that_is_there(graph: Graph) -> None:
    ines = graph.person("Ines")
    belief = graph.say("Ines likes tea.", ines)
    players = [Player("owner", node=ines.pk, belief=belief.pk), Player("owned", belief=uuid.uuid4())]
    with pytest.raises(Invalid) as refused:
        graph.do(lambda write: graph_services.relate(write, "ownership", players))
    assert {one.code for one in refused.value.violations} >= {"player_is_one_thing", "no_such_belief"}
