"""Reading a form that is being written: its draft, what was edited last, what publishing it would mean."""

from __future__ import annotations

import uuid
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
READ_BACK = 20
"""Edits that are read at a time."""
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
    undone: FormEdit | None
    """What undoing takes back next, and what redoing does again."""

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
        return Writing(form, newest.definition if newest else {}, 0, newest, newest, None, None)
    return Writing(form, draft.definition, draft.lock, draft.based_on, newest, *cursor(draft))


def cursor(draft: FormDraft) -> tuple[FormEdit | None, FormEdit | None]:
    """The last edit that is in force, and the one that took back what would be done again; None where there is none.

    An edit that is no undoing and no redoing leaves nothing to do again.
    """
    done: list[uuid.UUID] = []
    taken_back: list[uuid.UUID] = []
    for edit, undoes in _that_count(draft):
        if undoes is None:
            done.append(edit)
            taken_back.clear()
        elif taken_back and taken_back[-1] == undoes:
            taken_back.pop()
            done.append(edit)
        else:
            if undoes in done:
                done.remove(undoes)
            taken_back.append(edit)
    wanted = [*done[-1:], *taken_back[-1:]]
    found = draft.edits.select_related("write__actor").in_bulk(wanted) if wanted else {}
    return (found[done[-1]] if done else None), (found[taken_back[-1]] if taken_back else None)


def _that_count(draft: FormDraft) -> list[tuple[uuid.UUID, uuid.UUID | None]]:
    """The edits on which the next undoing depends, the earliest first, each with the one that it takes back.

    They begin with the last one that takes nothing back and is in force: what was undone and done again since came
    after it. Of a form that was edited for years these are the last few.
    """
    found: list[tuple[uuid.UUID, uuid.UUID | None]] = []
    taken_back: set[uuid.UUID] = set()
    below, more = draft.lock + 1, True
    while more:
        rows = draft.edits.filter(number__lt=below).order_by("-number").values_list("number", "pk", "undoes")
        several = list(rows[:READ_BACK])
        more = len(several) == READ_BACK
        below = several[-1][0] if several else 0
        for _, edit, undoes in several:
            found.append((edit, undoes))
            if undoes is not None:
                taken_back.add(undoes)
            elif edit not in taken_back:
                return found[::-1]
    return found[::-1]


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
