"""Expressions of spreadsheet forms, written in the language of rules. What changes in writing is reported."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from formsengine.expressions.parse import LONGEST, parse
from formsengine.expressions.syntax import Binary, Call, Literal, Negative, Node, Own, Ref, quoted, write
from formsengine.expressions.types import Kind
from formsengine.problems import Refused

QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "‛": "'", "„": '"'})
SIGNS = {
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "&&": " and ",
    "||": " or ",
    "==": "=",
    "–": "-",
    "−": "-",
    "\n": " ",
    "\r": " ",
}
SPACES = {"\n": " ", "\r": " ", "\u00a0": " "}
PATH = re.compile(
    r"(?:current\(\)/)?(?:\.\./)+(?P<up>[\w.-]+(?:/[\w.-]+)*)|(?<![\w.)\]])/(?P<root>[\w-]+(?:/[\w.-]+)+)"
)
ITEM = re.compile(
    r"instance\(\s*'(?P<list>[\w.-]+)'\s*\)/root/item\s*\[\s*name\s*=\s*(?P<code>[^\]]+)\]\s*/\s*(?P<what>[\w-]+)"
)
STRINGS = re.compile(r"'[^']*'|\"[^\"]*\"")

SAME = {
    "format-date-time": "format-date",
}
FOREIGN = {
    "boolean-from-string": "a text is not made yes or no by a rule",
    "pulldata": "values from a file beside the form are not looked up",
    "indexed-repeat": "a row is not named by its place",
    "instance": "a list beside the form is not searched",
    "checklist": "checklists are not counted",
    "weighted-checklist": "checklists are not counted",
    "area": "areas are not measured",
    "distance": "distances are not measured",
    "digest": "digests are not made",
    "randomize": "choices are not shuffled by a rule",
    "property": "properties of a device are not read",
    "ceiling": "rounding up has no function",
    "floor": "rounding down has no function",
    "translate": "letters are not replaced one by one",
    "substring-before": "texts are not cut at a text",
    "substring-after": "texts are not cut at a text",
    "thousand": "grouping digits has no function",
}


OF_TEXT = {"concat", "string", "join", "choice-name", "selected-at", "substr"}
OF_NUMBER = {"number", "int", "round", "count", "sum", "string-length", "count-selected"}


class NotReadable(Exception):
    """An expression that has no meaning here, and why."""


@dataclass(slots=True)
class Written:
    """A rule in our language, and what is written otherwise than it was."""

    text: str
    why: list[str] = field(default_factory=list)


def rewrite(text: str, kinds: Mapping[str, Kind], own: Kind | None = None, *, counts: bool = False) -> Written:
    """The rule that means the same, a number where it `counts`. Raises NotReadable with the reason."""
    if len(text) > LONGEST:
        raise NotReadable(f"A rule has at most {LONGEST} characters.")
    made = Written(text)
    plainly = _plain(text, made)
    plainly = _paths(plainly, kinds, made)
    try:
        node = parse(plainly)
    except Refused as refused:
        raise NotReadable(_foreign(plainly) or refused.message) from None
    rewriter = _Rewriter(kinds, own, made)
    node = rewriter.counted(rewriter.visit(node)) if counts else rewriter.visit(node)
    made.text = write(node)
    return made


def _plain(text: str, made: Written) -> str:
    straight = text.translate(QUOTES)
    if straight != text:
        made.why.append("curly quotes made straight")
    parts, last = [], 0
    for match in STRINGS.finditer(straight):
        parts += [_signs(straight[last : match.start()], made), match.group()]
        last = match.end()
    return "".join([*parts, _signs(straight[last:], made)]).strip()


def _signs(text: str, made: Written) -> str:
    for sign, ours in SIGNS.items():
        if sign in text:
            text = text.replace(sign, ours)
            made.why.append(f"{sign} written {ours.strip()}")
    for space, ours in SPACES.items():
        text = text.replace(space, ours)
    return text


def _paths(text: str, kinds: Mapping[str, Kind], made: Written) -> str:
    def item(match: re.Match[str]) -> str:
        made.why.append("a list is looked up by its code")
        return f"lookup('{match['list']}', {match['code'].strip()}, '{match['what']}')"

    def path(match: re.Match[str]) -> str:
        name = (match["up"] or match["root"]).rpartition("/")[2]
        made.why.append("a field is named instead of a path")
        return "${" + name + "}"

    text = ITEM.sub(item, text)
    text = re.sub(r"position\(\s*\.\.\s*\)", "position()", text)
    return PATH.sub(path, text)


def _foreign(text: str) -> str:
    for name, why in FOREIGN.items():
        if re.search(rf"(?<![\w-]){re.escape(name)}\s*\(", text):
            return f"{name}(): {why}."
    return ""


class _Rewriter:
    """Makes types explicit where spreadsheet forms leave them to be guessed."""

    def __init__(self, kinds: Mapping[str, Kind], own: Kind | None, made: Written) -> None:
        self.kinds = kinds
        self.own = own
        self.made = made

    def kind(self, node: Node) -> Kind | None:
        match node:
            case Ref(name=name):
                return self.kinds.get(name)
            case Own():
                return self.own
            case Call(name=name) if name in OF_TEXT:
                return Kind.TEXT
            case Call(name=name) if name in OF_NUMBER:
                return Kind.NUMBER
            case Binary(op=op) if op in ("+", "-", "*", "div", "mod"):
                return Kind.NUMBER
        return None

    def visit(self, node: Node) -> Node:
        match node:
            case Call(name=name, args=args, at=at):
                return self.call(name, tuple(self.visit(arg) for arg in args), at)
            case Negative(operand=operand, at=at):
                return Negative(self.visit(operand), at)
            case Binary(op=op, left=left, right=right, at=at):
                return self.binary(op, self.visit(left), self.visit(right), at)
        return node

    def call(self, name: str, args: tuple[Node, ...], at: int) -> Node:
        if name in ("jr:choice-name", "choice-name") and len(args) == 2:
            self.made.why.append("jr:choice-name() takes the field alone")
            named = args[1]
            inside = re.fullmatch(r"\$\{\s*([^}\s]+)\s*\}", str(named.value)) if isinstance(named, Literal) else None
            return Call("choice-name", (Ref(inside[1], at) if inside else args[0],), at)
        if name in FOREIGN:
            raise NotReadable(f"{name}(): {FOREIGN[name]}.")
        if name == "once" and len(args) == 1:
            return Call("once", args, at)
        if name in SAME:
            self.made.why.append(f"{name}() written {SAME[name]}()")
            return Call(SAME[name], args, at)
        if (
            name == "selected"
            and len(args) == 2
            and isinstance(args[1], Literal)
            and isinstance(args[1].value, Decimal)
        ):
            self.made.why.append("a code is a text")
            return Call(name, (args[0], _as_text(args[1])), at)
        if name == "date" and not args:
            return Call("today", (), at)
        return Call(name, args, at)

    def binary(self, op: str, left: Node, right: Node, at: int) -> Node:
        if op in ("=", "!=", "<", "<=", ">", ">="):
            left, right = self.compared(op, left, right), self.compared(op, right, left, other_was=left)
            acknowledged = self.acknowledged(op, left, right)
            return acknowledged or Binary(op, left, right, at)
        if op in ("+", "-", "*", "div", "mod"):
            return Binary(op, self.counted(left), self.counted(right), at)
        return Binary(op, left, right, at)

    def acknowledged(self, op: str, left: Node, right: Node) -> Node | None:
        """`${ack} = 'OK'`: an acknowledgement is a yes."""
        for one, other in ((left, right), (right, left)):
            if self.kind(one) is Kind.TRUTH and isinstance(other, Literal) and op in ("=", "!="):
                word = str(other.value).lower()
                if word in ("ok", "yes", "true", "1", "no", "false", "0"):
                    self.made.why.append("yes or no is not compared with a text")
                    positive = (word in ("ok", "yes", "true", "1")) is (op == "=")
                    return one if positive else Call("not", (one,), one.at)
        return None

    def compared(self, op: str, node: Node, other: Node, *, other_was: Node | None = None) -> Node:
        """One side of a comparison, made of the other side's type."""
        mine, theirs = self.kind(node), self.kind(other_was or other)
        if (
            isinstance(node, Literal)
            and isinstance(node.value, Decimal)
            and theirs in (Kind.TEXT, Kind.CODE, Kind.CODES)
        ):
            if op in ("=", "!="):
                self.made.why.append("a text is compared with a text")
                return _as_text(node)
            return node
        other_literal = isinstance(other, Literal) and isinstance(other.value, Decimal)
        ordered = op not in ("=", "!=")
        if (
            ordered
            and mine in (Kind.TEXT, Kind.CODE)
            and (other_literal or theirs in (Kind.NUMBER, Kind.TEXT, Kind.CODE))
        ):
            self.made.why.append("a text is ordered as a number")
            return Call("number", (node,), node.at)
        if mine is Kind.CODES and theirs is not Kind.CODES and isinstance(other, Literal) and other.value != "":
            self.made.why.append("several choices are compared as one text")
            return Call("join", (Literal(" ", node.at), node), node.at)
        if not ordered and mine in (Kind.TEXT, Kind.CODE) and theirs is Kind.NUMBER and not isinstance(other, Literal):
            self.made.why.append("a text is compared as a number")
            return Call("number", (node,), node.at)
        return node

    def counted(self, node: Node) -> Node:
        if self.kind(node) in (Kind.TEXT, Kind.CODE):
            self.made.why.append("a text is calculated with as a number")
            return Call("number", (node,), node.at)
        return node


def _as_text(node: Node) -> Node:
    if not isinstance(node, Literal):
        return node
    value = node.value
    return Literal(format(value, "f") if isinstance(value, Decimal) else value, node.at)


def default_rule(text: str, kind: str) -> str:
    """A default of a sheet as a rule: an expression as it stands, anything else as a value of the field's type."""
    straight = text.translate(QUOTES)
    if "${" in straight or re.search(r"[\w-]\(", straight):
        return text
    if kind in ("integer", "decimal") and re.fullmatch(r"-?\d+(\.\d+)?", straight):
        return straight
    if kind == "boolean":
        return "true()" if straight.lower() in ("ok", "yes", "true", "1") else "false()"
    if kind == "date":
        return f"date({quoted(straight)})"
    return quoted(text)
