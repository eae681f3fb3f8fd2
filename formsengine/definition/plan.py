"""A form made ready to run: every name found, every rule compiled, every problem listed at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from formsengine.definition.model import Choice, ChoiceList, Constraint, Form, Item, Question, Repeat, Section
from formsengine.definition.resting import at_rest
from formsengine.definition.stored import as_data, digest
from formsengine.definition.texts import text_in
from formsengine.expressions.compile import Rule, compile_rule
from formsengine.expressions.types import CODES, NOTHING, TEXT, Kind, Named, Place, Type, Where
from formsengine.problems import Problem, Refused

KINDS: dict[str, Kind] = {
    **dict.fromkeys(("text", "longtext", "email", "phone", "url", "meta", "note"), Kind.TEXT),
    **dict.fromkeys(("integer", "decimal"), Kind.NUMBER),
    **dict.fromkeys(("boolean", "consent"), Kind.TRUTH),
    **dict.fromkeys(("choices", "rank"), Kind.CODES),
    **dict.fromkeys(("quantity", "money"), Kind.AMOUNT),
    **dict.fromkeys(("entity", "point", "line", "area", "file", "photo", "audio", "signature"), Kind.THING),
    **{"choice": Kind.CODE, "row": Kind.TEXT, "date": Kind.DATE, "time": Kind.TIME, "datetime": Kind.MOMENT},
    **{"range": Kind.SPAN},
}
MOST_NAMED = 50
"""Rules with an unknown name for which the names that there are are told."""
OTHER = "other"
"""The code of an answer that is in no list, beside the text that says it."""


@dataclass(slots=True)
class Planned:
    """An item of the form with its rules, where it stands, and what it is called."""

    item: Question | Section | Repeat
    uid: str
    step: str
    parent: str
    rows_of: tuple[str, ...]
    path: str
    order: int
    relevant: Rule | None = None
    required: Rule | None = None
    count: Rule | None = None
    default: Rule | None = None
    computed: Rule | None = None
    filter: Rule | None = None
    constraints: tuple[tuple[Constraint, Rule], ...] = ()

    @property
    def name(self) -> str:
        return self.item.name

    @property
    def question(self) -> Question:
        assert isinstance(self.item, Question)
        return self.item

    @property
    def is_field(self) -> bool:
        return isinstance(self.item, Question)


CREATE_IF = "create_if"


@dataclass(slots=True)
class PlannedStep:
    name: str
    ask_when: Rule | None
    fields: tuple[str, ...]
    order: int


@dataclass(slots=True)
class PlannedList:
    """A list with its codes found at once. `attributes` are all that any choice has, None while it has no choices."""

    name: str
    choices: tuple[Choice, ...]
    by_code: dict[str, tuple[Choice, ...]]
    attributes: frozenset[str] | None


@dataclass(eq=False)
class Plan:
    """What evaluation, the log and the views work with. One for each version of a form, shared by its responses."""

    form: Form
    items: dict[str, Planned]
    by_name: dict[str, Planned]
    lists: dict[str, PlannedList]
    steps: dict[str, PlannedStep]
    gates: dict[str, Rule]
    checks: tuple[tuple[Constraint, Rule], ...]
    conditions: dict[str, Rule] = field(default_factory=dict)
    """By the name of a binding: when what it speaks of is made where it is not there yet."""
    problems: list[Problem] = field(default_factory=list)

    @cached_property
    def digest(self) -> str:
        return digest(as_data(self.form))

    @cached_property
    def fields(self) -> tuple[Planned, ...]:
        return tuple(each for each in self.items.values() if each.is_field)

    @cached_property
    def repeats(self) -> tuple[Planned, ...]:
        return tuple(each for each in self.items.values() if isinstance(each.item, Repeat))

    @cached_property
    def defaults(self) -> tuple[Planned, ...]:
        return tuple(each for each in self.fields if each.default is not None)

    def list_of(self, planned: Planned) -> PlannedList | None:
        name = planned.question.choices
        return self.lists.get(name) if name else None

    def label(self, planned: Planned, language: str = "") -> str:
        form = self.form
        return text_in(planned.item.label, language or form.default_language, form.default_language, planned.name)

    def choice_label(self, planned: Planned, code: str, language: str = "") -> str:
        """A chosen code in words; the code itself where the field has no such choice."""
        form, found = self.form, self.list_of(planned)
        choice = next(iter(found.by_code.get(code, ())), None) if found else None
        texts = choice.label if choice else {}
        return text_in(texts, language or form.default_language, form.default_language, code)


class _Names:
    """What the checker of rules asks of the form."""

    def __init__(self, planner: _Planner) -> None:
        self.planner = planner
        self.named = 0

    def find(self, name: str) -> Named | None:
        planned = self.planner.by_name.get(name)
        if planned is None or isinstance(planned.item, Section):
            return None
        if isinstance(planned.item, Repeat):
            return Named(planned.uid, NOTHING, planned.rows_of, is_repeat=True)
        kind = self.planner.type_of(planned)
        return Named(planned.uid, kind, planned.rows_of, list_name=planned.item.choices or "")

    def all_names(self) -> list[str]:
        """What a rule may have meant that names nothing. For the first rules that do: where very many are wrong, each
        would be compared with every name."""
        self.named += 1
        if self.named > MOST_NAMED:
            return []
        return [name for name, each in self.planner.by_name.items() if not isinstance(each.item, Section)]

    def list_attributes(self, list_name: str) -> frozenset[str] | None:
        found = self.planner.lists.get(list_name)
        return found.attributes if found else None

    def choice(self, list_name: str, code: str) -> Mapping[str, str] | None:
        found = self.planner.lists.get(list_name)
        choices = found.by_code.get(code) if found else None
        return self.planner.as_item(choices[0]) if choices else None

    def steps(self) -> frozenset[str]:
        return frozenset(step.name for step in self.planner.form.steps)

    def gates(self) -> frozenset[str]:
        return frozenset(gate.name for gate in self.planner.form.gates)


class _Planner:
    def __init__(self, form: Form) -> None:
        self.form = form
        self.items: dict[str, Planned] = {}
        self.by_name: dict[str, Planned] = {}
        self.lists = {each.name: planned_list(each) for each in form.lists}
        self.problems: list[Problem] = []
        self.types: dict[str, Type] = {}
        self.computed: dict[str, Rule | None] = {}
        self.names = _Names(self)

    def as_item(self, choice: Choice) -> dict[str, str]:
        return choice_as_item(choice, self.form.default_language)

    def place(self, items: Iterable[Item], step: str, parent: str, rows_of: tuple[str, ...], path: str) -> None:
        for number, item in enumerate(items):
            here = f"{path}/items/{number}"
            uid = item.uid or item.name
            if uid in self.items or item.name in self.by_name:
                what = f"{item.name!r} names two things; each name and each uid stands once in a form."
                self.problems.append(Problem(here, "repeated-name", what))
                continue
            planned = Planned(item, uid, step, parent, rows_of, here, len(self.items))
            self.items[uid] = self.by_name[item.name] = planned
            if not isinstance(item, Question):
                inside = (*rows_of, uid) if isinstance(item, Repeat) else rows_of
                self.place(item.items, step, uid, inside, here)

    def type_of(self, planned: Planned) -> Type:
        """The type rules see. A computed field without a type of its own has its rule's."""
        question = planned.question
        if (known := self.types.get(planned.uid)) is not None:
            return known
        self.types[planned.uid] = TEXT
        if question.type == "computed":
            rule = self.computed_rule(planned)
            kind = rule.type if rule else TEXT
        else:
            kind = self._declared(question)
        self.types[planned.uid] = kind
        return kind

    def _declared(self, question: Question) -> Type:
        kind = KINDS[question.type]
        if kind is Kind.CODES:
            return Type(CODES.kind, codes=self._codes(question))
        return Type(kind, codes=self._codes(question) if kind is Kind.CODE else None)

    def _codes(self, question: Question) -> frozenset[str] | None:
        found = self.lists.get(question.choices or "")
        if found is None or not found.choices:
            return None
        return frozenset(found.by_code) | ({OTHER} if question.other else frozenset())

    def computed_rule(self, planned: Planned) -> Rule | None:
        """The rule that works the answer out, compiled once: its type is asked for by every rule that reads it."""
        if planned.uid not in self.computed:
            self.computed[planned.uid] = None
            self.computed[planned.uid] = self.rule(planned.question.computed, Where.COMPUTED, planned, "computed")
        return self.computed[planned.uid]

    def rule(self, text: str | None, where: Where, planned: Planned | None, key: str, *, path: str = "") -> Rule | None:
        """The rule compiled, or None with its problem noted."""
        if text is None:
            return None
        own = self.names.find(planned.name) if planned and planned.is_field and where is Where.CONSTRAINT else None
        rows_of = planned.rows_of if planned else ()
        if planned and where is Where.CONSTRAINT and isinstance(planned.item, Repeat):
            rows_of = (*rows_of, planned.uid)
        filters = planned.question.choices or "" if planned and planned.is_field else ""
        at = f"{planned.path if planned else path}/{key}"
        try:
            return compile_rule(text, self.names, Place(where, at, rows_of, own, filters))
        except Refused as refused:
            self.problems.extend(refused.problems)
            return None

    def conditions(self) -> dict[str, Rule]:
        """`create_if` of each binding that has one, as a rule of the rows that its first field stands in."""
        found = {}
        for number, binding in enumerate(self.form.bindings):
            text, first = binding.data.get(CREATE_IF), self.by_name.get(next(iter(binding.fields), ""))
            if text is None:
                continue
            place = Place(
                Where.RELEVANT, f"bindings/{number}/data/{CREATE_IF}", first.rows_of if first else (), None, ""
            )
            try:
                found[binding.name] = compile_rule(str(text), self.names, place)
            except Refused as refused:
                self.problems.extend(refused.problems)
        return found

    def fill(self, planned: Planned) -> None:
        item = planned.item
        planned.relevant = self.rule(item.relevant, Where.RELEVANT, planned, "relevant")
        if isinstance(item, Question):
            required = item.required if isinstance(item.required, str) else None
            planned.required = self.rule(required, Where.REQUIRED, planned, "required")
            planned.default = self.rule(item.default, Where.DEFAULT, planned, "default")
            planned.computed = self.computed_rule(planned)
            planned.filter = self.rule(item.filter, Where.FILTER, planned, "filter")
            planned.constraints = self.constraints(item.constraints, planned, "constraints")
        else:
            planned.constraints = self.constraints(item.checks, planned, "checks")
            if isinstance(item, Repeat):
                planned.count = self.rule(item.count, Where.COUNT, planned, "count")

    def constraints(
        self, found: tuple[Constraint, ...], planned: Planned | None, key: str
    ) -> tuple[tuple[Constraint, Rule], ...]:
        made = []
        for number, each in enumerate(found):
            rule = self.rule(each.test, Where.CONSTRAINT, planned, f"{key}/{number}/test")
            if rule is not None:
                made.append((each, rule))
        return tuple(made)


def planned_list(found: ChoiceList) -> PlannedList:
    by_code: dict[str, tuple[Choice, ...]] = {}
    for choice in found.choices:
        by_code[choice.code] = (*by_code.get(choice.code, ()), choice)
    known = frozenset(key for choice in found.choices for key in choice.attributes)
    attributes = known if found.choices else None
    return PlannedList(found.name, found.choices, by_code, attributes)


def choice_as_item(choice: Choice, language: str) -> dict[str, str]:
    """What a filter sees of a choice: its attributes, its code as `name` and its label."""
    return {"name": choice.code, "label": text_in(choice.label, language, language, choice.code), **choice.attributes}


@at_rest()
def plan(form: Form) -> Plan:
    """The form ready to run. `problems` holds what is wrong with its rules and names; what is wrong is left out."""
    planner = _Planner(form)
    for number, step in enumerate(form.steps):
        planner.place(step.items, step.name, "", (), f"steps/{number}")
    for planned in planner.items.values():
        planner.fill(planned)
    steps = {}
    for number, step in enumerate(form.steps):
        asked = planner.rule(step.ask_when, Where.ASK, None, "ask_when", path=f"steps/{number}")
        within = tuple(each.uid for each in planner.items.values() if each.step == step.name and each.is_field)
        steps[step.name] = PlannedStep(step.name, asked, within, number)
    gates = {}
    for number, gate in enumerate(form.gates):
        if (rule := planner.rule(gate.when, Where.GATE, None, "when", path=f"gates/{number}")) is not None:
            gates[gate.name] = rule
    checks = []
    for number, check in enumerate(form.checks):
        rule = planner.rule(check.test, Where.CONSTRAINT, None, "test", path=f"checks/{number}")
        if rule is not None:
            checks.append((check, rule))
    found = (planner.items, planner.by_name, planner.lists)
    return Plan(form, *found, steps, gates, tuple(checks), planner.conditions(), planner.problems)
