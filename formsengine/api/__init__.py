"""Forms over REST, for agents and for clients of staff."""

from django.urls import URLPattern

from formsengine.api import attaching, defining, filling, settling, together

urlpatterns: list[URLPattern] = [
    *defining.urlpatterns,
    *filling.urlpatterns,
    *attaching.urlpatterns,
    *settling.urlpatterns,
    *together.urlpatterns,
]
