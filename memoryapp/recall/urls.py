"""The address of the recall lab, under the workspace it asks."""

from django.urls import URLPattern, path

from memoryapp.recall import pages

app_name = "recall"
urlpatterns: list[URLPattern] = [path("recall/", pages.lab, name="lab")]
