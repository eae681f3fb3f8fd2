"""Who am I: what the key that asks may do, and where."""

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.capabilities import BY_NAME, SURFACES
from memoryapp.access.endpoints import ANY_KEY, Endpoint, described

WORKSPACE = described(
    "Workspace",
    {
        "slug": serializers.CharField(),
        "name": serializers.CharField(),
        "time_zone": serializers.CharField(),
    },
)
CALLER = described(
    "Caller",
    {
        "agent": described("Agent", {"id": serializers.UUIDField(), "name": serializers.CharField()}),
        "reader": serializers.UUIDField(help_text="What names this agent among the readers of an audience."),
        "workspace": WORKSPACE,
        "surfaces": serializers.DictField(child=serializers.CharField()),
        "capabilities": serializers.DictField(child=serializers.CharField()),
        "key": described(
            "Key", {"prefix": serializers.CharField(), "expires_at": serializers.DateTimeField(allow_null=True)}
        ),
        "version": serializers.CharField(),
    },
)


class Caller(Endpoint):
    """Who calls."""

    needs = {"get": ANY_KEY}

    @extend_schema(
        operation_id="who_am_i",
        tags=["access"],
        summary="Who am I?",
        description="The agent of this key, its workspace, and what it may do there.",
        responses=CALLER,
    )
    def get(self, request: Request) -> Response:
        agent = self.key.agent
        return Response(
            {
                "agent": {"id": str(agent.pk), "name": agent.name},
                "reader": str(agent.actor_id),
                "workspace": {
                    "slug": self.by.workspace.slug,
                    "name": self.by.workspace.name,
                    "time_zone": self.by.workspace.time_zone,
                },
                "surfaces": {name: SURFACES[name] for name in agent.surfaces if name in SURFACES},
                "capabilities": {name: BY_NAME[name].title for name in sorted(self.by.capabilities)},
                "key": {"prefix": self.key.prefix, "expires_at": self.key.expires_at},
                "version": "1",
            }
        )


urlpatterns = [path("", Caller.as_view(), name="caller")]
