"""Answers that memory offers: never over what anybody said, and asked as "is it still so?" where the form says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from formsengine.log.addresses import Found, NotFound, find_field
from formsengine.log.commits import Clock, Revision, Writer
from formsengine.log.response import WRITABLE, Response
from formsengine.log.writing import NOBODY_SAID, Draft, Patch, Result
from formsengine.problems import Refused
from formsengine.values.read import read_answer
from formsengine.values.refusing import Unreadable


@dataclass(frozen=True, slots=True)
class Offer:
    """A value memory holds now: from which fact, in which version of it."""

    field: str
    value: Any
    fact: str
    version: str


def prefill(response: Response, writer: Writer, clock: Clock, offers: Sequence[Offer]) -> Result:
    """What memory offers, at opening or when asked for again. The caller looks it up; the log keeps what was found.

    What a person or an agent answered stays, and so does an answer taken back: the verdict says what memory has now.
    Two different values for one field fill nothing; both are named.
    """
    if response.state not in WRITABLE:
        raise Refused("state", "What was submitted is not filled from memory.")
    draft = Draft(response, writer, Patch(()), clock)
    by_field: dict[str, list[Offer]] = {}
    for offer in offers:
        by_field.setdefault(offer.field, []).append(offer)
    for name, found in by_field.items():
        try:
            field = find_field(draft.response.plan, draft.response.rows, name)
        except NotFound as missing:
            draft.say(name, "rejected", missing.message, accepted=missing.accepted, code=missing.code)
            continue
        if len({repr(each.value) for each in found}) > 1:
            values = [str(each.value) for each in found]
            draft.say(draft.address(field.key), "ambiguous", "Memory has more than one answer.", accepted=values)
            continue
        _offer(draft, field, found[0])
    return draft.finish()


def _offer(draft: Draft, field: Found, offer: Offer) -> None:
    response, path, question = draft.response, draft.address(field.key), field.planned.question
    current = response.revision(field.key)
    try:
        kept = read_answer(question, offer.value, draft.setting(field.planned)).value
    except Unreadable as wrong:
        draft.say(path, "rejected", wrong.message, accepted=wrong.accepted, code=wrong.code)
        return
    if kept is None or (current is not None and (current.status, current.kept) == ("answer", kept)):
        draft.say(path, "no-op")
        return
    if current is None and response.history.get(field.key):
        draft.say(path, "offered", "This was undone; memory has an answer.", value=kept)
        return
    if current is not None and (current.origin not in NOBODY_SAID or current.id in response.confirmed):
        draft.say(path, "kept", "Memory now says otherwise; the answer stays.", value=kept, theirs=current.kept)
        return
    suggested = question.prefill is None or question.prefill.policy == "suggest"
    revision = Revision(
        draft.new_id("r"), field.planned.uid, field.row, response.heads.get(field.key), "answer", offer.value, kept,
        "memory", draft.writer.actor, draft.writer.session, draft.commit.number, draft.commit.at,
        unconfirmed=suggested, sources={"fact": offer.fact, "version": offer.version},
    )  # fmt: skip
    draft.happen(revision.as_event("revised"))
    draft.say(path, "suggested" if suggested else "in-force", revision=revision.id, value=kept)
