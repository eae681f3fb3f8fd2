"""The context in what holds for all memory: taking back, erasing, why, what was served, integrity."""

from __future__ import annotations

import pytest

from memoryapp.context import queries
from memoryapp.context.inputs import LinkInput
from memoryapp.context.models import Entry, EntryRevision
from memoryapp.context.services.serving import note
from memoryapp.doors.errors import Conflict
from memoryapp.graph.models import Node
from memoryapp.graph.queries.anything import why_anything
from memoryapp.ledger import dump, erasing, integrity
from memoryapp.ledger.models import ServedItem
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources import withdrawing
from memoryapp.sources.models import Source
from tests.context.telling import Context
from tests.graph.nodes.telling import Graph

pytestmark = pytest.mark.django_db


def take_back(by: Principal, source: Source) -> object:
    return record(by, "withdraw", lambda write: withdrawing.withdraw(write, source=source.pk))


def test_what_was_linked_to_a_source_goes_with_it_and_what_repeats_it_is_counted(
    context: Context, graph: Graph
) -> None:
    """R13: it leaves the block at once; words copied by hand keep the withdrawal from being complete until they go."""
    letter = graph.source(text="The code word is marlin. Bring it.")
    other = graph.source(text="Another letter.")
    code = context.set("Code", "Use marlin.", "Notes", links=(LinkInput("source", letter.pk),))
    context.set("Both", "Two letters.", "Notes", links=(LinkInput("source", letter.pk), LinkInput("source", other.pk)))
    copied = context.set("Copied", "He wrote: the code  word is Marlin", "Notes")
    withdrawal = take_back(context.by, letter)
    assert [title for _, title, _ in context.stands()] == ["Both", "Copied"]
    assert "Use marlin" not in context.block()
    assert withdrawing.traces(context.by.workspace, [letter.pk]) == 1
    context.update(copied, content="A word.")
    assert withdrawing.traces(context.by.workspace, [letter.pk]) == 0
    with pytest.raises(Conflict):
        context.restore(code, 1)
    record(context.by, "lift", lambda write: withdrawing.lift(write, withdrawal))  # type: ignore[arg-type]
    assert [title for _, title, _ in context.stands()] == ["Code", "Both", "Copied"]
    act = EntryRevision.objects.get(entry=code, sequence=3).write_id
    with pytest.raises(Conflict, match="taken back"):
        context.undo(act)


def test_of_an_erased_person_no_word_is_left_in_the_context(context: Context, graph: Graph) -> None:
    """R16: what was linked to that person alone loses its words, in every revision; elsewhere the name is covered."""
    quill, ines = graph.person("Quill Marchetti"), graph.person("Ines Ferro")
    alone = context.set("Quill", "Sits by the lighthouse.", "People", links=(LinkInput("node", quill.pk),))
    context.update(alone, content="Sits by the breakwater.")
    both = (LinkInput("node", quill.pk), LinkInput("node", ines.pk))
    shared = context.set("Lunch", "Quill Marchetti lunches with Ines.", "People", links=both)
    apart = context.set("Mail", "Never copy quill marchetti.", "Writing")
    note(context.by, [alone.pk], {"section": ["Quill Marchetti"]})
    record(
        context.by,
        "erase",
        lambda write: erasing.erase(write, "node", quill.pk, name="Quill Marchetti"),
        rationale="Asked.",
    )
    stored = "\n".join(dump.snapshot(context.by.workspace)).lower()
    assert not [word for word in ("marchetti", "lighthouse", "breakwater") if word in stored]
    assert Entry.objects.get(pk=alone.pk).state == "unset"
    shown = {one.pk: queries.shown(context.by, one.pk).revision.content for one in (shared, apart)}
    assert (shown[shared.pk][5:6], shown[shared.pk].endswith("lunches with Ines.")) == (" ", True)
    assert shown[apart.pk].startswith("Never copy █")
    with pytest.raises(Conflict, match="erased"):
        context.restore(alone, 1)
    assert [report for report in integrity.examine(context.by.workspace) if report.findings] == []
    assert Node.objects.get(pk=ines.pk).label == "Ines Ferro"


def test_why_tells_who_set_it_what_it_said_and_where_it_was_served(context: Context) -> None:
    tone = context.set("Tone", "Short.")
    context.update(tone, content="Shorter.")
    note(context.by, [tone.pk], {})
    told = why_anything(context.by, tone.pk)
    assert (told["what"], told["entry"]["content"]) == ("context_entry", "Shorter.")
    assert [one["content"] for one in told["history"]] == ["Shorter.", "Short."]
    assert [one["form"] for one in told["served"]] == ["context"]
    assert ServedItem.objects.filter(target_type="context_entry").count() == 1
