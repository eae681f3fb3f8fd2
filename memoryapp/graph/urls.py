"""Addresses of the graph's pages, under the workspace they belong to."""

from django.urls import URLPattern, path

from memoryapp.graph.pages import (
    beliefs,
    binding,
    changes,
    erasing,
    exploring,
    listing_nodes,
    merging,
    nodes,
    why_graph,
    withdrawing,
)

app_name = "graph"
urlpatterns: list[URLPattern] = [
    path("beliefs/", beliefs.beliefs, name="beliefs"),
    path("beliefs/<uuid:belief_id>/", beliefs.belief, name="belief"),
    path("beliefs/<uuid:belief_id>/why/", why_graph.why_graph, name="why"),
    *(path(f"beliefs/<uuid:belief_id>/{verb}/", changes.change(verb), name=verb) for verb in changes.VERBS),
    path("nodes/", listing_nodes.listed, name="nodes"),
    path("nodes/look/", listing_nodes.look_for_doubles, name="look-for-doubles"),
    path("nodes/<uuid:node_id>/", nodes.node, name="node"),
    path("nodes/<uuid:node_id>/merge/", merging.merge, name="merge-node"),
    path("nodes/<uuid:node_id>/split/", merging.split, name="split-node"),
    path("nodes/<uuid:node_id>/undo/", merging.take_back, name="take-back-merge"),
    path("nodes/<uuid:node_id>/retire/", merging.change("retire"), name="retire-node"),
    path("nodes/<uuid:node_id>/use/", merging.change("use"), name="use-node"),
    path("graph/", exploring.explorer, name="explorer"),
    path("nodes/<uuid:node_id>/erase/", erasing.node, name="erase-node"),
    path("readers/<uuid:actor_id>/bind/", binding.bind, name="bind-reader"),
    path("readers/<uuid:actor_id>/release/", binding.release, name="release-reader"),
    path("conversations/<uuid:thread_id>/erase/", erasing.thread, name="erase-thread"),
    path("conversations/sources/<uuid:source_id>/erase/", erasing.source, name="erase-source"),
    path("conversations/<uuid:thread_id>/withdraw/", withdrawing.thread, name="withdraw-thread"),
    path("conversations/sources/<uuid:source_id>/withdraw/", withdrawing.source, name="withdraw-source"),
]
