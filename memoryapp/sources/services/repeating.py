"""Which turns of a conversation are new, and which were told before."""

from __future__ import annotations

from collections import Counter, defaultdict

from memoryapp.doors.errors import Conflict, Violation
from memoryapp.sources.models import Source, Thread
from memoryapp.sources.services.drafting import having

Apart = tuple[list[Source], list[Source], list[Source]]
"""The drafts that are new, the stored turns that the others repeat, and both in the order told."""


def told_apart(thread: Thread, drafts: list[Source]) -> Apart:
    of_thread = Source.objects.filter(workspace=thread.workspace, thread=thread).select_related("participant")
    by_message = {
        turn.message_id: turn
        for turn in having(of_thread, "message_id", (d.message_id for d in drafts if d.message_id))
    }
    unnamed: dict[str, list[Source]] = defaultdict(list)
    wanted = (draft.digest for draft in drafts if not draft.message_id)
    for turn in having(of_thread.filter(message_id=""), "digest", wanted):
        unnamed[turn.digest].append(turn)
    return sorted_out(drafts, by_message, unnamed)


def sorted_out(drafts: list[Source], by_message: dict[str, Source], unnamed: dict[str, list[Source]]) -> Apart:
    new: list[Source] = []
    repeated: list[Source] = []
    told: list[Source] = []
    changed: list[Violation] = []
    occurrence: Counter[str] = Counter()
    for row, draft in enumerate(drafts):
        if draft.message_id:
            before = by_message.setdefault(draft.message_id, draft)
            if before.digest != draft.digest:
                changed.append(_message_changed(row, draft, before))
        else:
            there = unnamed.get(draft.digest, [])
            before = there[occurrence[draft.digest]] if occurrence[draft.digest] < len(there) else draft
            occurrence[draft.digest] += 1
        (new if before is draft else repeated).append(before)
        told.append(before)
    if changed:
        raise Conflict(changed[0].message, code="message_changed", violations=tuple(changed))
    return new, repeated, told


def _message_changed(row: int, draft: Source, before: Source) -> Violation:
    differs = [
        word
        for word, was, now in (
            ("content", before.content, draft.content),
            ("speaker", before.speaker, draft.speaker),
            ("by", before.participant, draft.participant),
            ("said_at", before.said_at, draft.said_at),
        )
        if was != now
    ]
    message = f"Message “{draft.message_id}” was told before with another {' and '.join(differs)}."
    return Violation(f"/turns/{row}", "message_changed", message, "the same turn as before, or a new message_id", row)
