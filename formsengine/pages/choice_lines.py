"""A long list of choices as it is edited, one a line: `code | label | label in the next language | of=north | retired`.

A word that would be read as something else stands in double quotes: a label such as "pH = 7" or "north | south", and
the value of an attribute, `of="north | south"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from formsengine.editing.parts import Data

FLAGS = ("exclusive", "retired")
QUOTED = r'"((?:[^"]|"")*)"'
PART = re.compile(rf"\s*(?:{QUOTED}|([^|\"=]+?)\s*=\s*{QUOTED}|([^|]*?))\s*(?:\||$)")


@dataclass
class Line:
    """A choice as its line says it. `wrong` names what in it is no attribute."""

    number: int
    code: str
    labels: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    wrong: str = ""


def written(choices: Iterable[Data], languages: Sequence[str]) -> str:
    """The list as lines; read back it is the same list."""
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
        if not any(word for word, _ in parts):
            continue
        (code, _), *rest = parts
        made = Line(number, code)
        for word, quoted in rest:
            name, sign, value = (each.strip() for each in word.partition("="))
            if quoted or (not sign and word not in FLAGS):
                made.labels.append(word)
            elif word in FLAGS:
                made.flags.append(word)
            elif name and value:
                made.attributes[name] = value
            else:
                made.wrong = word
        yield made


def _parts(line: str) -> Iterator[tuple[str, bool]]:
    """The words between bars, and whether each stood in quotes."""
    at = 0
    while at <= len(line):
        found = PART.match(line, at)
        if found is None:
            yield line[at:].strip(), False
            return
        if found[1] is not None:
            yield found[1].replace('""', '"'), True
        elif found[2] is not None:
            yield f"{found[2]}={found[3]}".replace('""', '"'), False
        else:
            yield found[4].strip(), False
        if found.end() == len(line) and not found[0].endswith("|"):
            return
        at = found.end()


def _quoted(text: str) -> str:
    plain = text == text.strip() and text not in FLAGS and not re.search(r'[|="\n\r]', text)
    return text if plain else '"' + re.sub(r"\s*[\r\n]+\s*", " ", text).replace('"', '""') + '"'
