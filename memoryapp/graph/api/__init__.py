"""The graph over REST."""

from django.urls import URLPattern

from memoryapp.graph.api import (
    asking,
    beliefs,
    changing,
    edges,
    explaining,
    merging,
    nodes,
    relations,
    views,
    withdrawing,
)

urlpatterns: list[URLPattern] = [
    *asking.urlpatterns,
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
