"""The declared types, to read: what may be believed, of whom, and how things may be related."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse

from memoryapp.doors.errors import Invalid
from memoryapp.doors.pages import address, here, member_page, number, page
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import counting, presenting, queries
from memoryapp.ontology.changeset import differences
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.examining import Examined
from memoryapp.ontology.exporting import as_json_schema
from memoryapp.ontology.pages.one_type import STORED_AS
from memoryapp.ontology.queries.proposals import Outlook, who_added


@member_page("read_ontology")
def types(request: HttpRequest, by: Principal) -> HttpResponse:
    """The edition in force, or `?edition=3`."""
    asked = _edition(request, "edition", 0)
    ontology = queries.ontology_at(by, asked) if asked else queries.current_ontology(by)
    document = ontology.document
    editions = queries.versions(by)
    added = _added(by, ontology)
    counts = counting.by_type(by)
    current = ontology.number == editions[0].number

    def told(family: str, name: str) -> dict[str, Any]:
        stored_as = STORED_AS[family]
        url = address(by, "ontology:type", family, name) if current else ""
        count = None if (stored_as, name) in counting.UNCOUNTED else counts.get((stored_as, name), 0)
        return {"added": added.get((stored_as, name)), "count": count, "url": url}

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
            "kinds": _tree(document.belief_kinds, lambda name: _kind(ontology, name) | told("belief_kinds", name)),
            "classes": _tree(document.node_classes, lambda name: _class(ontology, name) | told("node_classes", name)),
            "relationships": [
                _relationship(name, one) | told("relationships", name) for name, one in document.relationships.items()
            ],
            "relations": [
                _relation(name, one) | told("relation_kinds", name) for name, one in document.relation_kinds.items()
            ],
            "episodes": _tree(
                document.episode_kinds,
                lambda name: _episode(ontology, name) | told("episode_kinds", name),
            ),
            "ways": _links(by, ontology.number, editions[0].number),
            "views": [{"name": name, "one": one} for name, one in document.views.items()],
            "vocabularies": [{"name": name, "one": one} for name, one in document.vocabularies.items()],
            "sources": [{"name": name, "one": one} for name, one in document.source_kinds.items()],
            "roots": [{"name": name, "one": one} for name, one in document.file_roots.items()],
        },
    )


@member_page("read_ontology")
def compare(request: HttpRequest, by: Principal) -> HttpResponse:
    """Two editions side by side: `?from=1&to=2`."""
    numbers = [one.number for one in queries.versions(by)]
    after = _edition(request, "to", numbers[0])
    before = _edition(request, "from", max(1, after - 1))
    old, new = queries.ontology_at(by, before), queries.ontology_at(by, after)
    found = Outlook(old, new, None, tuple(differences(old.document, new.document)), Examined())
    context = {"by": by, "numbers": numbers, "before": before, "after": after, "types": presenting.compared(found)}
    return page(request, "ontology/compare.html", context)


@member_page("read_ontology")
def export(request: HttpRequest, by: Principal) -> HttpResponse:
    """An edition as a file: `?as=yaml`, or `?as=json-schema` for what each type may hold."""
    form = request.GET.get("as", "yaml")
    if form not in ("yaml", "json-schema"):
        raise Invalid.at("as", "not_a_choice", "There is no such form.", "yaml, json-schema")
    asked = _edition(request, "edition", 0)
    ontology = queries.ontology_at(by, asked) if asked else queries.current_ontology(by)
    if form == "yaml":
        text, kind, ending = ontology.document.as_yaml(), "application/yaml", "yaml"
    else:
        text = json.dumps(as_json_schema(ontology), ensure_ascii=False, indent=2)
        kind, ending = "application/schema+json", "schema.json"
    response = HttpResponse(text, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{by.workspace.slug}-{ontology.number}.{ending}"'
    return response


def _edition(request: HttpRequest, name: str, default: int) -> int:
    asked = request.GET.get(name, "")
    found = number(asked) if asked else default
    if found is None:
        raise Invalid.at(name, "not_a_number", f"“{asked[:20]}” is not an edition.", "a number, such as 1")
    return found


def _links(by: Principal, number: int, newest: int) -> list[dict[str, str]]:
    at = f"&edition={number}" if number != newest else ""
    found = [
        {"words": "Proposals", "url": address(by, "ontology:proposals")},
        {"words": "Export as YAML", "url": address(by, "ontology:export") + f"?as=yaml{at}"},
        {"words": "as JSON Schema", "url": address(by, "ontology:export") + f"?as=json-schema{at}"},
    ]
    if newest > 1:
        found.append({"words": "Compare editions", "url": address(by, "ontology:compare")})
    return found


def _added(by: Principal, ontology: Ontology) -> dict[tuple[str, str], dict[str, Any]]:
    """Since which edition each type is declared, and under which proposal."""
    proposals = who_added(by)
    found = {}
    for family, name, since in queries.since(by):
        proposal = proposals.get(since)
        found[family, name] = {
            "since": since,
            "proposal": proposal.number if proposal else None,
            "proposal_url": address(by, "ontology:proposal", proposal.pk) if proposal else "",
            "by": proposal.filer.name if proposal else "",
        }
    return found


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
        "inherited": [
            {"name": prop, "of": found.owner}
            for prop, found in ontology.properties_of(name).items()
            if found.owner != name
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
