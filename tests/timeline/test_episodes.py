"""What happened is recorded once and never changed, amended beside it, and found by when it was and with whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from memoryapp.doors.errors import Conflict, Denied, DomainError, Invalid, Malformed, NotFound, Stale
from memoryapp.graph.models import ActorNode, Node
from memoryapp.graph.services import merge, split, take_back
from memoryapp.ledger import dump, integrity
from memoryapp.ledger.principal import Principal
from memoryapp.sources.withdrawing import lift, withdraw
from memoryapp.timeline import queries, services
from memoryapp.timeline.inputs import Amendment, EpisodeInput
from memoryapp.timeline.models import Episode, EpisodeParticipant, EpisodeRevision, EpisodeValue
from memoryapp.timeline.queries import Asked
from tests.graph.nodes.telling import Graph
from tests.timeline.telling import Timeline, happened, moment

pytestmark = pytest.mark.django_db


def contents(found: Any) -> list[str]:
    return [one.revision.content for one in queries.with_details(list(found))]


def codes(error: pytest.ExceptionInfo[DomainError]) -> set[tuple[str, str]]:
    return {(violation.path, violation.code) for violation in error.value.violations}


def test_an_amendment_is_a_revision_and_the_old_text_stays_readable(timeline: Timeline, graph: Graph) -> None:
    """E2: nothing is changed; what was said before is there, with who said the new and why."""
    ines, mira = graph.person("Ines Ferro"), graph.person("Mira Oduya")
    met = timeline.happened("They met in Porto.", ines, kind="meeting", at="2026-03-02T10:00:00+01:00")
    timeline.amend(met, "It was in Braga, with Mira.", content="They met in Braga.", participants=_takings(ines, mira))
    said = queries.history(Episode.objects.get(pk=met.pk))
    assert [(one.sequence, one.content, one.reason) for one in said] == [
        (2, "They met in Braga.", "It was in Braga, with Mira."),
        (1, "They met in Porto.", ""),
    ]
    assert [one.participants.count() for one in said] == [2, 1]
    assert contents(queries.episodes(timeline.by)) == ["They met in Braga."]


def _takings(*nodes: Node) -> Any:
    from memoryapp.timeline.inputs import Taking

    return tuple(Taking(node.pk) for node in nodes)


def test_a_deletion_is_a_tombstone_with_its_reason_and_can_be_taken_away(timeline: Timeline) -> None:
    """E2: what was taken away is out of sight, still there, and comes back as it was."""
    fire = timeline.happened("The depot burnt down.")
    timeline.retract(fire, "A false alarm.")
    assert contents(queries.episodes(timeline.by)) == []
    gone = queries.history(queries.episode(timeline.by, fire.pk))
    assert [(one.state, one.content, one.reason) for one in gone] == [
        ("retracted", "", "A false alarm."),
        ("recorded", "The depot burnt down.", ""),
    ]
    assert [one.pk for one in queries.episodes(timeline.by, Asked(history=True))] == [fire.pk]
    with pytest.raises(Conflict, match="taken away"):
        timeline.amend(fire, content="It smoked.")
    timeline.reinstate(fire)
    assert contents(queries.episodes(timeline.by)) == ["The depot burnt down."]


def test_the_database_refuses_a_change_a_deletion_and_an_addition(timeline: Timeline, graph: Graph) -> None:
    """E2 against direct SQL, on every engine."""
    ines = graph.person("Ines Ferro")
    met = timeline.happened("They met.", ines, kind="meeting")
    revision = EpisodeRevision.objects.get()
    refused = [
        "UPDATE timeline_episoderevision SET content = 'They fought.'",
        "UPDATE timeline_episoderevision SET ordered_at = '2001-01-01'",
        "UPDATE timeline_episodeparticipant SET role = 'host'",
        "UPDATE timeline_episode SET state = 'retracted'",
        "UPDATE timeline_episode SET kind = 'call'",
        "DELETE FROM timeline_episodeparticipant",
        "DELETE FROM timeline_episoderevision",
        "DELETE FROM timeline_episode",
    ]
    for statement in refused:
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    other = graph.person("Mira Oduya")
    with pytest.raises(DatabaseError), transaction.atomic():
        EpisodeParticipant.objects.create(
            workspace=met.workspace, episode=met, revision=revision, node=other, role="participant"
        )


def test_an_undeclared_or_abstract_kind_is_refused_by_the_service_and_by_the_database(timeline: Timeline) -> None:
    with pytest.raises(Invalid) as error:
        timeline.happened("Something.", kind="meetin")
    assert "meeting" in error.value.violations[0].message
    with pytest.raises(Invalid) as error:
        timeline.happened("Something.", kind="episode")
    assert "meeting" in error.value.violations[0].accepted
    met = timeline.happened("They met.", kind="meeting")
    copy = Episode.objects.get(pk=met.pk)
    copy.pk, copy.kind, copy._state.adding = None, "episode", True  # type: ignore[assignment]
    with pytest.raises(DatabaseError), transaction.atomic():
        copy.save(force_insert=True)


def test_everything_wrong_with_a_batch_is_listed_with_its_row_and_nothing_is_stored(
    timeline: Timeline, graph: Graph
) -> None:
    ines, porto = graph.person("Ines Ferro"), graph.node("place", name="Porto")
    rows = [
        timeline.told("They met.", ines, kind="meeting"),
        timeline.told("  ", (porto, "host"), (ines, "hots"), kind="meeting", since="2026-03-03", until="2026-03-01"),
        timeline.told("Bought.", kind="purchase", properties={"amount": "much", "colour": "red"}),
        timeline.told("Said.", audience="everybody", kind="message"),
    ]
    with pytest.raises(Invalid) as error:
        timeline.do(lambda write: services.record_episodes(write, rows))
    assert {(one.row, one.path, one.code) for one in error.value.violations} == {
        (1, "/content", "blank"),
        (1, "/participants/0/node", "wrong_participant"),
        (1, "/participants/1/role", "undeclared_role"),
        (1, "/occurred_to", "ends_before_beginning"),
        (2, "/properties/amount", "value_not_accepted"),
        (2, "/properties/colour", "undeclared_property"),
        (3, "/audience", "not_a_choice"),
    }
    assert Episode.objects.count() == 0


WINDOWS = [
    ("2026-03-02T12:00:00Z", "2026-03-02T12:00:01Z", {"moment", "day", "month", "going on", "since ever", "hours"}),
    ("2026-03-02T11:00:00Z", "2026-03-02T12:00:00Z", {"day", "month", "going on", "since ever", "hours"}),
    ("2026-03-02T14:00:00Z", "2026-03-02T15:00:00Z", {"day", "month", "going on", "since ever"}),
    ("2026-03-02T13:59:59Z", "2026-03-02T15:00:00Z", {"day", "month", "going on", "since ever", "hours"}),
    ("2026-03-03T00:00:00Z", "2026-03-04T00:00:00Z", {"month", "going on", "since ever"}),
    ("2026-03-31T23:00:00Z", "2026-04-01T00:00:00Z", {"month", "going on"}),
    ("2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z", {"going on"}),
    ("2020-01-01T00:00:00Z", "2020-02-01T00:00:00Z", {"since ever"}),
    ("2020-01-01T00:00:00Z", "2026-03-02T12:00:00Z", {"hours", "day", "month", "going on", "since ever"}),
    ("2026-03-04T00:00:00Z", "2190-01-01T00:00:00Z", {"month", "going on"}),
    ("2026-04-02T00:00:00Z", "", {"going on"}),
    ("2190-04-02T00:00:00Z", "", {"going on"}),
    ("", "2026-03-01T00:00:00Z", {"since ever"}),
    ("", "2026-03-02T12:00:00Z", {"hours", "day", "month", "going on", "since ever"}),
]


@pytest.fixture
def spans(timeline: Timeline) -> Timeline:
    timeline.happened("moment", at="2026-03-02T12:00:00Z")
    timeline.happened("hours", since="2026-03-02T10:00:00Z", until="2026-03-02T13:59:59.999999Z")
    timeline.happened("day", at="2026-03-02")
    timeline.happened("month", at="2026-03")
    timeline.happened("going on", since="2026-03-01")
    timeline.happened("since ever", until="2026-03-03T12:00:00Z")
    return timeline


@pytest.mark.parametrize(("since", "until", "expected"), WINDOWS)
def test_windows_overlap_rightly_at_both_ends_and_where_an_end_is_open(
    spans: Timeline, since: str, until: str, expected: set[str]
) -> None:
    """E3: whether the window is narrow, wide, or open at a side."""
    bounds: dict[str, Any] = {name: moment(text).instant for name, text in (("since", since), ("until", until)) if text}
    assert set(contents(queries.episodes(spans.by, Asked(**bounds)))) == expected


def test_participants_any_or_all_and_subkinds_included(timeline: Timeline, graph: Graph) -> None:
    """E3: of several participants one or all; a kind brings all below it unless exactly it is asked for."""
    ines, mira, ivo = graph.person("Ines Ferro"), graph.person("Mira Oduya"), graph.person("Ivo Lasker")
    timeline.happened("both", ines, mira, kind="meeting", at="2026-03-01")
    timeline.happened("call", ines, kind="call", at="2026-03-02")
    timeline.happened("ivo", (ivo, "host"), kind="meeting", at="2026-03-03")

    def asked(**how: Any) -> list[str]:
        return contents(queries.episodes(timeline.by, Asked(**how)))

    assert asked(participants=(ines.pk, mira.pk)) == ["call", "both"]
    assert asked(participants=(ines.pk, mira.pk), every=True) == ["both"]
    assert asked(participants=(ivo.pk,), role="host") == ["ivo"]
    assert asked(participants=(ivo.pk,), role="attendee") == []
    assert asked(kinds=("meeting",)) == ["ivo", "call", "both"]
    assert asked(kinds=("meeting",), exact=True) == ["ivo", "both"]
    assert contents(queries.timeline(timeline.by, mira.pk)) == ["both"]


def test_properties_are_those_of_the_kind_and_are_asked_for_by_value(timeline: Timeline) -> None:
    timeline.happened("Ropes.", kind="purchase", properties={"amount": 40, "currency": "EUR"})
    timeline.happened("Sails.", kind="purchase", properties={"amount": 900})
    assert contents(queries.episodes(timeline.by, Asked(where={"amount": 40}))) == ["Ropes."]
    with pytest.raises(Malformed) as error:
        queries.episodes(timeline.by, Asked(kinds=("purchase",), where={"colour": "red"}))
    assert "amount" in error.value.violations[0].accepted


def test_the_folded_nodes_episodes_are_the_kept_nodes_and_undo_gives_them_back(
    timeline: Timeline, graph: Graph
) -> None:
    """E4."""
    kept, folded = graph.person("Jude Okoro"), graph.person("J. Okoro")
    timeline.happened("kept", kept, at="2026-03-01")
    timeline.happened("folded", folded, at="2026-03-02")
    timeline.happened("both", kept, folded, at="2026-03-03")
    before = Episode.objects.latest("recorded_at").recorded_at
    decision = graph.do(lambda write: merge(write, kept=kept.pk, folded=folded.pk))
    assert contents(queries.timeline(timeline.by, kept.pk)) == ["both", "folded", "kept"]
    assert contents(queries.timeline(timeline.by, folded.pk)) == ["both", "folded", "kept"]
    assert [len(one.people) for one in queries.with_details(list(queries.timeline(timeline.by, kept.pk)))] == [1, 1, 1]
    for then in (None, before):
        if then is None:
            graph.do(lambda write: take_back(write, decision=decision.pk))
        assert contents(queries.timeline(timeline.by, kept.pk, Asked(known_at=then))) == ["both", "kept"]
        assert contents(queries.timeline(timeline.by, folded.pk, Asked(known_at=then))) == ["both", "folded"]


def test_what_another_took_part_in_is_split_off_with_them_and_given_back(timeline: Timeline, graph: Graph) -> None:
    jude = graph.person("Jude Okoro")
    hers = timeline.happened("hers", jude, at="2026-03-01")
    timeline.happened("his", jude, at="2026-03-02")
    other, decision = graph.do(lambda write: split(write, node=jude.pk, beliefs=[], others={"episodes": [hers.pk]}))
    assert contents(queries.timeline(timeline.by, other.pk)) == ["hers"]
    assert contents(queries.timeline(timeline.by, jude.pk)) == ["his"]
    graph.do(lambda write: take_back(write, decision=decision.pk))
    assert contents(queries.timeline(timeline.by, jude.pk)) == ["his", "hers"]


def test_told_again_under_its_id_it_is_one_episode_and_with_another_body_refused(timeline: Timeline) -> None:
    """E5."""
    told = timeline.told("The lock was opened.", external_id="gate-7")
    first = timeline.do(lambda write: services.record_episode(write, told))
    again = timeline.do(lambda write: services.record_episode(write, told))
    assert (first.repeated, again.repeated, again.episode.pk) == (False, True, first.episode.pk)
    with pytest.raises(Conflict) as error:
        timeline.happened("The lock was shut.", external_id="gate-7")
    assert error.value.code == "episode_changed"
    both = timeline.do(lambda write: services.record_episodes(write, [told, timeline.told("New.", external_id="g-8")]))
    assert [one.repeated for one in both] == [True, False]
    assert Episode.objects.count() == 2


def test_outside_its_audience_an_episode_does_not_exist(
    timeline: Timeline, graph: Graph, viewer: Principal, reviewer: Principal, curator_agent: Principal
) -> None:
    ines = graph.person("Ines Ferro")
    with_ines = timeline.happened("A talk between two.", ines, kind="meeting", audience="participants")
    named = timeline.happened("For the reviewer.", audience="named", readers=(reviewer.actor.pk,))
    for by, expected in ((viewer, set()), (reviewer, {named.pk}), (curator_agent, set())):
        assert set(queries.episodes(by).values_list("pk", flat=True)) == expected
    with pytest.raises(NotFound):
        queries.episode(viewer, with_ines.pk)
    timeline.do(
        lambda write: ActorNode.objects.create(workspace=write.workspace, actor=viewer.actor, node=ines, write=write)
    )
    assert [one.pk for one in queries.episodes(viewer)] == [with_ines.pk]
    with pytest.raises(NotFound):
        timeline.amend(named, content="Nobody's.", by=curator_agent)


def test_who_may_not_record_is_refused_and_what_a_person_said_an_agent_does_not_amend(
    timeline: Timeline, viewer: Principal, person: Callable[..., Principal], curator_agent: Principal
) -> None:
    with pytest.raises(Denied):
        Timeline(viewer).happened("I was here.")
    curator = person(timeline.by.workspace, "curator", "Nadia")
    episode = Timeline(curator_agent).happened("They met.", kind="meeting")
    timeline.amend(episode, content="They met at noon.", by=curator_agent)
    timeline.amend(episode, content="They met at one.", by=curator)
    with pytest.raises(Conflict) as error:
        timeline.amend(episode, content="They met at two.", by=curator_agent)
    assert error.value.code == "confirmed_by_person"
    with pytest.raises(Denied):
        timeline.retract(episode, by=curator_agent)


def test_a_stale_amendment_changes_nothing(timeline: Timeline) -> None:
    episode = timeline.happened("One.")
    timeline.amend(episode, content="Two.")
    with pytest.raises(Stale):
        timeline.do(lambda write: services.amend(write, episode.pk, Amendment(content="Three."), reason="No.", lock=1))
    with pytest.raises(Invalid):
        timeline.amend(episode, content="Two.")
    with pytest.raises(Invalid):
        timeline.amend(episode, reason=" ", content="Three.")


def test_what_was_known_from_a_source_taken_back_is_out_of_sight_until_it_stands_again(
    timeline: Timeline, graph: Graph
) -> None:
    from memoryapp.graph.statements import Quoted

    log, letter = graph.source(text="The boat sank."), graph.source(text="The boat sank off Tarn.")
    alone = timeline.happened("The boat sank.", evidence=(Quoted(log),))
    both = timeline.happened("The boat sank off Tarn.", evidence=(Quoted(log), Quoted(letter)))
    withdrawal = timeline.do(lambda write: withdraw(write, source=log.pk))
    assert [one.pk for one in queries.episodes(timeline.by)] == [both.pk]
    assert queries.episode(timeline.by, alone.pk).state == "withdrawn"
    timeline.do(lambda write: lift(write, withdrawal))
    assert {one.pk for one in queries.episodes(timeline.by)} == {alone.pk, both.pk}
    assert contents([Episode.objects.get(pk=alone.pk)]) == ["The boat sank."]


def test_a_timeline_passes_its_checks_and_comes_back_from_a_dump(timeline: Timeline, graph: Graph) -> None:
    from memoryapp.graph.statements import Quoted

    ines, note = graph.person("Ines Ferro"), graph.source(text="Ines was there.")
    told: dict[str, Any] = {"kind": "meeting", "properties": {"location": "Quay 3"}, "evidence": (Quoted(note, 0, 4),)}
    episode = timeline.happened("She was there.", ines, since="2026-03-02", **told)
    belief = graph.say("Ines likes it there", ines)
    timeline.do(lambda write: services.learned_from(write, episode.pk, [belief.pk]))
    timeline.amend(episode, happened=happened(until="2026-03-04"))
    timeline.retract(timeline.happened("Never was."))
    assert [finding for report in integrity.examine(timeline.by.workspace) for finding in report.findings] == []
    lines = dump.snapshot(timeline.by.workspace)
    from memoryapp.ledger import triggers

    with transaction.atomic():
        triggers.drop()
        _empty()
        triggers.install()
    again = dump.restore(lines)
    assert dump.digest(dump.snapshot(again)) == dump.digest(lines)
    assert [finding for report in integrity.examine(again) for finding in report.findings] == []
    assert EpisodeValue.objects.count() == 2, "values are read off the revisions again"


def _empty() -> None:
    from memoryapp.ledger.dump import in_order
    from memoryapp.ledger.models import Workspace

    for model in reversed(in_order()):
        model._base_manager.all().delete()
    from memoryapp.index.models import IndexEntry, Statistics, Term

    for table in (IndexEntry, Term, Statistics):
        table.objects.all().delete()
    Workspace.objects.all().delete()


def test_a_conversation_is_an_episode_that_refers_to_its_thread(
    curator_agent: Principal, work: Callable[[], int]
) -> None:
    from tests.visiting import tell_a_story

    told = tell_a_story(curator_agent, work)
    found = queries.with_details(list(queries.episodes(curator_agent, Asked(kinds=("conversation",)))))
    assert {one.episode.thread_id for one in found} == {thread.pk for thread in told.values()}
    assert {one.revision.content for one in found} == {""}
    assert all("Ines" in one.people[0][0].label for one in found)


def test_what_nobody_may_say_of_a_kind_is_said_with_what_may_be(timeline: Timeline) -> None:
    with pytest.raises(Invalid) as error:
        timeline.do(lambda write: services.record_episode(write, EpisodeInput("meeting", "They met.")))
    assert codes(error) == {("/occurred_at", "missing")}


def test_erasing_a_person_takes_what_was_theirs_alone_and_blots_their_name_elsewhere(
    timeline: Timeline, graph: Graph
) -> None:
    """R16: no word of it is in any table, and the tombstone stays with its time and reason."""
    from memoryapp.index.models import IndexEntry
    from memoryapp.ledger import erasing
    from memoryapp.ledger.services import record

    quill, bram = graph.person("Quill Marchetti"), graph.person("Bram Oduya")
    alone = timeline.happened(
        "The code word is MARLIN.", quill, kind="meeting", external_id="quill-1", properties={"location": "MARLIN Bay"}
    )
    at_hers = {"location": "At Quill Marchetti's", "agenda": "Rowing"}
    both = timeline.happened("Quill Marchetti and Bram rowed to Tarn.", quill, bram, kind="meeting", properties=at_hers)
    record(
        timeline.by, "erase", lambda write: erasing.erase(write, "node", quill.pk, name=quill.label), rationale="Asked."
    )
    texts = [*EpisodeRevision.objects.values_list("content", "reason"), *Episode.objects.values_list("external_id")]
    told = " ".join(str(one) for several in texts for one in several)
    entries = " ".join(f"{one.text} {one.label}" for one in IndexEntry.objects.all())
    entries += " ".join(bytes(one.value_key).decode() for one in EpisodeValue.objects.all())
    for word in ("MARLIN", "Quill", "quill-1"):
        assert word not in told + entries
    assert "Bram rowed to Tarn." in entries
    assert [one.pk for one in queries.episodes(timeline.by, Asked(where={"agenda": "Rowing"}))] == [both.pk]
    gone = queries.history(Episode.objects.get(pk=alone.pk))
    assert [(one.state, one.content) for one in gone] == [("retracted", ""), ("recorded", "")]
    assert [one.pk for one in queries.episodes(timeline.by)] == [both.pk]
    assert [finding for report in integrity.examine(timeline.by.workspace) for finding in report.findings] == []
