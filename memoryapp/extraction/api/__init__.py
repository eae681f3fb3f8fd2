"""Telling over REST: conversations, and what agents propose about their words."""

from django.urls import path

from memoryapp.extraction.api.candidates import Candidates, OneCandidate
from memoryapp.extraction.api.conversations import Conversations
from memoryapp.extraction.api.rereading import urlpatterns as rereading

urlpatterns = [
    path("conversations", Conversations.as_view(), name="conversations"),
    path("candidates", Candidates.as_view(), name="candidates"),
    path("candidates/<uuid:candidate_id>", OneCandidate.as_view(), name="candidate"),
    *rereading,
]
