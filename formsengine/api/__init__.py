"""Forms over REST, for agents and for clients of staff."""

from django.urls import URLPattern

from formsengine.api import defining, filling, settling

urlpatterns: list[URLPattern] = [*defining.urlpatterns, *filling.urlpatterns, *settling.urlpatterns]
