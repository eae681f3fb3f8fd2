"""What an operation names outside the form: the turn in which it was said, the node that is meant, the file."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from formsengine.definition.model import ATTACHED
from formsengine.log.addresses import Found, NotFound, address, find_field
from formsengine.log.response import Response
from formsengine.models import FormAttachment, FormResponse
from memoryapp.doors.errors import Invalid, Violation
from memoryapp.doors.strict import pointer, unreadable_characters
from memoryapp.graph.models import Node
from memoryapp.graph.queries.nodes import called
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import Source
from memoryapp.sources.quoting import locate

MOST_CANDIDATES = 8
Op = Mapping[str, Any]


def refuse_unreadable(ops: Sequence[Op]) -> None:
    """Refuse what no database stores: NUL, half of a surrogate pair. Raises Invalid with the place."""
    for path, text in _texts(list(ops), ("ops",)):
        if wrong := unreadable_characters(text):
            raise Invalid.at(pointer(*path), "unreadable_text", f"This holds {wrong}.", "text without it")


def _texts(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield (*path, str(name)), str(name)
            yield from _texts(inner, (*path, str(name)))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _texts(inner, (*path, number))


def with_sources(by: Principal, ops: Sequence[Op]) -> list[Op]:
    """The operations with the words they quote found in their sources."""
    made: list[Op] = []
    for number, op in enumerate(ops):
        if isinstance(op, Mapping) and isinstance(op.get("evidence"), list):
            op = {**op, "evidence": sources_named(by, op["evidence"], f"/ops/{number}/evidence")}
        made.append(op)
    return made


def sources_named(by: Principal, evidence: Sequence[Any], path: str) -> list[Any]:
    """Evidence whose source is in sight and says what is quoted. Raises Invalid with every place that is not so.

    Evidence without a source is kept as the writer says it: a note of where an answer came from.
    """
    made: list[Any] = []
    wrong: list[Violation] = []
    for number, each in enumerate(evidence):
        at = f"{path}/{number}"
        if not isinstance(each, Mapping) or "source" not in each:
            made.append(each)
            continue
        source = _source(by, each["source"])
        if source is None:
            wrong.append(Violation(f"{at}/source", "no_such_source", "There is no such source.", "the id of a source"))
            continue
        named: dict[str, Any] = {**each, "source": str(source.pk)}
        quote = each.get("quote")
        if quote is not None:
            span = locate(source, str(quote), each.get("start"), each.get("end"), at)
            if isinstance(span, Violation):
                wrong.append(span)
                continue
            named |= {"start": span[0], "end": span[1]}
        made.append(named)
    if wrong:
        raise Invalid.all(wrong)
    return made


def _source(by: Principal, named: Any) -> Source | None:
    try:
        wanted = uuid.UUID(str(named))
    except ValueError:
        return None
    return Source.objects.visible_to(by).filter(pk=wanted).first()


def with_things(by: Principal, response: Response, ops: Sequence[Op]) -> tuple[list[Op], dict[str, dict[str, Any]]]:
    """The operations with nodes in place of their names, where a name means exactly one in sight.

    What means none or several stays as it was, to be refused by the engine; the candidates are given by its path.
    """
    made: list[Op] = []
    candidates: dict[str, dict[str, Any]] = {}
    for op in ops:
        found = _entity_field(response, op)
        if found is None:
            made.append(op)
            continue
        path, node_class = found
        nodes = _nodes(by, op.get("value"), node_class)
        if len(nodes) == 1:
            made.append({**op, "value": {"id": str(nodes[0].pk), "label": nodes[0].label}})
            continue
        said = op["value"].get("label", "") if isinstance(op["value"], Mapping) else str(op["value"])
        told = "Several are called so." if nodes else "Nothing in memory is called so."
        accepted = [f"{node.pk} ({node.label}, {node.node_class})" for node in nodes[:MOST_CANDIDATES]]
        candidates[path] = {"message": told} | ({"accepted": accepted} if accepted else {})
        made.append({**op, "value": said or "?"})
    return made, candidates


def _entity_field(response: Response, op: Op) -> tuple[str, str] | None:
    """The path and the class of the field, when the operation answers one that names a node."""
    found = _answered(response, op)
    if found is None or found.planned.question.type != "entity":
        return None
    return address(response.plan, response.rows, found.key), class_of(found.planned.question.parameters)


def _answered(response: Response, op: Op) -> Found | None:
    """The field that the operation gives a value, if it gives any."""
    if not isinstance(op, Mapping) or op.get("op") not in ("set", "attach") or not op.get("value"):
        return None
    try:
        return find_field(response.plan, response.rows, str(op.get("field", "")))
    except NotFound:
        return None


def with_attachments(row: FormResponse, response: Response, ops: Sequence[Op]) -> list[Op]:
    """The operations with each file named as it was stored; one not stored with this response cannot be read."""
    made: list[Op] = []
    for op in ops:
        found = _answered(response, op)
        attaches = found is not None and found.planned.question.type in ATTACHED
        made.append({**op, "value": _attachment(row, op["value"])} if attaches else op)
    return made


def _attachment(row: FormResponse, value: Any) -> Any:
    try:
        wanted = uuid.UUID(str(value.get("id") if isinstance(value, Mapping) else value))
    except ValueError:
        return "?"
    stored = FormAttachment.objects.filter(response=row, pk=wanted).first()
    return as_answer(stored) if stored else "?"


def as_answer(one: FormAttachment) -> dict[str, str]:
    """The attachment as the answer that names it."""
    return {"id": str(one.pk), "digest": one.digest, "name": one.name, "type": one.media_type}


def class_of(parameters: str) -> str:
    """The class of nodes that a field asks for: `class=person` among its parameters."""
    parts = dict(part.split("=", 1) for part in parameters.split() if "=" in part)
    return parts.get("class", "")


def _nodes(by: Principal, value: Any, node_class: str) -> list[Node]:
    named = value.get("id", "") if isinstance(value, Mapping) else value
    if not isinstance(named, str):
        return []
    try:
        wanted = uuid.UUID(named)
    except ValueError:
        return list(called(by, named, node_class)[: MOST_CANDIDATES + 1])
    return list(Node.objects.visible_to(by).filter(pk=wanted, state=Node.State.ACTIVE))
