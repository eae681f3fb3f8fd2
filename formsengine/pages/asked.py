"""A step of a response as a page shows it, and what was typed in that page as operations.

What a field holds stands in the page as a text, or as the codes that are chosen. Sent back, a field is an operation
only when it differs from what the page showed: what somebody else answered meanwhile is not undone by a page that was
open all the time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.http import QueryDict

from formsengine.bindings.things import spoken
from formsengine.definition.model import CHOOSING, Question, Repeat, Section
from formsengine.definition.plan import OTHER, Planned
from formsengine.definition.texts import text_in
from formsengine.evaluation.states import Is, Key, State
from formsengine.log.addresses import NotFound, address, find_field
from formsengine.log.listing import row_labels
from formsengine.log.response import Response
from formsengine.log.snapshot import reason
from formsengine.values.runtime import shown
from formsengine.view.shown import Reader, rows_shown
from formsengine.view.shown import spoken as with_answers
from formsengine.view.why import worked_out

FEW = 8
"""Choices shown all at once; more are in a list that opens."""
WIDGETS = {
    "longtext": "longtext",
    "boolean": "boolean",
    "consent": "consent",
    "choices": "several",
    "note": "note",
    "computed": "computed",
}
WANTED = {
    "date": "2026-05-12, 2026-05 or 2026",
    "time": "09:30",
    "datetime": "2026-05-12T09:30",
    "range": "2026-05-01/2026-05-12",
    "quantity": "4 kg",
    "money": "12.50 EUR",
    "phone": "+351 912 345 678",
    "email": "ana@example.org",
    "url": "https://example.org/",
    "entity": "A name known to memory",
    "rank": "The first, the second, the third",
}
INPUTMODES = {"integer": "numeric", "decimal": "decimal", "email": "email", "phone": "tel", "url": "url"}
FILES = {
    "file": "",
    "photo": "image/png,image/jpeg,image/gif,image/webp",
    "audio": "audio/*",
    "signature": "image/png,image/jpeg,image/gif,image/webp",
}
"""Types that are answered with a file, and what a browser offers to choose."""


class Step:
    """One step of a response, for a reader of a language."""

    def __init__(
        self, response: Response, step: str, language: str = "", typed: Mapping[str, str] | None = None
    ) -> None:
        self.response, self.step = response, step
        self.plan = response.plan
        self.language = language or self.plan.form.default_language
        self.default = self.plan.form.default_language
        self.reader = Reader(self.language)
        self.typed = typed or {}

    def blocks(self) -> Iterator[dict[str, Any]]:
        """Headings, rows and fields in the order of the form; what does not apply is there, hidden."""
        number = self.plan.steps[self.step].order
        yield from self._items(self.plan.form.steps[number].items, "", 3)

    def _items(self, items: Any, row: str, level: int) -> Iterator[dict[str, Any]]:
        for item in items:
            planned = self.plan.by_name[item.name]
            if isinstance(item, Question):
                if item.type != "meta":
                    yield self.slot((planned.uid, row))
            elif isinstance(item, Section):
                relevant = self.response.evaluation.relevant.get((planned.uid, row), True)
                words = with_answers(self.response, self.plan.label(planned, self.language), row, self.reader)
                yield {"kind": "section", "words": words, "hidden": not relevant, "id": anchor(item.name, row)}
                yield from self._items(item.items, row, level + 1)
            else:
                yield from self._rows(item, planned, row, level)

    def _rows(self, item: Repeat, planned: Planned, parent: str, level: int) -> Iterator[dict[str, Any]]:
        relevant = self.response.evaluation.relevant.get((planned.uid, parent), True)
        label = self.plan.label(planned, self.language)
        live = self.response.evaluation.live.get((planned.uid, parent), ())
        ended = item.max_rows is not None and len(live) >= item.max_rows
        head = {"words": label, "hidden": not relevant, "id": anchor(item.name, parent)}
        yield {"kind": "repeat", **head}
        mine = [row for row in rows_shown(self.response, planned) if self.response.rows.parents[row] == parent]
        for number, row in enumerate(mine, start=1):
            about = ""
            if item.row_label:
                named = self.plan.by_name[item.row_label]
                about = spoken(self.plan, named, kept) if (kept := self._kept((named.uid, row))) is not None else ""
            words = f"{number}. {about}" if about else f"{label} {number}"
            yield {"kind": "row", "words": words, "row": row, "hidden": not relevant, "held": row not in live,
                   "id": anchor(item.name, row)}  # fmt: skip
            yield from self._items(item.items, row, level + 1)
        yield {
            "kind": "add",
            "repeat": item.name,
            "parent": parent,
            "hidden": not relevant or ended,
            **head,
            "more": "",
        }

    def _kept(self, key: Key) -> Any:
        revision = self.response.revision(key)
        return revision.kept if revision and revision.status == "answer" else None

    def slot(self, key: Key) -> dict[str, Any]:
        """One field with its answer, its state and what may be done about it."""
        response, planned = self.response, self.plan.items[key[0]]
        question, state = planned.question, response.evaluation.states[key]
        revision = response.revision(key)
        path = address(self.plan, response.rows, key)
        kept = self._kept(key)
        made: dict[str, Any] = {
            "kind": "field",
            "id": anchor(question.name, key[1]),
            "path": path,
            "name": f"f:{path}",
            "widget": self._widget(planned),
            "label": with_answers(response, self.plan.label(planned, self.language), key[1], self.reader),
            "hint": text_in(question.hint, self.language, self.default),
            "hidden": state.name in (Is.HELD, Is.ABSENT),
            "state": str(state.name),
            "needed": state.required,
            "value": self.typed.get(path, as_text(planned, kept)),
            "chosen": chosen(kept),
            "other_text": kept.get("text", "") if isinstance(kept, Mapping) and kept.get("code") == OTHER else "",
            "wanted": WANTED.get(question.type, ""),
            "inputmode": INPUTMODES.get(question.type, ""),
            "may_decline": question.may_decline and question.writable,
            "declined": state.name is Is.DECLINED,
            "note": response.notes.get(key, ""),
            "memory": revision.origin == "memory" if revision else False,
            "filtered": planned.filter is not None,
            "statement": text_in(question.statement, self.language, self.default),
        }
        made |= self._about(planned, key, state)
        if question.type in FILES:
            made |= {"takes": FILES[question.type], "file": kept, "sent_as": f"u:{path}"}
        if planned.question.type in CHOOSING or planned.question.type == "row":
            made["options"] = self._options(planned, key)
            made["other"] = question.other
            made["other_label"] = text_in(question.other_label, self.language, self.default, "Other")
        return made

    def _about(self, planned: Planned, key: Key, state: State) -> dict[str, Any]:
        """What a person has to know of the field as it stands."""
        told: dict[str, Any] = {"trouble": "", "asks": "", "warning": False, "others": [], "result": ""}
        if state.name is Is.UNCONFIRMED:
            told["asks"] = reason(self.response, key, state, self.language)
        elif state.name in (Is.INVALID, Is.HELD_CHOICE, Is.CONFLICT):
            told["trouble"] = reason(self.response, key, state, self.language)
            told["warning"] = all(each.severity == "warning" for each in state.findings) and bool(state.findings)
        if planned.computed is not None:
            told["result"] = shown(self.response.evaluation.values.get(key))
            if planned.question.may_override and not planned.question.recompute_on:
                told["worked_out"] = shown(worked_out(self.response, planned, key)) or "–"
        told["others"] = [
            {"revision": each.id, "words": spoken(self.plan, planned, each.kept, self.language), "by": each.actor}
            for each in (self.response.revisions[one] for one in self.response.conflicts.get(key, ()))
        ]
        return told

    def _widget(self, planned: Planned) -> str:
        kind = planned.question.type
        if not planned.question.writable and kind != "note":
            return "computed"
        if kind in FILES:
            return "file"
        if kind == "choice":
            options = self.plan.list_of(planned)
            return "one" if options is not None and len(options.choices) <= FEW else "select"
        return "select" if kind == "row" else WIDGETS.get(kind, "text")

    def _options(self, planned: Planned, key: Key) -> list[dict[str, str]]:
        if planned.question.type == "row":
            labels = row_labels(self.response, str(planned.question.rows_of))
            return [{"code": row, "label": label} for row, label in labels.items()]
        options = self.response.evaluation.options(planned.uid, key[1])
        return [
            {"code": each.code, "label": text_in(each.label, self.language, self.default, each.code)}
            for each in options
        ]


def as_text(planned: Planned, kept: Any) -> str:
    """The answer as its field in a page holds it."""
    if kept is None:
        return ""
    if isinstance(kept, bool):
        return "yes" if kept else "no"
    if isinstance(kept, Mapping):
        if planned.question.type in FILES:
            return str(kept.get("name") or "file")
        if planned.question.type == "consent":
            return "yes" if kept.get("given") else ""
        if planned.question.type == "range":
            return f"{kept.get('start', '')}/{kept.get('end', '')}"
        if planned.question.type in CHOOSING:
            return OTHER
        return str(kept.get("label") or " ".join(str(each) for each in kept.values() if each))
    if isinstance(kept, list):
        return ", ".join(str(each) for each in kept)
    return str(kept)


def chosen(kept: Any) -> list[str]:
    """The codes that are chosen."""
    given = kept if isinstance(kept, list) else [kept] if kept is not None else []
    return [OTHER if isinstance(each, Mapping) else str(each) for each in given]


def operations(response: Response, posted: QueryDict, base: int) -> list[dict[str, Any]]:
    """What the page says otherwise than it showed, as operations. `shown` names the fields that stood in it."""
    made = []
    for path in dict.fromkeys(posted.getlist("shown")):
        given = posted.getlist(f"f:{path}")
        try:
            found = find_field(response.plan, response.rows, path)
        except NotFound:
            continue
        head = response.head_at(found.key, base)
        revision = response.revisions.get(head) if head else None
        before = revision.kept if revision and revision.status == "answer" else None
        op = _operation(found.planned, path, given, posted.get(f"o:{path}", "").strip(), before)
        if op is not None:
            made.append(op)
    return made


def _operation(planned: Planned, path: str, given: list[str], other: str, before: Any) -> dict[str, Any] | None:
    kind = planned.question.type
    values = [each.strip() for each in given if each.strip()]
    if kind == "choices":
        said = [{"other": other} if each == OTHER and other else each for each in values]
        same = values == chosen(before) and (OTHER not in values or {"code": OTHER, "text": other} in (before or []))
        return None if same else ({"op": "set", "field": path, "value": said} if said else _retract(path, before))
    value = values[0] if values else ""
    if kind == "choice" and value == OTHER and other:
        same = before == {"code": OTHER, "text": other}
        return None if same else {"op": "set", "field": path, "value": {"other": other}}
    if value == as_text(planned, before):
        return None
    if not value:
        return _retract(path, before)
    if kind == "consent":
        return {"op": "set", "field": path, "value": True} if value == "yes" else _retract(path, before)
    if kind == "rank":
        return {"op": "set", "field": path, "value": [each.strip() for each in value.split(",") if each.strip()]}
    return {"op": "set", "field": path, "value": value}


def _retract(path: str, before: Any) -> dict[str, Any] | None:
    return {"op": "retract", "field": path} if before is not None else None


ACT = re.compile(r"(?P<act>[a-z-]+)(?::(?P<what>[^|]*)(?:\|(?P<more>.*))?)?")


def act(text: str) -> dict[str, Any] | None:
    """What a button of the page does besides saving: `decline:age|refused`, `undo`, `row-add:children|`."""
    found = ACT.fullmatch(text)
    if found is None:
        return None
    what, more = found["what"] or "", found["more"] or ""
    match found["act"]:
        case "undo" | "redo":
            return {"op": found["act"], **({"field": what} if what else {})}
        case "confirm" | "acknowledge" | "retract":
            return {"op": found["act"], "field": what}
        case "decline":
            return {"op": "decline", "field": what, "reason": more or "refused"}
        case "resolve":
            return {"op": "resolve", "field": what, "pick": more}
        case "choose":
            return {"op": "set", "field": what, "value": more}
        case "restore":
            return {"op": "restore", "field": what, "revision": more}
        case "revert":
            return {"op": "revert", "to": int(what)} if what.isdecimal() and len(what) < 10 else None
        case "row-add":
            return {"op": "row-add", "repeat": what, **({"parent": more} if more else {})}
        case "row-remove" | "row-restore":
            return {"op": found["act"], "row": what}
    return None


def anchor(name: str, row: str) -> str:
    """The id of a part of the page."""
    return "slot-" + re.sub(r"[^\w-]", "-", f"{name}-{row}" if row else name)
