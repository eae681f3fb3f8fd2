"""From a module to one document: what it declares, on top of a ready-made ontology where it names one."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from memoryapp.doors.errors import Invalid
from memoryapp.ontology.authoring.classes import Declared
from memoryapp.ontology.document import Declaration, FileRoot, OntologyDocument, SourceKind, View, Vocabulary, read
from memoryapp.ontology.services import ready_made


@dataclass(frozen=True)
class Types:
    """What a module declares beside its classes. One of these stands in it, under any name.

    `extends` names a ready-made ontology on which the module's declarations stand; what both declare is as the module
    says. Empty: the module declares everything, the built-in kinds as well.
    """

    name: str
    title: str = ""
    description: str = ""
    extends: str = "default"
    views: Mapping[str, View] = field(default_factory=dict)
    vocabularies: Mapping[str, Vocabulary] = field(default_factory=dict)
    file_roots: Mapping[str, FileRoot] = field(default_factory=dict)
    source_kinds: Mapping[str, SourceKind] = field(default_factory=dict)


TOLD = ("views", "vocabularies", "file_roots", "source_kinds")


def load(place: str) -> OntologyDocument:
    """The document of a module, by its dotted name or by the path of its file. The module is run.

    Raises Invalid `no_such_module`, `no_types`, and whatever is wrong with what it declares.
    """
    return document_of(_module(place))


def document_of(module: ModuleType) -> OntologyDocument:
    """Everything that a module declares. Raises Invalid that names every place that cannot be read."""
    types = _types(module)
    data: dict[str, Any] = ready_made(types.extends).as_data() if types.extends else {}
    data |= {"name": types.name}
    data |= {key: value for key in ("title", "description") if (value := getattr(types, key))}
    for family in TOLD:
        told: Mapping[str, Declaration] = getattr(types, family)
        if told:
            data[family] = data.get(family, {}) | {name: _data(one) for name, one in told.items()}
    for cls in _declared(module):
        data.setdefault(cls.family, {})[cls.declared_name()] = cls.declaration()
    return read({"belief_kinds": {}, "relation_kinds": {}} | data)


def _data(one: Declaration) -> dict[str, Any]:
    return one.model_dump(mode="json", exclude_defaults=True)


def _types(module: ModuleType) -> Types:
    found = [one for one in vars(module).values() if isinstance(one, Types)]
    if len(found) != 1:
        message = f"{module.__name__} says {len(found)} times what its types are called."
        raise Invalid.at("", "no_types", message, 'one `types = Types("name")` in the module')
    return found[0]


def _declared(module: ModuleType) -> Iterator[type[Declared]]:
    """The classes that the module itself declares, in their order."""
    for one in vars(module).values():
        if isinstance(one, type) and issubclass(one, Declared) and one.__module__ == module.__name__:
            yield one


def _module(place: str) -> ModuleType:
    try:
        if not place.endswith(".py"):
            return importlib.import_module(place)
        path = Path(place)
        specified = importlib.util.spec_from_file_location(f"declared_types_{path.stem}", path)
        if specified is None or specified.loader is None or not path.is_file():
            raise ModuleNotFoundError(place)
        module = importlib.util.module_from_spec(specified)
        sys.modules[specified.name] = module  # Names in annotations are looked up there.
        specified.loader.exec_module(module)
        return module
    except ModuleNotFoundError as error:
        message = f"There is no module {place}."
        raise Invalid.at("", "no_such_module", message, "a dotted name, or the path of a .py file") from error
