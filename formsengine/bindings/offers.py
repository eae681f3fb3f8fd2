"""What memory knows before anybody is asked: offered with the belief it comes from and that belief's version."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from formsengine.definition.model import Prefill
from formsengine.definition.plan import Planned
from formsengine.inputs import Opening
from formsengine.log.prefill import Offer
from formsengine.log.response import Response
from formsengine.models import Audience as ResponseAudience
from formsengine.models import FormResponse, FormVersion, ResponseState
from memoryapp.access.queries import rules_of_paths
from memoryapp.context.queries.entries import Asked, revisions
from memoryapp.graph import todays
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.models.beliefs import Audience
from memoryapp.graph.models.places import out_of_place
from memoryapp.graph.queries.views import Scope, current
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.normalise import normal_text
from memoryapp.ontology.queries import current_ontology

OF_BELIEFS = ("subject", "related")
"""Sources of answers that are beliefs."""
MOST = 20
"""Values of one source that are offered; several fill nothing and are named."""


def offers(by: Principal, row: FormResponse, response: Response, *, after: dt.datetime | None = None) -> list[Offer]:
    """What each field's declared source holds now. Only what the whole workspace may know: a response shows it to all.

    Fields in rows are not filled from memory. `after` is the clock after which the write began, for one that changed
    nothing in memory: see `look_ahead`.
    """
    found: list[Offer] = []
    asked = Filled(by, row, after)
    for planned in response.plan.fields:
        source = planned.question.prefill
        if source is not None and not planned.rows_of:
            found.extend(SOURCES[source.source](asked, planned, source))
    return found


@dataclass(frozen=True)
class Filled:
    """For whom memory is asked: who fills the response now, and everybody who may see it afterwards."""

    by: Principal
    row: FormResponse
    after: dt.datetime | None = None

    @cached_property
    def unshared(self) -> set[uuid.UUID]:
        """Beliefs learned from files that one of those who may see the response may not see, and from nothing else."""
        return _unshared(self.by, _readers(self.row), self.after)


def _readers(row: FormResponse) -> set[uuid.UUID] | None:
    """Who alone may see the response; None for everybody."""
    if row.audience == ResponseAudience.WORKSPACE:
        return None
    return {*row.readers.values_list("actor", flat=True), row.opened_by_id}


def _unshared(by: Principal, readers: set[uuid.UUID] | None, after: dt.datetime | None = None) -> set[uuid.UUID]:
    found: set[uuid.UUID] = set()
    for paths in rules_of_paths(by, readers, able="read_forms"):
        found |= out_of_place(replace(by, path_rules=paths.rules, path_default=paths.default), after=after)
    return found


def look_ahead(by: Principal, opening: Opening) -> None:
    """Find before the write what opening a response needs of memory and takes long to find where much was learned from
    files: it is kept until the workspace is written to, so that nobody's write waits for it."""
    from formsengine.queries import defined

    version = defined.live(defined.form_called(by, opening.form)) if opening.subject is not None else None
    if version is not None and _asks_memory(version):
        everybody = opening.audience == ResponseAudience.WORKSPACE
        _unshared(by, None if everybody else {*opening.readers, by.actor.pk})


def look_ahead_of(by: Principal, row: FormResponse) -> None:
    """The same before a response is filled from memory once more."""
    if row.subject_id is not None and _asks_memory(row.version):
        _unshared(by, _readers(row))


def _asks_memory(version: FormVersion) -> bool:
    from formsengine.queries.loading import ready

    prefills = (planned.question.prefill for planned in ready(version).plan.fields if not planned.rows_of)
    return any(one is not None and one.source in OF_BELIEFS for one in prefills)


def _subject(asked: Filled, planned: Planned, source: Prefill) -> Iterator[Offer]:
    if asked.row.subject is not None:
        yield from _properties(asked, planned, asked.row.subject, source.key)


def _related(asked: Filled, planned: Planned, source: Prefill) -> Iterator[Offer]:
    """`worksAt.name`: a property of what an edge leads to; without a property, that node itself."""
    relationship, _, name = source.key.partition(".")
    if asked.row.subject is None:
        return
    edges = _known(asked, Scope(subject=asked.row.subject.pk, predicates=(relationship,))).filter(
        shape=Belief.Shape.EDGE
    )
    for edge in edges.select_related("object")[:MOST]:
        if edge.object is None:
            continue
        if name:
            yield from _properties(asked, planned, edge.object, name)
        elif planned.question.type == "entity":
            value = {"id": str(edge.object.pk), "label": edge.object.label}
            yield Offer(planned.name, value, str(edge.pk), str(edge.lock))
        else:
            yield Offer(planned.name, edge.object.label, str(edge.pk), str(edge.lock))


def _properties(asked: Filled, planned: Planned, node: Node, name: str) -> Iterator[Offer]:
    held = _known(asked, Scope(subject=node.pk, predicates=(name,))).filter(shape=Belief.Shape.PROPERTY)
    for belief in held[:MOST]:
        yield Offer(planned.name, _plain(belief.value), str(belief.pk), str(belief.lock))


def _known(asked: Filled, scope: Scope) -> Any:
    meant = todays.predicates(current_ontology(asked.by), scope.predicates)
    found = current(asked.by, replace(scope, predicates=tuple(sorted(meant)))).filter(audience=Audience.WORKSPACE)
    return (found.exclude(pk__in=asked.unshared) if asked.unshared else found).order_by("recorded_at", "pk")


def _previous(asked: Filled, planned: Planned, source: Prefill) -> Iterator[Offer]:
    """The same answer of the last submission by the same subject."""
    from formsengine.queries.loading import loaded

    by, row = asked.by, asked.row
    if row.subject is None:
        return
    before = (
        FormResponse.objects.visible_to(by)
        .filter(form=row.form, subject=row.subject, submission__gt=0, audience="workspace")
        .exclude(pk=row.pk)
        .exclude(state__in=[ResponseState.VOID, ResponseState.ERASED])
        .select_related("form", "started_under", "version")
        .order_by("-changed_at", "-pk")
        .first()
    )
    if before is None:
        return
    taken = loaded(before).snapshots[before.submission]
    name = source.key or planned.name
    if name in taken["values"]:
        fact = f"{before.pk}/{taken['revisions'].get(name, '')}"
        yield Offer(planned.name, taken["values"][name], fact, str(before.submission))


def _launch(asked: Filled, planned: Planned, source: Prefill) -> Iterator[Offer]:
    value = asked.row.launch.get(source.key or planned.name)
    if value is not None:
        yield Offer(planned.name, _plain(value), "launch", "1")


def _context(asked: Filled, planned: Planned, source: Prefill) -> Iterator[Offer]:
    """`section/title`: what a standing entry says; without a title, every entry of the section."""
    section, _, title = source.key.partition("/")
    if not asked.by.may("read_context"):
        return
    found = revisions(asked.by, Asked(sections=(section,))).filter(entry__audience="workspace")
    if title:
        found = found.filter(title_key=normal_text(title))
    for one in found[:MOST]:
        yield Offer(planned.name, one.content, str(one.entry_id), str(one.sequence))


SOURCES = {
    "subject": _subject,
    "related": _related,
    "previous": _previous,
    "launch": _launch,
    "context": _context,
}


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, float) else value
