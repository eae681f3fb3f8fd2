"""Whether the declarations of a document fit together. Everything that does not is listed at once, with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memoryapp.doors.errors import Invalid, Violation
from memoryapp.doors.nearest import nearest
from memoryapp.ontology.document import ANY, OntologyDocument
from memoryapp.ontology.normalise import normal_text
from memoryapp.ontology.schemas import problems_of
from memoryapp.ontology.templates import names_in
from memoryapp.sources.models import Source

EDGE_WORDS = {"subject", "object"}

BUILT_IN_ROLES: dict[str, dict[str, tuple[int, int | None]]] = {
    "supersession": {"superseded": (1, 1), "successor": (1, 1)},
    "extension": {"base": (1, 1), "addition": (1, 1)},
    "derivation": {"premise": (1, None), "conclusion": (1, 1)},
    "causation": {"cause": (1, 1), "effect": (1, 1)},
    "conditioning": {"condition": (1, 1), "dependent": (1, 1)},
    "conflict": {"claim": (2, 2)},
    "succession": {"predecessor": (1, 1), "follower": (1, 1)},
    "grouping": {"summary": (1, 1), "member": (1, None)},
    "sourcing": {"evidence": (1, None), "sourced": (1, 1)},
    "ownership": {"owner": (1, 1), "owned": (1, 1)},
}
"""The relations the memory itself works with. A document declares them with these roles and numbers; it may say who
plays them and add attributes."""

SOURCES = tuple(str(kind) for kind in Source.Kind)
SOURCE_FIELDS = dict.fromkeys(
    ("thread", "speaker", "participant", "message_id", "external_id", "title", "path", "url", "member")
)
"""What a declared kind of source may require."""

BUILT_IN_KINDS = ("memory", "fact", "summary")


def check(document: OntologyDocument) -> None:
    """Raise Invalid that lists everything that does not fit together."""
    found = [*_parents(document)]
    if not found:
        found = [
            *_built_in(document),
            *_former_names(document),
            *_schemas(document),
            *_node_classes(document),
            *_relationships(document),
            *_belief_kinds(document),
            *_relation_kinds(document),
            *_episode_kinds(document),
            *_source_kinds(document),
            *_views_and_vocabularies(document),
        ]
    if found:
        raise Invalid.all(found[:200])


def _unknown(path: str, name: str, known: Mapping[str, object], what: str) -> Violation:
    close = nearest(name, known)
    meant = f" Did you mean {close}?" if close else ""
    return Violation(path, "undeclared", f"There is no {what} {name}.{meant}", ", ".join(sorted(known)[:60]))


def _parents(document: OntologyDocument) -> Iterator[Violation]:
    for family, types, what in (
        ("node_classes", document.node_classes, "node class"),
        ("belief_kinds", document.belief_kinds, "kind"),
        ("episode_kinds", document.episode_kinds, "kind of episode"),
    ):
        parents: dict[str, str] = {name: declared.parent for name, declared in types.items()}
        for name, parent in parents.items():
            path = f"/{family}/{name}/parent"
            if parent and parent not in parents:
                yield _unknown(path, parent, parents, what)
            elif _circular(parents, name):
                yield Violation(path, "circular", f"{name} is its own ancestor.", "a parent that is not below it")
            elif family == "belief_kinds" and not parent and name != "memory":
                yield Violation(path, "required", f"{name} has no parent.", "memory, or a kind below it")


def _circular(parents: Mapping[str, str], name: str) -> bool:
    seen = {name}
    while (name := parents.get(name, "")) and name not in seen:
        seen.add(name)
    return bool(name)


def _built_in(document: OntologyDocument) -> Iterator[Violation]:
    for name in BUILT_IN_KINDS:
        if name not in document.belief_kinds:
            yield Violation(f"/belief_kinds/{name}", "required", f"The memory needs the kind {name}.", name)
    for kind, roles in BUILT_IN_ROLES.items():
        declared = document.relation_kinds.get(kind)
        shown = ", ".join(roles)
        if declared is None:
            yield Violation(f"/relation_kinds/{kind}", "required", f"The memory needs the relation {kind}.", shown)
            continue
        numbers = {name: (role.minimum, role.maximum) for name, role in declared.roles.items()}
        if numbers != roles:
            message = f"The roles of {kind} are fixed."
            accepted = ", ".join(
                f"{name} {least}{'..' if most is None else f'..{most}' if most != least else ''}"
                for name, (least, most) in roles.items()
            )
            yield Violation(f"/relation_kinds/{kind}/roles", "built_in", message, accepted)


def _former_names(document: OntologyDocument) -> Iterator[Violation]:
    families = ("node_classes", "relationships", "belief_kinds", "relation_kinds", "episode_kinds")
    for family in (*families, "views", "vocabularies"):
        types = getattr(document, family)
        meant: dict[str, str] = {}
        for name, declared in types.items():
            for former in declared.formerly:
                if former in types or meant.setdefault(former, name) != name:
                    message = f"{former} means something else already."
                    yield Violation(
                        f"/{family}/{name}/formerly", "declared_twice", message, "a name that means one thing"
                    )


def _schemas(document: OntologyDocument) -> Iterator[Violation]:
    places: list[tuple[str, Mapping[str, Any]]] = [
        *((f"/node_classes/{name}/properties", one.properties) for name, one in document.node_classes.items()),
        *((f"/relationships/{name}/properties", one.properties) for name, one in document.relationships.items()),
        *((f"/belief_kinds/{name}/attributes", one.attributes) for name, one in document.belief_kinds.items()),
        *((f"/relation_kinds/{name}/attributes", one.attributes) for name, one in document.relation_kinds.items()),
        *((f"/episode_kinds/{name}/properties", one.properties) for name, one in document.episode_kinds.items()),
    ]
    for path, schemas in places:
        for name, schema in schemas.items():
            yield from problems_of(schema, f"{path}/{name}")


def _line(document: OntologyDocument, name: str) -> list[str]:
    line = [name]
    while parent := document.node_classes[line[-1]].parent:
        line.append(parent)
    return line


def _node_classes(document: OntologyDocument) -> Iterator[Violation]:
    for name, declared in document.node_classes.items():
        path = f"/node_classes/{name}"
        line = _line(document, name)
        known = {one: None for owner in line for one in document.node_classes[owner].properties}
        inherited = {one for owner in line[1:] for one in document.node_classes[owner].properties}
        for again in sorted(inherited & set(declared.properties)):
            message = f"{name} inherits {again}; a property is declared once."
            yield Violation(f"{path}/properties/{again}", "declared_twice", message, "another name")
        uses = {
            "keys": [one for keys in declared.keys for one in keys],
            "multi_valued": declared.multi_valued,
            "normalisers": list(declared.normalisers),
            "searchable": declared.searchable,
            "templates": list(declared.templates),
            "label": sorted(names_in(declared.label)),
        }
        for where, names in uses.items():
            for one in names:
                if one not in known:
                    yield _unknown(f"{path}/{where}", one, known, f"property of {name}")
        yield from _keys(document, name, line)


def _keys(document: OntologyDocument, name: str, line: list[str]) -> Iterator[Violation]:
    taken = [set(keys) for owner in line[1:] for keys in document.node_classes[owner].keys]
    for index, keys in enumerate(document.node_classes[name].keys):
        path = f"/node_classes/{name}/keys/{index}"
        if set(keys) in taken:
            message = f"{' + '.join(keys)} is already an identity key; the class above {name} declares it."
            yield Violation(path, "declared_twice", message, "another set of properties")
        if len(set(keys)) != len(keys):
            yield Violation(path, "declared_twice", "A property is named twice in one key.", "each once")
        taken.append(set(keys))


def _relationships(document: OntologyDocument) -> Iterator[Violation]:
    for name, declared in document.relationships.items():
        path = f"/relationships/{name}"
        for index, pair in enumerate(declared.pairs):
            for side, one in (("subject", pair.subject), ("object", pair.object)):
                if one not in document.node_classes:
                    yield _unknown(f"{path}/pairs/{index}/{side}", one, document.node_classes, "node class")
        for word in sorted(EDGE_WORDS & set(declared.properties)):
            yield Violation(f"{path}/properties/{word}", "reserved", f"{word} means the node itself.", "another name")
        known: dict[str, None] = dict.fromkeys([*EDGE_WORDS, *declared.properties])
        for one in sorted(names_in(declared.template) - set(known)):
            yield _unknown(f"{path}/template", one, known, f"property of {name}")
        if not names_in(declared.template) >= EDGE_WORDS:
            message = "The template does not name both ends."
            yield Violation(f"{path}/template", "incomplete", message, "{subject} and {object}")
    for name in sorted(set(document.relationships) & {p for c in document.node_classes.values() for p in c.properties}):
        message = f"{name} is a property as well; a predicate means one thing."
        yield Violation(f"/relationships/{name}", "declared_twice", message, "another name")


def _belief_kinds(document: OntologyDocument) -> Iterator[Violation]:
    kinds = document.belief_kinds
    for name, declared in kinds.items():
        path = f"/belief_kinds/{name}"
        line = [name]
        while parent := kinds[line[-1]].parent:
            line.append(parent)
        known = {one: None for kind in line for one in kinds[kind].attributes}
        for again in sorted(set(declared.attributes) & {one for kind in line[1:] for one in kinds[kind].attributes}):
            message = f"{name} inherits {again}; an attribute is declared once."
            yield Violation(f"{path}/attributes/{again}", "declared_twice", message, "another name")
        for one in declared.required:
            if one not in known:
                yield _unknown(f"{path}/required", one, known, f"attribute of {name}")
        seen: set[str] = set()
        for topic, others in declared.single_valued_topics.items():
            for phrase in (topic, *others):
                normal = normal_text(phrase)
                if not normal or len(normal) > 200 or normal in seen:
                    message = f"The topic “{phrase[:60]}” is empty, too long or named twice."
                    yield Violation(f"{path}/single_valued_topics", "topic", message, "distinct phrases")
                seen.add(normal)


def _relation_kinds(document: OntologyDocument) -> Iterator[Violation]:
    for name, declared in document.relation_kinds.items():
        path = f"/relation_kinds/{name}"
        for one in declared.required:
            if one not in declared.attributes:
                yield _unknown(f"{path}/required", one, declared.attributes, f"attribute of {name}")
        for role_name, role in declared.roles.items():
            place = f"{path}/roles/{role_name}"
            if role.maximum is not None and role.maximum < role.minimum:
                yield Violation(
                    f"{place}/maximum", "range", "The most is less than the least.", f"{role.minimum} or more"
                )
            players: tuple[tuple[str, list[str], Mapping[str, object], str], ...] = (
                ("beliefs", role.beliefs, document.belief_kinds, "kind"),
                ("nodes", role.nodes, document.node_classes, "node class"),
                ("sources", role.sources, document.source_kinds, "source kind"),
                ("relations", role.relations, document.relation_kinds, "relation kind"),
            )
            if not any(names for _, names, _, _ in players):
                yield Violation(
                    place, "required", f"Nothing may play {role_name}.", "beliefs, nodes, sources or relations"
                )
            for where, names, known, what in players:
                for one in names:
                    if one != ANY and one not in known:
                        yield _unknown(f"{place}/{where}", one, known, what)


def _episode_kinds(document: OntologyDocument) -> Iterator[Violation]:
    kinds = document.episode_kinds
    for name, declared in kinds.items():
        path = f"/episode_kinds/{name}"
        above: list[str] = []
        while parent := kinds[above[-1] if above else name].parent:
            above.append(parent)
        inherited = {one for kind in above for one in kinds[kind].properties}
        for again in sorted(inherited & set(declared.properties)):
            message = f"{name} inherits {again}; a property is declared once."
            yield Violation(f"{path}/properties/{again}", "declared_twice", message, "another name")
        known: dict[str, None] = dict.fromkeys([*inherited, *declared.properties])
        for one in declared.required:
            if one not in known:
                yield _unknown(f"{path}/required", one, known, f"property of {name}")
        for role, classes in declared.roles.items():
            for one in classes:
                if one != ANY and one not in document.node_classes:
                    yield _unknown(f"{path}/roles/{role}", one, document.node_classes, "node class")


def _source_kinds(document: OntologyDocument) -> Iterator[Violation]:
    for name, declared in document.source_kinds.items():
        path = f"/source_kinds/{name}"
        if name not in SOURCES and not declared.abstract:
            message = f"The memory stores no source {name}: its kinds are fixed."
            yield Violation(path, "built_in", message, ", ".join(SOURCES))
        for one in declared.requires:
            if one not in SOURCE_FIELDS:
                yield _unknown(f"{path}/requires", one, SOURCE_FIELDS, "field of sources")


def _views_and_vocabularies(document: OntologyDocument) -> Iterator[Violation]:
    predicates = {
        **document.relationships,
        **{one: None for declared in document.node_classes.values() for one in declared.properties},
    }
    for name, view in document.views.items():
        for kind in view.kinds:
            if kind not in document.belief_kinds:
                yield _unknown(f"/views/{name}/kinds", kind, document.belief_kinds, "kind")
        for predicate in view.predicates:
            if predicate not in predicates:
                yield _unknown(f"/views/{name}/predicates", predicate, predicates, "predicate")
    for name, vocabulary in document.vocabularies.items():
        path = f"/vocabularies/{name}"
        if vocabulary.node_class not in document.node_classes:
            yield _unknown(f"{path}/node_class", vocabulary.node_class, document.node_classes, "node class")
            continue
        keys = {
            tuple(one) for owner in _line(document, vocabulary.node_class) for one in document.node_classes[owner].keys
        }
        if ("iri",) not in keys:
            message = "The class of a vocabulary is identified by its terms' iri."
            yield Violation(f"{path}/node_class", "vocabulary", message, "a class with the identity key iri")
        seen: dict[str, str] = {}
        for index, term in enumerate(vocabulary.terms):
            for alias in (term.name, *term.aliases):
                if seen.setdefault(normal_text(alias), term.iri) != term.iri:
                    message = f"“{alias[:60]}” stands for two terms."
                    yield Violation(f"{path}/terms/{index}", "declared_twice", message, "an alias of one term")
