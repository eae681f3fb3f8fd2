"""Links within markdown: found, and written anew when what they point at moves. Text is never read as anything else."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect
from collections.abc import Callable, Iterator
from urllib.parse import quote, unquote

from memoryapp.access.paths import normal, parent
from memoryapp.doors.errors import Invalid

_LINK = re.compile(
    r"(?P<before>\]\(\s{0,8}<?)(?P<there>[^()<>\s]{1,3000})(?P<after>>?(?:\s{1,8}\"[^\"\n]{0,300}\")?\s{0,8}\))"
)
_FENCE = re.compile(r"^(```|~~~)", re.MULTILINE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_RESERVED = re.compile(r"[\s()<>%#?\\\"]")
MOST = 500


def found(text: str, path: str) -> list[str]:
    """The paths that a markdown text of a file leads to, each once, in order. Other addresses are none of ours."""
    seen: dict[str, None] = {}
    for match in _links(text):
        target = leads_to(match.group("there"), path)
        if target is not None:
            seen[target] = None
        if len(seen) == MOST:
            break
    return list(seen)


def leads_to(there: str, path: str) -> str | None:
    """The path that a link within a file means; None when it is no link to a file."""
    address = unquote(there.partition("#")[0].partition("?")[0])
    if not address or _SCHEME.match(address) or address.startswith("//"):
        return None
    whole = posixpath.normpath(posixpath.join(parent(path), address))
    try:
        target = normal(whole)
    except Invalid:
        return None
    return target if target != "/" else None


def rewritten(text: str, before: str, after: str, moved: Callable[[str], str]) -> str:
    """The text of a file that stood at `before` and stands at `after`, with links that lead where their targets are
    now. Those that are right as they stand are left alone."""
    out: list[str] = []
    at = 0
    for match in _links(text):
        there = match.group("there")
        target = leads_to(there, before)
        if target is None:
            continue
        meant = moved(target)
        if leads_to(there, after) == meant:
            continue
        tail = there[len(re.split(r"[?#]", there, maxsplit=1)[0]) :]
        out += [text[at : match.start("there")], _RESERVED.sub(lambda one: quote(one.group(), safe=""), meant) + tail]
        at = match.end("there")
    return "".join([*out, text[at:]])


def _links(text: str) -> Iterator[re.Match[str]]:
    fences = [match.start() for match in _FENCE.finditer(text)]
    for match in _LINK.finditer(text):
        if bisect(fences, match.start()) % 2 == 0:
            yield match
