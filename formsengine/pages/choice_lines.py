"""A long list of choices as it is edited, one a line: `code | label | label in the next language | of=north | retired`.

A word that would be read as something else stands in double quotes: a label such as "pH = 7" or "north | south", and
the value of an attribute, `of="north | south"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from formsengine.editing.parts import Data

FLAGS = ("exclusive", "retired")
QUOTED = re.compile(r'"((?:[^"]|"")*+)"\s*+(?=\||$)')


@dataclass
class Line:
    """A choice as its line says it. `wrong` names what in it is no attribute."""

    number: int
    code: str
    labels: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    wrong: str = ""


class Part(NamedTuple):
    """What stands between two bars: words, or the value of an attribute by its name. `quoted` when in quotes."""

    word: str
    quoted: bool = False
    name: str = ""


def written(choices: Iterable[Data], languages: Sequence[str]) -> str:
    """The list as lines. Read back it is the same list, but that a label of several lines is one line."""
    made = []
    for one in choices:
        labels = [_quoted(one.get("label", {}).get(each, "")) for each in languages]
        pairs = [f"{key}={_quoted(value)}" for key, value in one.get("attributes", {}).items()]
        flags = [key for key in FLAGS if one.get(key)]
        made.append(" | ".join([_quoted(one["code"]), *labels, *pairs, *flags]).rstrip(" |"))
    return "\n".join(made)


def read(text: str) -> Iterator[Line]:
    """Each line that says anything. Labels stand in the order of the languages, empty ones too."""
    for number, line in enumerate(text.splitlines(), start=1):
        parts = list(_parts(line))
        if not any(part.word for part in parts):
            continue
        code, *rest = parts
        made = Line(number, code.word)
        for part in rest:
            if part.name:
                made.attributes[part.name] = part.word
            elif part.quoted or ("=" not in part.word and part.word not in FLAGS):
                made.labels.append(part.word)
            elif part.word in FLAGS:
                made.flags.append(part.word)
            else:
                made.wrong = part.word
        yield made


def _parts(line: str) -> Iterator[Part]:
    """What stands between the bars, in one pass."""
    at = 0
    while at <= len(line):
        bar = line.find("|", at)
        end = len(line) if bar < 0 else bar
        start = at + len(line[at:end]) - len(line[at:end].lstrip())
        name, sign, after = line[start:end].partition("=")
        value = end - len(after.lstrip()) if sign else start
        if found := QUOTED.match(line, start) or (sign and '"' not in name and QUOTED.match(line, value)) or None:
            whole = found.start() == start
            yield Part(found[1].replace('""', '"'), True, "" if whole else name.strip())
            at = found.end() + 1
            continue
        word = after.strip()
        if name.strip() and word:
            yield Part(word, name=name.strip())
        else:
            yield Part(line[start:end].strip())
        at = end + 1


def _quoted(text: str) -> str:
    plain = text == text.strip() and text not in FLAGS and not re.search(r'[|="\n\r]', text)
    return text if plain else '"' + " ".join(text.splitlines()).replace('"', '""') + '"'
