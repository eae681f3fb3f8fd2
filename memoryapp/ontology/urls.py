"""Addresses of the declared types, under the workspace they belong to."""

from django.urls import URLPattern, path

from memoryapp.ontology.pages import types as pages

app_name = "ontology"
urlpatterns: list[URLPattern] = [path("ontology/", pages.types, name="types")]
