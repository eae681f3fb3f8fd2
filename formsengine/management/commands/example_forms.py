"""Publish the example forms in a workspace."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from formsengine import services
from formsengine.definition.stored import as_data
from formsengine.examples.household import household_survey
from formsengine.examples.injury import injury_intake
from formsengine.examples.inspection import site_inspection
from memoryapp.access.services import operator
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.services import record

EXAMPLES = (injury_intake, household_survey, site_inspection)


class Command(BaseCommand):
    help = "Publish the example forms in a workspace. Those that are there already stay as they are."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="the workspace's slug")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = Workspace.objects.filter(slug=options["workspace"]).first()
        if workspace is None:
            raise CommandError(f"There is no workspace {options['workspace']}.")
        by = operator(workspace)
        for example in EXAMPLES:
            definition = as_data(example())

            def publish(write: Write, definition: dict[str, Any] = definition) -> Any:
                return services.publish(write, services.define(write, definition))

            version = record(by, "publish_form", publish)
            self.stdout.write(f"{version.title}: version {version.number} is live.")
