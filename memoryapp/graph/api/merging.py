"""Who is who over REST: making two nodes one, one two, taking it back, and nodes that are not used any more."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any, ClassVar

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, page_of
from memoryapp.doors.errors import Invalid
from memoryapp.doors.etags import etag
from memoryapp.doors.fields import Identifier, Paged, Parameters, Several, Text, Told
from memoryapp.graph import services
from memoryapp.graph.api.serving import noted_whole
from memoryapp.graph.api.shapes import BELIEF, NEIGHBOUR, NODE, shape_node
from memoryapp.graph.looking import ask_to_look
from memoryapp.graph.models import Node
from memoryapp.graph.queries import merging
from memoryapp.graph.queries import nodes as queries
from memoryapp.graph.queries.nodes import known_properties
from memoryapp.graph.services.merging.splitting import MOST
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.review.models import Decision

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

NAMED: Described = NEIGHBOUR | {"lock": serializers.IntegerField()}


def _pairs(name: str, first: str, second: str) -> serializers.Serializer[Any]:
    both: Described = {first: described(f"{name}One", BELIEF), second: described(f"{name}Other", BELIEF)}
    return described(name, {"count": serializers.IntegerField(), "items": described(f"{name}Pair", both, many=True)})


PREVIEW: Described = {
    "kept": described("NodeKept", NAMED),
    "folded": described("NodeFolded", NAMED),
    "follows": described(
        "NodeFollowing", {"what": serializers.CharField(), "count": serializers.IntegerField()}, many=True
    ),
    "duplicates": _pairs("SaidTwice", "goes", "stays"),
    "conflicts": _pairs("Contradicting", "held", "waits"),
    "vanishes": described(
        "EdgesVanishing",
        {"count": serializers.IntegerField(), "items": described("EdgeVanishing", BELIEF, many=True)},
    ),
}
MERGED: Described = NODE | {
    "folded": serializers.UUIDField(help_text="The id that leads here from now on."),
    "decision": serializers.UUIDField(help_text="Take it back under /nodes/{id}/undo or /decisions."),
    "conflicts": serializers.ListField(child=serializers.UUIDField(), help_text="Cases that wait for a person."),
}
SUGGESTED: Described = {
    "case": serializers.UUIDField(),
    "why": serializers.CharField(),
    "nodes": described("NodeSuggested", NAMED, many=True),
    "opened_at": serializers.DateTimeField(),
}
PARTED: Described = NODE | {
    "split_from": serializers.UUIDField(),
    "decision": serializers.UUIDField(help_text="Take it back under /nodes/{id}/undo or /decisions."),
}


class Both(Parameters):
    """The other of the two."""

    folded = Identifier(required=False, help_text="The node that would be folded into this one. Required.")


class Merging(Told):
    """Which node is the same as this one."""

    folded = Identifier(help_text="The node that is folded into this one. Its id leads here for ever.")


class Splitting(Told):
    """What belongs to the other."""

    beliefs = Several(
        child=Identifier(),
        required=False,
        max_length=MOST,
        help_text="Beliefs about this node, to it or owned by it. What superseded them goes along.",
    )
    episodes = Several(child=Identifier(), required=False, max_length=MOST, help_text="What the other took part in.")


class MergeUndone(Told):
    """Which merge or split."""

    decision = Identifier(help_text="As the merge or the split answered it.")


class NodeChange(Told):
    """A change says why."""

    reason = Text(max_length=2000, help_text="Why, in a sentence. It is kept in the history.")


class MergePreview(Endpoint):
    """What making two nodes one would do."""

    needs = {"get": "merge_nodes"}
    parameters = {"get": Both}

    @extend_schema(
        operation_id="preview_merge",
        tags=["graph"],
        summary="What a merge would do",
        description="What would follow, what says the same and would stay once, which values would contradict each "
        "other and wait for a person, and which edges would vanish. Nothing is changed. All are counted, the first of "
        "each listed. Refused as the merge would be.",
        responses=described("MergePreview", PREVIEW),
    )
    def get(self, request: Request, node_id: uuid.UUID) -> Response:
        queries.node(self.by, node_id)
        if "folded" not in self.asked:
            raise Invalid.at("folded", "missing", "This is missing.", "the id of the other node")
        return noted_whole(self, "preview", Response(merging.preview(self.by, node_id, self.asked["folded"])))


class Merge(Endpoint):
    """Make two nodes one."""

    needs = {"post": "merge_nodes"}
    body = {"post": Merging}
    locked = ("post",)

    @extend_schema(
        operation_id="merge_nodes",
        tags=["graph"],
        summary="Make two nodes one",
        description="The other is folded into this one: edges, beliefs, owners, names, keys, episodes follow. What "
        "says the same stays once on all the evidence, contradicting values wait for a person, edges between the two "
        "vanish, and the folded id leads here for ever. A decision: it can be taken back. 409 `told_apart` when a "
        "person said that they are two, `class_differs` when the other's class is not this one's or above it.",
        responses=described("NodesMerged", MERGED),
        examples=[
            OpenApiExample(
                "One person, told of twice",
                request_only=True,
                value={
                    "folded": "01890a5d-ac96-774b-bcce-b302099a8057",
                    "rationale": "Both letters are signed by the same hand.",
                },
            )
        ],
    )
    def post(self, request: Request, node_id: uuid.UUID) -> Response:
        folded = self.told["folded"]

        def act(write: Write) -> Answer:
            decision = services.merge(write, kept=node_id, folded=folded, lock=self.lock)
            node = queries.node(self.by, node_id)
            return _answer(self.by, node, {"folded": str(folded)}, decision, conflicts=True)

        return self.write("merge_nodes", act)


class Split(Endpoint):
    """Make one node two."""

    needs = {"post": "merge_nodes"}
    body = {"post": Splitting}
    locked = ("post",)

    @extend_schema(
        operation_id="split_node",
        tags=["graph"],
        summary="Make one node two",
        description="What belongs to the other moves to a new node of the same class, with the keys and names that "
        "follow from it; what superseded it, or it superseded, goes along. A decision: it can be taken back.",
        responses={201: described("NodeSplit", PARTED)},
        examples=[
            OpenApiExample(
                "Two people of one name",
                request_only=True,
                value={
                    "beliefs": ["01890a5d-ac96-774b-bcce-b302099a8057"],
                    "rationale": "That address is her sister's.",
                },
            )
        ],
    )
    def post(self, request: Request, node_id: uuid.UUID) -> Response:
        told = self.content

        def act(write: Write) -> Answer:
            others = {"episodes": told.get("episodes", ())}
            new, decision = services.split(
                write, node=node_id, beliefs=told.get("beliefs", ()), others=others, lock=self.lock
            )
            return _answer(self.by, new, {"split_from": str(node_id)}, decision, status=201)

        return self.write("split_node", act)


class TakeBack(Endpoint):
    """Take a merge or a split back."""

    needs = {"post": "merge_nodes"}
    body = {"post": MergeUndone}

    @extend_schema(
        operation_id="take_back_merge",
        tags=["graph"],
        summary="Take a merge or a split back",
        description="Everything that followed refers again to the node it was of, and every touched object is as it "
        "was. What was recorded of the kept node since stays with it. 409 `later_write` names the write that stands "
        "in the way. Another decision.",
        responses=described("NodeTakenBack", NODE),
        examples=[
            OpenApiExample(
                "They are two after all",
                request_only=True,
                value={
                    "decision": "01890a5d-ac96-774b-bcce-b302099a8057",
                    "rationale": "They answered from two places at once.",
                },
            )
        ],
    )
    def post(self, request: Request, node_id: uuid.UUID) -> Response:
        def act(write: Write) -> Answer:
            queries.node(self.by, node_id)
            services.take_back(write, decision=self.told["decision"])
            return _answer(self.by, Node.objects.visible_to(self.by).get(pk=node_id), {})

        return self.write("take_back_merge", act)


class _NodeVerb(Endpoint):
    body = {"post": NodeChange}
    locked = ("post",)
    verb: ClassVar[Callable[..., Node]]

    def done(self, node_id: uuid.UUID, action: str) -> Response:
        def act(write: Write) -> Answer:
            change = type(self).verb
            return _answer(self.by, change(write, node=node_id, reason=self.told["reason"], lock=self.lock), {})

        return self.write(action, act)


class RetireNode(_NodeVerb):
    """A node that is not used any more."""

    needs = {"post": "merge_nodes"}
    verb = staticmethod(services.retire_node)

    @extend_schema(
        operation_id="retire_node",
        tags=["graph"],
        summary="Retire a node",
        description="It is left out of lists and of what is offered. What is said of it stays, and it can be used "
        "again.",
        responses=described("NodeRetired", NODE),
        examples=[OpenApiExample("Retire", request_only=True, value={"reason": "The team was dissolved."})],
    )
    def post(self, request: Request, node_id: uuid.UUID) -> Response:
        return self.done(node_id, "retire_node")


class UseAgain(_NodeVerb):
    """A retired node that is used again."""

    needs = {"post": "merge_nodes"}
    verb = staticmethod(services.use_again)

    @extend_schema(
        operation_id="use_node_again",
        tags=["graph"],
        summary="Use a retired node again",
        description="It is listed and offered again.",
        responses=described("NodeUsedAgain", NODE),
        examples=[OpenApiExample("Use again", request_only=True, value={"reason": "The team meets again."})],
    )
    def post(self, request: Request, node_id: uuid.UUID) -> Response:
        return self.done(node_id, "use_node_again")


def _answer(
    by: Principal,
    node: Node,
    also: dict[str, Any],
    decision: Decision | None = None,
    *,
    conflicts: bool = False,
    status: int = 200,
) -> Answer:
    body = shape_node(node, known_properties(by, [node])) | also
    if decision is not None:
        body["decision"] = str(decision.pk)
    if conflicts and decision is not None:
        body["conflicts"] = [str(pk) for pk in merging.asked_by(decision)]
    return Answer(body, status, {"ETag": etag(node.lock)})


class Suggestions(Endpoint):
    """Nodes that may be one."""

    needs = {"get": "merge_nodes", "post": "merge_nodes"}
    parameters = {"get": Paged}
    body = {"post": Told}

    @extend_schema(
        operation_id="list_merge_suggestions",
        tags=["graph"],
        summary="Nodes that may be one",
        description="Pairs that look alike and that nobody told apart, each with why. No machine makes them one.",
        responses=page_of("MergeSuggestion", SUGGESTED),
    )
    def get(self, request: Request) -> Response:
        cases = merging.suggestions(self.by)
        return self.page(cases, order=("-opened_at", "-pk"), shape=merging.suggested)

    @extend_schema(
        operation_id="look_for_doubles",
        tags=["graph"],
        summary="Look for doubles",
        description="A job looks through the newest nodes by their names and neighbours, and puts what looks alike "
        "before a person.",
        responses={202: described("LookingForDoubles", {"job": serializers.UUIDField()})},
        examples=[OpenApiExample("Look", request_only=True, value={"rationale": "After the import."})],
    )
    def post(self, request: Request) -> Response:
        return self.write("look_for_doubles", lambda write: Answer({"job": str(ask_to_look(write).pk)}, 202))


urlpatterns = [
    path("nodes/suggestions", Suggestions.as_view(), name="merge-suggestions"),
    path("nodes/<uuid:node_id>/merge/preview", MergePreview.as_view(), name="merge-preview"),
    path("nodes/<uuid:node_id>/merge", Merge.as_view(), name="merge"),
    path("nodes/<uuid:node_id>/split", Split.as_view(), name="split"),
    path("nodes/<uuid:node_id>/undo", TakeBack.as_view(), name="take-back-merge"),
    path("nodes/<uuid:node_id>/retire", RetireNode.as_view(), name="retire-node"),
    path("nodes/<uuid:node_id>/use", UseAgain.as_view(), name="use-node-again"),
]
