"""The one evaluator. A commit works out again only what depends on what changed; starting anew gives the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from heapq import heappop, heappush
from typing import Any

from formsengine.definition.graph import Aspect, Edge, Graph, Node, graph, rows_of
from formsengine.definition.model import Choice, Repeat
from formsengine.definition.plan import OTHER, Plan, Planned, choice_as_item
from formsengine.definition.resting import at_rest
from formsengine.evaluation.rows import Rows
from formsengine.evaluation.states import Answer, Finding, Is, Key, State, judged
from formsengine.expressions.compile import Rule
from formsengine.values.runtime import Day, Value

MOST_ROWS = 1000
"""Rows that a count may ask for in one list."""
NEVER = datetime(1, 1, 1, tzinfo=UTC)
PLACES = ("relevant", "values", "live", "excluded", "states", "findings")


class Prepared:
    """What evaluating any response of a plan needs: the nodes in order, and their edges."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.graph: Graph = graph(plan)
        self.nodes: list[Node] = sorted(self.graph.rank, key=lambda node: self.graph.rank[node])
        self.edges: list[tuple[Edge, ...]] = [self.graph.edges.get(node, ()) for node in self.nodes]
        self.rank = self.graph.rank
        checked = [node for node in self.nodes if node[0] in (Aspect.STATE, Aspect.CHECK)]
        self.clocked = [node for node in checked if any(rule.clocked for _, rule in self.constraints(node[1]))]
        self.of_values = [(*node, rows_of(plan, node)) for node in self.nodes if node[0] < Aspect.STATE]
        self._blank: dict[str, dict[Key, Any]] | None = None
        self._blocking: dict[str, frozenset[Key]] = {}

    def constraints(self, uid: str) -> tuple[tuple[Any, Rule], ...]:
        return self.plan.items[uid].constraints if uid else self.plan.checks

    def begun(self, answers: Mapping[Key, Answer], rows: Rows, conflicts: Mapping[Key, Any]) -> Evaluation:
        """What follows while nothing is answered: the same for every response, and so worked out once."""
        made = Evaluation(self, answers, rows, conflicts)
        if self._blank is None:
            made.start()
            self._blocking = {step: frozenset(keys) for step, keys in made.blocking.items()}
            self._blank = {name: dict(getattr(made, name)) for name in PLACES}
            return made
        for name, places in self._blank.items():
            setattr(made, name, dict(places))
        made.blocking = {step: set(keys) for step, keys in self._blocking.items()}
        return made


class Evaluation:
    """What follows from `answers`, `rows` and `conflicts`, which the log keeps. Reads never change it."""

    def __init__(
        self, prepared: Prepared, answers: Mapping[Key, Answer], rows: Rows, conflicts: Mapping[Key, Any]
    ) -> None:
        self.prepared = prepared
        self.plan = prepared.plan
        self.answers = answers
        self.rows = rows
        self.conflicts = conflicts
        self.relevant: dict[Key, bool] = {}
        self.values: dict[Key, Value] = {}
        self.live: dict[Key, tuple[str, ...]] = {}
        self.excluded: dict[Key, tuple[str, ...]] = {}
        self.states: dict[Key, State] = {}
        self.findings: dict[Key, tuple[Finding, ...]] = {}
        self.blocking: dict[str, set[Key]] = {name: set() for name in self.plan.steps}
        self.outcomes: Mapping[str, str] = {}
        self.roles: frozenset[str] = frozenset()
        self.today: Day | None = None
        self.now: datetime = NEVER
        self.row = ""
        self.own: Value = None
        self.item: Mapping[str, str] = {}
        self.seed = ""
        self.work = self.workers()

    def over(self, answers: Mapping[Key, Answer], rows: Rows, conflicts: Mapping[Key, Any]) -> Evaluation:
        """An own evaluation to change, over a copy of what this one is over."""
        made = object.__new__(Evaluation)
        made.__dict__.update(self.__dict__)
        for name in PLACES:
            setattr(made, name, dict(getattr(self, name)))
        made.blocking = {step: set(keys) for step, keys in self.blocking.items()}
        made.answers, made.rows, made.conflicts = answers, rows, conflicts
        made.work = made.workers()
        return made

    def workers(self) -> tuple[Callable[[str, str], bool], ...]:
        """What works out each aspect, in the order of the aspects."""
        return (self._relevant, self._rows, self._value, self._state, self._check)

    @property
    def parents(self) -> Mapping[str, str]:
        return self.rows.parents

    # What rules look at.

    def rows_under(self, repeats: tuple[str, ...], base: str) -> Iterator[str]:
        for row in self.live.get((repeats[0], base), ()):
            if len(repeats) == 1:
                yield row
            else:
                yield from self.rows_under(repeats[1:], row)

    def _beside(self, row: str) -> tuple[str, ...]:
        found = self.rows.by_id[row]
        return self.live.get((found.repeat, found.parent), ())

    def position(self, row: str) -> int:
        """From 1 among the live rows; 0 for a row that is not among them."""
        beside = self._beside(row)
        return beside.index(row) + 1 if row in beside else 0

    def row_before(self, row: str) -> str | None:
        place = self.position(row)
        return self._beside(row)[place - 2] if place > 1 else None

    def unique(self) -> str:
        return self.seed

    def step_complete(self, step: str) -> bool:
        return not self.blocking[step]

    def gate_outcome(self, gate: str) -> str:
        return self.outcomes.get(gate, "")

    # Working out.

    def set_clock(self, now: datetime, today: date) -> None:
        self.now = now
        self.today = Day(today, today)

    @at_rest()
    def start(self) -> None:
        """Everything from nothing, in order."""
        for node in self.prepared.nodes:
            work, uid = self.work[node[0]], node[1]
            for row in list(self.rows.under(rows_of(self.plan, node), "")):
                work(uid, row)

    def start_values(self) -> None:
        """Relevance, rows and values from nothing, in order, and nothing that judges them."""
        work = self.work
        for aspect, uid, repeats in self.prepared.of_values:
            for row in list(self.rows.under(repeats, "")) if repeats else ("",):
                work[aspect](uid, row)

    def changed(self, answers: Iterable[Key] = (), lists: Iterable[Key] = ()) -> set[Key]:
        """After these answers and lists of rows changed: works out what depends on them; names what it touched."""
        rank, waiting, queued = self.prepared.rank, list[tuple[int, str]](), set[tuple[int, str]]()
        lists = set(lists)
        for uid, row in answers:
            aspect = Aspect.VALUE if self.plan.items[uid].is_field else Aspect.RELEVANT
            self._push(waiting, queued, rank[(aspect, uid)], row)
            self._push(waiting, queued, rank[(Aspect.STATE, uid)], row)
        for repeat, parent in lists:
            self._push(waiting, queued, rank[(Aspect.ROWS, repeat)], parent)
        for node in self.prepared.clocked:
            for row in self.rows.under(rows_of(self.plan, node), ""):
                self._push(waiting, queued, rank[node], row)
        touched: set[Key] = set()
        while waiting:
            number, row = heappop(waiting)
            aspect, uid = self.prepared.nodes[number]
            if self.work[aspect](uid, row) or (aspect is Aspect.ROWS and (uid, row) in lists):
                touched.add((uid, row))
                for edge in self.prepared.edges[number]:
                    self._spread(edge, row, waiting, queued)
        return touched

    def _push(self, waiting: list[tuple[int, str]], queued: set[tuple[int, str]], number: int, row: str) -> None:
        entry = (number, row)
        if entry not in queued:
            queued.add(entry)
            heappush(waiting, entry)

    def _spread(self, edge: Edge, row: str, waiting: list[tuple[int, str]], queued: set[tuple[int, str]]) -> None:
        for _ in range(edge.up):
            row = self.rows.parents[row]
        number = self.prepared.rank[edge.target]
        for each in self.rows.under(edge.below, row):
            self._push(waiting, queued, number, each)

    def _run(self, rule: Rule, row: str) -> Value:
        self.row = row
        return rule.run(self)

    def _true(self, rule: Rule, row: str) -> bool:
        self.row = row
        return rule.true(self)

    def _relevant(self, uid: str, row: str) -> bool:
        planned = self.plan.items[uid]
        found = self._inherited(planned, row)
        if found and planned.relevant is not None:
            found = self._true(planned.relevant, row)
        changed = self.relevant.get((uid, row)) is not found
        self.relevant[(uid, row)] = found
        return changed

    def _inherited(self, planned: Planned, row: str) -> bool:
        if not planned.parent:
            return True
        if planned.rows_of and planned.rows_of[-1] == planned.parent:
            return row in self.live.get((planned.parent, self.rows.parents[row]), ())
        return self.relevant[(planned.parent, row)]

    def _rows(self, uid: str, parent: str) -> bool:
        found: tuple[str, ...] = ()
        if self.relevant[(uid, parent)]:
            found = tuple(self.rows.present(uid, parent))
            if (target := self.target(uid, parent)) is not None:
                found = found[:target]
        changed = self.live.get((uid, parent)) != found
        self.live[(uid, parent)] = found
        return changed

    def target(self, uid: str, parent: str) -> int | None:
        """How many rows the list should have, where its count says so."""
        rule = self.plan.items[uid].count
        if rule is None:
            return None
        value = self._run(rule, parent)
        return max(0, min(MOST_ROWS, int(value))) if isinstance(value, Decimal) else 0

    def _value(self, uid: str, row: str) -> bool:
        key = (uid, row)
        planned = self.plan.items[uid]
        value = self._effective(planned, key) if self.relevant[key] else None
        if key in self.values and self.values[key] == value:
            return False
        self.values[key] = value
        return True

    def _effective(self, planned: Planned, key: Key) -> Value:
        answer, question = self.answers.get(key), planned.question
        answered = answer is not None and answer.status == "answer"
        if planned.computed is not None and not question.recompute_on and not (answered and question.may_override):
            return self._run(planned.computed, key[1])
        if answer is None or not answered:
            return None
        value = answer.seen
        if question.rows_of and question.type == "row":
            return value if value in self._rows_offered(planned, key[1]) else None
        if planned.filter is None:
            return value
        return self._allowed(planned, key, value)

    def _rows_offered(self, planned: Planned, row: str) -> set[str]:
        target = self.plan.by_name[planned.question.rows_of or ""]
        return {each for (uid, _), rows in self.live.items() if uid == target.uid for each in rows}

    def _allowed(self, planned: Planned, key: Key, value: Value) -> Value:
        """What of a selection is among the options now; the rest is noted as excluded."""
        codes = value if isinstance(value, tuple) else (value,)
        kept = tuple(code for code in codes if self.offers(planned, str(code), key[1]))
        out = tuple(str(code) for code in codes if code not in kept)
        self.excluded[key] = out
        if isinstance(value, tuple):
            return kept or None
        return value if kept else None

    def offers(self, planned: Planned, code: str, row: str) -> bool:
        """Whether the code is among the options of the field in this row."""
        found = self.plan.list_of(planned)
        if code == OTHER and planned.question.other:
            return True
        return any(self._passes(planned, choice, row) for choice in (found.by_code.get(code, ()) if found else ()))

    def _passes(self, planned: Planned, choice: Choice, row: str) -> bool:
        if planned.filter is None:
            return True
        self.item = choice_as_item(choice, self.plan.form.default_language)
        return self._true(planned.filter, row)

    def options(self, uid: str, row: str) -> list[Choice]:
        """The choices offered for the field in this row, in their order, retired ones left out."""
        planned = self.plan.items[uid]
        found = self.plan.list_of(planned)
        offered = found.choices if found else ()
        return [each for each in offered if not each.retired and self._passes(planned, each, row)]

    def _state(self, uid: str, row: str) -> bool:
        key = (uid, row)
        planned = self.plan.items[uid]
        state = self._judge(planned, key)
        before = self.states.get(key)
        if before == state:
            return False
        self.states[key] = state
        blocking = self.blocking[planned.step]
        if state.blocks:
            blocking.add(key)
        else:
            blocking.discard(key)
        return True

    def _judge(self, planned: Planned, key: Key) -> State:
        answer, question = self.answers.get(key), planned.question
        status = answer.status if answer else ""
        if not self.relevant[key]:
            return State(Is.HELD if status in ("answer", "declined") else Is.ABSENT)
        live = planned.computed is not None and not question.recompute_on
        required = question.required is True
        if planned.required is not None:
            required = self._true(planned.required, key[1])
        value = self.values[key]
        findings = self._findings(planned, key, value, answer)
        excluded = self.excluded.get(key, ()) if planned.filter is not None and status == "answer" else ()
        if question.type == "row" and status == "answer" and value is None and answer is not None:
            excluded = (str(answer.kept),)
        name = self._named(key, status, value, findings, excluded, answer, live)
        return judged(name, required and question.type != "note", findings, excluded, question.writable and not live)

    def _named(
        self,
        key: Key,
        status: str,
        value: Value,
        findings: tuple[Finding, ...],
        excluded: tuple[str, ...],
        answer: Answer | None,
        live: bool,
    ) -> Is:
        if key in self.conflicts:
            return Is.CONFLICT
        if status == "declined":
            return Is.DECLINED
        if any(each.severity == "error" or not each.acknowledged for each in findings):
            return Is.INVALID
        if live and status == "answer":
            return Is.OVERRIDDEN
        if value is None:
            return Is.HELD_CHOICE if excluded else Is.EMPTY
        return Is.UNCONFIRMED if answer is not None and answer.unconfirmed else Is.FILLED

    def _findings(self, planned: Planned, key: Key, value: Value, answer: Answer | None) -> tuple[Finding, ...]:
        if value is None:
            return ()
        found = list(self._of_choices(planned, value))
        acknowledged = answer.acknowledged if answer else frozenset()
        for number, (constraint, rule) in enumerate(planned.constraints):
            self.own = value
            if not self._true(rule, key[1]):
                found.append(Finding(number, constraint.severity, number in acknowledged))
        return tuple(found)

    def _of_choices(self, planned: Planned, value: Value) -> Iterator[Finding]:
        """A choice that stands alone beside others, or a code that the list does not have."""
        found = self.plan.list_of(planned)
        if found is None or planned.question.type not in ("choice", "choices", "rank"):
            return
        codes = value if isinstance(value, tuple) else (value,)
        for code in codes:
            known = found.by_code.get(str(code))
            if known is None and not (code == OTHER and planned.question.other):
                yield Finding(-1, "error", code="unknown-choice", detail=str(code))
            elif known and known[0].exclusive and len(codes) > 1:
                yield Finding(-1, "error", code="exclusive", detail=str(code))

    def _check(self, uid: str, row: str) -> bool:
        """What must hold of a section, a row or the whole form."""
        key = (uid, row)
        found = []
        if not uid or self._stands(self.plan.items[uid], row):
            for number, (constraint, rule) in enumerate(self.prepared.constraints(uid)):
                self.own = None
                if not self._true(rule, row):
                    found.append(Finding(number, constraint.severity))
        changed = self.findings.get(key, ()) != tuple(found)
        self.findings[key] = tuple(found)
        return changed

    def _stands(self, planned: Planned, row: str) -> bool:
        if isinstance(planned.item, Repeat):
            return row in self.live.get((planned.uid, self.rows.parents[row]), ())
        return self.relevant[(planned.uid, row)]

    def gates(self) -> dict[str, bool]:
        """Which gates' conditions hold, after everything else is worked out."""
        self.row = ""
        return {name: rule.true(self) for name, rule in self.plan.gates.items()}

    def asked(self, step: str, roles: frozenset[str] = frozenset()) -> bool:
        """Whether the step is proposed now."""
        rule = self.plan.steps[step].ask_when
        if rule is None:
            return True
        self.row, self.roles = "", roles
        return rule.true(self)
