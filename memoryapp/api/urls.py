"""Assembles the REST door: every room's `api.py`, found by its name, under one version; the schema and its page."""

from importlib import import_module
from importlib.util import find_spec

from django.apps import apps
from django.urls import URLPattern, URLResolver, include, path, re_path

from memoryapp.access.endpoints import NoSuchEndpoint
from memoryapp.api.pages import Documentation, OpenAPI

app_name = "api"


def rooms() -> list[URLPattern | URLResolver]:
    """The addresses of every room that has any. A room's `api` module lists them in `urlpatterns`."""
    found: list[URLPattern | URLResolver] = []
    for config in apps.get_app_configs():
        if config.name.startswith(("memoryapp.", "formsengine")) and config.label != "api":
            drawer = f"{config.name}.api"
            if find_spec(drawer):
                found += import_module(drawer).urlpatterns
    return found


urlpatterns = [
    path("docs", Documentation.as_view(), name="docs"),
    path("v1/openapi.json", OpenAPI.as_view(), name="openapi"),
    path("v1/", include([*rooms(), path("", include("memoryapp.api.jobs"))])),
    re_path(r"^.*$", NoSuchEndpoint.as_view(), name="no-such-endpoint"),
]
