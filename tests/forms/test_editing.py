"""A form written by several: every edit kept, each undone by another, nobody's overwritten unseen, then published."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from formsengine import queries, services
from formsengine.editing import acts
from formsengine.models import Form, FormDraft, FormEdit, FormVersion
from formsengine.queries import editing
from formsengine.services import Edit, Edited
from memoryapp.doors.errors import Conflict, Denied, Invalid
from memoryapp.ledger.principal import Principal
from tests.forms.telling import Forms


def edit(forms: Forms, act: Any, part: str, *more: Any, lock: int = 0, by: Principal | None = None) -> Edited:
    """This act on this part, by whoever saw the draft at `lock`."""
    form = Form.objects.get()
    one = Edit(part, lambda data: act(data, part, *more), guarded=True)
    edited: Edited = forms.do(lambda write: services.edit(write, form, [one], lock=lock), by)
    return edited


def test_every_edit_is_kept_and_undone_by_another_in_turn(forms: Forms) -> None:
    first = edit(forms, acts.change, "item:pain", {"hint": {"en": "0 is none"}})
    second = edit(forms, acts.remove, "item:pronouns")
    assert (first.draft.lock, second.draft.lock) == (1, 2)
    assert [one for one, _ in editing._that_count(second.draft)] == [second.edits[0].pk]
    before = FormVersion.objects.get().definition
    for lock in (2, 3):
        forms.do(lambda write, lock=lock: services.undo(write, Form.objects.get(), lock=lock))
    draft = FormDraft.objects.get()
    assert draft.definition == before
    assert [each.words for each in FormEdit.objects.order_by("number")] == [
        "Changed “Pain”: hint",
        "Removed “Pronouns”",
        "Undone: Removed “Pronouns”",
        "Undone: Changed “Pain”: hint",
    ]
    with pytest.raises(Conflict, match="no edit to undo"):
        forms.do(lambda write: services.undo(write, Form.objects.get(), lock=4))


def test_what_was_undone_is_done_again_until_something_else_is_edited(
    forms: Forms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(editing, "READ_BACK", 2)
    form = Form.objects.get()

    def step(act: Any) -> str:
        lock = FormDraft.objects.get().lock
        edited: Edited = forms.do(lambda write: act(write, form, lock=lock))
        return edited.edits[0].words

    edit(forms, acts.change, "item:pain", {"hint": {"en": "0 is none"}})
    after = edit(forms, acts.remove, "item:pronouns", lock=1).draft.definition
    assert [step(services.undo), step(services.undo)] == ["Undone: Removed “Pronouns”", "Undone: Changed “Pain”: hint"]
    words = [step(services.redo), step(services.redo)]
    assert words == ["Done again: Changed “Pain”: hint", "Done again: Removed “Pronouns”"]
    assert FormDraft.objects.get().definition == after
    assert step(services.undo) == "Undone: Removed “Pronouns”"
    told = queries.writing(forms.by, form)
    assert told.last is not None
    assert told.undone is not None
    assert (told.last.words, told.undone.words) == ("Done again: Changed “Pain”: hint", "Undone: Removed “Pronouns”")
    edit(forms, acts.change, "item:born", {"required": True}, lock=told.lock)
    with pytest.raises(Conflict, match="nothing to do again"):
        step(services.redo)


def test_two_who_edit_different_parts_both_count_and_the_same_part_is_refused_by_name(
    forms: Forms, administrator: Principal
) -> None:
    edit(forms, acts.change, "item:pain", {"required": True}, by=administrator)
    edit(forms, acts.change, "item:born", {"required": True})
    with pytest.raises(Conflict, match="edited this after you saw it: Changed “Pain”: whether it is needed") as refused:
        edit(forms, acts.change, "item:pain", {"required": "${works}"})
    assert refused.value.extra["lock"] == 2
    edit(forms, acts.change, "item:pain", {"required": "${works}"}, lock=2)
    assert FormDraft.objects.get().lock == 3


def test_the_draft_that_was_seen_becomes_the_next_version(forms: Forms, reviewer: Principal) -> None:
    form = Form.objects.get()
    edit(forms, acts.change, "item:pain", {"relevant": "${nobody} = 1"})
    with pytest.raises(Invalid, match="no field 'nobody'"):
        forms.do(lambda write: services.publish_draft(write, form, lock=1))
    edit(forms, acts.change, "item:pain", {"relevant": "${works}"}, lock=1)
    with pytest.raises(Conflict, match="after what you saw"):
        forms.do(lambda write: services.publish_draft(write, form, lock=1))
    version = forms.do(lambda write: services.publish_draft(write, form, lock=2))
    assert (version.number, version.state) == (2, "live")
    told = queries.writing(forms.by, form)
    assert (told.based_on, told.differs) == (version, False)
    with pytest.raises(Denied):
        edit(forms, acts.remove, "item:pain", lock=2, by=reviewer)


def test_a_new_form_begins_with_one_step_and_the_draft_begins_again_from_any_version(forms: Forms) -> None:
    begun = forms.do(lambda write: services.begin(write, name="visit", title="A visit"))
    assert begun.form.versions.count() == 0
    with pytest.raises(Conflict, match="already"):
        forms.do(lambda write: services.begin(write, name="visit", title=""))
    with pytest.raises(Invalid):
        forms.do(lambda write: services.begin(write, name="a visit", title=""))
    form = Form.objects.get(name="patient")
    one = partial(acts.remove, part_id="item:pronouns")
    forms.do(lambda write: services.edit(write, form, [Edit("item:pronouns", one)], lock=0))
    first = form.versions.get()
    done = forms.do(lambda write: services.start_from(write, form, first, lock=1))
    assert done.draft.definition == first.definition
    forms.do(lambda write: services.undo(write, form, lock=2))
    assert "pronouns" not in {
        each.name for each in queries.checked(FormDraft.objects.get(form=form).definition)[0].fields
    }
