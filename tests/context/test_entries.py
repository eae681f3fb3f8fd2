"""Standing entries: set once, said anew beside what they said, a section as one act, everything undone."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from memoryapp.context import queries, services
from memoryapp.context.inputs import Change, LinkInput
from memoryapp.context.models import Entry, EntryLink, EntryRevision
from memoryapp.doors.errors import Conflict, Denied, Invalid, NotFound, Stale
from memoryapp.graph.services.audiences import change_audience
from memoryapp.ledger import dump, integrity
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources.inputs import SourceInput
from memoryapp.sources.models import Source
from memoryapp.sources.services import read
from tests.context.telling import Context, entry, moments_of
from tests.graph.nodes.telling import Graph
from tests.ledger.test_dump import empty_the_database

pytestmark = pytest.mark.django_db


def test_the_same_section_and_title_is_the_same_entry_said_anew(context: Context) -> None:
    first = context.set("Tone", "Short sentences.", "Writing")
    again = context.set(" tone ", "Short, plain sentences.", "writing")
    assert again.pk == first.pk
    assert context.stands() == [("writing", "tone", "Short, plain sentences.")]
    assert [one.revision.content for one in queries.history(context.by, first.pk)] == [
        "Short, plain sentences.",
        "Short sentences.",
    ]
    done = context.do(lambda write: services.set_entries(write, [entry("tone", "Short, plain sentences.", "writing")]))
    assert [one.changed for one in done] == [False]
    assert EntryRevision.objects.count() == 2


def test_every_edit_is_a_revision_that_can_be_restored(context: Context) -> None:
    """X2."""
    tone = context.set("Tone", "Short sentences.", expires="2040-05")
    context.update(tone, content="Long sentences.", title="Voice", expires_at=None)
    context.update(tone, section="Speaking", pinned=False)
    context.unset(tone)
    assert context.stands() == []
    context.restore(tone, 1)
    assert context.stands() == [("Writing", "Tone", "Short sentences.")]
    shown = queries.told(queries.shown(context.by, tone.pk), queries.now(context.by))
    assert (shown["expires_at"], shown["pinned"], shown["lock"]) == ("2040-05", True, 5)
    context.restore(tone, 2)
    assert context.stands() == [("Writing", "Voice", "Long sentences.")]
    with pytest.raises(Conflict, match="said nothing then"):
        context.restore(tone, 4)
    with pytest.raises(NotFound):
        context.restore(tone, 40)


def test_a_section_set_whole_is_one_act_with_one_undo(context: Context) -> None:
    """X2: what was there, its order and what else it said are as before, and undoing the undo sets it again."""
    context.set("Seats", "By the window.", "Travel")
    for title in ("Tone", "Length", "Greeting"):
        context.set(title, f"{title} of before.", "Writing")
    before, other = context.stands(), entry("Seats", section="Travel")
    act = context.set_section(
        "Writing", entry("Length", "Half a page."), entry("Tone", "Tone of before."), entry("Spelling", "British.")
    )
    assert context.stands() == [
        ("Travel", "Seats", "By the window."),
        ("Writing", "Length", "Half a page."),
        ("Writing", "Tone", "Tone of before."),
        ("Writing", "Spelling", "British."),
    ]
    undone = context.undo(act)
    assert context.stands() == before
    context.undo(undone)
    assert [title for _, title, _ in context.stands()] == ["Seats", "Length", "Tone", "Spelling"]
    assert other.section == "Travel"


def test_an_undo_is_refused_when_something_was_changed_since_and_names_it(context: Context) -> None:
    act = context.set_section("Writing", entry("Tone", "Short."), entry("Length", "Long."))
    tone = Entry.objects.get(revisions__title="Tone")
    context.update(tone, content="Shorter.")
    with pytest.raises(Conflict, match="“Tone”") as error:
        context.undo(act)
    assert (error.value.code, error.value.extra) == ("changed_since", {"entries": [str(tone.pk)]})
    assert len(context.stands()) == 2
    with pytest.raises(NotFound):
        context.undo(new_id())


def test_a_section_is_unset_and_comes_back_whole(context: Context) -> None:
    context.set_section("Writing", entry("Tone", "Short."), entry("Length", "Long."))
    before = context.stands()
    lock = queries.section_lock(context.by, "Writing")
    act = context.act(lambda write: services.unset_section(write, "WRITING", reason="Over.", lock=lock))
    assert context.stands() == []
    assert len(context.stands(history=True)) == 2
    context.undo(act)
    assert context.stands() == before
    with pytest.raises(NotFound):
        context.do(lambda write: services.unset_section(write, "Travel", lock=0))


def test_what_changed_meanwhile_is_not_overwritten(context: Context) -> None:
    tone = context.set("Tone", "Short.")
    context.update(tone, content="Shorter.")
    for verb in (
        lambda write: services.update(write, tone.pk, Change(content="Long."), lock=1),
        lambda write: services.unset(write, tone.pk, lock=1),
        lambda write: services.restore(write, tone.pk, sequence=1, lock=1),
        lambda write: services.set_section(write, "Writing", [entry("Tone", "Long.")], lock=1),
    ):
        with pytest.raises(Stale):
            context.do(verb)
    assert context.stands() == [("Writing", "Tone", "Shorter.")]


def test_the_order_of_sections_and_entries_is_an_act_as_well(context: Context) -> None:
    for section, title in (("A", "one"), ("A", "two"), ("A", "three"), ("B", "four"), ("C", "five")):
        context.set(title, section=section)
    before = context.stands()
    ids = {one.title: one.entry_id for one in EntryRevision.objects.all()}
    context.do(lambda write: services.arrange(write, "A", [ids["three"]]))
    act = context.act(lambda write: services.arrange_sections(write, ["C"]))
    assert [title for _, title, _ in context.stands()] == ["five", "three", "one", "two", "four"]
    context.undo(act)
    assert [title for _, title, _ in context.stands()] == ["three", "one", "two", "four", "five"]
    assert sorted(before) == sorted(context.stands())
    with pytest.raises(NotFound):
        context.do(lambda write: services.arrange(write, "A", [ids["four"]]))
    with pytest.raises(NotFound):
        context.do(lambda write: services.arrange_sections(write, ["Z"]))


def test_a_title_stands_once_in_a_section(context: Context) -> None:
    tone, length = context.set("Tone"), context.set("Length")
    with pytest.raises(Conflict) as error:
        context.update(length, title="tone")
    assert (error.value.code, error.value.extra["entry"]) == ("title_taken", str(tone.pk))
    context.unset(tone)
    context.update(length, title="Tone")
    with pytest.raises(Conflict, match="already"):
        context.restore(tone, 1)
    with pytest.raises(Invalid, match="twice"):
        context.do(lambda write: services.set_entries(write, [entry("New"), entry("new ")]))


def test_everything_wrong_with_a_batch_is_listed_with_its_row_and_nothing_is_stored(
    context: Context, graph: Graph
) -> None:
    ines = graph.person("Ines Ferro")
    rows = [
        entry("Tone", "Short."),
        entry(" ", "x\x00y", "s" * 101, links=(LinkInput("edge", ines.pk), LinkInput("node", new_id()))),
        entry("Length", "z" * 20_001, audience="everybody"),
        entry("Voice", readers=(ines.pk,)),
    ]
    with pytest.raises(Invalid) as error:
        context.do(lambda write: services.set_entries(write, rows))
    assert {(one.row, one.path, one.code) for one in error.value.violations} == {
        (1, "/title", "blank"),
        (1, "/section", "too_long"),
        (1, "/content", "not_text"),
        (1, "/links/0/what", "not_a_choice"),
        (1, "/links/1/id", "no_such_node"),
        (2, "/content", "too_long"),
        (2, "/audience", "not_a_choice"),
        (3, "/readers", "not_named"),
        (3, "/readers", "no_such_actor"),
    }
    assert Entry.objects.count() == 0


def test_emptied_it_is_empty_everywhere(context: Context) -> None:
    """Case 35: a text made empty is empty in the entry, in the list and in the block."""
    tone = context.set("Tone", "Short sentences.")
    context.update(tone, content="")
    assert context.stands() == [("Writing", "Tone", "")]
    assert "Short" not in context.block()
    assert "- **Tone**\n" in context.block()


def test_the_database_refuses_a_change_a_deletion_and_an_addition(context: Context, graph: Graph) -> None:
    """Against direct SQL, on every engine."""
    ines = graph.person("Ines Ferro")
    tone = context.set("Tone", "Short.", links=(LinkInput("node", ines.pk),))
    for statement in (
        "UPDATE context_entryrevision SET content = 'Long.'",
        "UPDATE context_entryrevision SET pinned = NOT pinned",
        "UPDATE context_entrylink SET position = 7",
        "UPDATE context_entry SET state = 'unset'",
        "UPDATE context_entry SET lock = 2",
        "DELETE FROM context_entrylink",
        "DELETE FROM context_entryrevision",
        "DELETE FROM context_entry",
    ):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    with pytest.raises(DatabaseError), transaction.atomic():
        EntryLink.objects.create(
            workspace=tone.workspace, entry=tone, revision=tone.revisions.get(), position=1, node=ines
        )


def test_outside_its_audience_an_entry_does_not_exist(
    context: Context, reviewer: Principal, administrator: Principal, reader_agent: Principal
) -> None:
    """What one keeps to named readers nobody else lists, reads, renders, changes, undoes or collides with."""
    mine = Context(reviewer)
    secret = mine.set("Tone", "Softly.", audience="named", readers=(administrator.actor.pk,))
    context.set("Tone", "Loudly.")
    assert [content for _, _, content in mine.stands()] == ["Softly.", "Loudly."]
    assert [content for _, _, content in context.stands(by=administrator)] == ["Softly.", "Loudly."]
    assert [content for _, _, content in context.stands()] == ["Loudly."]
    assert "Softly" not in context.block()
    act = secret.revisions.get().write_id
    for hidden in (
        lambda: queries.shown(context.by, secret.pk),
        lambda: queries.history(context.by, secret.pk),
        lambda: context.undo(act),
        lambda: context.update(secret, content="Aha."),
    ):
        with pytest.raises(NotFound):
            hidden()  # type: ignore[no-untyped-call]
    assert context.set("Tone", "Louder.").pk != secret.pk
    with pytest.raises(Denied):
        queries.revisions(reader_agent)


def test_what_is_linked_to_words_for_few_is_for_these_and_nobody_else_is_told_of_them(
    context: Context, graph: Graph, reviewer: Principal, viewer: Principal
) -> None:
    """R6"""
    by, few = context.by, (reviewer.actor.pk,)
    letter: Source = context.do(
        lambda write: read(write, SourceInput("system", "Softly, please.", by.workspace.clock, readers=few))
    ).source
    tone = context.set("Tone", "Softly.", links=(LinkInput("source", letter.pk),))
    assert {one.actor_id for one in tone.readers.all()} == {by.actor.pk, reviewer.actor.pk}
    assert (len(context.stands(by=reviewer)), context.stands(by=viewer)) == (1, [])
    plain = context.set("Plain", "Louder.", "Speaking")
    from_it, others = (LinkInput("source", letter.pk),), (viewer.actor.pk,)
    with pytest.raises(Invalid, match="for fewer"):
        context.set("Other", links=from_it, audience="named", readers=others)
    with pytest.raises(Invalid, match="for fewer"):
        context.update(tone, readers=others)
    context.update(plain, links=from_it)
    assert context.stands(by=viewer) == []
    with pytest.raises(Invalid, match="for fewer"):
        context.update(plain, audience="workspace")
    ines = graph.person("Ines Ferro")
    held = graph.say("Ines likes quiet", ines, audience="named", readers=(by.actor.pk,))
    with pytest.raises(Invalid, match="for fewer"):
        context.set("Quiet", links=(LinkInput("belief", held.pk),))
    quiet = context.set("Quiet", links=(LinkInput("belief", held.pk),), audience="named", readers=few)
    told = [queries.told(queries.shown(one, quiet.pk), queries.now(by))["links"] for one in (by, reviewer)]
    assert told == [[{"what": "belief", "id": str(held.pk)}], []]
    open_once = graph.say("Ines likes tea", ines)
    tea = context.set("Tea", links=(LinkInput("belief", open_once.pk),))
    context.unset(tea)
    context.do(lambda write: change_audience(write, open_once, audience="named", readers=few, reason="Hers."))
    with pytest.raises(Invalid, match="for fewer"):
        context.restore(tea, 1)


def test_what_stood_at_any_time_is_read_again(context: Context) -> None:
    tone = context.set("Tone", "Short.")
    context.update(tone, content="Long.")
    length = context.set("Length", "A page.")
    context.unset(tone)
    first, second, third = moments_of(tone)
    assert context.stands(known_at=first) == [("Writing", "Tone", "Short.")]
    assert context.stands(known_at=second) == [("Writing", "Tone", "Long.")]
    assert context.stands(known_at=third) == [("Writing", "Length", "A page.")]
    assert "Short." in context.block(known_at=first)
    assert queries.shown(context.by, tone.pk, first).revision.content == "Short."
    with pytest.raises(NotFound):
        queries.shown(context.by, length.pk, first)


def test_a_dump_restores_what_stands_and_everything_it_said(context: Context, operator: Principal) -> None:
    act = context.set_section("Writing", entry("Tone", "Short."), entry("Length", "Long."))
    context.undo(act)
    context.set("Seats", "By the window.", "Travel", audience="named", readers=(operator.actor.pk,))
    lines, before, block = dump.snapshot(operator.workspace), context.stands(history=True), context.block()
    assert sum("Short." in line for line in lines) == 1
    empty_the_database()
    back = dump.restore(lines)
    assert dump.snapshot(back) == lines
    assert (context.stands(history=True), context.block()) == (before, block)
    assert [report for report in integrity.examine(back) if report.findings] == []


def test_only_who_may_writes(context: Context, viewer: Principal, agent: Any, workspace: Any) -> None:
    """The context surface is the only one that writes with it; a reader has nothing else to write with."""
    keeper = agent(workspace, ["lookup", "recall", "context"], "Keeper")
    told = [entry("Tone", "Short.")]
    record(keeper, "set_context", lambda write: services.set_entries(write, told))
    assert len(context.stands()) == 1
    with pytest.raises(Denied):
        record(viewer, "set_context", lambda write: services.set_entries(write, told))
    from memoryapp.access import capabilities

    written = capabilities.of_surfaces(["lookup", "recall", "context"]) - capabilities.of_surfaces(["lookup", "recall"])
    assert written == {"read_context", "write_context"}
