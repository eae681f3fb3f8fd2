"""Choices by code, or by a label in any language that only one of them has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from formsengine.definition.model import Choice, Question
from formsengine.definition.plan import OTHER, PlannedList
from formsengine.problems import nearest
from formsengine.values.refusing import Unreadable

MOST_SHOWN = 12
"""Choices named in a refusal."""
MOST_CHOSEN = 1000


def read_choice(question: Question, raw: Any, choices: PlannedList | None) -> tuple[Any, bool]:
    """The code, and whether it was coerced. Raises Unreadable naming the nearest choices."""
    if isinstance(raw, Mapping):
        return _other(question, raw, choices)
    if isinstance(raw, bool) or not isinstance(raw, str | int):
        raise Unreadable("type", f"{question.name} is one choice.", *_shown(choices))
    text = str(raw)
    if choices is None or text in choices.by_code:
        return text, not isinstance(raw, str)
    word = " ".join(text.split()).casefold()
    found = {choice.code: choice for choice in choices.choices if word in _words(choice)}
    if len(found) == 1:
        return next(iter(found)), True
    if len(found) > 1:
        message = f"{text!r} is the name of several choices of {question.name}."
        raise Unreadable("several", message, *(f"{code} ({_label(choice)})" for code, choice in found.items()))
    if question.other and word == OTHER:
        raise Unreadable("other", f"Say what the other answer to {question.name} is.", '{"other": "..."}')
    raise Unreadable("unknown-choice", f"{question.name} has no choice {text!r}.", *_near(word, choices, question))


def read_choices(question: Question, raw: Any, choices: PlannedList | None) -> tuple[list[Any], bool]:
    """The codes in the order given, each once."""
    given, coerced = (raw, False) if isinstance(raw, list) else (_split(raw, choices), True)
    if len(given) > MOST_CHOSEN:
        raise Unreadable("too-many", f"At most {MOST_CHOSEN} choices are taken.")
    made: list[Any] = []
    for each in given:
        value, changed = read_choice(question, each, choices)
        coerced = coerced or changed or value in made
        if value not in made:
            made.append(value)
    return made, coerced


def _split(raw: Any, choices: PlannedList | None) -> list[Any]:
    """One text is one choice if it is a code or a label; otherwise commas part the choices, or spaces the codes."""
    if not isinstance(raw, str) or choices is None:
        return [raw]
    word = raw.strip().casefold()
    if raw in choices.by_code or any(word in _words(choice) for choice in choices.choices):
        return [raw]
    if "," in raw:
        return [part.strip() for part in raw.split(",") if part.strip()]
    parts = raw.split()
    return parts if all(part in choices.by_code for part in parts) else [raw]


def _other(question: Question, raw: Mapping[str, Any], choices: PlannedList | None) -> tuple[Any, bool]:
    text = raw.get("other") or raw.get("text")
    code = raw.get("code")
    if question.other and isinstance(text, str) and text.strip() and code in (None, OTHER):
        return {"code": OTHER, "text": text.strip()}, "other" in raw
    if isinstance(code, str) and not text:
        return read_choice(question, code, choices)
    accepted = ('{"other": "..."}',) if question.other else _shown(choices)
    raise Unreadable("other", f"{question.name} does not take this as an answer.", *accepted)


def _words(choice: Choice) -> set[str]:
    return {" ".join(text.split()).casefold() for text in choice.label.values()} | {choice.code.casefold()}


def _label(choice: Choice) -> str:
    return next(iter(choice.label.values()), choice.code)


def _shown(choices: PlannedList | None) -> tuple[str, ...]:
    offered = [choice for choice in choices.choices if not choice.retired] if choices else []
    return tuple(f"{choice.code} ({_label(choice)})" for choice in offered[:MOST_SHOWN])


def _near(word: str, choices: PlannedList, question: Question) -> tuple[str, ...]:
    named = {text: choice for choice in choices.choices for text in _words(choice)}
    close = tuple(f"{named[text].code} ({_label(named[text])})" for text in nearest(word, named))
    more = ('{"other": "..."}',) if question.other else ()
    return (*(dict.fromkeys(close) or _shown(choices)), *more)
