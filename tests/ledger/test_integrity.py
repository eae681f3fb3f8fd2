"""One command checks everything stored, and fails when something is not as it must be."""

import datetime as dt
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memoryapp.ledger import integrity, triggers
from memoryapp.ledger.models import Actor, Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


def findings(workspace: Workspace) -> dict[str, list[str]]:
    return {
        report.check.name: [finding.what for finding in report.findings]
        for report in integrity.examine(workspace)
        if report.findings
    }


def test_a_sound_workspace_has_no_findings(operator: Principal, other_workspace: Workspace) -> None:
    record(operator, "one", lambda write: None)
    record(operator, "two", lambda write: None)
    said = StringIO()
    call_command("integrity", stdout=said)
    assert "harbour: The database holds every guard: ok" in said.getvalue()
    assert "lighthouse" in said.getvalue()
    assert findings(operator.workspace) == {}


def test_a_missing_guard_is_found(operator: Principal) -> None:
    with connection.cursor() as cursor:
        name = "guard_ledger_write_delete"
        cursor.execute(
            f'DROP TRIGGER "{name}"' if connection.vendor == "sqlite" else f'DROP TRIGGER "{name}" ON ledger_write'
        )
    assert any("guard_ledger_write_delete" in what for what in findings(operator.workspace)["guards"])
    with pytest.raises(CommandError, match="findings") as failed:
        call_command("integrity", workspace="harbour", stdout=StringIO())
    assert failed.value.returncode == 1


def test_a_reference_into_another_workspace_is_found(operator: Principal, other_workspace: Workspace) -> None:
    """C8, in spirit: what got past the guards is reported by row."""
    stranger = Actor.objects.get(workspace=other_workspace, key="commonplace")
    written = record(operator, "one", lambda write: write)
    triggers.drop()
    Write.objects.filter(pk=written.pk).update(actor=stranger)
    found = [report for report in integrity.examine(operator.workspace) if report.check.name == "references"]
    assert [(finding.table, finding.row) for finding in found[0].findings] == [("ledger.write", str(written.pk))]
    triggers.install()


def test_writes_out_of_order_are_found(operator: Principal) -> None:
    first = record(operator, "one", lambda write: write)
    second = record(operator, "two", lambda write: write)
    triggers.drop()
    Write.objects.filter(pk=second.pk).update(recorded_at=first.recorded_at - dt.timedelta(hours=1))
    triggers.install()
    assert findings(operator.workspace) == {"writes": ["It is recorded no later than the write before it."]}


def test_an_unknown_workspace_is_an_error() -> None:
    with pytest.raises(CommandError, match="no workspace"):
        call_command("integrity", workspace="nowhere")
