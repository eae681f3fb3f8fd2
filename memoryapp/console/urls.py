"""Addresses of the console: its own pages, and the pages of every room under the workspace they belong to."""

from django.urls import URLPattern, URLResolver, include, path

from memoryapp.console import activity, pages, searching

app_name = "console"

in_workspace: list[URLPattern | URLResolver] = [
    path("", pages.overview, name="overview"),
    path("search/", searching.everywhere, name="search"),
    path("settings/", pages.settings, name="settings"),
    path("agents/<uuid:agent_id>/activity/", activity.activity, name="activity"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", pages.front, name="front"),
    path("sign-in/", pages.SignIn.as_view(), name="sign-in"),
    path("sign-out/", pages.SignOut.as_view(), name="sign-out"),
    path("preferences/", pages.preferences, name="preferences"),
    path("design/", pages.design_page, name="design"),
    path("w/<slug:workspace>/", include(in_workspace)),
]
