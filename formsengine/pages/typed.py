"""What was typed in the editor of a form, as values of the part it was typed for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from formsengine.editing.acts import free_name
from formsengine.editing.parts import WHOLE, Data
from formsengine.pages import choice_lines
from formsengine.pages.properties import DATA_KEYS, Property
from memoryapp.doors.errors import Invalid, Violation

MOST = 100_000
"""Characters of one value."""
LONGEST_LIST = 2_000_000
"""Characters of a list of choices as lines."""
LONGEST_TABLE = 60
"""Choices shown in a table; more stand as lines."""


class Typed:
    """The values of a page that was sent. Keys that the page did not show are left alone."""

    def __init__(self, posted: Mapping[str, str], languages: list[str]) -> None:
        self.posted, self.languages = posted, languages
        self.wrong: list[Violation] = []

    def text(self, name: str) -> str:
        return str(self.posted.get(name, "")).replace("\x00", "").replace("\r\n", "\n").strip()[:MOST]

    def values(self, part_id: str, properties: list[Property], before: Data) -> dict[str, Any]:
        """Key and value, None for what is taken away. Raises Invalid with the place of what cannot be read."""
        made: dict[str, Any] = {}
        for each in properties:
            if f"has:{each.key}" in self.posted:
                made |= getattr(self, f"_{each.kind}")(each, before)
        if part_id == WHOLE and "languages" in made:
            made["default_language"] = (made["languages"] or ["en"])[0]
        if part_id.startswith("binding:"):
            made = _binding(made, before)
        if self.wrong:
            raise Invalid.all(self.wrong)
        return made

    def fail(self, key: str, message: str, accepted: str = "") -> None:
        self.wrong.append(Violation(key, "unreadable", message, accepted))

    # One for each kind of property.

    def _line(self, each: Property, before: Data) -> dict[str, Any]:
        return {each.key: self.text(each.key) or None}

    _rule = _name = _long = _select = _list = _line

    def _flag(self, each: Property, before: Data) -> dict[str, Any]:
        on = self.text(each.key) == "yes"
        if each.key == "may_not_decline":
            return {"may_decline": False if on else None}
        return {each.key: True if on else None}

    def _words(self, each: Property, before: Data) -> dict[str, Any]:
        found = [word.strip() for word in re.split(r"[,\n]", self.text(each.key)) if word.strip()]
        return {each.key: found or None}

    def _whole(self, each: Property, before: Data) -> dict[str, Any]:
        text = self.text(each.key)
        if text and not (text.isascii() and text.isdigit() and len(text) < 6):
            self.fail(each.key, f"“{text[:40]}” is no whole number.", "3")
        return {each.key: int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None}

    def _texts(self, each: Property, before: Data) -> dict[str, Any]:
        made = {key: text for key, text in (before.get(each.key) or {}).items() if key not in self.languages}
        for language in self.languages:
            if text := self.text(f"{each.key}:{language}"):
                made[language] = text
        return {each.key: made or None}

    def _required(self, each: Property, before: Data) -> dict[str, Any]:
        wanted, rule = self.text("required"), self.text("required:rule")
        return {"required": True if wanted == "yes" else rule or None if wanted == "rule" else None}

    def _constraints(self, each: Property, before: Data) -> dict[str, Any]:
        made, number = [], 0
        kept = before.get(each.key) or []
        while f"{each.key}:{number}:test" in self.posted:
            here = f"{each.key}:{number}"
            test = self.text(f"{here}:test")
            message = {one: text for one in self.languages if (text := self.text(f"{here}:message:{one}"))}
            if test:
                old = next((dict(one) for one in kept if one["test"] == test), {})
                warns = self.text(f"{here}:severity") == "warning"
                made.append(old | {"test": test, "message": message, "severity": "warning" if warns else "error"})
            elif message:
                self.fail(here, "There is a message and no rule.", "a rule, or no message")
            number += 1
        return {each.key: made or None}

    def _prefill(self, each: Property, before: Data) -> dict[str, Any]:
        source, key = self.text("prefill:source"), self.text("prefill:key")
        if source and not key:
            self.fail("prefill", "Say which property or answer it is taken from.", "birthday")
        policy = self.text("prefill:policy") or "suggest"
        return {"prefill": {"source": source, "key": key, "policy": policy} if source and key else None}

    def _pairs(self, each: Property, before: Data) -> dict[str, Any]:
        made = {}
        for line in self.text(each.key).splitlines():
            name, sign, field = (part.strip() for part in line.partition("="))
            if not (name and sign and field):
                self.fail(each.key, f"“{line.strip()[:60]}” is no pair.", "name = employer_name")
            made[name] = field
        return {each.key: made or None}

    def _lines(self, each: Property, before: Data) -> dict[str, Any]:
        """Participants: what else is said of one that stays is kept."""
        key = each.key.rpartition(".")[2]
        old = {one["node"]: one for one in before.get("data", {}).get(key, ()) if isinstance(one, dict)}
        named = [line.strip() for line in self.text(each.key).splitlines() if line.strip()]
        return {each.key: [old.get(name, {"node": name}) for name in named] or None}

    def _choices(self, each: Property, before: Data) -> dict[str, Any]:
        old = {one["code"]: one for one in before.get("choices", ())}
        made = self._listed(old) if "choices:lines" in self.posted else self._tabled(old)
        return {"choices": made}

    def _tabled(self, old: Mapping[str, Data]) -> list[Data]:
        """A line each. A new one without a code gets one made of its label; one whose code was emptied goes."""
        typed = {str(text).strip() for key, text in self.posted.items() if re.fullmatch(r"choices:\d+:code", key)}
        made: list[Data] = []
        number = 0
        while f"choices:{number}:code" in self.posted:
            here = f"choices:{number}"
            code = self.text(f"{here}:code")
            label = {one: text for one in self.languages if (text := self.text(f"{here}:label:{one}"))}
            attributes = self._attributes(here, self.text(f"{here}:attributes"))
            taken_away = not code and self.text(f"{here}:was")
            if not code and label and not taken_away:
                code = free_name(next(iter(label.values())), typed | {one["code"] for one in made})
            if code:
                flags: Data = {key: True for key in ("exclusive", "retired") if self.text(f"{here}:{key}") == "yes"}
                made.append(_choice(old.get(code), code, label, attributes, flags))
            elif attributes and not taken_away:
                self.fail(f"choices:{number}", f"Choice {number + 1} has no label.", "a label such as North")
            number += 1
        return made

    def _listed(self, old: Mapping[str, Data]) -> list[Data]:
        """A choice a line."""
        made: list[Data] = []
        lines = str(self.posted.get("choices:lines", "")).replace("\x00", "")
        if len(lines) > LONGEST_LIST:
            self.fail("choices", f"These are {len(lines)} characters.", f"at most {LONGEST_LIST}")
            return made
        for line in choice_lines.read(lines):
            if not line.code:
                self.fail("choices", f"Line {line.number} has no code.", "code | label | region=north")
                continue
            if line.wrong:
                self.fail("choices", f"“{line.wrong[:60]}” in line {line.number} is no attribute.", "region=north")
            label = {key: text for key, text in zip(self.languages, line.labels, strict=False) if text}
            flags: Data = dict.fromkeys(line.flags, True)
            made.append(_choice(old.get(line.code), line.code, label, line.attributes, flags))
        return made

    def _attributes(self, key: str, text: str) -> dict[str, str]:
        made = {}
        for pair in filter(None, (part.strip() for part in text.split(","))):
            name, sign, value = (part.strip() for part in pair.partition("="))
            if not (name and sign and value):
                self.fail(key, f"“{pair[:60]}” is no attribute.", "region=north")
            else:
                made[name] = value
        return made


def _choice(old: Data | None, code: str, label: Data, attributes: Data, flags: Data) -> Data:
    kept = {key: value for key, value in (old or {}).items() if key in ("uid", "media")}
    made: Data = {"code": code, **kept, **flags}
    if label:
        made["label"] = label
    if attributes:
        made["attributes"] = attributes
    return made


def _binding(made: Data, before: Data) -> Data:
    """What is typed for the data of a binding, put into it; what belongs to another kind of binding goes."""
    into = made.get("into") or before.get("into")
    data = {key: value for key, value in before.get("data", {}).items() if into == before.get("into")}
    for key in [key for key in made if key.startswith("data.")]:
        value = made.pop(key)
        data |= {key[5:]: value}
    data = {key: value for key, value in data.items() if value is not None}
    if into != before.get("into"):
        data = {key: value for key, value in data.items() if key in DATA_KEYS.get(str(into), ())}
    return made | {"data": data}
