"""What a rule is made of once it is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Literal:
    """A number or a text written in the rule."""

    value: Decimal | str
    at: int


@dataclass(frozen=True, slots=True)
class Ref:
    """`${name}`: a field, or a repeat where rows are meant."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Own:
    """`.`: the answer that is judged."""

    at: int


@dataclass(frozen=True, slots=True)
class Attribute:
    """A bare word: an attribute of the choice that is filtered."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    args: tuple[Node, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Binary:
    op: str
    left: Node
    right: Node
    at: int


@dataclass(frozen=True, slots=True)
class Negative:
    operand: Node
    at: int


Node = Literal | Ref | Own | Attribute | Call | Binary | Negative

BINDS = {
    "or": 1,
    "and": 2,
    "=": 3,
    "!=": 3,
    "<": 4,
    "<=": 4,
    ">": 4,
    ">=": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "div": 6,
    "mod": 6,
}
"""How tightly each operator holds its operands; they group from the left."""


def children(node: Node) -> tuple[Node, ...]:
    match node:
        case Call(args=args):
            return args
        case Binary(left=left, right=right):
            return (left, right)
        case Negative(operand=operand):
            return (operand,)
    return ()


def walk(node: Node) -> Iterator[Node]:
    """The node and everything under it."""
    yield node
    for each in children(node):
        yield from walk(each)


def quoted(text: str) -> str:
    """A text as it is written in a rule. A text with both kinds of quotes is put together by `concat`."""
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    parts = [f"'{part}'" for part in text.split("'")]
    return "concat(" + ', "\'", '.join(parts) + ")"


def write(node: Node, holds: int = 0) -> str:
    """The rule as text, with no more parentheses than it needs; reading it back gives the same rule."""
    match node:
        case Literal(value=value):
            return quoted(value) if isinstance(value, str) else format(value, "f")
        case Ref(name=name):
            return "${" + name + "}"
        case Own():
            return "."
        case Attribute(name=name):
            return name
        case Call(name=name, args=args):
            return f"{name}({', '.join(write(arg) for arg in args)})"
        case Negative(operand=operand):
            return f"-{write(operand, 7)}"
        case Binary(op=op, left=left, right=right):
            binds = BINDS[op]
            text = f"{write(left, binds)} {op} {write(right, binds + 1)}"
            return f"({text})" if binds < holds else text
