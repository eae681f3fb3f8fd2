"""The graph over REST."""

from django.urls import URLPattern

from memoryapp.graph.api import explaining, views

urlpatterns: list[URLPattern] = [*views.urlpatterns, *explaining.urlpatterns]
