"""From the parts of a rule to something that runs: every name is found and every type checked beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NoReturn, Protocol

from formsengine.expressions import special
from formsengine.expressions.arithmetic import calculator, result
from formsengine.expressions.compare import COMPARE, Unlike, check, check_code, literal_as
from formsengine.expressions.functions import ANY, FUNCTIONS, KIND_NAMES, LIST, SPECIAL, Function, pattern
from formsengine.expressions.parse import parse
from formsengine.expressions.syntax import Attribute, Binary, Call, Literal, Negative, Node, Own, Ref
from formsengine.expressions.types import NOTHING, NUMBER, TEXT, TRUTH, Kind, Named, Names, Place, Read, Type, Where
from formsengine.problems import Problem, Refused, nearest
from formsengine.values.runtime import EXACT, Day, Value, finite, truth


class Look(Protocol):
    """What a rule sees of a response while it runs."""

    @property
    def values(self) -> Mapping[tuple[str, str], Value]: ...
    @property
    def parents(self) -> Mapping[str, str]: ...
    @property
    def row(self) -> str: ...
    @property
    def own(self) -> Value: ...
    @property
    def item(self) -> Mapping[str, str]: ...
    @property
    def today(self) -> Day | None: ...
    @property
    def now(self) -> datetime: ...
    @property
    def roles(self) -> frozenset[str]: ...
    def rows_under(self, repeats: tuple[str, ...], base: str) -> Iterator[str]: ...
    def position(self, row: str) -> int: ...
    def row_before(self, row: str) -> str | None: ...
    def unique(self) -> str: ...
    def step_complete(self, step: str) -> bool: ...
    def gate_outcome(self, gate: str) -> str: ...


Run = Callable[[Any], Value]
Part = tuple[Type, Run]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule ready to run: its text, its type, what it reads."""

    text: str
    type: Type
    reads: frozenset[Read]
    run: Run
    node: Node
    clocked: bool = False

    def true(self, look: Look) -> bool:
        """Whether it holds; an empty result does not."""
        return truth(self.run(look))


def compile_rule(text: str, names: Names, place: Place) -> Rule:
    """The rule, checked. Raises Refused("expression") whose problem names the place, the position and what would do."""
    try:
        node = parse(text)
        compiler = Compiler(names, place)
        kind, run = compiler.part(node)
    except Refused as refused:
        problems = [
            Problem(place.path, each.code, each.message, each.accepted, position=each.position)
            for each in refused.problems
        ]
        raise Refused("expression", f"{place.path}: {refused.message}", problems) from None
    return Rule(text, kind, frozenset(compiler.reads), run, node, compiler.clocked)


class Compiler:
    """Compiles one rule for one place, and notes what it reads."""

    def __init__(self, names: Names, place: Place) -> None:
        self.names = names
        self.place = place
        self.reads: set[Read] = set()
        self.clocked = False

    def fail(self, at: int, code: str, message: str, *accepted: str) -> NoReturn:
        problem = Problem(self.place.path, code, message, accepted, position=at)
        raise Refused("expression", f"{message} (character {at + 1})", [problem])

    def part(self, node: Node) -> Part:
        match node:
            case Literal(value=value):
                return self.literal(value)
            case Ref(name=name, at=at):
                return self.field(name, at)
            case Own(at=at):
                return self.own(at)
            case Attribute(name=name, at=at):
                return self.attribute(name, at)
            case Negative(operand=operand, at=at):
                return self.negative(operand, at)
            case Binary():
                return self.binary(node)
        return self.call(node)

    def literal(self, value: Decimal | str) -> Part:
        kept: Value = value
        if value == "" and isinstance(value, str):
            return NOTHING, lambda look: None
        return (TEXT if isinstance(value, str) else NUMBER), lambda look: kept

    def own(self, at: int) -> Part:
        own = self.place.own
        if self.place.where is not Where.CONSTRAINT or own is None:
            self.fail(at, "own", "`.` stands for the answer a constraint judges; elsewhere name the field.", "${name}")
        return own.type, lambda look: look.own

    def attribute(self, name: str, at: int) -> Part:
        if self.place.where is not Where.FILTER:
            known = self.names.all_names()
            hint = [f"${{{each}}}" for each in ([name] if name in known else nearest(name, known))]
            self.fail(at, "bare-word", f"{name!r} is neither a field nor a text.", *(hint or ["${name}", f"'{name}'"]))
        attributes = self.names.list_attributes(self.place.filters)
        if attributes is not None and name not in attributes | {"name", "label"}:
            close = nearest(name, attributes) or sorted(attributes)[:8]
            self.fail(at, "unknown-attribute", f"The choices have no attribute {name!r}.", *close)
        return TEXT, lambda look: look.item.get(name) or None

    def named(self, name: str, at: int) -> Named:
        found = self.names.find(name)
        if found is None:
            close = [f"${{{each}}}" for each in nearest(name, self.names.all_names())]
            self.fail(at, "unknown-field", f"There is no field {name!r}.", *close)
        return found

    def field(self, name: str, at: int) -> Part:
        """The value in the rule's own row, in a row around it, or of every row below."""
        found = self.named(name, at)
        if found.is_repeat:
            self.fail(at, "repeat", f"{name} is a list of rows: ask count(${{{name}}}).", f"count(${{{name}}})")
        here, there, uid = self.place.rows_of, found.rows_of, found.uid
        if there == here[: len(there)]:
            self.reads.add(Read(uid))
            return found.type, special.one_value(uid, len(here) - len(there))
        return self.every_value(found, special.shared(here, there))

    def every_value(self, found: Named, kept: int) -> Part:
        """One value for each live row below the `kept` outermost repeats that both have."""
        self.reads.add(Read(found.uid, wide=True))
        self.reads.update(Read(repeat, wide=True, rows=True) for repeat in found.rows_of[kept:])
        many = Type(found.type.kind, many=True, codes=found.type.codes)
        return many, special.all_values(found.uid, found.rows_of[kept:], len(self.place.rows_of) - kept)

    def negative(self, operand: Node, at: int) -> Part:
        kind, run = self.part(operand)
        if kind.many or kind.kind not in (Kind.NUMBER, Kind.NOTHING):
            self.fail(at, "types", f"- stands before a number; this is {kind}.", "number()")

        def negated(look: Look) -> Value:
            value = run(look)
            return finite(EXACT.minus(value)) if isinstance(value, Decimal) else None

        return NUMBER, negated

    def binary(self, node: Binary) -> Part:
        left_type, left = self.part(node.left)
        right_type, right = self.part(node.right)
        try:
            match node.op:
                case "and":
                    return TRUTH, lambda look: truth(left(look)) and truth(right(look))
                case "or":
                    return TRUTH, lambda look: truth(left(look)) or truth(right(look))
                case "+" | "-" | "*" | "div" | "mod":
                    kind, calculate = result(node.op, left_type, right_type), calculator(node.op)
                    return kind, lambda look: calculate(left(look), right(look))
            return self.comparison(node, (left_type, left), (right_type, right))
        except Unlike as wrong:
            self.fail(node.at, wrong.code, wrong.message, *wrong.accepted)

    def comparison(self, node: Binary, one: Part, other: Part) -> Part:
        (left_type, left), (right_type, right) = one, other
        compare = COMPARE[node.op]
        for literal, against, is_left in ((node.left, right_type, True), (node.right, left_type, False)):
            if isinstance(literal, Literal) and literal.value != "" and not against.many:
                value = literal_as(against.kind, literal)
                check_code(against.codes, value)
                if against.kind in (Kind.CODES, Kind.TRUTH, Kind.AMOUNT, Kind.SPAN):
                    check(node.op, left_type, right_type)
                elif node.op not in ("=", "!="):
                    check(node.op, against, against)
                return TRUTH, _against(compare, value, right if is_left else left, is_left)
        check(node.op, left_type, right_type)
        return TRUTH, lambda look: compare(left(look), right(look))

    def call(self, node: Call) -> Part:
        if node.name in SPECIAL:
            return special.SPECIALS[node.name](self, node)
        function = FUNCTIONS.get(node.name)
        if function is None:
            close = [f"{each}()" for each in nearest(node.name, [*FUNCTIONS, *SPECIAL])]
            self.fail(node.at, "unknown-function", f"There is no function {node.name}().", *close)
        self.check_count(node, function)
        if node.name in ("count", "count-non-empty") and isinstance(ref := node.args[0], Ref):
            found = self.named(ref.name, ref.at)
            if found.is_repeat:
                return special.count_rows(self, found)
        parts = [self.part(arg) for arg in node.args]
        for number, (arg, (kind, _)) in enumerate(zip(node.args, parts, strict=True)):
            self.check_argument(node, function, number, arg, kind)
        self.check_words(node, parts)
        runs = tuple(run for _, run in parts)
        gives = function.gives or self.of_arguments(node, [kind for kind, _ in parts])
        return gives, _applied(function.run, runs)

    def check_count(self, node: Call, function: Function) -> None:
        most = None if function.more else len(function.takes)
        given = len(node.args)
        if given < function.at_least or (most is not None and given > most):
            wanted = str(function.at_least) if most == function.at_least else f"{function.at_least} to {most or 'many'}"
            self.fail(node.at, "arguments", f"{node.name}() takes {wanted} values, not {given}.")

    def check_argument(self, node: Call, function: Function, number: int, arg: Node, kind: Type) -> None:
        wanted = function.takes[min(number, len(function.takes) - 1)] if function.takes else ANY
        if wanted != LIST and kind.many:
            message = f"{node.name}() takes one value; this is asked once for each row."
            self.fail(arg.at, "rows", message, "sum()", "count()", "join()")
        accepted = KIND_NAMES.get(wanted)
        if accepted is not None and kind.kind not in accepted | {Kind.NOTHING}:
            self.fail(arg.at, "types", f"{node.name}() takes a {wanted} here, not {kind}.", "number()", "string()")
        if node.name == "sum" and kind.kind not in (Kind.NUMBER, Kind.NOTHING):
            self.fail(arg.at, "types", f"sum() adds numbers up; this is {kind}.", "count()")

    def check_words(self, node: Call, parts: list[Part]) -> None:
        """Codes and patterns written in the rule are checked when it is read."""
        literal = node.args[1] if len(node.args) > 1 else None
        if not isinstance(literal, Literal) or not isinstance(literal.value, str):
            return
        if node.name == "selected":
            try:
                check_code(parts[0][0].codes, literal.value)
            except Unlike as wrong:
                self.fail(literal.at, wrong.code, wrong.message, *wrong.accepted)
        if node.name == "regex":
            try:
                pattern(literal.value)
            except Exception as wrong:
                self.fail(
                    literal.at, "pattern", f"This pattern cannot be read: {wrong}.", "a pattern without look-around"
                )

    def of_arguments(self, node: Call, kinds: list[Type]) -> Type:
        """The one type that all arguments have."""
        found = [kind for kind in kinds if kind.kind is not Kind.NOTHING]
        if len({kind.kind for kind in found}) > 1:
            names = " and ".join(sorted({str(kind.kind) for kind in found}))
            self.fail(node.at, "types", f"{node.name}() takes values of one type, not {names}.", "number()", "string()")
        return Type(found[0].kind, codes=found[0].codes) if found else NOTHING


def _against(compare: Callable[[Value, Value], bool], value: Value, run: Run, is_left: bool) -> Run:
    if is_left:
        return lambda look: compare(value, run(look))
    return lambda look: compare(run(look), value)


def _applied(function: Callable[..., Value], runs: tuple[Run, ...]) -> Run:
    match runs:
        case ():
            return lambda look: function()
        case (one,):
            return lambda look: function(one(look))
        case (one, other):
            return lambda look: function(one(look), other(look))
    return lambda look: function(*(run(look) for run in runs))
