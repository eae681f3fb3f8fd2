"""Forms written in Python. What is built is the same stored document as an imported or edited form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from formsengine.definition.model import Form
from formsengine.definition.rules import Says
from formsengine.definition.stored import read

Text = str | Mapping[str, str]
Rule = str | Says


class Handle(Says):
    """A field or list of rows of the form that is built; in rules it stands for its value."""

    __hash__ = Says.__hash__

    def __init__(self, name: str) -> None:
        super().__init__("${" + name + "}")
        self.name = name


def must(
    test: Rule, message: Text = "", *, warning: bool = False, blames: Sequence[Handle | str] = ()
) -> dict[str, Any]:
    """A constraint; as a warning it may be acknowledged."""
    return {
        "test": str(test),
        "message": message,
        "severity": "warning" if warning else "error",
        "blames": [str(getattr(each, "name", each)) for each in blames],
    }


class FormBuilder:
    """Builds one version of a form. `compile()` gives it, checked shape by shape; `publish` checks its rules."""

    def __init__(self, id: str, title: Text = "", *, version: int = 1, languages: Sequence[str] = ("en",)) -> None:
        self.languages = tuple(languages)
        self.data: dict[str, Any] = {
            "format": "form/1",
            "id": id,
            "version": version,
            "title": self.text(title),
            "default_language": self.languages[0],
            "languages": list(self.languages),
            "steps": [],
        }
        self.open: list[list[dict[str, Any]]] = []

    def text(self, text: Text) -> dict[str, str]:
        """A text alone is in the form's default language."""
        return dict(text) if isinstance(text, Mapping) else {self.languages[0]: text} if text else {}

    def _clean(self, more: Mapping[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in more.items():
            if key in ("label", "hint", "title", "statement", "required_message", "message"):
                made[key] = self.text(value)
            elif key in ("constraints", "checks"):
                made[key] = [self._clean(each) for each in value]
            elif isinstance(value, Handle) and key in ("row_label", "rows_of", "of"):
                made[key] = value.name
            elif isinstance(value, Says):
                made[key] = str(value)
            elif isinstance(value, list | tuple):
                made[key] = [each.name if isinstance(each, Handle) else each for each in value]
            else:
                made[key] = value
        return {key: value for key, value in made.items() if value not in (None, {}, [], "")}

    def choices(self, name: str, choices: Mapping[str, Text] | Sequence[Mapping[str, Any]], **more: Any) -> str:
        """A shared list, as code and label or as whole choices; gives its name."""
        if isinstance(choices, Mapping):
            made = [{"code": code, "label": self.text(label)} for code, label in choices.items()]
        else:
            made = [self._clean(each) for each in choices]
        self.data.setdefault("lists", []).append({"name": name, "choices": made, **more})
        return name

    @contextmanager
    def step(self, name: str, title: Text = "", **more: Any) -> Iterator[None]:
        step = {"name": name, **self._clean({"title": title, **more}), "items": []}
        self.data["steps"].append(step)
        with self._inside(step):
            yield

    @contextmanager
    def section(self, name: str, label: Text = "", **more: Any) -> Iterator[Handle]:
        section = {"kind": "section", "name": name, **self._clean({"label": label, **more}), "items": []}
        self._place(section)
        with self._inside(section):
            yield Handle(name)

    @contextmanager
    def repeat(self, name: str, label: Text = "", **more: Any) -> Iterator[Handle]:
        repeat = {"kind": "repeat", "name": name, **self._clean({"label": label, **more}), "items": []}
        self._place(repeat)
        with self._inside(repeat):
            yield Handle(name)

    @contextmanager
    def _inside(self, holder: dict[str, Any]) -> Iterator[None]:
        self.open.append(holder["items"])
        try:
            yield
        finally:
            self.open.pop()

    def _place(self, item: dict[str, Any]) -> None:
        if not self.open:
            raise ValueError(f"{item['name']} stands in no step: add it within `with form.step(...)`.")
        self.open[-1].append(item)

    def ask(self, type: str, name: str, label: Text = "", **more: Any) -> Handle:
        """A field of any type. Rules are texts or made of handles."""
        self._place({"kind": "field", "name": name, "type": type, **self._clean({"label": label, **more})})
        return Handle(name)

    def asked(self, name: str, label: Text = "", **more: Any) -> Handle:
        return self.ask("text", name, label, **more)

    def integer(self, name: str, label: Text = "", **more: Any) -> Handle:
        return self.ask("integer", name, label, **more)

    def decimal(self, name: str, label: Text = "", **more: Any) -> Handle:
        return self.ask("decimal", name, label, **more)

    def boolean(self, name: str, label: Text = "", **more: Any) -> Handle:
        return self.ask("boolean", name, label, **more)

    def date(self, name: str, label: Text = "", **more: Any) -> Handle:
        return self.ask("date", name, label, **more)

    def choice(self, name: str, choices: str, label: Text = "", **more: Any) -> Handle:
        return self.ask("choice", name, label, choices=choices, **more)

    def several(self, name: str, choices: str, label: Text = "", **more: Any) -> Handle:
        return self.ask("choices", name, label, choices=choices, **more)

    def computed(self, name: str, rule: Rule, label: Text = "", **more: Any) -> Handle:
        return self.ask("computed", name, label, computed=rule, **more)

    def check(self, test: Rule, message: Text = "", **more: Any) -> None:
        """What must hold of the whole form."""
        self.data.setdefault("checks", []).append(self._clean(must(test, message, **more)))

    def gate(self, name: str, when: Rule, *, kind: str = "hold", **more: Any) -> None:
        self.data.setdefault("gates", []).append({"name": name, "kind": kind, **self._clean({"when": when, **more})})

    def hook(self, name: str, on: str, calls: str, **more: Any) -> None:
        self.data.setdefault("hooks", []).append({"name": name, "on": on, "calls": calls, **self._clean(more)})

    def bind(self, name: str, into: str, fields: Sequence[Handle | str], **more: Any) -> None:
        names = [each.name if isinstance(each, Handle) else each for each in fields]
        self.data.setdefault("bindings", []).append({"name": name, "into": into, "fields": names, **more})

    def compile(self) -> Form:
        """The stored form. Raises Refused("definition") when a part of it is not as `form/1` says."""
        return read(self.data)
