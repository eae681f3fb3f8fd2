"""Nodes: found or made by exact identity keys, completed by what is said of them."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memoryapp.doors.errors import Conflict, DomainError, Invalid, Violation
from memoryapp.graph import changes, todays
from memoryapp.graph.identity import (
    Key,
    canonical,
    distinct,
    is_empty,
    keys_of,
    missing,
    nodes_by_key,
    values_of,
)
from memoryapp.graph.likeness import kept_forms
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.refusals import ambiguous
from memoryapp.graph.services import lookalikes
from memoryapp.graph.services.confirmed import bound_by_people
from memoryapp.graph.services.drafts import is_unvouched, nobody_vouched
from memoryapp.graph.services.projection import LONGEST_LABEL
from memoryapp.graph.services.remembering import Remembered, record_all
from memoryapp.graph.statements import Moment, NodeStored, Quoted, Statement
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.normalise import key_text
from memoryapp.ontology.queries import current_ontology
from memoryapp.review.models import Case

MOST = 500
"""Nodes in one batch."""
MOST_VALUES = 20_000
"""Values of properties in one batch: each is a belief with its evidence."""


@dataclass(frozen=True)
class NodeInput:
    """A node as somebody describes it: its class and properties, and what that stands on.

    `properties` must make up at least one identity key set; a multi-valued one takes a value or a list of values.
    """

    node_class: str
    properties: dict[str, Any]
    evidence: tuple[Quoted, ...] = ()
    premises: tuple[uuid.UUID, ...] = ()
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    confidence: float | None = None


@dataclass(frozen=True)
class Upserted:
    """What came of it: the node, whether it is new, what is believed of it now, and what contradicts what was."""

    node: Node
    created: bool
    beliefs: tuple[Belief, ...] = ()
    conflicts: tuple[Case, ...] = ()


@dataclass
class _Row:
    """One described node on its way in."""

    number: int
    given: NodeInput
    properties: dict[str, Any]
    keys: list[Key]
    node: Node | None = None
    created: bool = False


def upsert_node(
    write: Write,
    node_class: str,
    properties: dict[str, Any],
    evidence: Sequence[Quoted] = (),
    *,
    premises: Sequence[uuid.UUID] = (),
    valid_from: Moment | None = None,
    valid_to: Moment | None = None,
    confidence: float | None = None,
) -> Upserted:
    """Find the node by its identity keys or make it, and believe of it what is said; see `upsert_nodes`."""
    write.by.require("upsert_nodes")
    given = NodeInput(node_class, properties, tuple(evidence), tuple(premises), valid_from, valid_to, confidence)
    return store(write, [given], numbered=False, doubtful=True)[0]


def upsert_nodes(write: Write, nodes: Sequence[NodeInput]) -> list[Upserted]:
    """Find or make a batch of nodes: all or nothing, in order, every violation with its row.

    Matching is by exact normalised identity keys only, over the class that declares the key and all below it. Nobody
    found: a new node. One found: what is missing is filled in, another value of a multi-valued property is added, and
    another value of a single-valued one becomes a conflict that waits for a person. Two found: nothing is merged, and
    the write is refused (Conflict `identity_ambiguous` with the ids). Every value is a belief with its evidence; one
    that an agent draws from nothing but a machine's words is refused (`nobody_vouches`), keys of a new node excepted.
    """
    write.by.require("upsert_nodes")
    return store(write, nodes, doubtful=True)


def store(
    write: Write,
    nodes: Sequence[NodeInput],
    *,
    numbered: bool = True,
    keyless: bool = False,
    doubtful: bool = False,
) -> list[Upserted]:
    """What `upsert_nodes` does, for whoever has a right of its own to it (telling, a verdict, extraction).

    `keyless`: a person said that a thing without an identity key is something of its own. `doubtful`: whether somebody
    vouches for it is looked at.
    """
    if len(nodes) > MOST:
        raise Invalid.at("", "too_many", f"{len(nodes)} nodes are too many at once.", f"at most {MOST}")
    ontology = current_ontology(write.workspace)
    rows = _read(ontology, nodes, numbered, keyless)
    _match(write, ontology, rows, numbered)
    statements = _told(ontology, rows, numbered)
    made = [row.node for row in rows if row.created and row.node is not None]
    prepared.insert(made)
    if doubtful:
        _refuse_unvouched(write, ontology, statements, numbered)
    remembered = _remember(write, statements, numbered, made)
    told = {one.belief.subject_id for one in remembered}
    stored = {node.pk: node for node in Node.objects.filter(pk__in={row.node.pk for row in rows if row.node})}
    changes.announce(write, [stored[node.pk] for node in made if node.pk not in told])
    lookalikes.suggest(write, ontology, [stored[node.pk] for node in made])
    mine: dict[int, list[Remembered]] = defaultdict(list)
    for (row, _), one in zip(statements, remembered, strict=True):
        mine[row.number].append(one)
    return [_upserted(row, stored, mine[row.number]) for row in rows]


def _read(ontology: Ontology, nodes: Sequence[NodeInput], numbered: bool, keyless: bool) -> list[_Row]:
    rows: list[_Row] = []
    wrong: list[Violation] = []
    for number, told in enumerate(nodes):
        row = number if numbered else None
        of_class = todays.node_class(ontology, told.node_class)
        given = replace(told, node_class=of_class, properties=todays.properties(ontology, of_class, told.properties))
        try:
            ontology.concrete_class(given.node_class)
        except DomainError as error:
            wrong += [replace(violation, row=row) for violation in error.violations]
            continue
        found = ontology.property_violations(given.node_class, given.properties)
        properties = canonical(ontology, given.node_class, given.properties)
        keys = [] if found else keys_of(ontology, given.node_class, properties)
        if not found and not keys and not keyless:
            found = [missing(ontology, given.node_class, "/properties")]
        wrong += [replace(violation, row=row) for violation in found]
        rows.append(_Row(number, given, properties, keys))
    if wrong:
        raise Invalid.all(wrong)
    return rows


def _match(write: Write, ontology: Ontology, rows: list[_Row], numbered: bool) -> None:
    """Give every row its node: the one its keys lead to, one that an earlier row makes, or a new one."""
    held = nodes_by_key(write.workspace, [key for row in rows for key in row.keys])
    unclear: list[tuple[_Row, list[Node]]] = []
    for row in rows:
        found = distinct([held[key] for key in row.keys if key in held])
        if len(found) > 1:
            unclear.append((row, found))
            continue
        row.created = not found
        row.node = found[0] if found else _new(write, ontology, row)
        _refuse_other_class(ontology, row, numbered)
        held.update(dict.fromkeys(row.keys, row.node))
    if unclear:
        violations = tuple(
            Violation(
                "/properties",
                "identity_ambiguous",
                "These identity keys belong to different nodes.",
                "keys of one node: " + ", ".join(str(node.pk) for node in found),
                row.number if numbered else None,
            )
            for row, found in unclear
        )
        raise ambiguous([node for _, found in unclear for node in found], violations)


def _refuse_other_class(ontology: Ontology, row: _Row, numbered: bool) -> None:
    node = row.node
    if node is None or ontology.is_class(node.node_class, row.given.node_class):
        return
    message = f"This is the {node.node_class} {node.label}, and a node's class never changes."
    accepted = f"{node.node_class}, or a class above it"
    number = row.number if numbered else None
    raise Conflict(
        message,
        code="class_differs",
        violations=(Violation("/class", "class_differs", message, accepted, number),),
        extra={"nodes": [str(node.pk)]},
    )


def _new(write: Write, ontology: Ontology, row: _Row) -> Node:
    label = ontology.label(row.given.node_class, row.properties)[:LONGEST_LABEL]
    forms = kept_forms(label)
    return Node(
        workspace=write.workspace,
        node_class=row.given.node_class,
        label=label,
        bare_label=forms.bare_label,
        initials=forms.initials,
        initialled=forms.initialled,
        known_to_all=not any(quoted.source.audience_id for quoted in row.given.evidence),
        ontology_version=ontology.number,
        write=write,
        recorded_at=write.recorded_at,
        projected_at=write.recorded_at,
    )


def _told(ontology: Ontology, rows: Sequence[_Row], numbered: bool) -> list[tuple[_Row, Statement]]:
    """Every value as a statement. Raises Invalid `too_many` with the row in which there are more than a batch takes."""
    told: list[tuple[_Row, Statement]] = []
    for row in rows:
        told += [(row, statement) for statement in _statements(ontology, row)]
        if len(told) > MOST_VALUES:
            message = f"With this node there are {len(told)} values, too many at once."
            number = row.number if numbered else None
            raise Invalid.all([Violation("/properties", "too_many", message, f"at most {MOST_VALUES}", number)])
    return told


def _statements(ontology: Ontology, row: _Row) -> Iterable[Statement]:
    known = ontology.properties_of(row.given.node_class)
    if row.node is None:
        return
    for name, given in row.properties.items():
        if is_empty(given):
            continue
        values = values_of(given, known[name].multi_valued)
        for value in {key_text(value, known[name].normaliser): value for value in values}.values():
            yield Statement(
                subject=NodeStored(row.node.pk),
                predicate=name,
                value=value,
                evidence=row.given.evidence,
                premises=row.given.premises,
                valid_from=row.given.valid_from,
                valid_to=row.given.valid_to,
                confidence=row.given.confidence,
            )


def _refuse_unvouched(
    write: Write, ontology: Ontology, statements: list[tuple[_Row, Statement]], numbered: bool
) -> None:
    """Of an agent, what only a machine said makes a node findable by its keys, and says nothing else new of it."""
    wrong = [
        nobody_vouched(f"/properties/{statement.predicate}", row.number if numbered else None)
        for row, statement in statements
        if bound_by_people(write) and is_unvouched(statement) and not _is_held(ontology, row, statement)
    ]
    if wrong:
        raise Invalid.all(wrong)


def _is_held(ontology: Ontology, row: _Row, statement: Statement) -> bool:
    """Whether the value identifies a new node, or is what is known of an old one."""
    node_class, name = row.given.node_class, statement.predicate
    if row.created or row.node is None:
        return any(name in key_set.properties for key_set in ontology.key_sets(node_class))
    normaliser = ontology.properties_of(node_class)[name].normaliser
    held = row.node.properties.get(name)
    said = key_text(statement.value, normaliser)
    return any(key_text(one, normaliser) == said for one in (held if isinstance(held, list) else [held]))


def _remember(
    write: Write, statements: list[tuple[_Row, Statement]], numbered: bool, made: Sequence[Node]
) -> list[Remembered]:
    try:
        return record_all(write, [statement for _, statement in statements], made={node.pk: node for node in made})
    except Invalid as error:
        raise Invalid.all(_of_nodes(error, statements, numbered)) from error


def _of_nodes(error: Invalid, statements: list[tuple[_Row, Statement]], numbered: bool) -> list[Violation]:
    """Violations of statements as violations of the nodes they were made of, each once."""
    found: dict[tuple[int, str, str], Violation] = {}
    for violation in error.violations:
        row, statement = statements[violation.row or 0]
        of_value = violation.path.startswith("/value")
        path = violation.path.replace("/value", f"/properties/{statement.predicate}", 1) if of_value else violation.path
        number = row.number if numbered else None
        found.setdefault((row.number, path, violation.code), replace(violation, path=path, row=number))
    return list(found.values())


def _upserted(row: _Row, stored: dict[uuid.UUID, Node], mine: Sequence[Remembered]) -> Upserted:
    if row.node is None:
        raise AssertionError("a row is matched before it is stored")
    return Upserted(
        stored[row.node.pk],
        row.created,
        tuple(one.belief for one in mine),
        tuple(case for one in mine for case in one.conflicts),
    )
