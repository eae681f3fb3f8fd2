"""A draft and a later version of its form: whether the move is offered, and what would stand otherwise after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from formsengine.definition.changes import Class, compare, worst
from formsengine.log.commits import Clock
from formsengine.log.migrating import preview
from formsengine.log.response import WRITABLE, Response
from formsengine.models import FormResponse, FormVersion
from formsengine.queries import defined
from formsengine.queries.loading import loaded, ready
from formsengine.refusals import refused
from memoryapp.doors.errors import Conflict
from memoryapp.ledger.principal import Principal


def offered(row: FormResponse, response: Response) -> FormVersion | None:
    """The version that the draft may be moved to by a person; None where there is none, or where it moves by itself."""
    live = defined.live(row.form) if response.state in WRITABLE else None
    if live is None or live.pk == row.version_id or live.number < row.version.number:
        return None
    return None if worst(compare(response.plan, ready(live).plan)) is Class.COMPATIBLE else live


def previewed(by: Principal, row: FormResponse, *, version: int, moved: Mapping[str, str] | None) -> dict[str, Any]:
    """What moving would change of this draft: differences with their class, states before and after, answers that no
    field would have. Raises NotFound for the version, Conflict `state` for what was submitted, `unknown_field`."""
    to = ready(defined.version(by, row.form_id, version))
    response = loaded(row)
    if response.state not in WRITABLE:
        raise Conflict("What was submitted stays under its version; reopen it to move it.", code="state")
    with refused():
        told = preview(response, to, Clock(timezone.now(), row.zone), moved)
    return told | {"class": worst(compare(response.plan, to.plan)).name.lower()}
