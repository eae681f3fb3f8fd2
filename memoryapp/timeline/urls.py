"""Addresses of the timeline's pages, under the workspace they belong to."""

from django.urls import URLPattern, path

from memoryapp.timeline.pages import amending, episodes

app_name = "timeline"
urlpatterns: list[URLPattern] = [
    path("timeline/", episodes.timeline, name="timeline"),
    path("timeline/<uuid:episode_id>/", episodes.episode, name="episode"),
    path("timeline/<uuid:episode_id>/amend/", amending.amend, name="amend"),
]
