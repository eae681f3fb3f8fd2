"""Addresses of the context's pages, under the workspace they belong to."""

from django.urls import URLPattern, path

from memoryapp.context.pages import acting, entries

app_name = "context"
urlpatterns: list[URLPattern] = [
    path("context/", entries.context, name="context"),
    path("context/new/", entries.new, name="new"),
    path("context/sections/move/", acting.move_section, name="move-section"),
    path("context/sections/unset/", acting.unset_section, name="unset-section"),
    path("context/acts/<uuid:act_id>/undo/", acting.undo, name="undo"),
    path("context/<uuid:entry_id>/", entries.entry, name="entry"),
    path("context/<uuid:entry_id>/pin/", acting.pin, name="pin"),
    path("context/<uuid:entry_id>/move/", acting.move, name="move"),
    path("context/<uuid:entry_id>/unset/", acting.unset, name="unset"),
    path("context/<uuid:entry_id>/restore/", acting.restore, name="restore"),
]
