"""Forms over REST, for agents and for clients of staff."""

from django.urls import URLPattern

from formsengine.api import attaching, defining, filling, settling

urlpatterns: list[URLPattern] = [
    *defining.urlpatterns,
    *filling.urlpatterns,
    *attaching.urlpatterns,
    *settling.urlpatterns,
]
