"""The timeline over REST."""

from django.urls import URLPattern

from memoryapp.timeline.api import episodes, revising, searching

urlpatterns: list[URLPattern] = [*searching.urlpatterns, *episodes.urlpatterns, *revising.urlpatterns]
