"""What only one current belief may fill, and when two beliefs say the same.

Both are digests over normalised words and resolved node ids, so that the test for a conflict needs no model.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import uuid
from collections.abc import Iterable
from typing import Any

from memoryapp.ontology.normalise import normal_text

EARLIEST = dt.datetime.min.replace(tzinfo=dt.UTC)
LATEST = dt.datetime.max.replace(tzinfo=dt.UTC)


def normal_content(text: str) -> str:
    """The text as contents are compared: normalised, and without the stop at the end."""
    return normal_text(text).rstrip(".!。").rstrip()


def subject_slot(subject: uuid.UUID, predicate: str) -> str:
    """The slot of a single-valued property, or of a relationship with one object for a subject."""
    return _digest(["subject", str(subject), predicate])


def object_slot(object_: uuid.UUID, predicate: str) -> str:
    """The slot of a relationship with one subject for an object."""
    return _digest(["object", str(object_), predicate])


def topic_slot(owners: Iterable[uuid.UUID], family: str, topic: str) -> str:
    """The slot of a free statement about a topic; none when it names no topic."""
    phrase = normal_text(topic)
    return _digest(["topic", sorted(map(str, owners)), family, phrase]) if phrase else ""


def statement_digest(
    *,
    kind: str,
    owners: Iterable[uuid.UUID],
    subject: uuid.UUID | None,
    predicate: str,
    object_: uuid.UUID | None,
    slot: str,
    said: Any,
) -> str:
    """Equal for two beliefs that say the same of the same owners. `said` is the
    normalised content, value or qualifiers."""
    return _digest(
        [
            kind,
            sorted(map(str, owners)),
            str(subject or ""),
            predicate,
            str(object_ or ""),
            slot,
            said,
        ]
    )


def overlap(
    one: tuple[dt.datetime | None, dt.datetime | None], other: tuple[dt.datetime | None, dt.datetime | None]
) -> bool:
    """Whether two intervals [from, to) share an instant; none is unbounded. An empty interval shares none."""
    start = max(one[0] or EARLIEST, other[0] or EARLIEST)
    end = min(one[1] or LATEST, other[1] or LATEST)
    return start < end


def touch(
    one: tuple[dt.datetime | None, dt.datetime | None], other: tuple[dt.datetime | None, dt.datetime | None]
) -> bool:
    """Whether two intervals overlap, or one begins where the other ends."""
    start = max(one[0] or EARLIEST, other[0] or EARLIEST)
    end = min(one[1] or LATEST, other[1] or LATEST)
    return start <= end


def _digest(parts: list[Any]) -> str:
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
