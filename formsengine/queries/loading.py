"""From stored rows to what the engine works with: a version made ready, a response replayed from its log.

What was replayed is kept for the next request of this process, under the digest of its log: another log is never taken
for it, whatever was rolled back or erased meanwhile.
"""

from __future__ import annotations

import hashlib
import json
import threading
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from formsengine.definition.plan import plan
from formsengine.definition.stored import read
from formsengine.evaluation.evaluate import Prepared
from formsengine.log.commits import Commit
from formsengine.log.response import Response, prepared, replay
from formsengine.log.summing import Sum, summed
from formsengine.models import FormCommit, FormResponse, FormVersion

MOST_KEPT = 256
"""Responses, and as many versions, that a process keeps ready."""

_lock = threading.Lock()
_versions: OrderedDict[str, Prepared] = OrderedDict()
_responses: OrderedDict[uuid.UUID, tuple[str, Response]] = OrderedDict()


def ready(version: FormVersion) -> Prepared:
    """The version as every response of it shares it."""
    with _lock:
        found = _versions.get(version.digest)
        if found is not None:
            _versions.move_to_end(version.digest)
            return found
    made = prepared(plan(read(version.definition)))
    with _lock:
        _versions[version.digest] = made
        while len(_versions) > MOST_KEPT:
            _versions.popitem(last=False)
    return made


def chained(before: str, commit: Mapping[str, Any]) -> str:
    """The digest of a log that had `before` and this commit besides: no commit can be changed without it."""
    text = json.dumps(_exact(commit), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(f"{before}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()


def _exact(value: Any) -> Any:
    """A whole number is written alike, whether an engine keeps it as 2.0 or as 2."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): _exact(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(inner) for inner in value]
    return value


def digest_of(bodies: Iterable[Mapping[str, Any]]) -> str:
    """The digest of a whole log."""
    found = ""
    for body in bodies:
        found = chained(found, body)
    return found


def loaded(row: FormResponse) -> Response:
    """What the response adds up to, as its row says it stands. Never changed by whoever takes it."""
    with _lock:
        kept = _responses.get(row.pk)
        if kept is not None and kept[0] == row.digest:
            _responses.move_to_end(row.pk)
            return kept[1]
    made = _continued(row, kept) if kept is not None else None
    made = made or replayed(row)
    keep(row.pk, row.digest, made)
    return made


def keep(response_id: uuid.UUID, digest: str, response: Response) -> None:
    """Keep what was worked out for whoever asks next."""
    with _lock:
        _responses[response_id] = (digest, response)
        _responses.move_to_end(response_id)
        while len(_responses) > MOST_KEPT:
            _responses.popitem(last=False)


def replayed(row: FormResponse) -> Response:
    """The response from the beginning of its log."""
    versions = {each.digest: each for each in row.form.versions.all()}
    started = versions[row.started_under.digest]
    later = [ready(each) for each in versions.values() if each.pk != started.pk]
    bodies = FormCommit.objects.filter(response=row).order_by("number").values_list("body", flat=True)
    return replay(str(row.pk), ready(started), bodies.iterator(), later)


def _continued(row: FormResponse, kept: tuple[str, Response]) -> Response | None:
    """What was kept, with the commits that came since; None when it is not the beginning of this log."""
    digest, response = kept
    since = FormCommit.objects.filter(response=row, number__gt=response.number).order_by("number")
    bodies = list(since.values_list("body", flat=True))
    if not bodies or response.number + len(bodies) != row.lock:
        return None
    for body in bodies:
        digest = chained(digest, body)
    if digest != row.digest:
        return None
    made = response.copy()
    for each in row.form.versions.all():
        made.known.setdefault(each.digest, ready(each))
    for body in bodies:
        made.replay(Commit.of(body))
    return made


def summed_up(rows: Sequence[FormResponse]) -> Iterator[tuple[FormResponse, Sum]]:
    """Each response with what its log adds up to (see `summed`). Two questions for all of them."""
    versions: dict[uuid.UUID, dict[uuid.UUID, FormVersion]] = {}
    for version in FormVersion.objects.filter(form__in={row.form_id for row in rows}).defer("report"):
        versions.setdefault(version.form_id, {})[version.pk] = version
    texts = texts_of([row.pk for row in rows])
    for row in rows:
        of_form = versions[row.form_id]
        bodies = (json.loads(text) for text in texts.pop(row.pk, ()))
        later = [ready(version) for version in of_form.values()]
        yield row, summed(ready(of_form[row.started_under_id]), bodies, later)


def texts_of(ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[str]]:
    """The commits of each response as their text: of many only the last one is wanted."""
    found = FormCommit.objects.filter(response__in=ids).order_by("response", "number")
    pairs = found.annotate(text=Cast("body", TextField())).values_list("response", "text")
    return {key: [text for _, text in group] for key, group in groupby(pairs.iterator(), key=lambda pair: pair[0])}
