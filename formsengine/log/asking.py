"""The ledger of asking: what was asked, when, by whom and in which words, so that nothing is asked twice unawares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from formsengine.log.addresses import find_field

if TYPE_CHECKING:
    from formsengine.log.writing import Draft


def ask(draft: Draft, op: Mapping[str, Any]) -> None:
    """Note that the field was asked. It changes no answer, and undo does not reach it."""
    response = draft.response
    found = find_field(response.plan, response.rows, str(op.get("field", "")), aliases=draft.aliases)
    event = {"event": "asked", "field": found.planned.uid, "row": found.row, "by": draft.writer.actor}
    words = str(op.get("words") or "").strip()
    evidence = list(op.get("evidence") or draft.patch.evidence)
    draft.happen({**event, **({"words": words} if words else {}), **({"evidence": evidence} if evidence else {})})
    draft.say(draft.address(found.key), "noted")
