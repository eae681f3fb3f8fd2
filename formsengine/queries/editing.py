"""Reading a form that is being written: its draft, what was edited last, what publishing it would mean."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from formsengine.definition.plan import Plan
from formsengine.definition.publish import check
from formsengine.definition.stored import digest, read
from formsengine.models import Form, FormDraft, FormEdit, FormVersion
from formsengine.problems import Problem
from memoryapp.ledger.principal import Principal

MOST_KEPT = 32
MOST_LOOKED_BACK = 400
_checked: OrderedDict[str, tuple[Plan, list[Problem]]] = OrderedDict()


@dataclass(frozen=True)
class Writing:
    """A form as it is being written. `lock` is 0 and `based_on` its newest version while nobody has edited it."""

    form: Form
    definition: dict[str, Any]
    lock: int
    based_on: FormVersion | None
    newest: FormVersion | None
    last: FormEdit | None

    @property
    def differs(self) -> bool:
        """Whether it is otherwise than the version it began from."""
        if self.based_on is None:
            return True
        return bool(self.definition | {"version": 0} != self.based_on.definition | {"version": 0})


def writing(by: Principal, form: Form) -> Writing:
    """The draft, or the newest version where there is none yet."""
    newest = form.versions.defer("report").order_by("-number").first()
    draft = FormDraft.objects.select_related("based_on").filter(workspace=by.workspace, form=form).first()
    if draft is None:
        return Writing(form, newest.definition if newest else {}, 0, newest, newest, None)
    return Writing(form, draft.definition, draft.lock, draft.based_on, newest, last_edit(draft))


def last_edit(draft: FormDraft) -> FormEdit | None:
    """The last edit that was not taken back, and that took nothing back itself."""
    edits = draft.edits.filter(undoes=None, undone_by=None).select_related("write__actor")
    found: FormEdit | None = edits.order_by("-number").first()
    return found


def edits(draft: FormDraft) -> list[FormEdit]:
    """What was edited, the latest first."""
    return list(draft.edits.select_related("write__actor").order_by("-number")[:MOST_LOOKED_BACK])


def checked(definition: dict[str, Any]) -> tuple[Plan, list[Problem]]:
    """The plan of a definition and what is wrong with it, worked out once for the same definition in a process."""
    key = digest(definition)
    found = _checked.get(key)
    if found is None:
        found = _checked[key] = check(read(definition))
        while len(_checked) > MOST_KEPT:
            _checked.popitem(last=False)
    return found
