"""Addresses of the room's pages, under the workspace they belong to."""

from django.urls import path

from memoryapp.review import pages

app_name = "review"

urlpatterns = [
    path("queue/", pages.queue, name="queue"),
    path("policies/", pages.policies, name="policies"),
    path("policies/put-in-force/", pages.put_in_force, name="put-in-force"),
    path("policies/agree/<uuid:decision_id>/", pages.agree, name="agree"),
    path("queue/live/", pages.live, name="live"),
    path("queue/several/", pages.several, name="several"),
    path("queue/several/decide/", pages.decide_several, name="decide-several"),
    path("queue/many/", pages.look_at_many, name="look-at-many"),
    path("queue/many/<uuid:batch_id>/", pages.many, name="many"),
    path("queue/many/<uuid:batch_id>/decide/", pages.decide_many, name="decide-many"),
    path("queue/many/<uuid:batch_id>/undo/", pages.undo_many, name="undo-many"),
    path("queue/several/<uuid:batch_id>/", pages.batch, name="batch"),
    path("queue/several/<uuid:batch_id>/undo/", pages.undo_batch, name="undo-batch"),
    path("queue/<uuid:case_id>/", pages.case, name="case"),
    path("queue/<uuid:case_id>/decide/", pages.decide, name="decide"),
    path("queue/<uuid:case_id>/claim/", pages.claim, name="claim"),
    path("queue/<uuid:case_id>/release/", pages.release, name="release"),
    path("queue/<uuid:case_id>/snooze/", pages.snooze, name="snooze"),
    path("queue/<uuid:case_id>/wake/", pages.wake, name="wake"),
    path("queue/<uuid:case_id>/talk/", pages.talk, name="talk"),
    path("queue/<uuid:case_id>/talk/remark/", pages.remark, name="remark"),
    path("queue/<uuid:case_id>/talk/assign/", pages.assign, name="assign"),
    path("for-you/", pages.for_you, name="for-you"),
    path("for-you/read/", pages.read, name="read-notices"),
    path("queue/decisions/", pages.decisions, name="decisions"),
    path("queue/decisions/<uuid:decision_id>/undo/", pages.undo, name="undo"),
]
