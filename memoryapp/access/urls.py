"""Addresses of agents and their keys, under the workspace they belong to."""

from django.urls import URLPattern, path

from memoryapp.access import pages

app_name = "access"
urlpatterns: list[URLPattern] = [
    path("agents/", pages.agents, name="agents"),
    path("agents/<uuid:agent_id>/", pages.agent, name="agent"),
    path("agents/<uuid:agent_id>/keys/", pages.issue, name="issue"),
    path("agents/<uuid:agent_id>/retire/", pages.retire, name="retire"),
    path("agents/keys/<uuid:key_id>/revoke/", pages.revoke, name="revoke"),
]
