"""Names found in sources, of things that no identity key names: bound when there is one candidate, else asked about."""

from __future__ import annotations

import hashlib
import uuid

from django.db.models import Q

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.graph.identity import distinct, keys_of, nodes_by_key, resolve, unfolded
from memoryapp.graph.models import Belief, Mention, Node
from memoryapp.graph.models.beliefs import Audience, Status
from memoryapp.graph.services.nodes import NodeInput, Upserted, store
from memoryapp.graph.statements import NodeReference, NodeStored, Quoted
from memoryapp.ledger.models import Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.normalise import normal_text
from memoryapp.ontology.queries import current_ontology
from memoryapp.review.services import Subject, open_case
from memoryapp.sources.models import Source

LONGEST = 300


def mention(
    write: Write,
    name: str,
    node_class: str,
    *,
    source: Source,
    start: int,
    end: int,
    circle: Node | None = None,
) -> Mention:
    """Note that a source names something at a span, and bind it where that is certain.

    Certain is an identity key that is the name itself, or exactly one node of the class with exactly that name or alias
    in the owner's circle: bound before under that name, or connected to the owner. Anything else stays unbound and a
    person is asked, once for a name in a circle. The same mention again is the same row.
    """
    normal = normal_text(name)
    if not normal or len(name) > LONGEST:
        raise Invalid.at("/name", "name_length", "A mention has a name.", f"1 to {LONGEST} characters")
    if not 0 <= start < end <= len(source.content):
        accepted = f"0 <= start < end <= {len(source.content)}"
        raise Invalid.at("/span", "span_outside_source", "The span is not in the source.", accepted)
    ontology = current_ontology(write.workspace)
    ontology.node_class(node_class)
    noted, new = Mention.objects.get_or_create(
        workspace=write.workspace,
        source=source,
        span_start=start,
        span_end=end,
        node_class=node_class,
        defaults={"name": name, "normal_name": normal, "circle": circle, "write": write},
    )
    if not new or noted.node_id is not None:
        return noted
    found = _candidates(ontology, noted)
    if len(found) == 1:
        noted.node = found[0]
        noted.save(update_fields=["node"])
    elif not _dismissed(noted):
        ask(write, noted, len(found))
    return noted


def ask(write: Write, noted: Mention, candidates: int) -> None:
    """Ask a person which node is meant; once for a name in a circle."""
    many = f"{candidates} nodes of that name" if candidates else "no node of that name"
    open_case(
        write,
        kind="unbound_mention",
        key=name_key(noted),
        reason=f"There is {many} in the circle, so nobody but a person can say who is meant.",
        subjects=[Subject("mention", "mention", noted.pk)],
        priority=35,
    )


def name_key(noted: Mention) -> str:
    """The key under which a name in a circle is asked about; it shows nobody's words."""
    parts = [str(noted.circle_id or ""), noted.node_class, noted.normal_name]
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


def bind_mention(write: Write, noted: Mention, node: NodeReference) -> list[Mention]:
    """A person says which node is meant, here and wherever the same name stands unbound in the same circle."""
    meant = resolve(write, node)
    ontology = current_ontology(write.workspace)
    if not ontology.is_class(meant.node_class, noted.node_class):
        message = f"A {meant.node_class} is not a {noted.node_class}."
        raise Invalid.at("/node", "class_differs", message, f"a node of the class {noted.node_class}")
    same = unbound_alike(noted)
    if not same:
        raise Conflict("The mention is bound already.", code="bound", extra={"node": str(noted.node_id or "")})
    Mention.objects.filter(pk__in=[one.pk for one in same]).update(node=meant, dismissed=False)
    return same


def make_node(write: Write, noted: Mention) -> Upserted:
    """A person says that the mention is something of its own: a new node of that name, though no key identifies it."""
    evidence = (Quoted(noted.source, noted.span_start, noted.span_end),)
    given = NodeInput(noted.node_class, {"name": noted.name}, evidence)
    made = store(write, [given], numbered=False, keyless=True)[0]
    bind_mention(write, noted, NodeStored(made.node.pk))
    return made


def dismiss_mention(write: Write, noted: Mention) -> list[Mention]:
    """A person says that the name names nothing."""
    same = unbound_alike(noted)
    Mention.objects.filter(pk__in=[one.pk for one in same]).update(dismissed=True)
    return same


def release_mentions(mentions: list[uuid.UUID]) -> None:
    """Take back what a person said of these mentions."""
    Mention.objects.filter(pk__in=mentions).update(node=None, dismissed=False)


def unbound_alike(noted: Mention) -> list[Mention]:
    """The mention and every other unbound one of the same name, class and circle."""
    return list(
        Mention.objects.filter(
            workspace=noted.workspace_id,
            normal_name=noted.normal_name,
            node_class=noted.node_class,
            circle=noted.circle_id,
            node__isnull=True,
        ).order_by("id")
    )


def _dismissed(noted: Mention) -> bool:
    """Whether a person said before that this name names nothing here; then this one does not either."""
    before = Mention.objects.filter(
        workspace=noted.workspace_id,
        normal_name=noted.normal_name,
        node_class=noted.node_class,
        circle=noted.circle_id,
        dismissed=True,
    )
    if not before.exists():
        return False
    noted.dismissed = True
    noted.save(update_fields=["dismissed"])
    return True


def _candidates(ontology: Ontology, noted: Mention) -> list[Node]:
    declared = ontology.properties_of(noted.node_class)
    if "name" in declared and not ontology.property_violations(noted.node_class, {"name": noted.name}):
        keys = keys_of(ontology, noted.node_class, {"name": noted.name})
        if by_key := distinct(list(nodes_by_key(noted.workspace, keys).values())):
            return by_key
    if noted.circle_id is None:
        return []
    classes = ontology.subclasses(noted.node_class)
    bound = Mention.objects.filter(
        workspace=noted.workspace_id,
        normal_name=noted.normal_name,
        node_class__in=classes,
        circle=noted.circle_id,
        node__isnull=False,
    ).select_related("node__folded_into")
    near = Belief.objects.filter(
        Q(subject=noted.circle_id) | Q(object=noted.circle_id),
        workspace=noted.workspace_id,
        shape=Belief.Shape.EDGE,
        status=Status.ACTIVATED,
        audience=Audience.WORKSPACE,
    ).values_list("subject", "object")
    ids = {one for pair in near for one in pair if one}
    around = Node.objects.filter(pk__in=ids, node_class__in=classes, state=Node.State.ACTIVE)
    named = [node for node in around if noted.normal_name in names_of(node)]
    return distinct([unfolded(one.node) for one in bound if one.node is not None] + named)


def names_of(node: Node) -> set[str]:
    """The normalised names a node goes by."""
    names = [node.label, node.properties.get("name")]
    aliases = node.properties.get("alias", [])
    names += aliases if isinstance(aliases, list) else [aliases]
    return {normal_text(name) for name in names if isinstance(name, str)}
