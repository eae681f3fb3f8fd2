"""Addresses of the graph's pages, under the workspace they belong to."""

from django.urls import URLPattern, path

from memoryapp.graph.pages import beliefs, binding, changes, erasing, nodes, withdrawing

app_name = "graph"
urlpatterns: list[URLPattern] = [
    path("beliefs/", beliefs.beliefs, name="beliefs"),
    path("beliefs/<uuid:belief_id>/", beliefs.belief, name="belief"),
    *(path(f"beliefs/<uuid:belief_id>/{verb}/", changes.change(verb), name=verb) for verb in changes.VERBS),
    path("nodes/<uuid:node_id>/", nodes.node, name="node"),
    path("nodes/<uuid:node_id>/erase/", erasing.node, name="erase-node"),
    path("readers/<uuid:actor_id>/bind/", binding.bind, name="bind-reader"),
    path("readers/<uuid:actor_id>/release/", binding.release, name="release-reader"),
    path("conversations/<uuid:thread_id>/erase/", erasing.thread, name="erase-thread"),
    path("conversations/sources/<uuid:source_id>/erase/", erasing.source, name="erase-source"),
    path("conversations/<uuid:thread_id>/withdraw/", withdrawing.thread, name="withdraw-thread"),
    path("conversations/sources/<uuid:source_id>/withdraw/", withdrawing.source, name="withdraw-source"),
]
