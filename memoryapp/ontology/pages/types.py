"""The declared types, to read: what may be believed, of whom, and how things may be related."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse

from memoryapp.doors.errors import Invalid
from memoryapp.doors.pages import here, member_page, page
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import queries
from memoryapp.ontology.compiled import Ontology


@member_page("read_ontology")
def types(request: HttpRequest, by: Principal) -> HttpResponse:
    """The edition in force, or `?edition=3`."""
    asked = request.GET.get("edition", "")
    if asked and not asked.isdecimal():
        raise Invalid.at("edition", "not_a_number", f"“{asked[:20]}” is not an edition.", "a number, such as 1")
    ontology = queries.ontology_at(by, int(asked)) if asked else queries.current_ontology(by)
    document = ontology.document
    editions = queries.versions(by)
    return page(
        request,
        "ontology/types.html",
        {
            "by": by,
            "document": document,
            "number": ontology.number,
            "newest": editions[0].number,
            "editions": [
                {"number": one.number, "at": one.recorded_at, "url": here(request, edition=str(one.number))}
                for one in editions[:20]
            ],
            "kinds": _tree(document.belief_kinds, lambda name: _kind(ontology, name)),
            "classes": _tree(document.node_classes, lambda name: _class(ontology, name)),
            "relationships": [_relationship(name, one) for name, one in document.relationships.items()],
            "relations": [_relation(name, one) for name, one in document.relation_kinds.items()],
            "episodes": _tree(document.episode_kinds, lambda name: _episode(ontology, name)),
            "views": [{"name": name, "one": one} for name, one in document.views.items()],
        },
    )


def _tree(declared: Mapping[str, Any], described: Any) -> list[dict[str, Any]]:
    """The types in the order of their tree, each with its depth: parents before children, by name."""
    children: dict[str, list[str]] = {}
    for name, one in declared.items():
        children.setdefault(one.parent, []).append(name)
    rows: list[dict[str, Any]] = []

    def walk(name: str, depth: int) -> None:
        one = declared[name]
        rows.append(
            {
                "name": name,
                "title": one.title or name.replace("_", " ").capitalize(),
                "explains": one.description,
                "abstract": one.abstract,
                "retired": one.retired,
                "depth": min(depth, 5),
                **described(name),
            }
        )
        for child in sorted(children.get(name, ())):
            walk(child, depth + 1)

    for root in sorted(children.get("", ())):
        walk(root, 0)
    return rows


def _kind(ontology: Ontology, name: str) -> dict[str, Any]:
    one = ontology.document.belief_kinds[name]
    return {
        "topics": [
            {"name": topic.replace("_", " "), "others": others} for topic, others in one.single_valued_topics.items()
        ],
        "attributes": list(one.attributes),
        "review_after_days": one.review_after_days,
    }


def _class(ontology: Ontology, name: str) -> dict[str, Any]:
    one = ontology.document.node_classes[name]
    return {
        "properties": [
            {"name": prop, "type": _type(schema), "many": prop in one.multi_valued}
            for prop, schema in one.properties.items()
        ],
        "keys": [" and ".join(names) for names in one.keys],
    }


def _episode(ontology: Ontology, name: str) -> dict[str, Any]:
    one = ontology.document.episode_kinds[name]
    return {
        "properties": [{"name": prop, "type": _type(schema)} for prop, schema in one.properties.items()],
        "roles": [{"name": role, "classes": classes} for role, classes in one.roles.items()],
    }


def _type(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return "anything"
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"][:6]))
    return str(schema.get("format") or schema.get("type") or "anything")


def _relationship(name: str, one: Any) -> dict[str, Any]:
    return {
        "name": name,
        "title": one.title or name.replace("_", " "),
        "explains": one.description,
        "pairs": [f"{pair.subject} → {pair.object}" for pair in one.pairs],
        "cardinality": one.cardinality,
        "template": one.template,
        "retired": one.retired,
    }


def _relation(name: str, one: Any) -> dict[str, Any]:
    return {
        "name": name,
        "title": one.title or name.replace("_", " "),
        "explains": one.description,
        "retired": one.retired,
        "roles": [
            {
                "name": role_name,
                "count": _count(role.minimum, role.maximum),
                "players": [*role.beliefs, *role.nodes, *role.sources, *role.relations],
            }
            for role_name, role in one.roles.items()
        ],
    }


def _count(minimum: int, maximum: int | None) -> str:
    if maximum is None:
        return f"{minimum} or more" if minimum else "any number"
    return str(minimum) if minimum == maximum else f"{minimum} to {maximum}"
