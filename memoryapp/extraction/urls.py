"""Addresses of reading again, under the workspace they belong to."""

from django.urls import URLPattern, path

from memoryapp.extraction import pages

app_name = "extraction"
urlpatterns: list[URLPattern] = [
    path("conversations/<uuid:thread_id>/again/", pages.again, name="thread-again"),
    path("conversations/sources/<uuid:source_id>/again/", pages.again, name="source-again"),
]
