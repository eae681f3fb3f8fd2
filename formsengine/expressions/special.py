"""Functions that look at the response around them: rows, clocks, choices, steps and gates."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from formsengine.expressions.functions import SPECIAL
from formsengine.expressions.syntax import Call, Literal, Node, Ref
from formsengine.expressions.types import (
    CLOCKED,
    DATE,
    JUDGING,
    MOMENT,
    NUMBER,
    TEXT,
    TRUTH,
    WORDED,
    Kind,
    Named,
    Read,
    Type,
    Where,
)
from formsengine.problems import nearest
from formsengine.values.runtime import Value, truth

if TYPE_CHECKING:
    from formsengine.expressions.compile import Compiler, Look, Part, Run


def shared(here: tuple[str, ...], there: tuple[str, ...]) -> int:
    """How many of the outermost repeats two places have in common."""
    kept = 0
    for one, other in zip(here, there, strict=False):
        if one != other:
            break
        kept += 1
    return kept


def one_value(uid: str, up: int) -> Run:
    """The field's value in the row `up` levels above the rule's own."""
    if up == 0:
        return lambda look: look.values.get((uid, look.row))
    if up == 1:
        return lambda look: look.values.get((uid, look.parents[look.row]))
    return lambda look: look.values.get((uid, row_above(look, up)))


def row_above(look: Look, up: int) -> str:
    row = look.row
    for _ in range(up):
        row = look.parents[row]
    return row


def all_values(uid: str, repeats: tuple[str, ...], up: int) -> Run:
    """The field's values in every live row below the row `up` levels above the rule's own."""

    def run(look: Look) -> Value:
        values = look.values
        return tuple(values.get((uid, row)) for row in look.rows_under(repeats, row_above(look, up)))

    return run


def count_rows(compiler: Compiler, found: Named) -> Part:
    here, repeats = compiler.place.rows_of, (*found.rows_of, found.uid)
    kept = shared(here, found.rows_of)
    up = len(here) - kept
    compiler.reads.add(Read(found.uid, wide=True, rows=True))
    return NUMBER, lambda look: Decimal(sum(1 for _ in look.rows_under(repeats[kept:], row_above(look, up))))


def _counted(compiler: Compiler, node: Call) -> None:
    wanted = SPECIAL[node.name]
    given = len(node.args)
    right = given >= wanted if node.name == "coalesce" else given == wanted
    if not right:
        compiler.fail(node.at, "arguments", f"{node.name}() takes {wanted} values, not {given}.")


def _unified(compiler: Compiler, node: Call, kinds: list[Type]) -> Type:
    found = [kind for kind in kinds if kind.kind is not Kind.NOTHING]
    if found and {kind.kind for kind in found} <= WORDED:
        return found[0] if len({kind.kind for kind in found}) == 1 and len(found) == 1 else TEXT
    return compiler.of_arguments(node, kinds)


def _if(compiler: Compiler, node: Call) -> Part:
    _counted(compiler, node)
    (_, test), (yes_type, yes), (no_type, no) = (compiler.part(arg) for arg in node.args)
    kind = _unified(compiler, node, [yes_type, no_type])
    return kind, lambda look: yes(look) if truth(test(look)) else no(look)


def _coalesce(compiler: Compiler, node: Call) -> Part:
    _counted(compiler, node)
    parts = [compiler.part(arg) for arg in node.args]
    kind = _unified(compiler, node, [each for each, _ in parts])

    def run(look: Look) -> Value:
        for _, each in parts:
            if (value := each(look)) not in (None, "", ()):
                return value
        return None

    return kind, run


def _once(compiler: Compiler, node: Call) -> Part:
    """A default is evaluated once anyway; elsewhere the word would promise what a rule cannot keep."""
    _counted(compiler, node)
    if compiler.place.where is not Where.DEFAULT:
        compiler.fail(node.at, "once", "once() stands in a default: a default is worked out once.", "a default")
    return compiler.part(node.args[0])


def _position(compiler: Compiler, node: Call) -> Part:
    _counted(compiler, node)
    if not compiler.place.rows_of:
        compiler.fail(node.at, "position", "position() is the place of a row; this is not in a list of rows.")
    compiler.reads.add(Read(compiler.place.rows_of[-1], wide=True, rows=True))
    return NUMBER, lambda look: Decimal(look.position(look.row))


def _clock(kind: Type, read: Callable[[Any], Value], *, once: bool = False) -> Callable[[Compiler, Call], Part]:
    """What changes while nobody writes; `once` when it differs each time it is asked."""

    def build(compiler: Compiler, node: Call) -> Part:
        _counted(compiler, node)
        where = compiler.place.where
        if where not in CLOCKED or (once and where is not Where.DEFAULT):
            accepted = ("a default",) if once else ("a default", "a constraint")
            message = f"{node.name}() changes while nobody writes: it stands in {' or '.join(accepted)} only."
            compiler.fail(node.at, "clock", message, *accepted)
        compiler.clocked = True
        return kind, read

    return build


def _literal(compiler: Compiler, node: Call, arg: Node, what: str) -> str:
    if not isinstance(arg, Literal) or not isinstance(arg.value, str):
        compiler.fail(arg.at, "literal", f"{node.name}() takes the name of {what} in quotes here.")
    return arg.value


def _choice_name(compiler: Compiler, node: Call) -> Part:
    _counted(compiler, node)
    ref = node.args[0]
    if not isinstance(ref, Ref):
        compiler.fail(ref.at, "arguments", "choice-name() takes a field.", "${name}")
    named, names = compiler.named(ref.name, ref.at), compiler.names
    if not named.list_name:
        compiler.fail(ref.at, "arguments", f"{ref.name} has no list of choices.")
    kind, run = compiler.part(ref)
    if kind.many:
        compiler.fail(ref.at, "rows", "choice-name() takes one value; this is asked once for each row.")

    def label(look: Look) -> Value:
        value = run(look)
        codes = value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()
        found = [(names.choice(named.list_name, code) or {}).get("label", code) for code in codes]
        return " ".join(found) or None

    return TEXT, label


def _lookup(compiler: Compiler, node: Call) -> Part:
    """lookup('list', code, 'attribute'): what a list says of one of its codes."""
    _counted(compiler, node)
    list_name = _literal(compiler, node, node.args[0], "a list")
    attribute = _literal(compiler, node, node.args[2], "an attribute")
    names = compiler.names
    known = names.list_attributes(list_name)
    if known is None:
        compiler.fail(node.args[0].at, "unknown-list", f"There is no list {list_name!r}.")
    if attribute not in known | {"name", "label"}:
        close = nearest(attribute, known) or sorted(known)[:8]
        compiler.fail(node.args[2].at, "unknown-attribute", f"The list {list_name} has no {attribute!r}.", *close)
    _, code = compiler.part(node.args[1])

    def run(look: Look) -> Value:
        value = code(look)
        return (names.choice(list_name, value) or {}).get(attribute) if isinstance(value, str) else None

    return TEXT, run


def _of_own_rows(compiler: Compiler, node: Call) -> Named:
    _counted(compiler, node)
    ref = node.args[0]
    if not isinstance(ref, Ref):
        compiler.fail(ref.at, "arguments", f"{node.name}() takes a field of this list of rows.", "${name}")
    found = compiler.named(ref.name, ref.at)
    if found.is_repeat or not found.rows_of or found.rows_of != compiler.place.rows_of[: len(found.rows_of)]:
        compiler.fail(ref.at, "rows", f"{node.name}() takes a field of the rows this rule is in.", "sum()", "count()")
    return found


def _rows(compiler: Compiler, node: Call) -> Part:
    found = _of_own_rows(compiler, node)
    return compiler.every_value(found, len(found.rows_of) - 1)


def _previous(compiler: Compiler, node: Call) -> Part:
    found = _of_own_rows(compiler, node)
    up = len(compiler.place.rows_of) - len(found.rows_of)
    compiler.reads.add(Read(found.uid, wide=True))
    compiler.reads.add(Read(found.rows_of[-1], wide=True, rows=True))

    def run(look: Look) -> Value:
        before = look.row_before(row_above(look, up))
        return look.values.get((found.uid, before)) if before is not None else None

    return found.type, run


def _judging(what: str) -> Callable[[Compiler, Call], Part]:
    def build(compiler: Compiler, node: Call) -> Part:
        _counted(compiler, node)
        if compiler.place.where not in JUDGING:
            message = f"{node.name}() is known only after everything else: it stands in ask_when and in gates only."
            compiler.fail(node.at, "layer", message, "ask_when", "a gate")
        name = _literal(compiler, node, node.args[0], what)
        known = {"a step": compiler.names.steps(), "a gate": compiler.names.gates()}.get(what)
        if known is not None and name not in known:
            close = nearest(name, known) or sorted(known)[:8]
            compiler.fail(node.args[0].at, "unknown-name", f"There is no {what[2:]} {name!r}.", *close)
        if what == "a step":
            return TRUTH, lambda look: look.step_complete(name)
        if what == "a gate":
            return TEXT, lambda look: look.gate_outcome(name) or None
        return TRUTH, lambda look: name in look.roles

    return build


SPECIALS: dict[str, Callable[[Compiler, Call], Part]] = {
    "if": _if,
    "coalesce": _coalesce,
    "once": _once,
    "position": _position,
    "today": _clock(DATE, lambda look: look.today),
    "now": _clock(MOMENT, lambda look: look.now),
    "uuid": _clock(TEXT, lambda look: look.unique(), once=True),
    "random": _clock(NUMBER, lambda look: Decimal(int(look.unique()[:8], 16)) / Decimal(16**8), once=True),
    "choice-name": _choice_name,
    "lookup": _lookup,
    "rows": _rows,
    "previous": _previous,
    "complete": _judging("a step"),
    "gate": _judging("a gate"),
    "has-role": _judging("a role"),
}
