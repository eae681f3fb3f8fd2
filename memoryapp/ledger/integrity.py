"""What must hold of a stored memory beyond what the database enforces, checked on demand.

Each room registers its checks. A check reports rows. What is only derived, a projection or the index, is made anew on
demand (`repair`); what was told, believed or decided is never touched.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.db import connection

from memoryapp.ledger import triggers
from memoryapp.ledger.erasing import is_genuine
from memoryapp.ledger.models import Actor, Erasure, Retyping, Workspace, WorkspaceRow, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import actor_named, record


@dataclass(frozen=True)
class Finding:
    """One thing that is not as it must be: in which table, which row ("" for the table itself), and what."""

    table: str
    row: str
    what: str


@dataclass(frozen=True)
class Check:
    """`run(workspace)` yields what is wrong in that workspace; nothing when all is well. `repair(write)` makes what the
    check looks at anew, where it is only derived."""

    name: str
    title: str
    run: Callable[[Workspace], Iterator[Finding]]
    repair: Callable[[Write], object] | None = None


@dataclass(frozen=True)
class Report:
    """What one check found in one workspace."""

    check: Check
    workspace: Workspace
    findings: list[Finding]


_checks: dict[str, Check] = {}


def register(check: Check) -> None:
    """Add a check. Registering a name again replaces it."""
    _checks[check.name] = check


def checks() -> list[Check]:
    """Every check, by name."""
    return [_checks[name] for name in sorted(_checks)]


def examine(workspace: Workspace) -> list[Report]:
    """Run every check on a workspace."""
    return [Report(check, workspace, list(check.run(workspace))) for check in checks()]


def repair(workspace: Workspace, reports: Iterable[Report]) -> list[Check]:
    """Make anew what can be, of the checks that found something: one write each. Returns the checks."""
    actor = actor_named(workspace, Actor.Kind.SYSTEM, "commonplace", "Commonplace")
    by = Principal(workspace, actor, "command")
    made = []
    for report in reports:
        if report.findings and report.check.repair is not None:
            record(by, "repair", report.check.repair, rationale=f"{report.check.title}: it was not so.")
            made.append(report.check)
    return made


def about(row: WorkspaceRow, what: str) -> Finding:
    """A finding about a row."""
    return Finding(row._meta.label_lower, str(row.pk), what)


def _guards_present(workspace: Workspace) -> Iterator[Finding]:
    for name in triggers.missing():
        yield Finding("", "", f"The database lacks the guard {name}; `manage.py migrate` lays it.")


def _references_within(workspace: Workspace) -> Iterator[Finding]:
    key = workspace._meta.pk.get_db_prep_value(workspace.pk, connection)
    for model, name, statement in _reference_questions():
        with connection.cursor() as cursor:
            cursor.execute(statement, [key, key])
            astray = [pk for (pk,) in cursor.fetchall()]
        for row in model._base_manager.filter(pk__in=astray).order_by("pk") if astray else ():
            yield about(row, f"{name} refers to nothing in this workspace.")


@functools.cache
def _reference_questions() -> list[tuple[type[WorkspaceRow], str, str]]:
    """Of every column that refers to a row of a memory: its table, its name, and the statement that finds what of a
    workspace (named twice) refers elsewhere."""
    quoted = connection.ops.quote_name
    found = []
    for model in triggers.guarded_models():
        for column in model._meta.concrete_fields:
            target = column.related_model
            if not isinstance(target, type) or not issubclass(target, WorkspaceRow):
                continue
            reference, there = quoted(column.attname), quoted(target._meta.db_table)
            statement = (
                f"SELECT mine.id FROM {quoted(model._meta.db_table)} mine LEFT JOIN {there} other "
                f"ON other.id = mine.{reference} WHERE mine.workspace_id = %s AND mine.{reference} IS NOT NULL "
                "AND (other.id IS NULL OR other.workspace_id <> %s)"
            )
            found.append((model, column.name, statement))
    return found


def _writes_in_order(workspace: Workspace) -> Iterator[Finding]:
    workspace.refresh_from_db()
    before = None
    for write in Write.objects.filter(workspace=workspace).order_by("sequence").iterator():
        if before is not None and write.recorded_at <= before.recorded_at:
            yield about(write, "It is recorded no later than the write before it.")
        before = write
    if before and (before.sequence > workspace.write_sequence or before.recorded_at > workspace.clock):
        yield about(before, "It is ahead of the workspace's sequence or clock.")


def _erasures_closed(workspace: Workspace) -> Iterator[Finding]:
    for erasure in Erasure.objects.filter(workspace=workspace).order_by("pk"):
        if erasure.closed_at is None:
            yield about(erasure, "It was never closed, so that content can still be changed.")
        elif not is_genuine(erasure.receipt):
            yield about(erasure, "Its receipt is not as it was written.")


def _retypings_closed(workspace: Workspace) -> Iterator[Finding]:
    for retyping in Retyping.objects.filter(workspace=workspace, closed_at=None).order_by("pk"):
        yield about(retyping, "It was never closed, so that types of stored rows can still be changed.")


register(Check("retypings", "Every change of types that rows followed is closed", _retypings_closed))
register(Check("erasures", "Every erasure is closed, with its receipt", _erasures_closed))
register(Check("guards", "The database holds every guard", _guards_present))
register(Check("references", "Every reference stays within its workspace", _references_within))
register(Check("writes", "Writes are in one order", _writes_in_order))
