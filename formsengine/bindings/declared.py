"""What a binding of a form says, and what is wrong with it before anybody fills the form.

    {"name": "born", "into": "property", "fields": ["born"],
     "data": {"of": "subject", "property": "birthday"}}
    {"name": "employer", "into": "entity", "fields": ["employer_name"],
     "data": {"class": "organization", "properties": {"name": "employer_name"}}}
    {"name": "works", "into": "relation", "fields": ["employer_name"],
     "data": {"of": "subject", "relationship": "worksAt", "to": "employer"}}
    {"name": "visit", "into": "episode", "fields": ["seen_on"],
     "data": {"kind": "event", "when": "seen_on", "text": "{reason}", "participants": [{"node": "subject"}]}}
    {"name": "tone", "into": "context", "fields": ["tone"],
     "data": {"section": "Style", "title": "Tone", "text": "{tone}"}}
    {"name": "report", "into": "resource", "fields": ["site"],
     "data": {"path": "/reports/{site}.md", "text": "{site}: {summary}"}}

`of`, `to` and `node` name the subject of the response, or an entity binding. An entity is found or made by the identity
keys among its properties, or is the node that a field of the type entity names (`data: {"field": ...}`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from formsengine.bindings import todays
from formsengine.definition.model import Binding, Form, Question, everything
from formsengine.problems import Problem, nearest
from memoryapp.doors.errors import DomainError
from memoryapp.ledger.models import Workspace
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology

SUBJECT = "subject"
INTO = ("property", "entity", "relation", "episode", "context", "resource")
PARTS = {
    "property": ({"of", "property"}, {"class"}),
    "entity": (set(), {"class", "properties", "field", "create_if"}),
    "relation": ({"of", "relationship", "to"}, set()),
    "episode": ({"kind", "text"}, {"when", "participants"}),
    "context": ({"section", "title", "text"}, set()),
    "resource": ({"path", "text"}, set()),
}
"""What the data of a binding must and may have."""


def wrong_bindings(form: Form, workspace: Workspace) -> list[Problem]:
    """Everything in the bindings that memory would not take, each with its place."""
    ontology = current_ontology(workspace)
    bindings = todays.bindings(form, ontology)
    entities = {each.name: each for each in bindings if each.into == "entity"}
    return [
        problem
        for number, binding in enumerate(bindings)
        for problem in _wrong(form, binding, f"bindings/{number}", ontology, entities)
    ]


def _wrong(
    form: Form, binding: Binding, path: str, ontology: Ontology, entities: dict[str, Binding]
) -> Iterator[Problem]:
    if binding.into not in INTO:
        message = f"Nothing writes a {binding.into} from a form."
        yield Problem(f"{path}/into", "binding", message, INTO)
        return
    if not binding.fields:
        yield Problem(f"{path}/fields", "binding", f"{binding.name} names no field that it is written from.")
        return
    needed, optional = PARTS[binding.into]
    for name in sorted(needed - binding.data.keys()):
        yield Problem(f"{path}/data/{name}", "binding", f"{binding.name} does not say its {name}.", tuple(needed))
    for name in sorted(binding.data.keys() - needed - optional):
        yield Problem(
            f"{path}/data/{name}", "binding", f"{binding.name} has no part {name}.", tuple(sorted(needed | optional))
        )
    if needed <= binding.data.keys():
        yield from _of_kind(form, binding, path, ontology, entities)


def _of_kind(
    form: Form, binding: Binding, path: str, ontology: Ontology, entities: dict[str, Binding]
) -> Iterator[Problem]:
    data = binding.data
    if binding.into in ("context", "resource"):
        yield from _texts(form, binding, path)
        return
    for part in ("of", "to"):
        if part in data and data[part] != SUBJECT and data[part] not in entities:
            yield Problem(
                f"{path}/data/{part}", "binding", f"{data[part]} is no entity of the form.", (SUBJECT, *entities)
            )
    try:
        if binding.into == "property":
            owner = entities.get(str(data["of"]))
            node_class = str(owner.data.get("class", "") if owner else data.get("class", ""))
            if node_class:
                ontology.property(node_class, str(data["property"]))
        elif binding.into == "relation":
            ontology.relationship(str(data["relationship"]))
        elif binding.into == "episode":
            ontology.concrete_episode_kind(str(data["kind"]))
        else:
            yield from _entity(form, binding, path, ontology)
    except DomainError as error:
        accepted = tuple(each.accepted for each in error.violations if each.accepted)
        yield Problem(f"{path}/data", "binding", error.detail, accepted)


def _texts(form: Form, binding: Binding, path: str) -> Iterator[Problem]:
    """Templates name fields of the form in braces, and a path is one of the tree."""
    known = [each.name for each in everything(form) if isinstance(each, Question)]
    for key, text in binding.data.items():
        for name in re.findall(r"\{([^{}]*)\}", str(text)):
            if name not in known:
                close = tuple(nearest(name, known))
                yield Problem(f"{path}/data/{key}", "binding", f"There is no field {name}.", close)
    place = str(binding.data.get("path", ""))
    if "path" in binding.data and (not place.startswith("/") or place.endswith("/")):
        yield Problem(f"{path}/data/path", "binding", "A path begins at the root and names a file.", ("/reports/a.md",))


def _entity(form: Form, binding: Binding, path: str, ontology: Ontology) -> Iterator[Problem]:
    data = binding.data
    types = {each.name: each.type for each in everything(form) if isinstance(each, Question)}
    if "field" in data:
        if types.get(str(data["field"])) != "entity":
            named = tuple(name for name, kind in types.items() if kind == "entity")
            yield Problem(f"{path}/data/field", "binding", "This names no field of the type entity.", named)
        return
    node_class, properties = str(data.get("class", "")), data.get("properties")
    if not isinstance(properties, dict) or not properties:
        yield Problem(f"{path}/data/properties", "binding", "Say which field gives which property.", ("properties",))
        return
    ontology.concrete_class(node_class)
    for name, field in properties.items():
        ontology.property(node_class, name)
        if field not in types:
            yield Problem(f"{path}/data/properties/{name}", "binding", f"There is no field {field}.", tuple(types))
    keys = [key.properties for key in ontology.key_sets(node_class)]
    if not any(set(key) <= set(properties) for key in keys):
        accepted = tuple(" with ".join(key) for key in keys)
        yield Problem(f"{path}/data/properties", "binding", f"Nothing here identifies a {node_class}.", accepted)
