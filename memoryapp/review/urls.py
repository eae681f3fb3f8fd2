"""Addresses of the room's pages, under the workspace they belong to."""

from django.urls import path

from memoryapp.review import pages

app_name = "review"

urlpatterns = [
    path("queue/", pages.queue, name="queue"),
    path("queue/<uuid:case_id>/", pages.case, name="case"),
    path("queue/<uuid:case_id>/decide/", pages.decide, name="decide"),
    path("queue/<uuid:case_id>/claim/", pages.claim, name="claim"),
    path("queue/<uuid:case_id>/release/", pages.release, name="release"),
    path("queue/<uuid:case_id>/snooze/", pages.snooze, name="snooze"),
    path("queue/<uuid:case_id>/wake/", pages.wake, name="wake"),
    path("queue/decisions/", pages.decisions, name="decisions"),
    path("queue/decisions/<uuid:decision_id>/undo/", pages.undo, name="undo"),
]
