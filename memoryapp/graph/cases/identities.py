"""What the graph puts before a person about nodes: are these two one, and who is meant by a name."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet, prefetch_related_objects

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.graph import changes
from memoryapp.graph.identity import distinct, unfolded
from memoryapp.graph.models import Belief, Mention, Node, RelationPlayer
from memoryapp.graph.models.beliefs import Audience, Standing, Status
from memoryapp.graph.queries.nodes import known_properties
from memoryapp.graph.services import beliefs, mentions, merging
from memoryapp.graph.services.merging import asking
from memoryapp.graph.services.merging.planning import refuse_unfit
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology
from memoryapp.review import registry, sight
from memoryapp.review.models import Case, Decision
from memoryapp.review.registry import Asks, CaseKind, Field, Subject, Verdict
from memoryapp.sources.models import Source
from memoryapp.sources.queries import hidden, in_place

CHOICES = 200
"""How many nodes a name may be bound to are offered, those of the same name first."""


def register() -> None:
    """Let the review room know these kinds of case, and what they are about."""
    sight.register(sight.SubjectType("node", _hidden_nodes, _nodes_called, {"node": _node_itself}))
    sight.register(sight.SubjectType("mention", _hidden_mentions, _mentions_of, {"source": _mentions_in}))
    for kind in (MERGE_SUGGESTION, AMBIGUOUS_IDENTITY, SPLIT, UNBOUND_MENTION):
        registry.register(kind)


def _hidden_nodes(by: Principal) -> Any:
    return Node.objects.hidden_from(by).values("pk")


def _hidden_mentions(by: Principal) -> Any:
    return Mention.objects.filter(source__in=hidden(by)).values("pk")


def _nodes_called(by: Principal, text: str) -> Any:
    return Node.objects.visible_to(by).filter(label__icontains=text).values("pk")


def _node_itself(by: Principal, node: uuid.UUID) -> Any:
    return Node.objects.visible_to(by).filter(pk=node).values("pk")


def _mentions_in(by: Principal, source: uuid.UUID) -> Any:
    return Mention.objects.filter(source__in=Source.objects.visible_to(by).filter(pk=source)).values("pk")


def _mentions_of(by: Principal, text: str) -> Any:
    return Mention.objects.filter(workspace=by.workspace, name__icontains=text).values("pk")


def _present_nodes(by: Principal, case: Case) -> dict[str, Any]:
    """The nodes side by side, with what identifies them and how much is known of each."""
    nodes = _nodes(by, case)
    known = known_properties(by, nodes)
    properties = {node.pk: known.get(node.pk, node.properties) for node in nodes}
    prefetch_related_objects(nodes, "identity_keys")
    return {
        "options": {"keep": [(str(node.pk), f"{node.label} · {node.node_class}") for node in nodes]},
        "initial": {"keep": str(nodes[0].pk) if nodes else ""},
        "nodes": [
            {
                "id": str(node.pk),
                "class": node.node_class,
                "label": node.label,
                "properties": properties[node.pk],
                "shown": {
                    name: ", ".join(map(str, value)) if isinstance(value, list) else value
                    for name, value in properties[node.pk].items()
                },
                "keys": sorted(key.key_set for key in node.identity_keys.all() if key.active),
                "since": node.recorded_at,
                "beliefs": Belief.objects.visible_to(by).filter(Q(subject=node) | Q(object=node)).count(),
            }
            for node in nodes
        ],
    }


def _headlines_of_nodes(by: Principal, cases: Sequence[Case]) -> dict[uuid.UUID, str]:
    """The names side by side."""
    of_case = {
        case.pk: [each.subject_id for each in case.subjects.all() if each.subject_type == "node"] for case in cases
    }
    ids = {node for nodes in of_case.values() for node in nodes}
    labels = dict(Node.objects.visible_to(by).filter(pk__in=ids).values_list("pk", "label"))
    return {
        case: " and ".join(f"“{labels[node]}”" for node in sorted(nodes) if node in labels)
        for case, nodes in of_case.items()
    }


def _headlines_of_mentions(by: Principal, cases: Sequence[Case]) -> dict[uuid.UUID, str]:
    """The name, and in whose words it was said."""
    of_case = {
        case.pk: min(each.subject_id for each in case.subjects.all() if each.subject_type == "mention")
        for case in cases
    }
    noted = Mention.objects.filter(workspace=by.workspace, pk__in=of_case.values()).values_list(
        "pk", "name", "circle__label"
    )
    lines = {pk: f"“{name}”" + (f", as {circle} says it" if circle else "") for pk, name, circle in noted}
    return {case: lines[mention] for case, mention in of_case.items() if mention in lines}


def _reach_of_nodes(write: Write, subjects: Sequence[Subject]) -> int:
    """How many statements name one of these nodes."""
    nodes = [one.subject_id for one in subjects if one.subject_type == "node"]
    about = Belief.objects.filter(Q(subject__in=nodes) | Q(object__in=nodes), workspace=write.workspace_id)
    return about.filter(audience=Audience.WORKSPACE, status=Status.ACTIVATED).count()


def _decide_nodes(write: Write, case: Case, verdict: str, edits: dict[str, Any]) -> None:
    """Make them one, or leave them two: then the decision itself is what is remembered."""
    if verdict != "merge":
        return
    nodes = {node.pk: node for node in _nodes(write.by, case)}
    kept = _kept(edits, nodes)
    if kept is None:
        accepted = ", ".join(str(pk) for pk in nodes)
        raise Invalid.at("/edits/keep", "no_such_node", "That is none of the nodes of this case.", accepted)
    keep = nodes.pop(kept)
    merging.merge_all(write, keep=keep, others=list(nodes.values()), reason=write.rationale)


def _kept(edits: dict[str, Any], nodes: Mapping[uuid.UUID, Node]) -> uuid.UUID | None:
    """The node to keep; one that was folded since stands for what it was folded into."""
    asked = Node.objects.filter(pk=edits["keep"]).values_list("pk", "folded_into").first()
    return next((pk for pk in asked or () if pk in nodes), None)


def _nodes(by: Principal, case: Case) -> list[Node]:
    """The nodes that the case asks about, the first known first; what was folded stands for what it was folded into."""
    ids = [subject.subject_id for subject in case.subjects.all() if subject.subject_type == "node"]
    found = Node.objects.visible_to(by).filter(pk__in=ids).select_related("folded_into").order_by("recorded_at", "pk")
    return distinct([unfolded(node) for node in found])


def _cannot_merge(by: Principal, case: Case) -> Mapping[str, str]:
    """Why they cannot be made one, whichever is kept."""
    nodes = _nodes(by, case)
    if len(nodes) < 2:
        return {"merge": "They are one node now."}
    ontology = current_ontology(by.workspace)
    refusals = [_refusal(ontology, keep, [one for one in nodes if one != keep]) for keep in nodes]
    return {"merge": refusals[0]} if all(refusals) else {}


def _refusal(ontology: Ontology, keep: Node, others: Sequence[Node]) -> str:
    try:
        for other in others:
            refuse_unfit(ontology, keep, other)
    except Conflict as refused:
        return str(refused.detail)
    return ""


def _undo_nodes(write: Write, decision: Decision) -> None:
    """Everything that followed refers again to the node it was of. Telling apart changed nothing but the case."""
    if decision.verdict in ("merge", "carry_out"):
        reason = f"Taken back: they are not one. {write.rationale}".strip()
        if decision.verdict == "carry_out":
            reason = f"Taken back: it was one. {write.rationale}".strip()
        merging.put_back(write, decision.write, reason=reason)


MERGE = Verdict(
    "merge",
    "Merge",
    asks=(Field("keep", "Keep", Asks.REFERENCE, required=True, help="The others lead to it for ever."),),
    explains="They are one. Everything said of either is said of the one to keep; it can be undone.",
)
NOT_THE_SAME = Verdict(
    asking.NOT_THE_SAME,
    "Not the same",
    remembered=True,
    explains="They stay two, and are not suggested again.",
)
LATER = Verdict(asking.LATER, "Later", explains="Nothing changes. It may be asked again after a month.")
SPLIT = CaseKind(
    name=merging.SPLIT,
    title="Two in one node",
    verdicts=(Verdict("carry_out", "Split", explains="A part of it was of another."),),
    present=_present_nodes,
    headlines=_headlines_of_nodes,
    template="graph/cases/nodes.html",
    decide=_decide_nodes,
    undo=_undo_nodes,
    reach=_reach_of_nodes,
    explains="A part of what is known of a node was moved to a node of its own.",
)
MERGE_SUGGESTION, AMBIGUOUS_IDENTITY = (
    CaseKind(
        name=name,
        title=title,
        verdicts=(MERGE, NOT_THE_SAME, LATER),
        present=_present_nodes,
        headlines=_headlines_of_nodes,
        template="graph/cases/nodes.html",
        blocked=_cannot_merge,
        decide=_decide_nodes,
        undo=_undo_nodes,
        reach=_reach_of_nodes,
        explains=explains,
    )
    for name, title, explains in (
        (
            asking.MERGE_SUGGESTION,
            "Two nodes for one?",
            "Two nodes look as if they were one. No machine makes them one.",
        ),
        (
            asking.AMBIGUOUS_IDENTITY,
            "Keys of several nodes",
            "One description carried identity keys of several nodes. Nothing of it was stored.",
        ),
    )
)


def _mention(case: Case) -> Mention:
    """The first of the mentions the case is about; all are of one name in one circle."""
    first = case.subjects.filter(role="mention").order_by("pk").values("subject_id")[:1]
    return Mention.objects.select_related("source", "circle").get(workspace=case.workspace_id, pk__in=first)


def _present_mention(by: Principal, case: Case) -> dict[str, Any]:
    """The name where it was said, in whose words, and which nodes of the class have that name."""
    noted = _mention(case)
    same_class = _could_be(by, noted)
    namesakes = list(same_class.filter(label__iexact=noted.name).order_by("pk")[:20])
    others = same_class.exclude(pk__in=[node.pk for node in namesakes]).order_by("label", "pk")[:CHOICES]
    return {
        "name": noted.name,
        "class": noted.node_class,
        "circle": {"id": str(noted.circle.pk), "label": noted.circle.label} if noted.circle else None,
        "source": str(noted.source_id),
        "place": in_place(by, [noted.source_id]).get(noted.source_id),
        "span": [noted.span_start, noted.span_end],
        "mentions": len(mentions.unbound_alike(noted)),
        "nodes": [{"id": str(node.pk), "class": node.node_class, "label": node.label} for node in namesakes],
        "options": {"node": [(str(node.pk), f"{node.label} · {node.node_class}") for node in [*namesakes, *others]]},
        "initial": {"node": str(namesakes[0].pk) if len(namesakes) == 1 else ""},
    }


def _told_mention(by: Principal, case: Case) -> dict[str, Any]:
    """The same as plain data."""
    return {name: value for name, value in _present_mention(by, case).items() if name != "place"}


def _could_be(by: Principal, noted: Mention) -> QuerySet[Node]:
    """The nodes of the class it was taken for, and of every class below."""
    classes = current_ontology(by.workspace).subclasses(noted.node_class)
    return Node.objects.visible_to(by).filter(node_class__in=classes, state=Node.State.ACTIVE)


def _not_possible(by: Principal, case: Case) -> Mapping[str, str]:
    """A name cannot be bound while nothing of its class is known, nor be a new node of a class that only groups."""
    noted = _mention(case)
    blocked = {}
    if not _could_be(by, noted).exists():
        blocked["bind"] = f"No {noted.node_class} is known yet that it could be."
    if current_ontology(by.workspace).node_class(noted.node_class).abstract:
        blocked["new_node"] = f"It was taken for a {noted.node_class}, which only groups other classes."
    return blocked


def _decide_mention(write: Write, case: Case, verdict: str, edits: dict[str, Any]) -> None:
    noted = _mention(case)
    if verdict == "bind":
        mentions.bind_mention(write, noted, uuid.UUID(str(edits["node"])))
    elif verdict == "new_node":
        mentions.make_node(write, noted)
    elif verdict == "not_an_entity":
        mentions.dismiss_mention(write, noted)
    else:
        raise Invalid.at(
            "/verdict", "unknown_verdict", f"There is no verdict {verdict}.", "bind, new_node, not_an_entity"
        )


def _undo_mention(write: Write, decision: Decision) -> None:
    """Unbind what the decision bound, and take back the node that it made."""
    noted = _mention(decision.case)
    alike = Mention.objects.filter(
        workspace=noted.workspace_id,
        normal_name=noted.normal_name,
        node_class=noted.node_class,
        circle=noted.circle_id,
    )
    if decision.verdict == "not_an_entity":
        bound = alike.filter(dismissed=True)
    elif decision.verdict == "new_node":
        bound = alike.filter(node__write=decision.write_id)
        _retire_made(write, decision)
    else:
        bound = alike.filter(node=noted.node_id)
    mentions.release_mentions(list(bound.values_list("pk", flat=True)))


def _retire_made(write: Write, decision: Decision) -> None:
    for node in Node.objects.filter(workspace=write.workspace, write=decision.write_id):
        _refuse_if_rested_on(node, decision)
        mine = list(Belief.objects.filter(subject=node, write=decision.write_id))
        for belief in mine:
            reason = "The verdict that made this node was undone."
            beliefs.change_state(write, belief, reason=reason, status=Status.ARCHIVED, standing=Standing.RETRACTED)
        changes.announce(write, mine)
        Node.objects.filter(pk=node.pk).update(state=Node.State.RETIRED)


def _refuse_if_rested_on(node: Node, decision: Decision) -> None:
    later = (
        Belief.objects.filter(Q(subject=node) | Q(object=node)).exclude(write=decision.write_id).order_by("recorded_at")
    ).first()
    owned = RelationPlayer.objects.filter(node=node).exclude(relation__write=decision.write_id).first()
    resting = later.write_id if later else owned.relation.write_id if owned else None
    if resting is not None:
        message = "Something was recorded of this node since."
        raise Conflict(message, code="rested_on", extra={"write": str(resting)})


UNBOUND_MENTION = CaseKind(
    name="unbound_mention",
    title="Who is meant?",
    verdicts=(
        Verdict(
            "bind",
            "Bind to a node",
            asks=(Field("node", "Node", Asks.REFERENCE, required=True),),
            explains="This name, in these people's words, means that node.",
        ),
        Verdict("new_node", "New node", explains="Something of its own that is not known yet."),
        Verdict("not_an_entity", "Names nothing", explains="It is no name of anything."),
    ),
    present=_present_mention,
    headlines=_headlines_of_mentions,
    template="graph/cases/mention.html",
    blocked=_not_possible,
    told=_told_mention,
    decide=_decide_mention,
    undo=_undo_mention,
    explains="A name was said that no identity key explains, and not exactly one known node has it.",
)
