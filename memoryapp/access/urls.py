"""Addresses of members, agents and their keys, under the workspace they belong to."""

from django.urls import URLPattern, path

from memoryapp.access import viewing
from memoryapp.access.pages import agents, members, ruling

app_name = "access"
urlpatterns: list[URLPattern] = [
    path("agents/", agents.agents, name="agents"),
    path("agents/<uuid:agent_id>/", agents.agent, name="agent"),
    path("agents/<uuid:agent_id>/keys/", agents.issue, name="issue"),
    path("agents/<uuid:agent_id>/retire/", agents.retire, name="retire"),
    path("agents/keys/<uuid:key_id>/revoke/", agents.revoke, name="revoke"),
    path("agents/keys/<uuid:key_id>/rotate/", agents.rotate, name="rotate"),
    path("members/", members.members, name="members"),
    path("members/<uuid:membership_id>/", members.member, name="member"),
    path("members/<uuid:membership_id>/end/", members.end, name="end"),
    path("paths/<uuid:actor_id>/", ruling.rule, name="paths"),
    path("views/", viewing.keep, name="keep-view"),
    path("views/<uuid:view_id>/forget/", viewing.forget, name="forget-view"),
]
