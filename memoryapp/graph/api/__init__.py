"""The graph over REST."""

from django.urls import URLPattern

from memoryapp.graph.api import edges, explaining, nodes, relations, views

urlpatterns: list[URLPattern] = [
    *nodes.urlpatterns,
    *edges.urlpatterns,
    *relations.urlpatterns,
    *views.urlpatterns,
    *explaining.urlpatterns,
]
