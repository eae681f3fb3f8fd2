"""Bindings into what stands by name: an entry of the context, a file of the tree. Both are told as a text.

Nothing that says otherwise is overwritten unasked: a policy says whether the form's words take its place, are added to
it, or are left for a person to put there.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from formsengine.definition.model import Binding
from formsengine.log.memory import Write as Act
from formsengine.log.memory import first_write, next_write
from formsengine.models import Audience
from memoryapp.access.paths import normal
from memoryapp.context import services as context
from memoryapp.context.inputs import EntryInput
from memoryapp.context.models import EntryRevision
from memoryapp.context.models import State as Standing
from memoryapp.doors.errors import DomainError
from memoryapp.files import queries as tree
from memoryapp.files.inputs import FileInput
from memoryapp.files.models import Entry as FileEntry
from memoryapp.files.models import Kind, State
from memoryapp.files.services import remove, write_file
from memoryapp.ontology.normalise import normal_text

if TYPE_CHECKING:
    from formsengine.bindings.applying import Applier
    from formsengine.bindings.planning import Item, Planner
    from formsengine.models import FormOutcome

OTHERWISE = "It says something else already, and this form leaves that to a person."
WRITES = {Act.CREATE, Act.UPDATE, Act.SUPERSEDE, Act.APPEND}


@dataclass(frozen=True, slots=True)
class There:
    """What stands under the name now: its words, its id, and the number that a change of it names."""

    text: str
    id: uuid.UUID
    lock: int
    where: str


def planned(planner: Planner, binding: Binding, row: str) -> Iterator[Item]:
    """The line of the plan for one row: what would stand there, beside what stands there now."""
    from formsengine.bindings.planning import Item

    prior = planner.priors.get((binding.name, row))
    text = _text(planner, binding, row, None)
    item = Item(binding, row, planner.path(binding, row), Act.NOTHING, "", answer=text or None, prior=prior)
    try:
        item.where = _where(planner, binding, row)
        there = item.there = _there(planner, binding, item)
    except DomainError as error:
        item.problem = error.detail
        yield item
        return
    held = there.text if there else None
    item.held = held
    if prior is not None and prior.act != "retract" and planner.before is not None:
        item.before = _text(planner, binding, row, planner.before)
    if item.before:
        ours = held is not None and item.before in held
        item.act = next_write(item.before, item.answer, still_ours=ours, corroborated=False)
    else:
        item.act = first_write(None, item.answer, held, binding.policy)
    item.says = f"{item.where}: {text or 'no longer'}"
    if item.act is Act.REVIEW:
        item.problem = OTHERWISE
    elif binding.into == "resource" and planner.row.audience == Audience.NAMED and item.act is not Act.NOTHING:
        item.problem = "This response is for named readers, and a file is for whoever may see its path."
    yield item


def _text(planner: Planner, binding: Binding, row: str, snapshot: dict[str, Any] | None) -> str:
    """What the binding says; nothing when a field that it is written from is not answered."""
    if any(planner.kept(name, row, snapshot) is None for name in binding.fields):
        return ""
    return planner.filled(str(binding.data["text"]), row, snapshot, lines=True)


def _where(planner: Planner, binding: Binding, row: str) -> str:
    data = binding.data
    if binding.into == "resource":
        return normal(planner.filled(str(data["path"]), row))
    return f"{planner.filled(str(data['section']), row)} / {planner.filled(str(data['title']), row)}"


def _there(planner: Planner, binding: Binding, item: Item) -> There | None:
    """What stands there now. What was written before is followed wherever it was moved since."""
    prior, by = item.prior, planner.by
    if binding.into == "resource":
        files = FileEntry.objects.visible_to(by).filter(state=State.CURRENT, kind=Kind.FILE)
        here = files.filter(pk=prior.file_id) if prior and prior.file_id else files.filter(path=item.where)
        entry = here.first()
        return There(tree.text_of(tree.latest(entry)), entry.pk, entry.lock, entry.path) if entry else None
    rows = EntryRevision.objects.visible_to(by).filter(state=Standing.SET).select_related("entry")
    section, _, title = item.where.partition(" / ")
    named = rows.filter(section_key=normal_text(section), title_key=normal_text(title))
    said = rows.filter(entry=prior.entry_id) if prior and prior.entry_id else named
    found = next((one for one in said.order_by("-sequence") if one.sequence == one.entry.lock), None)
    return There(found.content, found.entry_id, found.entry.lock, item.where) if found else None


def applied(applier: Applier, item: Item) -> FormOutcome:
    """The line carried out: a new text, more of one, or what this form said before taken away."""
    into = item.binding.into
    done: dict[str, Any] = {}
    if item.there is not None:
        done = {"file_id" if into == "resource" else "entry_id": item.there.id}
    if item.act is Act.RETRACT and item.there is not None:
        if left := item.there.text.replace(item.before, "").strip():
            done = _written(applier, item, left)
        else:
            _taken_away(applier, into, item.there)
    elif item.act in WRITES:
        done = _written(applier, item, _said(item))
    return applier.outcome(item, **done)


def _said(item: Item) -> str:
    """The whole text as it is to stand: what others added to the form's own words stays beside them."""
    text = str(item.answer)
    if item.there is None:
        return text
    if item.act is Act.APPEND:
        return f"{item.there.text.rstrip()}\n{text}"
    return item.there.text.replace(item.before, text) if item.before and item.before in item.there.text else text


def _written(applier: Applier, item: Item, text: str) -> dict[str, Any]:
    there, evidence = item.there, applier.evidence(item)
    if item.binding.into == "resource":
        sources = tuple(sorted({one.source.pk for one in evidence}))
        told = FileInput(
            there.where if there else item.where, text, lock=there.lock if there else None, sources=sources
        )
        return {"file_id": write_file(applier.write, told).entry.pk}
    section, _, title = item.where.partition(" / ")
    named = applier.readers
    entry = EntryInput(section, title, text, audience="named" if named else "workspace", readers=named)
    return {"entry_id": context.set_entries(applier.write, [entry])[0].revision.entry_id}


def _taken_away(applier: Applier, into: str, there: There) -> None:
    gone = "It is no longer answered in the form that said it."
    if into == "resource":
        remove(applier.write, there.where, reason=gone, lock=there.lock)
    else:
        context.unset(applier.write, there.id, reason=gone, lock=there.lock)
