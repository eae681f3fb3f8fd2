"""How a reader writes numbers and dates: declared by a link of the page and kept for the session, never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from babel.numbers import format_decimal
from django.http import HttpRequest

from formsengine.values.numbers import known_locale

NOTATION = "forms-notation"
"""Where a session keeps it."""
PLAIN = "plain"
MOST = 4
SAMPLE = Decimal("1.5")


def declared(request: HttpRequest) -> str | None:
    """What this reader declared, here or before; None where only `1.5` and `2026-05-12` are read."""
    wanted = request.GET.get("numbers", "")[:35]
    if wanted == PLAIN:
        request.session.pop(NOTATION, None)
    elif wanted and known_locale(wanted) is not None:
        request.session[NOTATION] = wanted
    found = request.session.get(NOTATION)
    return str(found) if found else None


def offered(request: HttpRequest, here: str, language: str) -> list[dict[str, object]]:
    """Notations to declare, each with a number as it is written in it: those the browser names, and the form's own."""
    chosen = declared(request) or ""
    found = {code: _words(code) for code in [chosen, *_named(request), language] if code and known_locale(code)}
    shown = {PLAIN: str(SAMPLE), **dict(list(found.items())[:MOST])}
    return [
        {"words": words, "url": f"{here}&numbers={code}", "here": code == (chosen or PLAIN)}
        for code, words in shown.items()
    ]


def _named(request: HttpRequest) -> Iterator[str]:
    """The languages that the browser asks for, with their countries."""
    for part in request.headers.get("Accept-Language", "")[:200].split(","):
        code = part.partition(";")[0].strip()
        if re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}", code):
            yield code


def _words(code: str) -> str:
    locale = known_locale(code)
    return f"{code}: {format_decimal(SAMPLE, locale=locale)}" if locale else code
