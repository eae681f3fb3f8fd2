"""The write plan: what a submission would write into memory, worked out before anything is written.

For each binding and each row three values are compared: what memory offered when it was asked, what was answered, and
what memory holds now. A later submission is compared with the one before, and takes back only what this form said.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from formsengine.bindings import todays
from formsengine.bindings.declared import SUBJECT
from formsengine.bindings.things import as_memory, spoken
from formsengine.definition.model import Binding
from formsengine.definition.plan import Planned
from formsengine.log.memory import Write as Act
from formsengine.log.memory import first_write, next_write
from formsengine.log.response import Response
from formsengine.log.snapshot import keys
from formsengine.models import FormOutcome, FormResponse
from memoryapp.doors.errors import DomainError
from memoryapp.graph.identity import unfolded
from memoryapp.graph.models import Belief, Node, RelationPlayer
from memoryapp.graph.models.beliefs import Audience
from memoryapp.graph.queries.nodes import with_keys
from memoryapp.graph.queries.views import Scope, current
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.normalise import normal_value
from memoryapp.ontology.queries import current_ontology

if TYPE_CHECKING:
    from formsengine.bindings.standing import There

OURS = ("create", "update", "supersede", "append")
"""Acts by which the form itself said what is held."""


@dataclass
class Thing:
    """A node that a binding speaks of: there already, or to be made by an entity binding of the same form."""

    label: str
    node: Node | None = None
    entity: tuple[str, str] | None = None


@dataclass
class Item:
    """One line of the plan. `problem` says why memory would not take it: then nothing is written of it."""

    binding: Binding
    row: str
    path: str
    act: Act
    says: str
    answer: Any = None
    offered: Any = None
    held: Any = None
    current: Belief | None = None
    prior: FormOutcome | None = None
    subject: Thing | None = None
    object: Thing | None = None
    properties: dict[str, Any] = field(default_factory=dict)
    where: str = ""
    before: str = ""
    there: There | None = None
    problem: str = ""

    def told(self) -> dict[str, Any]:
        made = {
            "binding": self.binding.name,
            "row": self.row,
            "path": self.path,
            "act": str(self.act),
            "says": self.says,
            "offered": self.offered,
            "answer": self.answer,
            "memory": self.held,
            "belief": str(self.current.pk) if self.current else None,
            "problem": self.problem,
        }
        return {name: value for name, value in made.items() if value not in (None, "")}


class Planner:
    """Works out the plan of one submission of one response."""

    def __init__(self, by: Principal, row: FormResponse, response: Response, submission: int) -> None:
        self.by, self.row, self.response = by, row, response
        self.plan = response.plan
        self.ontology = current_ontology(row.workspace)
        self.bindings = todays.bindings(self.plan.form, self.ontology, row.subject.node_class if row.subject else "")
        self.now = response.snapshots[submission]
        self.before = response.snapshots.get(submission - 1)
        self.paths: dict[tuple[str, str], str] = {}
        from formsengine.log.addresses import address

        for planned, key in keys(response):
            self.paths[planned.name, key[1]] = address(response.plan, response.rows, key)
        self.priors: dict[tuple[str, str], FormOutcome] = {}
        outcomes = FormOutcome.objects.filter(response=row, submission__lt=submission)
        for one in outcomes.select_related("belief", "node", "episode", "entry", "file").order_by("submission"):
            self.priors[one.binding, one.row] = one
        self.things: dict[tuple[str, str], Thing] = {}

    def items(self) -> list[Item]:
        """Every line: entities first, then what is said of them."""
        found: list[Item] = []
        for into, make in (("entity", self._entity), ("property", self._property), ("relation", self._relation),
                           ("episode", self._episode), ("context", self._standing),
                           ("resource", self._standing)):  # fmt: skip
            for binding in self.bindings:
                if binding.into == into:
                    for row in self._rows(binding):
                        found.extend(make(binding, row))
        return found

    # What was answered.

    def _rows(self, binding: Binding) -> list[str]:
        """Rows in which the binding's first field stands, and rows of which something was written before."""
        planned = self.plan.by_name[binding.fields[0]]
        there = [row for (name, row) in self.paths if name == planned.name]
        gone = [row for (name, row) in self.priors if name == binding.name and row not in there]
        return [*there, *gone]

    def kept(self, name: str, row: str, snapshot: dict[str, Any] | None = None) -> Any:
        """The answer that counts, in this row or in one around it; None for held, declined and invalid."""
        taken = snapshot or self.now
        at = row
        while (name, at) not in self.paths and at:
            at = self.response.rows.parents.get(at, "")
        path = self.paths.get((name, at))
        if path is None:
            return None
        if path in taken["values"]:
            return taken["values"][path]
        return taken["computed"].get(path, {}).get("value")

    def path(self, binding: Binding, row: str) -> str:
        prior = self.priors.get((binding.name, row))
        return self.paths.get((binding.fields[0], row)) or (prior.path if prior else binding.fields[0])

    def offered(self, planned: Planned, row: str) -> Any:
        """What memory offered last for the field, None when it offered nothing."""
        found = None
        for revision in self.response.revisions.values():
            if (revision.field, revision.row, revision.origin) == (planned.uid, row, "memory"):
                found = revision.kept
        return found

    def inferred(self, path: str) -> bool:
        """Whether nobody said it: an agent's guess that nobody confirmed."""
        if path not in self.now["unconfirmed"]:
            return False
        revision = self.response.revisions.get(self.now["revisions"].get(path, ""))
        return revision is not None and revision.origin == "inferred"

    def thing(self, reference: str, row: str) -> Thing | None:
        """The node that a binding names: the subject, or an entity of the same row or of one around it."""
        if reference == SUBJECT:
            node = self.row.subject
            return Thing(node.label, unfolded(node)) if node else None
        at = row
        while True:
            if (reference, at) in self.things:
                return self.things[reference, at]
            if not at:
                return None
            at = self.response.rows.parents.get(at, "")

    # What would be written.

    def _entity(self, binding: Binding, row: str) -> Iterator[Item]:
        prior = self.priors.get((binding.name, row))
        if prior is not None and prior.node is not None and not self._changed(binding, row):
            node = unfolded(prior.node)
            self.things[binding.name, row] = Thing(node.label, node)
            return
        if "field" in binding.data:
            wanted = _uuid(self.kept(str(binding.data["field"]), row))
            named = Node.objects.visible_to(self.by).filter(pk=wanted).first() if wanted else None
            if named is not None:
                self.things[binding.name, row] = Thing(named.label, unfolded(named))
            return
        node_class = str(binding.data["class"])
        known = self.ontology.properties_of(node_class)
        properties = {}
        for name, of in binding.data["properties"].items():
            value = as_memory(self.plan, self.plan.by_name[of], self.kept(of, row), known[name].schema)
            if value is not None:
                properties[name] = value
        keys = [key.properties for key in self.ontology.key_sets(node_class)]
        if not any(set(key) <= properties.keys() for key in keys):
            return
        label = self.ontology.label(node_class, properties)
        item = Item(binding, row, self.path(binding, row), Act.CREATE, f"{node_class} {label}", properties=properties)
        try:
            found = list(with_keys(self.by, node_class, properties)[:2])
        except DomainError as error:
            item.problem = error.detail
            yield item
            return
        if len(found) > 1:
            item.problem = "These keys belong to different nodes; a person has to settle which is meant."
        elif not found and not self._creates(binding, row):
            return
        elif found:
            item.act, item.current = Act.CORROBORATE, None
            self.things[binding.name, row] = Thing(found[0].label, found[0])
            item.says = f"{node_class} {found[0].label}"
        if not item.problem:
            self.things.setdefault((binding.name, row), Thing(label, None, (binding.name, row)))
            item.subject = self.things[binding.name, row]
        yield item

    def _creates(self, binding: Binding, row: str) -> bool:
        """Whether the form says that a node is made where it is not there yet."""
        rule = self.plan.conditions.get(binding.name)
        self.response.evaluation.row = row
        return rule is None or rule.true(self.response.evaluation)

    def _changed(self, binding: Binding, row: str) -> bool:
        """Whether the thing is told otherwise than at the last submission: then it is looked for anew."""
        return any(self.kept(of, row) != self._before(of, row) for of in binding.data.get("properties", {}).values())

    def _property(self, binding: Binding, row: str) -> Iterator[Item]:
        thing = self.thing(str(binding.data["of"]), row)
        planned = self.plan.by_name[binding.fields[0]]
        name = str(binding.data["property"])
        if thing is None:
            return
        known = self.ontology.properties_of(self._class_of(binding, thing))
        if name not in known:
            if self.kept(planned.name, row) is not None:
                problem = f"A {self._class_of(binding, thing)} has no {name}."
                yield Item(binding, row, self.path(binding, row), Act.NOTHING, "", subject=thing, problem=problem)
            return
        declared = known[name]
        answer = as_memory(self.plan, planned, self.kept(planned.name, row), declared.schema)
        offered = as_memory(self.plan, planned, self.offered(planned, row), declared.schema)
        current_belief = self._held(thing, name, answer, declared.normaliser, declared.multi_valued)
        item = Item(binding, row, self.path(binding, row), Act.NOTHING, "", answer, offered, subject=thing)
        item.current, item.prior = current_belief, self.priors.get((binding.name, row))
        item.held = current_belief.value if current_belief else None
        before = as_memory(self.plan, planned, self._before(planned.name, row), declared.schema)
        item.act = self._act(item, before, lambda value: normal_value(value, declared.normaliser))
        shown = answer if answer is not None else before
        item.says = f"{thing.label}: {name.replace('_', ' ')} {shown}"
        wrong = declared.check.violations(answer, "/value") if answer is not None else []
        if wrong and item.act is not Act.NOTHING:
            item.problem = f"Memory does not take this: {wrong[0].message}"
        yield item

    def _relation(self, binding: Binding, row: str) -> Iterator[Item]:
        subject = self.thing(str(binding.data["of"]), row)
        told = all(self.kept(name, row) is not None for name in binding.fields)
        object = self.thing(str(binding.data["to"]), row) if told else None
        prior = self.priors.get((binding.name, row))
        if subject is None or (object is None and prior is None):
            return
        relationship = str(binding.data["relationship"])
        item = Item(binding, row, self.path(binding, row), Act.NOTHING, "", subject=subject, object=object, prior=prior)
        said = None if object is None else str(object.node.pk if object.node else object.entity)
        item.current = self._edge(subject, relationship, object)
        item.held = str(item.current.object_id) if item.current else None
        item.answer = said
        before = str(prior.belief.object_id) if prior and prior.belief and prior.act != "retract" else None
        item.act = self._act(item, before, lambda value: value)
        item.answer = object.label if object else None
        item.held = item.current.object.label if item.current and item.current.object else None
        item.says = f"{subject.label} {relationship} {object.label if object else item.held or ''}".strip()
        yield item

    def _episode(self, binding: Binding, row: str) -> Iterator[Item]:
        prior = self.priors.get((binding.name, row))
        needed = [self.kept(name, row) for name in binding.fields]
        text = self.filled(str(binding.data["text"]), row) if all(each is not None for each in needed) else ""
        item = Item(binding, row, self.path(binding, row), Act.NOTHING, text or "", answer=text or None, prior=prior)
        before = None
        if prior is not None and prior.episode is not None and prior.act != "retract":
            before = prior.episode.revisions.order_by("-sequence").values_list("content", flat=True).first()
        if prior is None:
            item.act = Act.CREATE if text else Act.NOTHING
        else:
            item.act = next_write(before, item.answer, still_ours=before is not None, corroborated=False)
        item.held = before
        yield item

    def _standing(self, binding: Binding, row: str) -> Iterator[Item]:
        from formsengine.bindings import standing

        yield from standing.planned(self, binding, row)

    def _act(self, item: Item, before: Any, normal: Any) -> Act:
        """The table of three values, and for a later submission that of two."""
        offered, answer, held = normal(item.offered), normal(item.answer), normal(item.held)
        if self.inferred(item.path) and answer is not None:
            return Act.NOTHING
        if item.prior is None:
            if self.before is not None and normal(before) == answer:
                return Act.NOTHING
            return first_write(offered, answer, held, item.binding.policy)
        ours = item.prior.act in OURS and item.current is not None and item.prior.belief_id == item.current.pk
        elsewhere = bool(item.prior.belief) and self._said_elsewhere(item.prior.belief)
        act = next_write(normal(before), answer, still_ours=ours, corroborated=elsewhere)
        if act in (Act.CREATE, Act.REVIEW) and (held is None or held == answer):
            return Act.CORROBORATE if held is not None else Act.CREATE
        return act

    def _before(self, name: str, row: str) -> Any:
        if self.before is None:
            return None
        kept = self.kept(name, row, self.before)
        if kept is None and (name, row) not in self.paths:
            kept = self._gone(name, row)
        return kept

    def _gone(self, name: str, row: str) -> Any:
        """What was answered in a row that has been removed since."""
        for path, value in (self.before or {"values": {}})["values"].items():
            if path.endswith(f"/{row}/{name}"):
                return value
        return None

    # What memory holds.

    def _class_of(self, binding: Binding, thing: Thing) -> str:
        if thing.node is not None:
            return str(thing.node.node_class)
        entity = next(each for each in self.bindings if each.name == binding.data["of"])
        return str(entity.data["class"])

    def _held(self, thing: Thing, name: str, answer: Any, normaliser: str, several: bool) -> Belief | None:
        """The belief that holds the property now; of several values, the one that was answered."""
        if thing.node is None:
            return None
        scope = Scope(subject=thing.node.pk, predicates=(name,))
        held = current(self.by, scope).filter(shape=Belief.Shape.PROPERTY, audience=Audience.WORKSPACE)
        beliefs = list(held.order_by("recorded_at", "pk")[:200])
        same = [one for one in beliefs if normal_value(one.value, normaliser) == normal_value(answer, normaliser)]
        if same:
            return same[0]
        if several:
            ours = {one.belief_id for one in self.priors.values()}
            return next((one for one in beliefs if one.pk in ours), None)
        return beliefs[0] if beliefs else None

    def _edge(self, subject: Thing, relationship: str, object: Thing | None) -> Belief | None:
        if subject.node is None:
            return None
        scope = Scope(subject=subject.node.pk, predicates=(relationship,))
        held = current(self.by, scope).filter(shape=Belief.Shape.EDGE, audience=Audience.WORKSPACE)
        edges = list(held.select_related("object").order_by("recorded_at", "pk")[:200])
        if object is not None and object.node is not None:
            same = [one for one in edges if one.object_id == object.node.pk]
            if same:
                return same[0]
        single = self.ontology.relationship(relationship).cardinality == "one_per_subject"
        ours = {one.belief_id for one in self.priors.values()}
        return next((one for one in edges if single or one.pk in ours), None)

    def _said_elsewhere(self, belief: Belief | None) -> bool:
        """Whether it stands on a source that is no answer of this response."""
        if belief is None:
            return False
        answers = FormOutcome.objects.filter(response=self.row, source__isnull=False).values("source")
        sourced = RelationPlayer.objects.filter(
            kind="sourcing", role="sourced", belief=belief, relation__state="activated"
        ).values("relation")
        evidence = RelationPlayer.objects.filter(relation__in=sourced, role="evidence", source__isnull=False)
        cited = self.row.citations.values("source")
        return evidence.exclude(source__in=answers).exclude(source__in=cited).exists()

    def filled(self, template: str, row: str, snapshot: dict[str, Any] | None = None, *, lines: bool = False) -> str:
        """The text with answers in their places, as people read them; in one line unless `lines`."""
        made = template
        for planned in self.plan.fields:
            place = "{" + planned.name + "}"
            if place in made:
                kept = self.kept(planned.name, row, snapshot)
                made = made.replace(place, spoken(self.plan, planned, kept) if kept is not None else "")
        return made.strip() if lines else " ".join(made.split())


def _uuid(kept: Any) -> uuid.UUID | None:
    try:
        return uuid.UUID(str(kept["id"]))
    except (ValueError, KeyError, TypeError):
        return None
