"""What is only derived of the files room, made anew: where files lead."""

from __future__ import annotations

from django.db.models import F

from memoryapp.files.models import Link, Version
from memoryapp.files.services.storing import links_of
from memoryapp.ledger.models import Workspace


def links(workspace: Workspace) -> None:
    """Every link of the workspace, from the latest versions."""
    Link.objects.filter(workspace=workspace).delete()
    latest = Version.objects.filter(workspace=workspace, sequence=F("entry__lock")).select_related("body")
    Link.objects.bulk_create((row for one in latest.order_by("pk").iterator() for row in links_of(one)), batch_size=500)
