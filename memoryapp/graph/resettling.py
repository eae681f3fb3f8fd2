"""What is derived from the graph's rows, made anew under another edition of the declared types: slots and digests of
beliefs, the keys by which values are compared, properties, labels and identity keys of nodes.

Either in place, or ahead of time: `rehearse` says what settling makes of some rows, and `install` stores that later, in
few statements, for rows whose `marks` are still the same.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, F, Q, Sum
from django.utils.dateparse import parse_datetime

from memoryapp.doors.errors import Conflict
from memoryapp.graph import slots
from memoryapp.graph.likeness import KEPT
from memoryapp.graph.models import Belief, BeliefState, IdentityKey, Node
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.services import conflict, keying, projection
from memoryapp.ledger import prepared as statements
from memoryapp.ledger.changing import change_each
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.following import Ids, Prepared, Touched
from memoryapp.ontology.normalise import normal_value
from memoryapp.ontology.queries import current_ontology

CHUNK = 400
INSTALLED_AT_ONCE = 2000
NODES = "node_classes"
OF_NODE = ("properties", "label", *KEPT, "lock", "projected_at")
OF_BELIEF = ("slot", "statement", "value_key")


def clear(write: Write, touched: Touched) -> None:
    """Give up keys of sets that are declared no more, so that what takes their place meets only keys of today."""
    if classes := touched.of(NODES):
        gone = _undeclared_keys(write, Q(node__node_class__in=classes))
        gone.update(active=False)


def settle(write: Write, family: str, ids: Ids) -> None:
    """Slots, digests, properties, labels and identity keys, under the edition in force."""
    ontology = current_ontology(write.workspace)
    if family == NODES:
        said = list(Belief.objects.filter(shape=Belief.Shape.PROPERTY, subject__in=ids).select_related("subject"))
        _reslot(ontology, said)
        keying.rekey_these(ontology, said)
        _undeclared_keys(write, Q(node__in=ids)).update(active=False)
        projection.project(write, Node.objects.filter(pk__in=ids))
    elif family in ("belief_kinds", "relationships"):
        _reslot(ontology, list(Belief.objects.filter(pk__in=ids).select_related("subject")))


def marks(workspace: Workspace, family: str, ids: Ids) -> dict[uuid.UUID, str]:
    """Counters and digests that change whenever what is derived from a row may."""
    if family == NODES:
        return _marks_of_nodes(ids)
    if family not in ("belief_kinds", "relationships"):
        return {}
    rows = Belief.objects.filter(pk__in=ids).values_list("pk", "lock", "slot", "statement", "subject", "object")
    return {pk: f"{lock}:{slot}:{said}:{subject}:{object_}" for pk, lock, slot, said, subject, object_ in rows}


def _marks_of_nodes(ids: Ids) -> dict[uuid.UUID, str]:
    """Every change of a belief counts its lock up; a merge changes how many there are."""
    said = Belief.objects.filter(shape=Belief.Shape.PROPERTY, subject__in=ids).values("subject").order_by()
    beliefs = {one["subject"]: (one["n"], one["locks"]) for one in said.annotate(n=Count("pk"), locks=Sum("lock"))}
    held = IdentityKey.objects.filter(node__in=ids).values("node").order_by()
    keys = {one["node"]: (one["n"], one["on"]) for one in held.annotate(n=Count("pk"), on=Count("pk", Q(active=True)))}
    rows = Node.objects.filter(pk__in=ids).values_list("pk", "lock", "state", "known_to_all")
    return {pk: f"{lock}:{state}:{all_}:{beliefs.get(pk)}:{keys.get(pk)}" for pk, lock, state, all_ in rows}


def rehearse(write: Write, family: str, ids: Ids) -> dict[uuid.UUID, Any]:
    """Settle these rows and say what became of each: the columns that are others now, keys given up and taken."""
    before = _derived(family, ids)
    settle(write, family, ids)
    after = _derived(family, ids)
    found: dict[uuid.UUID, Any] = {}
    for id, now in after.items():
        was = before[id]
        made = {
            "node": now["node"] if now["node"] != was["node"] else None,
            "beliefs": [[pk, *now["beliefs"][pk]] for pk in now["beliefs"] if now["beliefs"][pk] != was["beliefs"][pk]],
            "off": [pk for pk, key in was["keys"].items() if key[-1] and not now["keys"][pk][-1]],
            "on": [pk for pk, key in now["keys"].items() if key[-1] and pk in was["keys"] and not was["keys"][pk][-1]],
            "new": [key[:-1] for pk, key in now["keys"].items() if pk not in was["keys"]],
        }
        if any(made.values()):
            found[id] = {name: value for name, value in made.items() if value}
    return found


def _derived(family: str, ids: Ids) -> dict[uuid.UUID, dict[str, Any]]:
    """What is derived from these rows, by row, as plain data."""
    found: dict[uuid.UUID, dict[str, Any]] = {id: {"node": None, "beliefs": {}, "keys": {}} for id in ids}
    of_nodes = family == NODES
    rows = (
        Belief.objects.filter(shape=Belief.Shape.PROPERTY, subject__in=ids)
        if of_nodes
        else Belief.objects.filter(pk__in=ids)
    )
    for pk, owner, slot, statement, key in rows.values_list("pk", "subject" if of_nodes else "pk", *OF_BELIEF):
        found[owner]["beliefs"][str(pk)] = [slot, statement, base64.b64encode(bytes(key)).decode()]
    for pk, *columns, at in Node.objects.filter(pk__in=ids).values_list("pk", *OF_NODE) if of_nodes else ():
        found[pk]["node"] = [*columns, at and at.isoformat()]
    held = IdentityKey.objects.filter(node__in=ids).values_list(
        "pk", "node", "owner_class", "key_set", "value", "active"
    )
    for pk, node, *key in held if of_nodes else ():
        found[node]["keys"][str(pk)] = key
    return found


def install(write: Write, family: str, prepared: Prepared) -> None:
    """Store what was rehearsed. Raises Conflict `identity_ambiguous`, or `slot_taken`, where rows that were rehearsed
    apart from each other come to claim the same."""
    claims: list[tuple[uuid.UUID, Any]] = []
    for several in _batches(prepared):
        made = [(id, data) for id, data in several if data]
        beliefs = [one for _, data in made for one in data.get("beliefs", ())]
        _install_beliefs(beliefs)
        if family != NODES:
            _refuse_twice([uuid.UUID(one[0]) for one in beliefs])
            continue
        change_each(Node, OF_NODE, [(id, _of_node(data["node"])) for id, data in made if "node" in data])
        off = [uuid.UUID(one) for _, data in made for one in data.get("off", ())]
        change_each(IdentityKey, ["active"], [(one, [False]) for one in off])
        claims += [(id, {one: data.get(one, ()) for one in ("on", "new")}) for id, data in made]
    for several in _batches(claims):
        _claim(write, several)


def _install_beliefs(beliefs: Sequence[Any]) -> None:
    values = [(uuid.UUID(pk), [slot, said, base64.b64decode(key)]) for pk, slot, said, key in beliefs]
    change_each(Belief, OF_BELIEF, values)


def _of_node(data: Sequence[Any]) -> list[Any]:
    *columns, at = data
    return [*columns, parse_datetime(at) if at else None]


def _claim(write: Write, made: Sequence[tuple[uuid.UUID, Any]]) -> None:
    on = [uuid.UUID(one) for _, data in made for one in data["on"]]
    new = [
        IdentityKey(workspace=write.workspace, node_id=id, owner_class=owner, key_set=key_set, value=value, write=write)
        for id, data in made
        for owner, key_set, value in data["new"]
    ]
    try:
        with transaction.atomic():
            change_each(IdentityKey, ["active"], [(one, [True]) for one in on])
            statements.insert(new)
    except IntegrityError as error:
        message = "Two nodes would be identified by one key."
        raise Conflict(message, code="identity_ambiguous") from error


def _refuse_twice(ids: Sequence[uuid.UUID]) -> None:
    for start in range(0, len(ids), CHUNK):
        beliefs = Belief.objects.filter(pk__in=ids[start : start + CHUNK], status=Status.ACTIVATED).exclude(slot="")
        _refuse_taken(list(beliefs))


def _batches(prepared: Prepared) -> Iterator[list[tuple[uuid.UUID, Any]]]:
    several: list[tuple[uuid.UUID, Any]] = []
    for one in prepared:
        several.append(one)
        if len(several) == INSTALLED_AT_ONCE:
            yield several
            several = []
    if several:
        yield several


def _undeclared_keys(write: Write, whose: Q) -> Any:
    """Active keys of sets that are declared no more."""
    ontology = current_ontology(write.workspace)
    declared = {(owner, one.name) for owner in ontology.document.node_classes for one in ontology.key_sets(owner)}
    keys = IdentityKey.objects.filter(whose, workspace=write.workspace, active=True)
    held = keys.order_by().values_list("owner_class", "key_set").distinct()
    gone = Q(pk__in=[])
    for owner, name in held:
        if (owner, name) not in declared:
            gone |= Q(owner_class=owner, key_set=name)
    return keys.filter(gone)


def _reslot(ontology: Ontology, beliefs: Sequence[Belief]) -> None:
    """What only one may fill and what says the same, by the names of today. Raises Conflict `slot_taken` when two that
    hold now come to fill one slot."""
    free = [belief for belief in beliefs if belief.shape == Belief.Shape.STATEMENT]
    owners = dict(
        BeliefState.objects.filter(belief__in=free, sequence=F("belief__lock")).values_list("belief", "owners")
        if free
        else ()
    )
    changed = []
    for belief in beliefs:
        slot, statement = _digests(ontology, belief, [uuid.UUID(one) for one in owners.get(belief.pk, ())])
        if (slot, statement) != (belief.slot, belief.statement):
            belief.slot, belief.statement = slot, statement
            changed.append(belief)
    statements.store(changed, ["slot", "statement"])
    _refuse_taken([belief for belief in changed if belief.slot and belief.status == Status.ACTIVATED])


def _refuse_taken(beliefs: Sequence[Belief]) -> None:
    filled, workspaces = {belief.slot for belief in beliefs}, {belief.workspace_id for belief in beliefs}
    held = Belief.objects.filter(status=Status.ACTIVATED, slot__in=filled, workspace__in=workspaces)
    twice = {one["slot"] for one in held.order_by().values("slot").annotate(n=Count("pk")).filter(n__gt=1)}
    for belief in beliefs:
        if belief.slot in twice:
            conflict.refuse_taken_slot(belief)


def _digests(ontology: Ontology, belief: Belief, owners: Sequence[uuid.UUID]) -> tuple[str, str]:
    subject = belief.subject_id
    if belief.shape == Belief.Shape.STATEMENT:
        topic, family = ontology.topic(belief.kind, belief.topic)
        slot = slots.topic_slot(owners, family, topic)
        said: Any = slots.normal_content(belief.content)
        kind, of = belief.kind, owners
    else:
        kind, of = "", ()
        slot, said = _edge(ontology, belief) if belief.object_id else _property(ontology, belief)
    digest = slots.statement_digest(
        kind=kind,
        owners=of,
        subject=subject,
        predicate=belief.predicate,
        object_=belief.object_id,
        slot=slot,
        said=said,
    )
    return slot, digest


def _property(ontology: Ontology, belief: Belief) -> tuple[str, Any]:
    assert belief.subject is not None
    declared = ontology.properties_of(belief.subject.node_class).get(belief.predicate)
    if declared is None:
        return belief.slot, normal_value(belief.value)
    slot = "" if declared.multi_valued else slots.subject_slot(belief.subject.pk, belief.predicate)
    return slot, normal_value(belief.value, declared.normaliser)


def _edge(ontology: Ontology, belief: Belief) -> tuple[str, Any]:
    assert belief.subject_id is not None
    assert belief.object_id is not None
    declared = ontology.document.relationships.get(belief.predicate)
    slot = ""
    if declared is not None and declared.cardinality == "one_per_subject":
        slot = slots.subject_slot(belief.subject_id, belief.predicate)
    elif declared is not None and declared.cardinality == "one_per_object":
        slot = slots.object_slot(belief.object_id, belief.predicate)
    return slot, normal_value(belief.qualifiers)
