"""Addresses of conversations and other sources, under the workspace they belong to."""

from django.urls import URLPattern, path

from memoryapp.sources import pages

app_name = "sources"
urlpatterns: list[URLPattern] = [
    path("conversations/", pages.threads, name="threads"),
    path("conversations/<uuid:thread_id>/", pages.thread, name="thread"),
    path("conversations/sources/<uuid:source_id>/", pages.source, name="source"),
    path("conversations/statements/new/", pages.state, name="state"),
]
