"""Changing what is held over REST: each verb names the state it was drawn from, and says why."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described
from memoryapp.doors.batches import named_rows
from memoryapp.doors.errors import Invalid
from memoryapp.doors.etags import etag
from memoryapp.doors.fields import Identifier, Several, Text, Told, When
from memoryapp.graph import services
from memoryapp.graph.api.believing import FULL_BELIEF, shape
from memoryapp.graph.api.evidence import MOST, EvidenceFields, quoted
from memoryapp.graph.api.references import NodeNamed
from memoryapp.graph.cases import asked
from memoryapp.graph.models import Belief
from memoryapp.graph.queries import beliefs as queries
from memoryapp.graph.queries.views import Scope, beliefs
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.review.models import Case

ANSWER = described("BeliefChanged", FULL_BELIEF)
ASKED = described(
    "ChangeAsked",
    {
        "case": serializers.UUIDField(help_text="A person confirmed the belief, and one is asked; also in Location."),
        "state": serializers.CharField(),
        "reason": serializers.CharField(),
    },
)


class Reasoned(Told):
    """A change says why."""

    reason = Text(max_length=2000, help_text="Why, in a sentence. It is kept in the history.")


class Retiring(Reasoned):
    """It is over, without a successor."""

    at = When(required=False, help_text="Until when it was true; now, when left out.")


class Superseding(Reasoned):
    """Another belief takes its place."""

    successor = Identifier(help_text="The belief that takes its place, of the same owners.")
    evidence = Several(child=EvidenceFields(), required=False, max_length=MOST, help_text="What the change stands on.")


class Owning(Reasoned):
    """One more owner."""

    owner = NodeNamed(help_text="Whose memory it is as well: a node's id, or its class and keys.")


class Dating(Reasoned):
    """From when to when it holds; left out or null, it is open on that side."""

    valid_from = When(required=False, allow_null=True)
    valid_to = When(required=False, allow_null=True)


class BeliefVerb(Endpoint, ABC):
    """A change of one belief."""

    locked = ("post",)
    verb: ClassVar[str] = ""

    @abstractmethod
    def change(self, write: Write, belief: Belief) -> Any:
        """What the verb does to the belief: each verb says it."""

    def done(self, belief_id: uuid.UUID) -> Response:
        """Do it in one write, and answer the belief as it is then."""

        def act(write: Write) -> Answer:
            done = self.change(write, queries.belief(self.by, belief_id))
            if isinstance(done, Case):
                return Answer(asked.told_case(done), 202, {"Location": f"/api/v1/cases/{done.pk}"})
            changed = queries.belief(self.by, belief_id)
            return Answer(shape(changed), 200, {"ETag": etag(changed.lock)})

        return self.write(self.verb, act)


def _described(operation: str, summary: str, description: str, example: dict[str, Any]) -> Callable[[Any], Any]:
    return extend_schema(
        operation_id=operation,
        tags=["graph"],
        summary=summary,
        description=description,
        responses={200: ANSWER, 202: ASKED},
        examples=[OpenApiExample(summary, value=example, request_only=True)],
    )


class Retire(BeliefVerb):
    """A belief that is over."""

    needs = {"post": "withdraw"}
    body = {"post": Retiring}
    verb = "retire"

    @_described(
        "retire_belief",
        "Retire a belief",
        "It was true until now, or until `at`, and has no successor. It stays in the history.",
        {"reason": "The project ended.", "at": "2026-05"},
    )
    def post(self, request: Request, belief_id: uuid.UUID) -> Response:
        return self.done(belief_id)

    def change(self, write: Write, belief: Belief) -> Any:
        reason, at = self.told["reason"], self.told.get("at")
        act = partial(services.retire, write, belief, reason=reason, at=at, lock=self.lock)
        return asked.or_ask(write, belief, "retire", act, reason=reason, at=at)


class Retract(BeliefVerb):
    """A belief that never was right."""

    needs = {"post": "withdraw"}
    body = {"post": Reasoned}
    verb = "retract"

    @_described(
        "retract_belief",
        "Retract a belief",
        "It never was right: no past time serves it. It stays in the history.",
        {"reason": "It was said of somebody else."},
    )
    def post(self, request: Request, belief_id: uuid.UUID) -> Response:
        return self.done(belief_id)

    def change(self, write: Write, belief: Belief) -> Any:
        reason = self.told["reason"]
        act = partial(services.retract, write, belief, reason=reason, lock=self.lock)
        return asked.or_ask(write, belief, "retract", act, reason=reason)


class Reinstate(BeliefVerb):
    """A belief that is held again."""

    needs = {"post": "withdraw"}
    body = {"post": Reasoned}
    verb = "reinstate"

    @_described(
        "reinstate_belief",
        "Reinstate a belief",
        "An archived belief is held true again, with the valid time it had.",
        {"reason": "It was retired by mistake."},
    )
    def post(self, request: Request, belief_id: uuid.UUID) -> Response:
        return self.done(belief_id)

    def change(self, write: Write, belief: Belief) -> Any:
        return services.reinstate(write, belief, reason=self.told["reason"], lock=self.lock)


class Validity(BeliefVerb):
    """From when to when a belief holds."""

    needs = {"post": "remember"}
    body = {"post": Dating}
    verb = "change_validity"

    @_described(
        "change_validity",
        "Say from when to when it holds",
        "Both ends anew; what is left out is open.",
        {"reason": "The contract says so.", "valid_from": "2026-03-01", "valid_to": "2027-03-01"},
    )
    def post(self, request: Request, belief_id: uuid.UUID) -> Response:
        return self.done(belief_id)

    def change(self, write: Write, belief: Belief) -> Any:
        dates = {"valid_from": self.told.get("valid_from"), "valid_to": self.told.get("valid_to")}
        return services.change_validity(write, belief, reason=self.told["reason"], lock=self.lock, **dates)


class Supersede(BeliefVerb):
    """A belief whose place another takes."""

    needs = {"post": "relate"}
    body = {"post": Superseding}
    verb = "supersede"

    @_described(
        "supersede_belief",
        "Let another belief take its place",
        "It ends when the successor begins. The change stands on `evidence`, else on what the successor stands on.",
        {"reason": "She said so in June.", "successor": "01890a5d-ac96-774b-bcce-b302099a8057"},
    )
    def post(self, request: Request, belief_id: uuid.UUID) -> Response:
        return self.done(belief_id)

    def change(self, write: Write, belief: Belief) -> Any:
        successor = beliefs(self.by, Scope(ids=[self.told["successor"]])).first()
        if successor is None:
            raise Invalid.at("/successor", "no_such_belief", "There is no such belief.", "a belief's id")
        with named_rows(many=False):
            [evidence] = quoted(write, [self.told.get("evidence", ())])
        reason = self.told["reason"]
        act = partial(services.give_way, write, belief, to=successor, reason=reason, evidence=evidence, lock=self.lock)
        return asked.or_ask(write, belief, "supersede", act, reason=reason, successor=successor)


class GiveOwner(BeliefVerb):
    """One more owner of a belief."""

    needs = {"post": "remember"}
    body = {"post": Owning}
    verb = "give_owner"

    @_described(
        "give_owner",
        "Give it another owner",
        "It is the memory of one more node from now on. Refused when the owners together hold the same, or another "
        "belief on its topic, already.",
        {"reason": "They decided it together.", "owner": {"class": "person", "keys": {"email": "ines@ferro.example"}}},
    )
    def post(self, request: Request, belief_id: uuid.UUID) -> Response:
        return self.done(belief_id)

    def change(self, write: Write, belief: Belief) -> Any:
        return services.give_owner(write, belief, owner=self.told["owner"], reason=self.told["reason"], lock=self.lock)


urlpatterns = [
    path("beliefs/<uuid:belief_id>/owners", GiveOwner.as_view(), name="give-owner"),
    path("beliefs/<uuid:belief_id>/retire", Retire.as_view(), name="retire"),
    path("beliefs/<uuid:belief_id>/retract", Retract.as_view(), name="retract"),
    path("beliefs/<uuid:belief_id>/reinstate", Reinstate.as_view(), name="reinstate"),
    path("beliefs/<uuid:belief_id>/validity", Validity.as_view(), name="validity"),
    path("beliefs/<uuid:belief_id>/supersede", Supersede.as_view(), name="supersede"),
]
