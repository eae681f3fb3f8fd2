"""Every column that refers to a node follows a merge, or its table is read through the redirect."""

from __future__ import annotations

from django.apps import apps
from django.db.models import ForeignKey

from memoryapp.graph import referring
from memoryapp.graph.models import Node, NodeMove, NodeState

OF_THE_MERGE = {Node, NodeMove, NodeState}
"""Tables that say what was merged."""
READ_THROUGH = {
    "timeline.EpisodeParticipant.node": "episodes",
    "forms.FormOutcome.node": "outcomes",
    "context.EntryLink.node": "entries",
}
"""Columns that never change, with the reader that counts them."""


def test_every_reference_to_a_node_follows_or_is_read_through_the_redirect() -> None:
    following = {f"{one.model._meta.label}.{one.column}" for one in referring.pointers()}
    columns = {
        f"{model._meta.label}.{column.name}"
        for model in apps.get_models()
        if model not in OF_THE_MERGE
        for column in model._meta.concrete_fields
        if isinstance(column, ForeignKey) and column.related_model is Node
    }
    assert columns == following | READ_THROUGH.keys()
    assert set(READ_THROUGH.values()) <= referring._readers.keys()
