"""`integrity`: check everything stored; exits with 1 when something is not as it must be."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memoryapp.ledger import integrity
from memoryapp.ledger.models import Workspace

SHOWN = 20
ROUNDS = 2
"""The index is made of projections, so what was made anew of these may show there."""


class Command(BaseCommand):
    help = "Check that everything stored is as it must be. Exits with 1 when it is not."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workspace", default="", help="slug of the one workspace to check")
        parser.add_argument(
            "--repair",
            action="store_true",
            help="make projections and the index anew where they are not as they must be",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        workspaces = Workspace.objects.order_by("slug")
        if options["workspace"]:
            workspaces = workspaces.filter(slug=options["workspace"])
            if not workspaces:
                raise CommandError(f"There is no workspace “{options['workspace']}”.")
        found = 0
        for workspace in workspaces:
            reports = integrity.examine(workspace)
            for _ in range(ROUNDS if options["repair"] else 0):
                made = integrity.repair(workspace, reports)
                for check in made:
                    self.stdout.write(f"{workspace.slug}: made anew: {check.title}")
                reports = integrity.examine(workspace) if made else reports
            for report in reports:
                self._print(report)
                found += len(report.findings)
        if found:
            raise CommandError(f"{found} findings.")

    def _print(self, report: integrity.Report) -> None:
        verdict = f"{len(report.findings)} findings" if report.findings else "ok"
        self.stdout.write(f"{report.workspace.slug}: {report.check.title}: {verdict}")
        for finding in report.findings[:SHOWN]:
            self.stdout.write(f"  {finding.table} {finding.row} {finding.what}")
        if len(report.findings) > SHOWN:
            self.stdout.write(f"  and {len(report.findings) - SHOWN} more")
