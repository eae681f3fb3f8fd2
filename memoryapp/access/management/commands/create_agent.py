"""Create an agent and its first key, which is printed once."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryapp.access import services
from memoryapp.access.capabilities import AGENT_ROLES, SURFACES
from memoryapp.doors.errors import DomainError
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.services import record


class Command(BaseCommand):
    help = "Create an agent with its surfaces, and its first key, which is printed once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="Slug of the workspace.")
        parser.add_argument("name")
        parser.add_argument("--role", choices=sorted(AGENT_ROLES), default="curator", help="A ready-made set.")
        parser.add_argument("--surface", action="append", choices=list(SURFACES), help="Instead of --role; repeatable.")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = Workspace.objects.filter(slug=options["workspace"]).first()
        if workspace is None:
            raise CommandError(f"There is no workspace “{options['workspace']}”.")
        surfaces = options["surface"] or AGENT_ROLES[options["role"]]

        def act(write: Write) -> services.IssuedKey:
            agent = services.create_agent(write, name=options["name"], surfaces=surfaces)
            return services.issue_key(write, agent=agent)

        try:
            issued = record(services.operator(workspace), "create_agent", act)
        except DomainError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"{options['name']} in {workspace.slug}: {', '.join(issued.key.agent.surfaces)}")
        self.stdout.write(f"Key (shown once): {issued.text}")
