"""Bindings in the words of today: what a form calls as a declared type was called once means the type it is now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from formsengine.definition.model import Binding, Form
from memoryapp.ontology.compiled import Ontology

FAMILIES = {"class": "node_classes", "relationship": "relationships", "kind": "episode_kinds"}


def bindings(form: Form, ontology: Ontology, subject_class: str = "") -> tuple[Binding, ...]:
    """The bindings of the form; what is said of the subject is read as of its class, when that is known."""
    owners = {each.name: str(each.data.get("class", "")) for each in form.bindings if each.into == "entity"}
    return tuple(
        each.model_copy(update={"data": data(ontology, each.data, owners.get(str(each.data.get("of")), subject_class))})
        for each in form.bindings
    )


def data(ontology: Ontology, said: Mapping[str, Any], owner: str = "") -> dict[str, Any]:
    """The data of one binding; `owner` is the class of what it is about, where the data does not say it."""
    now = dict(said)
    for word, family in FAMILIES.items():
        if isinstance(said.get(word), str):
            now[word] = ontology.today(family, said[word])
    of = ontology.today("node_classes", str(now.get("class") or owner))
    if of not in ontology.document.node_classes:
        return now
    line = ontology.class_line(of)
    if "property" in said:
        now["property"] = ontology.todays_part("node_classes", line, str(said["property"]))
    if isinstance(said.get("properties"), Mapping):
        now["properties"] = {
            ontology.todays_part("node_classes", line, name): field for name, field in said["properties"].items()
        }
    return now
