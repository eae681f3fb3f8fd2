"""Reading statements: from what a caller handed over to what can be stored, or to every violation in it.

A draft is checked against the declared types, its nodes are resolved, its sentence is rendered and its slot and digest
are computed. Nothing is stored here.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from django.db.models import QuerySet

from memoryapp.doors.errors import DomainError, Invalid, Violation
from memoryapp.doors.moments import Precision
from memoryapp.graph import slots, todays, typed
from memoryapp.graph.identity import named, resolve, stored_nodes, unfolded
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.models.beliefs import Audience, Standing, Status
from memoryapp.graph.services.audiences import actors_of, audience_fault
from memoryapp.graph.services.drafts import TAKEN_BACK, Draft
from memoryapp.graph.statements import Moment, NodeKeys, NodeReference, NodeStored, Statement
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.compiled import FACT, Ontology
from memoryapp.ontology.normalise import normal_value
from memoryapp.ontology.queries import current_ontology
from memoryapp.sources.audiences import audience_of, within_all
from memoryapp.sources.queries import taken_back

LONGEST = 20_000
"""Characters of one statement."""
LONGEST_TOPIC = 200


class Reading:
    """Reads the statements of one batch: nodes, premises and declared types are looked up once for all of them."""

    def __init__(
        self, write: Write, statements: Sequence[Statement], made: Mapping[uuid.UUID, Node] | None = None
    ) -> None:
        """`made` are nodes that this write made, as they are in memory."""
        self.write = write
        self.ontology: Ontology = current_ontology(write.workspace)
        self._nodes: dict[str, Node | DomainError] = {}
        self._stored = dict(made or {})
        self._stored |= stored_nodes(write.workspace, (one for one in _named_by(statements) if not self._is_here(one)))
        wanted = {premise for statement in statements for premise in statement.premises}
        self._premises = {belief.pk: belief for belief in _usable(write.by, wanted)} if wanted else {}
        cited = {quoted.source.pk for statement in statements for quoted in statement.evidence}
        self.taken_back = taken_back(cited)
        """Sources among the evidence on which nothing stands any more."""
        self.readers = audience_of([quoted.source for statement in statements for quoted in statement.evidence])
        """Who may be served each of them."""

    def draft(self, statement: Statement, row: int) -> Draft | list[Violation]:
        """The draft of one statement, or everything that is wrong with it."""
        one = _One(self, statement, row)
        draft = one.read()
        return draft if draft is not None and not one.wrong else one.wrong

    def node(self, reference: NodeReference) -> Node | DomainError:
        """The node that is meant, redirects followed; or why there is none."""
        if isinstance(reference, NodeStored) and reference.id in self._stored:
            return unfolded(self._stored[reference.id])
        key = repr(reference)
        if key not in self._nodes:
            try:
                if isinstance(reference, NodeKeys):
                    self._nodes[key] = resolve(self.write, reference)
                else:
                    self._nodes[key] = named(self.write, reference, self._stored)
            except DomainError as error:
                self._nodes[key] = error
        return self._nodes[key]

    def _is_here(self, reference: NodeReference | None) -> bool:
        return isinstance(reference, NodeStored) and reference.id in self._stored

    def premise(self, belief_id: uuid.UUID) -> Belief | None:
        return self._premises.get(belief_id)


def _named_by(statements: Sequence[Statement]) -> Iterator[NodeReference | None]:
    for one in statements:
        yield from (*one.owners, one.subject, one.object)


def _usable(by: Principal, ids: set[uuid.UUID]) -> QuerySet[Belief]:
    """What may be concluded from: what the principal sees and nobody found wrong."""
    seen = Belief.objects.visible_to(by).filter(pk__in=ids).exclude(status=Status.DELETED)
    return seen.exclude(standing__in=[Standing.RETRACTED, Standing.WITHDRAWN])


def read_one(write: Write, statement: Statement) -> Draft:
    """One statement as it can be stored. Raises Invalid with everything wrong with it; violations name no row."""
    read = Reading(write, [statement]).draft(statement, 0)
    if isinstance(read, Draft):
        return read
    raise Invalid.all(replace(violation, row=None) for violation in read)


class _One:
    """Reads one statement and gathers what is wrong with it."""

    def __init__(self, reading: Reading, statement: Statement, row: int) -> None:
        self.reading = reading
        self.ontology = reading.ontology
        self.statement = statement
        self.row = row
        self.wrong: list[Violation] = []

    def read(self) -> Draft | None:
        said = self.statement
        owners = [node for place, owner in enumerate(said.owners) if (node := self._node(owner, f"/owners/{place}"))]
        subject = self._node(said.subject, "/subject") if said.subject is not None else None
        object_ = self._node(said.object, "/object") if said.object is not None else None
        said = self.statement = todays.statement(self.ontology, said, subject)
        shape = self._shape()
        kind = said.kind or (FACT if shape != Belief.Shape.STATEMENT else "")
        self._check_kind(kind)
        self._check_support()
        self._check_confidence()
        valid_from, valid_to = self._dates()
        if not owners and subject is not None and shape != Belief.Shape.STATEMENT:
            owners = [subject]
        owners = list({node.pk: node for node in owners}.values())
        audience, readers = self._audience(owners)
        if fault := audience_fault(self.reading.write, said.audience, said.readers, bool(owners)):
            self._add(*fault)
        if self.wrong:
            return None
        worded = self._worded(shape, kind, owners, subject, object_)
        if worded is None or self.wrong:
            return None
        content, slot, digest, topic = worded
        return Draft(
            row=self.row,
            shape=shape,
            kind=kind,
            content=content,
            owners=owners,
            subject=subject,
            predicate=said.predicate,
            value=said.value if shape == Belief.Shape.PROPERTY else None,
            object=object_,
            qualifiers=dict(said.qualifiers) if shape == Belief.Shape.EDGE else {},
            topic=topic,
            attributes=dict(said.attributes),
            confidence=said.confidence,
            slot=slot,
            digest=digest,
            valid_from=valid_from,
            valid_to=valid_to,
            audience=audience,
            readers=readers,
            evidence=list({(q.source.pk, q.start, q.end): q for q in said.evidence}.values()),
            value_key=self._value_key(shape, subject),
            premises=[self.reading._premises[premise] for premise in dict.fromkeys(said.premises)],
        )

    def _value_key(self, shape: str, subject: Node | None) -> bytes:
        if shape != Belief.Shape.PROPERTY or subject is None:
            return b""
        declared = self.ontology.property(subject.node_class, self.statement.predicate)
        return typed.key_of(self.statement.value, typed.sort_of(declared.schema))

    def _add(self, path: str, code: str, message: str, accepted: str = "") -> None:
        self.wrong.append(Violation(path, code, message, accepted, self.row))

    def _add_all(self, found: Sequence[Violation]) -> None:
        self.wrong += [replace(violation, row=self.row) for violation in found]

    def _took(self, error: DomainError, path: str) -> None:
        if not error.violations:
            self._add(path, error.code, error.detail)
        for violation in error.violations:
            inner = violation.path if violation.path.startswith(path) else path + violation.path
            self.wrong.append(replace(violation, path=inner, row=self.row))

    def _node(self, reference: NodeReference, path: str) -> Node | None:
        found = self.reading.node(reference)
        if isinstance(found, Node):
            return found
        self._took(found, path)
        return None

    def _shape(self) -> str:
        said = self.statement
        if not said.predicate:
            if said.object is not None:
                self._add("/predicate", "predicate_missing", "An edge needs its relationship.", "a relationship")
            if said.value is not None or said.qualifiers:
                self._add("/predicate", "predicate_missing", "A value needs to say of what.", "a property")
            return Belief.Shape.STATEMENT
        if said.subject is None:
            self._add("/subject", "subject_missing", "A property or edge is of a node.", "an id, or class and keys")
        if said.object is not None:
            if said.value is not None:
                self._add("/value", "value_not_asked", "An edge has an object and no value.", "qualifiers")
            return Belief.Shape.EDGE
        if said.value is None:
            self._add("/value", "value_missing", "A property needs a value, an edge an object.", "a value or an object")
        if said.qualifiers:
            self._add("/qualifiers", "qualifiers_not_asked", "Only an edge has qualifiers.", "none")
        return Belief.Shape.PROPERTY

    def _check_kind(self, kind: str) -> None:
        try:
            self.ontology.concrete_kind(kind)
        except DomainError as error:
            self._took(error, "/kind")
            return
        self._add_all(self.ontology.attribute_violations(kind, self.statement.attributes))

    def _check_support(self) -> None:
        said = self.statement
        if not said.evidence and not said.premises:
            self._add(
                "/evidence",
                "nothing_to_stand_on",
                "A belief stands on something said or read, or on other beliefs.",
                "evidence or premises",
            )
        for place, quoted in enumerate(said.evidence):
            if quoted.source.workspace_id != self.reading.write.workspace_id:
                self._add(f"/evidence/{place}/source", "no_such_source", "There is no such source.", "a source's id")
            elif quoted.source.pk in self.reading.taken_back:
                self._add(f"/evidence/{place}/source", "source_withdrawn", TAKEN_BACK, "a source that stands")
            elif (quoted.start is None) != (quoted.end is None) or (
                quoted.start is not None
                and quoted.end is not None
                and not 0 <= quoted.start < quoted.end <= len(quoted.source.content)
            ):
                self._add(
                    f"/evidence/{place}",
                    "span_outside_source",
                    "The quoted span is not in the source.",
                    f"0 <= start < end <= {len(quoted.source.content)}",
                )
        for place, premise in enumerate(said.premises):
            if self.reading.premise(premise) is None:
                self._add(f"/premises/{place}", "no_such_belief", "There is no such belief to conclude from.", "its id")

    def _audience(self, owners: Sequence[Node]) -> tuple[str, tuple[uuid.UUID, ...]]:
        """Who may be served it: what is learned from words for few is for these, or for fewer when it says so."""
        said = self.statement
        within = within_all(self.reading.readers.get(quoted.source.pk) for quoted in said.evidence)
        if within is None:
            return said.audience, said.readers
        if said.audience == Audience.WORKSPACE and within:
            return Audience.NAMED, tuple(sorted(within))
        served = set(said.readers)
        if said.audience == Audience.OWNERS:
            served = set(actors_of(self.reading.write.workspace_id, [node.pk for node in owners]))
        if said.audience == Audience.WORKSPACE or not served <= within:
            message = "What it stands on is for fewer."
            accepted = (
                "the audience named, with readers of all its sources" if within else "sources with common readers"
            )
            self._add("/audience", "wider_than_source", message, accepted)
        return said.audience, said.readers

    def _check_confidence(self) -> None:
        confidence = self.statement.confidence
        if confidence is None:
            return
        number = isinstance(confidence, (int, float)) and not isinstance(confidence, bool)
        if not number or math.isnan(confidence) or not 0 <= confidence <= 100:
            self._add("/confidence", "confidence_out_of_range", "The confidence is out of range.", "0 to 100, or none")

    def _dates(self) -> tuple[Moment | None, Moment | None]:
        said = self.statement
        for path, moment in (("/valid_from", said.valid_from), ("/valid_to", said.valid_to)):
            if moment is not None and moment.instant.utcoffset() is None:
                self._add(path, "naive_time", "It does not say in which time zone.", "a time with its offset")
                return None, None
        valid_from = said.valid_from or self._said_from()
        if valid_from and said.valid_to and said.valid_to.instant < valid_from.instant:
            if said.valid_from is not None:
                self._add(
                    "/valid_to",
                    "valid_to_before_valid_from",
                    "It would end before it began.",
                    f"a time from {valid_from.instant.isoformat()} on",
                )
            valid_from = None
        return valid_from, said.valid_to

    def _said_from(self) -> Moment | None:
        said = [quoted.source.said_at for quoted in self.statement.evidence]
        if said:
            return Moment(min(said), Precision.INSTANT)
        begins = [
            belief.valid_from
            for premise in self.statement.premises
            if (belief := self.reading.premise(premise)) and belief.valid_from
        ]
        return Moment(max(begins), Precision.INSTANT) if begins else None

    def _worded(
        self, shape: str, kind: str, owners: list[Node], subject: Node | None, object_: Node | None
    ) -> tuple[str, str, str, str] | None:
        """Content, slot, digest and topic; None when something is wrong."""
        if shape == Belief.Shape.STATEMENT:
            return self._free(kind, owners, subject)
        if self.statement.topic:
            self._add("/topic", "topic_not_asked", "Only a free statement has a topic.", "no topic")
        if self.statement.content:
            self._add("/content", "content_not_asked", "The sentence is rendered from the declared template.", "none")
        if subject is None or self.wrong:
            return None
        if shape == Belief.Shape.EDGE:
            return self._edge(kind, subject, object_) if object_ is not None else None
        return self._property(kind, subject)

    def _free(self, kind: str, owners: list[Node], subject: Node | None) -> tuple[str, str, str, str] | None:
        said = self.statement
        for path, text, longest in (("/content", said.content, LONGEST), ("/topic", said.topic, LONGEST_TOPIC)):
            for code, message, accepted in _text_faults(text, longest):
                self._add(path, code, message, accepted)
        if not said.content.strip():
            self._add("/content", "content_blank", "A belief says something.", "one sentence")
        if self.wrong:
            return None
        topic, family = self.ontology.topic(kind, said.topic)
        owner_ids = [node.pk for node in owners]
        slot = slots.topic_slot(owner_ids, family, topic)
        digest = slots.statement_digest(
            kind=kind,
            owners=owner_ids,
            subject=subject.pk if subject else None,
            predicate="",
            object_=None,
            slot=slot,
            said=slots.normal_content(said.content),
        )
        return said.content.strip(), slot, digest, topic

    def _property(self, kind: str, subject: Node) -> tuple[str, str, str, str] | None:
        said = self.statement
        try:
            declared = self.ontology.property(subject.node_class, said.predicate)
        except DomainError as error:
            self._took(error, "/predicate")
            return None
        self._add_all(declared.check.violations(said.value, "/value"))
        if self.wrong:
            return None
        slot = "" if declared.multi_valued else slots.subject_slot(subject.pk, said.predicate)
        digest = slots.statement_digest(
            kind="",
            owners=(),
            subject=subject.pk,
            predicate=said.predicate,
            object_=None,
            slot=slot,
            said=normal_value(said.value, declared.normaliser),
        )
        content = self.ontology.property_sentence(subject.node_class, subject.label, said.predicate, said.value)
        return content, slot, digest, ""

    def _edge(self, kind: str, subject: Node, object_: Node) -> tuple[str, str, str, str] | None:
        said = self.statement
        try:
            relationship = self.ontology.relationship(said.predicate)
        except DomainError as error:
            self._took(error, "/predicate")
            return None
        self._add_all(
            self.ontology.edge_violations(said.predicate, subject.node_class, object_.node_class, said.qualifiers)
        )
        if self.wrong:
            return None
        slot = ""
        if relationship.cardinality == "one_per_subject":
            slot = slots.subject_slot(subject.pk, said.predicate)
        elif relationship.cardinality == "one_per_object":
            slot = slots.object_slot(object_.pk, said.predicate)
        digest = slots.statement_digest(
            kind="",
            owners=(),
            subject=subject.pk,
            predicate=said.predicate,
            object_=object_.pk,
            slot=slot,
            said=normal_value(said.qualifiers),
        )
        content = self.ontology.edge_sentence(said.predicate, subject.label, object_.label, said.qualifiers)
        return content, slot, digest, ""


def _text_faults(text: str, longest: int) -> Iterator[tuple[str, str, str]]:
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        yield "unreadable_text", "The text holds characters that are no text.", "Unicode without NUL and surrogates"
    if len(text) > longest:
        yield "too_long", "The text is too long.", f"at most {longest} characters"
