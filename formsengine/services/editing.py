"""A form written edit by edit: each edit kept, each undone by another, published when the checks find nothing wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from formsengine.definition.stored import as_data, read
from formsengine.editing.acts import Done
from formsengine.editing.difference import applied, difference, inverse
from formsengine.editing.parts import WHOLE, Data
from formsengine.models import Form, FormDraft, FormEdit, FormVersion
from formsengine.queries import editing as queries
from formsengine.refusals import refused
from formsengine.services.defining import define, publish
from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.ledger.models import Write

MOST_WORDS = 400
UNDONE, AGAIN = "Undone: ", "Done again: "


@dataclass(frozen=True)
class Edit:
    """One act on one part: `run` gives the form after it, or None when nothing is otherwise."""

    part: str
    run: Callable[[Data], Done | None]
    guarded: bool = False
    """Whether it is refused when somebody edited the part after what the editor saw."""


@dataclass(frozen=True)
class Edited:
    """The draft after the edits, and the part to look at then."""

    draft: FormDraft
    part: str
    edits: Sequence[FormEdit]


def begin(write: Write, *, name: str, title: str, language: str = "en") -> FormDraft:
    """A new form with nothing in it but one step. Raises Invalid, or Conflict `name_taken`."""
    write.by.require("write_forms")
    title = title.strip()
    with refused():
        data = as_data(
            read(
                {
                    "format": "form/1",
                    "id": name,
                    "title": {language: title} if title else {},
                    "default_language": language,
                    "languages": [language],
                    "steps": [{"name": "questions", "title": {language: "Questions"} if language == "en" else {}}],
                }
            )
        )
    if Form.objects.filter(workspace=write.workspace, name=name).exists():
        raise Conflict(f"There is a form “{name}” already.", code="name_taken")
    form = Form.objects.create(workspace=write.workspace, name=name, write=write, recorded_at=write.recorded_at)
    return _draft(write, form, data, None)


def _draft(write: Write, form: Form, data: Data, based_on: FormVersion | None) -> FormDraft:
    return FormDraft.objects.create(
        workspace=write.workspace,
        form=form,
        based_on=based_on,
        definition=data,
        write=write,
        recorded_at=write.recorded_at,
        changed_at=write.recorded_at,
    )


def edit(write: Write, form: Form, edits: Sequence[Edit], *, lock: int) -> Edited:
    """Do these to the draft as it stands now, each kept by itself.

    Raises Invalid with the place when the form would be none, Conflict `edited` when somebody edited the same part
    after the editor saw it at `lock`: then nothing is done.
    """
    write.by.require("write_forms")
    draft = _held(write, form)
    made, part = [], WHOLE
    for each in edits:
        if each.guarded:
            _unmoved(draft, each.part, lock)
        with refused():
            done = each.run(draft.definition)
            if done is None:
                continue
            after, part, words = done
            after = as_data(read(after))
        if after["id"] != form.name:
            raise Invalid.at("id", "fixed", "What programs know a form by stays.", form.name)
        made.append(_kept(write, draft, each.part, words, difference(draft.definition, after), after))
    return Edited(draft, part, made)


def _held(write: Write, form: Form) -> FormDraft:
    """The draft of the form, begun from its newest version where there is none; nobody else edits meanwhile."""
    Form.objects.select_for_update().get(pk=form.pk)
    found = FormDraft.objects.select_related("based_on").filter(form=form).first()
    if found is not None:
        return found
    newest = form.versions.order_by("-number").first()
    if newest is None:
        raise Conflict("There is nothing to edit.", code="nothing")
    return _draft(write, form, newest.definition, newest)


def _unmoved(draft: FormDraft, part: str, lock: int) -> None:
    since = draft.edits.filter(number__gt=lock, part=part).select_related("write__actor").order_by("-number").first()
    if since is not None:
        by = since.write.actor.name
        told = f"{by} edited this after you saw it: {since.words}."
        raise Conflict(told, code="edited", extra={"lock": draft.lock, "by": by, "words": since.words})


def _kept(
    write: Write,
    draft: FormDraft,
    part: str,
    words: str,
    changes: list[dict[str, Any]],
    after: Data,
    undoes: FormEdit | None = None,
) -> FormEdit:
    draft.lock += 1
    draft.definition, draft.changed_at = after, write.recorded_at
    draft.save(update_fields=["lock", "definition", "changed_at"])
    return FormEdit.objects.create(
        workspace=write.workspace,
        draft=draft,
        number=draft.lock,
        part=part[:200],
        words=words[:MOST_WORDS],
        changes=changes,
        undoes=undoes,
        write=write,
        recorded_at=write.recorded_at,
    )


def undo(write: Write, form: Form, *, lock: int) -> Edited:
    """Take the last edit back that was not taken back yet. Raises Conflict when there is none, or it is another now."""
    draft = _seen(write, form, lock)
    last, _ = queries.cursor(draft)
    if last is None:
        raise Conflict("There is no edit to undo.", code="nothing_to_undo")
    return _reversed(write, draft, last, f"{UNDONE}{last.words.removeprefix(AGAIN)}")


def redo(write: Write, form: Form, *, lock: int) -> Edited:
    """Do again what was taken back last. Raises Conflict when nothing was since the last edit, or it is another now."""
    draft = _seen(write, form, lock)
    _, undone = queries.cursor(draft)
    if undone is None:
        raise Conflict("There is nothing to do again.", code="nothing_to_redo")
    return _reversed(write, draft, undone, f"{AGAIN}{undone.words.removeprefix(UNDONE)}")


def _seen(write: Write, form: Form, lock: int) -> FormDraft:
    """The draft, held; raises Conflict `edited` when it is not the one that was seen."""
    write.by.require("write_forms")
    draft = _held(write, form)
    if lock != draft.lock:
        raise Conflict("Somebody edited the form after what you saw.", code="edited", extra={"lock": draft.lock})
    return draft


def _reversed(write: Write, draft: FormDraft, one: FormEdit, words: str) -> Edited:
    changes = inverse(one.changes)
    made = _kept(write, draft, one.part, words, changes, applied(draft.definition, changes), undoes=one)
    return Edited(draft, one.part, [made])


def start_from(write: Write, form: Form, version: FormVersion, *, lock: int) -> Edited:
    """Let the draft be what this version is; what it was can be had back by undoing."""
    draft = _seen(write, form, lock)
    made = []
    if changes := difference(draft.definition, version.definition):
        words = f"Started from version {version.number}"
        made.append(_kept(write, draft, WHOLE, words, changes, version.definition))
    draft.based_on = version
    draft.save(update_fields=["based_on"])
    return Edited(draft, WHOLE, made)


def publish_draft(write: Write, form: Form, *, lock: int) -> FormVersion:
    """Store the draft as the next version and let responses start under it.

    Raises Conflict `edited` unless it is the draft that was seen, Invalid with everything that is wrong with it.
    """
    draft = _seen(write, form, lock)
    version = publish(write, define(write, draft.definition))
    draft.based_on = version
    draft.definition = version.definition
    draft.save(update_fields=["based_on", "definition"])
    return version
