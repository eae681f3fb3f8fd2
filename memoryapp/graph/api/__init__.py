"""The graph over REST."""

from django.urls import URLPattern

from memoryapp.graph.api import beliefs, changing, edges, explaining, merging, nodes, relations, views, withdrawing

urlpatterns: list[URLPattern] = [
    *beliefs.urlpatterns,
    *changing.urlpatterns,
    *nodes.urlpatterns,
    *merging.urlpatterns,
    *edges.urlpatterns,
    *relations.urlpatterns,
    *views.urlpatterns,
    *explaining.urlpatterns,
    *withdrawing.urlpatterns,
]
