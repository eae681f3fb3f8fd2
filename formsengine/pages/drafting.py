"""What the page of a form that is being written shows: its outline, one part with what is wrong there, the preview."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from django.http import HttpRequest
from django.utils.http import urlencode

from formsengine import queries
from formsengine.definition.plan import Plan
from formsengine.definition.texts import text_in
from formsengine.editing.parts import UNREAD, WHOLE, Data, Part, at, called, find, items, parts
from formsengine.editing.unread import RULES
from formsengine.expressions.functions import FUNCTIONS, SPECIAL
from formsengine.pages import asked, choice_lines, trials
from formsengine.pages.properties import HOLDER_WORDS, TYPE_WORDS, TYPES, Property, of_part, shown
from formsengine.pages.typed import LONGEST_TABLE
from formsengine.problems import Problem
from formsengine.queries.editing import Writing
from memoryapp.doors.errors import DomainError
from memoryapp.doors.pages import address
from memoryapp.ledger.principal import Principal

BLANKS = 3
"""Empty lines below the choices of a list."""
GROUPS = ("", "What and where", "Rules", "When", "Checks", "More")
OPEN = ("", "What and where", "Rules", "When", "Checks")
INSIDE = ("relevant", "required", "constraints", "checks", "filter", "computed", "default", "count", "when", "ask_when")


class Desk:
    """One look at a draft: which part, what was typed for it, what is wrong with it."""

    def __init__(
        self,
        request: HttpRequest,
        by: Principal,
        writing: Writing,
        part: str,
        typed: Mapping[str, str] | None = None,
        error: DomainError | None = None,
    ) -> None:
        self.request, self.by, self.writing, self.part = request, by, writing, part
        self.definition: Data = writing.definition
        self.typed, self.error = typed, error
        self.language = str(self.definition.get("default_language", "en"))
        self.languages = list(self.definition.get("languages") or [self.language])

    @property
    def checked(self) -> tuple[Plan, list[Problem]]:
        return queries.checked(self.definition)

    def url(self, part: str) -> str:
        return f"{address(self.by, 'forms:edit', self.writing.form.pk)}?{urlencode({'part': part})}"

    def context(self) -> dict[str, Any]:
        """Everything the page shows."""
        by, form, writing = self.by, self.writing.form, self.writing
        problems = self._problems()
        title = text_in(self.definition.get("title", {}), self.language, self.language, form.name)
        return {
            "by": by,
            "form": form,
            "title": title,
            "desk": self,
            "part": self.part,
            "lock": writing.lock,
            "last": writing.last,
            "undone": writing.undone,
            "based_on": writing.based_on,
            "overtaken": self._overtaken(),
            "error": self.error,
            "taken_by": (self.error.extra.get("by", "") if self.error and self.error.code == "edited" else ""),
            "outline": list(self._outline(problems)),
            "others": list(self._others(problems)),
            "one": self._one(problems),
            "kinds": [(each, TYPE_WORDS[each]) for each in TYPES] + list(HOLDER_WORDS.items()),
            "around": self._around(),
            "names": self._names(),
            "functions": sorted({*FUNCTIONS, *SPECIAL}),
            "count": sum(1 for each in self.checked[1] if each.severity == "error"),
            "preview": self._preview(),
            "edit_url": address(by, "forms:edit", form.pk),
            "rule_url": address(by, "forms:rule", form.pk),
            "attempt_url": f"{address(by, 'forms:attempt', form.pk)}?{urlencode({'part': self.part})}",
            "versions_url": address(by, "forms:versions", form.pk),
            "form_url": address(by, "forms:form", form.pk),
            "forms_url": address(by, "forms:forms"),
        }

    def context_of(self, key: str) -> dict[str, Any]:
        """What is wrong at one property, for whoever is typing it."""
        return {"id": key.replace(".", "-"), "told": self._told(self._problems()).get(key, [])}

    def _overtaken(self) -> Any:
        """The newest version, where it came after the one that the draft began from."""
        newest, based_on = self.writing.newest, self.writing.based_on
        return newest if newest and based_on and newest.number > based_on.number else None

    # The outline.

    def _problems(self) -> dict[str, list[tuple[str, Problem]]]:
        """What is wrong, by part, with the place within it."""
        found: dict[str, list[tuple[str, Problem]]] = {}
        for problem in self.checked[1]:
            part, inside = at(self.definition, problem.path)
            found.setdefault(part, []).append((inside, problem))
        return found

    def _outline(self, problems: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        depths: dict[str, int] = {}
        for part in parts(self.definition):
            if not part.id.startswith(("step:", "item:")):
                continue
            depth = depths.get(part.within, -1) + 1
            depths[part.id] = depth
            yield self._line(part, depth, problems)

    def _around(self) -> dict[str, str]:
        """The parts before and after this one, in the order of the form."""
        ids = [part.id for part in parts(self.definition) if part.id.startswith(("step:", "item:"))]
        place = ids.index(self.part) if self.part in ids else -1
        before, after = place - 1 if place > 0 else None, place + 1 if place + 1 < len(ids) else None
        return {
            "before": self.url(ids[before]) if before is not None else "",
            "after": self.url(ids[after]) if after is not None else "",
        }

    def _line(self, part: Part, depth: int, problems: Mapping[str, Any]) -> dict[str, Any]:
        kind = str(part.data.get("type") or part.data.get("kind") or part.id.partition(":")[0])
        return {
            "id": part.id,
            "words": called(part.data, self.language),
            "kind": TYPE_WORDS.get(kind) or HOLDER_WORDS.get(kind, kind),
            "depth": min(depth, 4),
            "step": part.id.startswith("step:"),
            "url": self.url(part.id),
            "here": part.id == self.part,
            "wrong": sum(1 for _, each in problems.get(part.id, ()) if each.severity == "error"),
            "needed": part.data.get("required") not in (None, False),
            "when": bool(part.data.get("relevant") or part.data.get("ask_when")),
        }

    def _others(self, problems: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        def line(id: str, words: str, kind: str) -> dict[str, Any]:
            wrong = sum(1 for _, each in problems.get(id, ()) if each.severity == "error")
            return {"id": id, "words": words, "kind": kind, "url": self.url(id), "here": id == self.part,
                    "wrong": wrong}  # fmt: skip

        yield line(WHOLE, "The whole form", "Title, languages, checks")
        if waiting := len(self.definition.get("unread", ())):
            yield line(UNREAD, "Not understood", f"{waiting} to drop or write anew")
        for part in parts(self.definition):
            kind = part.id.partition(":")[0]
            if kind not in ("step", "item"):
                yield line(part.id, called(part.data, self.language), HOLDER_WORDS[kind])

    # The part.

    def _one(self, problems: Mapping[str, Any]) -> dict[str, Any]:
        if self.part == UNREAD:
            return {"id": UNREAD, "words": "Not understood", "unread": self._unread()}
        part = None if self.part == WHOLE else find(self.definition, self.part)
        data = self.definition if part is None else part.data
        told = self._told(problems)
        properties = [self._property(each, data, told) for each in of_part(self.definition, self.part, data)]
        groups = [
            {"name": name, "open": name in OPEN, "properties": [each for each in properties if each["group"] == name]}
            for name in GROUPS
        ]
        kind = self.part.partition(":")[0]
        return {
            "id": self.part,
            "words": called(data, self.language) if part else "The whole form",
            "kind": TYPE_WORDS.get(str(data.get("type"))) or HOLDER_WORDS.get(str(data.get("kind") or kind), ""),
            "groups": [each for each in groups if each["properties"]],
            "moves": [] if part is None else [("up", "Up"), ("down", "Down")] + [("in", "In"), ("out", "Out")]
            * (kind == "item"),
            "removable": part is not None,
            "told": told.get("", []),
            "warnings": [each.message for _, each in problems.get(self.part, ()) if each.severity == "warning"],
        }  # fmt: skip

    def _told(self, problems: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
        """What is wrong at each property of the part, in words."""
        found: dict[str, list[dict[str, Any]]] = {}
        for inside, problem in problems.get(self.part, ()):
            if problem.severity == "error" and problem.code != "not-understood":
                found.setdefault(_key(inside), []).append(_in_words(problem, inside))
        for violation in self.error.violations if self.error else ():
            path = violation.path.strip("/")
            inside = at(self.definition, path)[1] if path.startswith(("steps", "lists", "gates", "bindings")) else path
            told = {"message": violation.message, "accepted": violation.accepted}
            found.setdefault(_key(inside), []).append(told)
        return found

    def _property(self, each: Property, data: Data, told: Mapping[str, Any]) -> dict[str, Any]:
        holder = data.get("data", {}) if each.key.startswith("data.") else data
        value = holder.get(each.key.removeprefix("data."))
        if each.key == "may_not_decline":
            value = data.get("may_decline") is False
        made: dict[str, Any] = {
            "key": each.key,
            "id": each.key.replace(".", "-"),
            "kind": each.kind,
            "label": each.label,
            "help": each.help,
            "group": each.group,
            "options": each.options,
            "told": told.get(each.key, []),
        }
        return made | getattr(self, f"_as_{each.kind}", self._as_text)(each, value)

    def _was(self, name: str, otherwise: str) -> str:
        """What was typed, where it could not be saved; else what is stored."""
        return str(self.typed.get(name, otherwise)) if self.typed is not None and self.error else otherwise

    def _as_text(self, each: Property, value: Any) -> dict[str, Any]:
        return {"value": self._was(each.key, shown(value, each.kind))}

    def _as_flag(self, each: Property, value: Any) -> dict[str, Any]:
        return {"on": bool(value)}

    def _as_texts(self, each: Property, value: Any) -> dict[str, Any]:
        texts = value or {}
        return {"texts": [(one, self._was(f"{each.key}:{one}", texts.get(one, ""))) for one in self.languages],
                "many": len(self.languages) > 1}  # fmt: skip

    def _as_required(self, each: Property, value: Any) -> dict[str, Any]:
        rule = value if isinstance(value, str) else ""
        chosen = "rule" if rule else "yes" if value is True else ""
        return {"value": self._was("required", chosen), "rule": self._was("required:rule", rule)}

    def _as_constraints(self, each: Property, value: Any) -> dict[str, Any]:
        return {
            "rows": [
                {
                    "number": number,
                    "test": self._was(f"{each.key}:{number}:test", one.get("test", "")),
                    "warning": one.get("severity") == "warning",
                    "messages": [
                        (lang, self._was(f"{each.key}:{number}:message:{lang}", one.get("message", {}).get(lang, "")))
                        for lang in self.languages
                    ],
                }
                for number, one in enumerate([*(value or []), {}])
            ]
        }

    def _as_prefill(self, each: Property, value: Any) -> dict[str, Any]:
        return {"value": value or {}, "sources": ("subject", "related", "context", "previous", "launch")}

    def _as_choices(self, each: Property, value: Any) -> dict[str, Any]:
        choices = value or []
        if len(choices) > LONGEST_TABLE:
            return {
                "lines": self._was("choices:lines", choice_lines.written(choices, self.languages)),
                "many": len(choices),
            }
        rows = []
        for number, one in enumerate([*choices, *({} for _ in range(BLANKS))]):
            pairs = ", ".join(f"{key}={text}" for key, text in one.get("attributes", {}).items())
            here = f"choices:{number}"
            rows.append(
                {
                    "number": number,
                    "place": number + 1,
                    "code": self._was(f"{here}:code", one.get("code", "")),
                    "was": one.get("code", ""),
                    "labels": [
                        (lang, self._was(f"{here}:label:{lang}", one.get("label", {}).get(lang, "")))
                        for lang in self.languages
                    ],
                    "attributes": self._was(f"{here}:attributes", pairs),
                    "retired": one.get("retired", False),
                    "exclusive": one.get("exclusive", False),
                }
            )
        return {"rows": rows, "many": len(choices)}

    def _unread(self) -> list[dict[str, Any]]:
        fields = [(one["name"], called(one, self.language)) for one in items(self.definition)]
        return [
            {"number": number, "text": one["text"], "why": one["why"], "path": one["path"], "item": one.get("item", ""),
             "key": one.get("key", ""), "fields": fields, "rules": list(RULES.items()),
             "rule": self._was(f"unread:{number}:rule", "")}
            for number, one in enumerate(self.definition.get("unread", ()))
        ]  # fmt: skip

    def _names(self) -> list[tuple[str, str]]:
        return [
            ("${" + each["name"] + "}", called(each, self.language))
            for each in items(self.definition)
            if each["kind"] != "section"
        ]

    # The preview.

    def _preview(self) -> dict[str, Any]:
        """The step of the part, as whoever fills it would see it with the test answers."""
        found = trials.attempted(self.request, self.writing, self.definition)
        steps = list(self.checked[0].steps)
        if found is None or not steps:
            return {"blocks": [], "stuck": found is None}
        step = steps[0]
        if self.part.startswith("step:"):
            step = self.part[5:]
        elif self.part.startswith("item:"):
            step = find(self.definition, self.part).step
        given = trials.trial(self.request, self.writing).answers
        typed = {path: str(given.get(path, "")) for path in found.refused}
        blocks = list(asked.Step(found.response, step, self.language, typed or None).blocks())
        for block in blocks:
            block["refused"] = found.refused.get(block.get("path", ""))
        states = Counter(str(each.name) for each in found.response.evaluation.states.values())
        form = self.checked[0].form
        title = text_in(form.steps[steps.index(step)].title, self.language, self.language, step)
        shown_states = ("filled", "held", "invalid", "overridden")
        return {"blocks": blocks, "title": title, "states": [(one, states[one]) for one in shown_states if states[one]]}


def _key(inside: str) -> str:
    """The property that a place within a part belongs to."""
    steps = [each for each in inside.split("/") if each not in ("field", "section", "repeat")]
    if not steps or not steps[0]:
        return ""
    if steps[0] == "data" and len(steps) > 1:
        return f"data.{steps[1]}"
    if steps[0].startswith("choices:"):
        return "choices"
    return steps[0].partition(":")[0] if steps[0] in INSIDE else steps[0]


def _in_words(problem: Problem, inside: str) -> dict[str, Any]:
    """A problem with its place, for a person: which of several rules, and at which character."""
    steps = inside.split("/")
    which = f"Rule {int(steps[1]) + 1}: " if len(steps) > 1 and steps[0] in ("constraints", "checks") else ""
    where = f" (character {problem.position + 1})" if problem.position is not None else ""
    return {"message": f"{which}{problem.message}{where}", "accepted": ", ".join(problem.accepted)}
