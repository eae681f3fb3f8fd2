"""What differs between two documents: in words for people, and as changes that lead from one to the other."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memoryapp.ontology.changeset.changes import FAMILIES, PROPERTIES, Change, read_changes
from memoryapp.ontology.changeset.kinds import FAMILY_WORDS
from memoryapp.ontology.document import OntologyDocument
from memoryapp.ontology.schemas import in_words

PLAIN = {"formerly", "renamed"}
"""Fields that follow from others and are not told."""


@dataclass(frozen=True)
class Difference:
    """One place that differs: `was` and `now` in words, empty where there was or is nothing."""

    family: str
    type: str
    place: str
    was: str
    now: str

    @property
    def sort(self) -> str:
        return "added" if not self.was else "removed" if not self.now else "changed"

    @property
    def path(self) -> str:
        return "/" + "/".join(
            step for step in (self.family, self.type.replace("/", "~1"), self.place.replace(" ", "/")) if step
        )

    def as_data(self) -> dict[str, str]:
        return {
            "path": self.path,
            "change": self.sort,
            "family": FAMILY_WORDS.get(self.family, self.family),
            "type": self.type,
            "place": self.place,
            "was": self.was,
            "now": self.now,
        }


def differences(before: OntologyDocument, after: OntologyDocument) -> list[Difference]:
    """Every place that differs, in the order of the document."""
    old, new = before.as_data(), after.as_data()
    found = [
        Difference("", "", field, worded(old.get(field)), worded(new.get(field)))
        for field in ("name", "title", "description")
        if old.get(field) != new.get(field)
    ]
    for family in FAMILIES:
        was, now = old.get(family, {}), new.get(family, {})
        for name in [*was, *(one for one in now if one not in was)]:
            found += _of_type(family, name, was.get(name), now.get(name))
    return found


def _of_type(family: str, name: str, was: Any, now: Any) -> Iterator[Difference]:
    if was == now:
        return
    if was is None or now is None:
        yield Difference(family, name, "", "" if was is None else summary(was), "" if now is None else summary(now))
        if was is not None:
            return
    parts = {PROPERTIES.get(family, ""), "roles", "templates", "normalisers"}
    old, new = was or {}, now or {}
    for field in [*old, *(one for one in new if one not in old)]:
        before, after = old.get(field), new.get(field)
        if before == after or field in PLAIN:
            continue
        if field in parts:
            for part in [*(before or {}), *(one for one in after or {} if one not in (before or {}))]:
                left, right = (before or {}).get(part), (after or {}).get(part)
                if left != right:
                    yield Difference(family, name, f"{field} {part}", worded(left), worded(right))
        elif was is not None or field not in ("title", "description", "parent"):
            yield Difference(family, name, field, worded(before), worded(after))


def summary(declared: Mapping[str, Any]) -> str:
    """A type in one line."""
    said = [declared.get("title", ""), f"below {declared['parent']}" if declared.get("parent") else ""]
    return ", ".join(one for one in said if one) or "declared"


def worded(value: Any) -> str:
    """A declared value in words."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict) and ("type" in value or "enum" in value):
        return in_words(value)
    if isinstance(value, dict):
        return "; ".join(f"{key}: {worded(one)}" for key, one in value.items()) or "nothing"
    if isinstance(value, list):
        return ", ".join(" and ".join(map(worded, one)) if isinstance(one, list) else worded(one) for one in value)
    return str(value) or json.dumps(value)


def changes_between(before: OntologyDocument, after: OntologyDocument) -> list[Change]:
    """Changes that lead from one document to the other; a type that says what it was called is the same type."""
    return read_changes([*_renames(before, after), *_types_between(before, after)])


def _renames(before: OntologyDocument, after: OntologyDocument) -> Iterator[dict[str, Any]]:
    for family in (*PROPERTIES, "views", "vocabularies"):
        old, new = getattr(before, family), getattr(after, family)
        for name, declared in new.items():
            for former in declared.formerly:
                if name not in old and former in old and former not in new:
                    yield {"change": "rename", "family": family, "type": former, "to": name}


def _types_between(before: OntologyDocument, after: OntologyDocument) -> Iterator[dict[str, Any]]:
    renamed = {(one["family"], one["to"]): one["type"] for one in _renames(before, after)}
    old, new = before.as_data(), after.as_data()
    gone: list[dict[str, Any]] = []
    for family in FAMILIES:
        was, now = old.get(family, {}), new.get(family, {})
        for name in _parents_first(now):
            former = renamed.get((family, name), name)
            if former not in was:
                yield {"change": "add_type", "family": family, "name": name, "declaration": now[name]}
            else:
                yield from _fields_between(family, name, was[former], now[name])
        kept = {renamed.get((family, name), name) for name in now}
        gone += [{"change": "retire", "family": family, "type": one} for one in was if one not in kept]
    yield from gone


def _fields_between(family: str, name: str, was: Any, now: Any) -> Iterator[dict[str, Any]]:
    properties = PROPERTIES.get(family, "")
    place = {"family": family, "type": name}
    for part, word in ((properties, "property"), ("roles", "role")):
        old, new = was.get(part, {}), now.get(part, {})
        for one in new if part else ():
            if one not in old:
                yield {"change": f"add_{word}", **place, "name": one, "declaration": new[one]}
            elif new[one] != old[one]:
                yield {"change": f"set_{word}", **place, "name": one, "declaration": new[one]}
        for one in old if part else ():
            if one not in new:
                yield {"change": "retire", **place, "part": word, "name": one}
    for field in {*was, *now} - {properties, "roles"} - PLAIN:
        if was.get(field) != now.get(field):
            if field == "keys":
                yield {"change": "set_keys", "type": name, "keys": now.get(field, [])}
            else:
                yield {"change": "set", **place, "field": field, "value": now.get(field, _empty(field))}


def _empty(field: str) -> Any:
    """What a field holds when a document leaves it out."""
    lists = {"multi_valued", "searchable", "required", "kinds", "predicates", "requires", "terms"}
    if field in lists:
        return []
    if field in {"normalisers", "templates", "single_valued_topics"}:
        return {}
    if field in {"abstract", "retired", "exact", "history"}:
        return False
    return None if field in {"precedence", "review_after_days"} else "many" if field == "cardinality" else ""


def _parents_first(types: Mapping[str, Any]) -> list[str]:
    ordered: list[str] = []

    def add(name: str) -> None:
        if name in types and name not in ordered:
            parent = types[name].get("parent", "") if isinstance(types[name], dict) else ""
            if parent and parent != name and parent in types and parent not in ordered:
                add(parent)
            ordered.append(name)

    for name in types:
        add(name)
    return ordered
