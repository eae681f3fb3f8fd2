"""A small endpoint to practise on: what every writing endpoint has in common, without a room behind it."""

from typing import Any

from django.urls import include, path
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint
from memoryapp.doors import etags
from memoryapp.doors.errors import Invalid
from memoryapp.doors.fields import Fields, Flag, Identifier, Mapped, Number, OneOf, Several, Text, Told, When, Whole
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Actor, Write
from memoryapp.ledger.services import actor_named


class Leaf(Fields):
    word = Text(max_length=20)
    weight = Number(required=False, min_value=0, max_value=100)


class Note(Told):
    name = Text(max_length=100)
    count = Whole(required=False, min_value=0, max_value=10)
    shown = Flag(required=False)
    colour = OneOf(required=False, choices=["red", "green"])
    about = Identifier(required=False, allow_null=True)
    at = When(required=False)
    exactly = When(required=False, exact=True)
    words = Several(child=Text(max_length=5), required=False, max_length=3)
    leaves = Leaf(many=True, required=False)
    leaf = Leaf(required=False)
    free = Mapped(required=False)


class Notes(Endpoint):
    needs = {"post": "remember", "patch": "remember"}
    body = {"post": Note, "patch": Note}
    locked = ("patch",)

    def post(self, request: Request) -> Response:
        def act(write: Write) -> Answer:
            actor_named(write.workspace, Actor.Kind.JOB, str(write.pk), self.told["name"])
            if self.told["name"] == "refuse":
                raise Invalid.at("/name", "refused", "Not this one.")
            body: dict[str, Any] = {"write": str(write.pk), "run": write.run, "model": write.model}
            if "at" in self.told:
                body["at"] = str(self.told["at"])
                body["instant"] = self.told["at"].instant
            return Answer(body, status=201, headers={"ETag": etags.etag(1)})

        return self.write("note", act)

    def patch(self, request: Request) -> Response:
        etags.check(3, self.lock, {"name": "as it is now"})
        return Response({"lock": self.lock})


urlpatterns = [
    path("api/v1/notes", Notes.as_view()),
    path("api/", include("memoryapp.api.urls")),
]
