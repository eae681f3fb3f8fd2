"""The form a case is decided with: what it asks, what was typed into it, and what of that goes with the verdict.

Each verdict may open fields of its own (`<verdict>.<field>`); fields that every verdict takes may be edited first
(`edit.<field>`). What a field held when the page was drawn comes back as `was.<field>`, so that only what somebody
changed counts as an edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memoryapp.doors.errors import Violation
from memoryapp.review.queries import Choice, Presented
from memoryapp.review.registry import Asks, CaseKind, Field, Verdict

ASK, EDIT = "ask:", "edit"
"""Values of the verdict buttons that decide nothing yet: open what the verdict asks, open the edits."""


@dataclass(frozen=True)
class Input:
    """One field as it is drawn."""

    name: str
    field: Field
    value: str
    options: tuple[tuple[str, str], ...] = ()
    errors: tuple[Violation, ...] = ()

    @property
    def id(self) -> str:
        return f"id-{self.name.replace('.', '-')}"

    @property
    def is_long(self) -> bool:
        return self.field.asks == Asks.TEXT and self.field.name.endswith(("text", "content"))

    @property
    def is_edit(self) -> bool:
        return self.name.startswith(f"{EDIT}.")

    @property
    def is_moment(self) -> bool:
        return self.field.asks == Asks.MOMENT


@dataclass(frozen=True)
class Button:
    """One way to decide: its key, and the fields it opens first."""

    value: str
    words: str
    key: str
    explains: str = ""
    suggested: bool = False
    blocked: str = ""
    inputs: tuple[Input, ...] = ()
    opened: bool = False

    @property
    def is_edit(self) -> bool:
        return self.key.endswith(",e")

    @property
    def asks_when(self) -> bool:
        return any(one.is_moment for one in self.inputs)

    @property
    def panel(self) -> str:
        return f"asks-{self.value}"


@dataclass(frozen=True)
class Typed:
    """What somebody typed into the form, kept when it could not be carried out."""

    values: Mapping[str, str] = field(default_factory=dict)
    verdict: str = ""
    violations: tuple[Violation, ...] = ()

    @property
    def rationale(self) -> str:
        return self.values.get("rationale", "")

    @property
    def opens(self) -> str:
        """The verdict whose fields are to be open."""
        return self.verdict.removeprefix(ASK)

    def errors(self, path: str) -> tuple[Violation, ...]:
        return tuple(one for one in self.violations if one.path == path)

    @property
    def general(self) -> list[Violation]:
        """What is wrong with no field of the form."""
        return [one for one in self.violations if not one.path.startswith(("/edits/", "/rationale"))]


@dataclass(frozen=True)
class Form:
    """Everything the template draws of the form."""

    buttons: list[Button]
    edits: dict[str, Input]
    was: dict[str, str]
    typed: Typed
    editing: bool

    @property
    def rationale_errors(self) -> tuple[Violation, ...]:
        return self.typed.errors("/rationale")

    @property
    def panels(self) -> list[Button]:
        return [button for button in self.buttons if button.inputs]


def form_of(shown: Presented, typed: Typed) -> Form:
    """The form of an open case, with what was typed before."""
    was = {name: str(value) for name, value in shown.view.get("initial", {}).items()}
    common = common_fields(shown.kind)
    edits = {name: _input(shown, typed, was, EDIT, one) for name, one in common.items()}
    edited = any(one.value != was.get(name, "") for name, one in edits.items())
    return Form(
        buttons=_buttons(shown, typed, was),
        edits=edits,
        was=was,
        typed=typed,
        editing=bool(edits) and (typed.verdict == EDIT or edited),
    )


def common_fields(kind: CaseKind) -> dict[str, Field]:
    """The fields that every verdict of the kind takes: what may be edited before any of them."""
    everywhere = set.intersection(*({one.name for one in verdict.asks} for verdict in kind.verdicts))
    return {one.name: one for verdict in kind.verdicts for one in verdict.asks if one.name in everywhere}


def own_fields(kind: CaseKind, verdict: Verdict) -> list[Field]:
    """The fields a verdict opens before it is carried out; none when it only takes what may be left out."""
    common = common_fields(kind)
    own = [one for one in verdict.asks if one.name in verdict.opens or one.name not in common]
    asking = bool(verdict.opens) or any(one.required for one in own)
    return own if asking else []


def edits_of(kind: CaseKind, verdict: str, values: Mapping[str, str]) -> dict[str, Any]:
    """What goes with the verdict: its own fields, and what was edited first. `verdict:flag` sets a flag of it."""
    key, _, flag = verdict.partition(":")
    chosen = kind.verdict(key)
    given: dict[str, Any] = {flag: True} if flag else {}
    for one in chosen.asks if chosen else ():
        for prefix in (key, EDIT):
            text = values.get(f"{prefix}.{one.name}", "").replace("\r\n", "\n").strip()
            if one.asks == Asks.FLAG:
                continue
            was = values.get(f"was.{prefix}.{one.name}", values.get(f"was.{one.name}", ""))
            changed = text != was.replace("\r\n", "\n").strip()
            if text and (changed or (one.required and prefix == key)) and one.name not in given:
                given[one.name] = text
    return given


def _buttons(shown: Presented, typed: Typed, was: Mapping[str, str]) -> list[Button]:
    buttons = [_button(shown, choice, typed, was) for choice in shown.choices]
    for choice in shown.choices:
        flags = [one for one in choice.verdict.asks if one.asks == Asks.FLAG]
        for flag in flags if not own_fields(shown.kind, choice.verdict) else ():
            buttons.append(
                Button(
                    value=f"{choice.verdict.key}:{flag.name}",
                    words=flag.label,
                    key=str(len(buttons) + 1),
                    explains=flag.help,
                    blocked=choice.blocked,
                )
            )
    return buttons


def _button(shown: Presented, choice: Choice, typed: Typed, was: Mapping[str, str]) -> Button:
    verdict = choice.verdict
    return Button(
        value=verdict.key,
        words=verdict.label,
        key=f"{choice.digit},e" if verdict.edits else str(choice.digit),
        explains=verdict.explains,
        suggested=bool(shown.suggestion and shown.suggestion.verdict == verdict.key),
        blocked=choice.blocked,
        inputs=tuple(_input(shown, typed, was, verdict.key, one) for one in own_fields(shown.kind, verdict)),
        opened=typed.opens == verdict.key,
    )


def _input(shown: Presented, typed: Typed, was: Mapping[str, str], prefix: str, one: Field) -> Input:
    name = f"{prefix}.{one.name}"
    here = prefix in (EDIT, typed.opens)
    options = shown.view.get("options", {}).get(one.name, one.choices)
    return Input(
        name=name,
        field=one,
        value=typed.values.get(name, was.get(name, was.get(one.name, ""))),
        options=tuple((str(value), str(label)) for value, label in options),
        errors=typed.errors(f"/edits/{one.name}") if here else (),
    )
