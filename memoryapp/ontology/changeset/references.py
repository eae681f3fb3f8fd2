"""Where a document names its own types and properties: what has to be written anew when one has another name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

PLAYERS = {"belief_kinds": "beliefs", "node_classes": "nodes", "relation_kinds": "relations"}
"""Under which word a role of a relation names types of a family."""


def renamed_type(data: dict[str, Any], family: str, name: str, to: str) -> None:
    """Write the other name wherever the document names the type."""
    for one in data.get(family, {}).values():
        if one.get("parent") == name:
            one["parent"] = to
    if family in PLAYERS:
        for relation in data.get("relation_kinds", {}).values():
            for role in relation["roles"].values():
                role[PLAYERS[family]] = _instead(role.get(PLAYERS[family], []), name, to)
    if family == "node_classes":
        for relationship in data.get("relationships", {}).values():
            for pair in relationship["pairs"]:
                for side in ("subject", "object"):
                    pair[side] = to if pair[side] == name else pair[side]
            relationship["pairs"] = list({tuple(sorted(one.items())): one for one in relationship["pairs"]}.values())
        for episode in data.get("episode_kinds", {}).values():
            episode["roles"] = {role: _instead(classes, name, to) for role, classes in episode["roles"].items()}
        for vocabulary in data.get("vocabularies", {}).values():
            if vocabulary["node_class"] == name:
                vocabulary["node_class"] = to
    for view in data.get("views", {}).values():
        if family == "belief_kinds":
            view["kinds"] = _instead(view["kinds"], name, to)
        if family == "relationships":
            view["predicates"] = _instead(view["predicates"], name, to)


def renamed_part(data: dict[str, Any], family: str, types: Iterable[str], part: str, name: str, to: str) -> None:
    """Write the other name wherever these types name their property."""
    if part != "property":
        return
    for type in types:
        one = data[family][type]
        for field in ("required", "multi_valued", "searchable"):
            if field in one:
                one[field] = _instead(one[field], name, to)
        for field in ("normalisers", "templates"):
            if field in one:
                one[field] = {to if key == name else key: value for key, value in one[field].items()}
        if "keys" in one:
            one["keys"] = [_instead(keys, name, to) for keys in one["keys"]]
        if one.get("label"):
            one["label"] = _in_template(one["label"], name, to)
        if one.get("template"):
            one["template"] = _in_template(one["template"], name, to)
    if family == "node_classes":
        for view in data.get("views", {}).values():
            view["predicates"] = _instead(view["predicates"], name, to)


def _instead(names: list[str], name: str, to: str) -> list[str]:
    return list(dict.fromkeys(to if one == name else one for one in names))


def _in_template(template: str, name: str, to: str) -> str:
    def place(found: re.Match[str]) -> str:
        return "{" + "|".join(to if one == name else one for one in found.group(1).split("|")) + "}"

    return re.sub(r"\{([A-Za-z0-9_|]+)\}", place, template)
