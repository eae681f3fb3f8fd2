"""Reading a rule: from text to its parts, or to a problem that says where and what would be accepted."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from formsengine.expressions.syntax import BINDS, Attribute, Binary, Call, Literal, Negative, Node, Own, Ref
from formsengine.problems import Problem, Refused

LONGEST = 4000
"""Characters of one rule."""
MOST_PARTS = 600
"""Words and signs of one rule, so that even a rule of nothing but `or` is not too deep to walk."""
DEEPEST = 40
"""Parentheses and calls within each other."""

TOKEN = re.compile(
    r"""(?P<space>\s+)
      |\$\{\s*(?P<ref>[^\s{}]+)\s*\}
      |(?P<number>\d{1,40}(?:\.\d{1,40})?|\.\d{1,40})
      |(?P<text>'[^']*'|"[^"]*")
      |(?P<word>[^\W\d][\w-]*(?::[^\W\d][\w-]*)?)
      |(?P<op><=|>=|!=|[-=<>+*])
      |(?P<mark>[(),.])""",
    re.VERBOSE,
)
WORDS_BETWEEN = {"or", "and", "div", "mod"}


class Token(NamedTuple):
    kind: str
    text: str
    at: int


def tokens(text: str) -> list[Token]:
    """The words and signs of a rule. Raises Refused at the first sign that has no meaning."""
    if len(text) > LONGEST:
        raise _refused("too-long", f"A rule has at most {LONGEST} characters.", LONGEST)
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise _refused("unreadable", _unreadable(text, at), at)
        kind, word = str(match.lastgroup), match.group(match.lastgroup or 0)
        if kind == "word" and word in WORDS_BETWEEN and _after_a_value(found):
            kind = "op"
        if kind != "space":
            found.append(Token(kind, word, at))
            if len(found) > MOST_PARTS:
                raise _refused("too-long", f"A rule has at most {MOST_PARTS} words and signs.", at)
        at = match.end()
    return found


def _after_a_value(found: list[Token]) -> bool:
    """Whether a word here stands between two values: `div` after a value divides, elsewhere it is a name."""
    if not found:
        return False
    last = found[-1]
    return last.kind in ("ref", "number", "text", "word") or last.text in (")", ".")


def _unreadable(text: str, at: int) -> str:
    sign = text[at]
    if sign in "'\"":
        return f"The text that begins with {sign} has no closing {sign}."
    if sign == "$":
        return "A field is written ${name}."
    if sign == "/":
        return "A rule divides with `div`, and names a field ${name}, not by a path."
    return f"{sign!r} has no meaning in a rule."


def _refused(code: str, message: str, at: int, *accepted: str) -> Refused:
    problem = Problem("", code, message, accepted, position=at)
    return Refused("expression", f"{message} (character {at + 1})", [problem])


def parse(text: str) -> Node:
    """The rule's parts. Raises Refused("expression") with the position of what cannot be read."""
    reader = _Reader(tokens(text), len(text))
    node = reader.expression(0, 0)
    if (extra := reader.peek()) is not None:
        raise _refused("unexpected", f"Nothing is expected at {extra.text!r}.", extra.at, "an operator", "the end")
    return node


class _Reader:
    """Reads tokens by how tightly operators bind, within a fixed depth."""

    def __init__(self, found: list[Token], end: int) -> None:
        self.found = found
        self.next = 0
        self.end = end

    def peek(self) -> Token | None:
        return self.found[self.next] if self.next < len(self.found) else None

    def expression(self, binds: int, depth: int) -> Node:
        if depth > DEEPEST:
            token = self.peek()
            raise _refused("too-deep", f"A rule is at most {DEEPEST} levels deep.", token.at if token else self.end)
        left = self.operand(depth)
        while (token := self.peek()) is not None and token.kind == "op" and BINDS[token.text] > binds:
            self.next += 1
            left = Binary(token.text, left, self.expression(BINDS[token.text], depth + 1), token.at)
        return left

    def operand(self, depth: int) -> Node:
        token = self.peek()
        if token is None:
            raise _refused("unfinished", "The rule ends where a value is expected.", self.end, "a field", "a value")
        self.next += 1
        match token.kind:
            case "ref":
                return Ref(token.text, token.at)
            case "number":
                return Literal(Decimal(token.text), token.at)
            case "text":
                return Literal(token.text[1:-1], token.at)
            case "word":
                return self.named(token, depth)
        if token.text == ".":
            return Own(token.at)
        if token.text == "-":
            return Negative(self.expression(BINDS["*"], depth + 1), token.at)
        if token.text == "(":
            inside = self.expression(0, depth + 1)
            self.expect(")")
            return inside
        raise _refused("unexpected", f"A value is expected at {token.text!r}.", token.at, "a field", "a value")

    def named(self, token: Token, depth: int) -> Node:
        opening = self.peek()
        if opening is None or opening.text != "(":
            return Attribute(token.text, token.at)
        self.next += 1
        args: list[Node] = []
        if (first := self.peek()) is not None and first.text == ")":
            self.next += 1
            return Call(token.text, (), token.at)
        while True:
            args.append(self.expression(0, depth + 1))
            after = self.peek()
            if after is not None and after.text == ",":
                self.next += 1
                continue
            self.expect(")")
            return Call(token.text, tuple(args), token.at)

    def expect(self, mark: str) -> None:
        token = self.peek()
        if token is None or token.text != mark:
            at, found = (token.at, repr(token.text)) if token else (self.end, "the end")
            raise _refused("unexpected", f"{mark} is expected instead of {found}.", at, mark)
        self.next += 1
