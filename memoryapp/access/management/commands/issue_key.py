"""Issue another key for an agent, or replace or revoke one."""

import datetime as dt
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from memoryapp.access import services
from memoryapp.access.models import Agent, AgentKey
from memoryapp.doors.errors import DomainError
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.services import record


class Command(BaseCommand):
    help = "Issue a key for an agent, which is printed once. With --replace the old key ends after an overlap."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="Slug of the workspace.")
        parser.add_argument("agent", help="Name of the agent.")
        parser.add_argument("--days", type=int, help="The key expires after so many days.")
        parser.add_argument("--replace", metavar="PREFIX", help="The key that this one succeeds.")
        parser.add_argument("--overlap-hours", type=int, default=24, help="How long the replaced key goes on working.")
        parser.add_argument("--revoke", metavar="PREFIX", help="Only end this key, at once.")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = Workspace.objects.filter(slug=options["workspace"]).first()
        agent = Agent.objects.filter(workspace=workspace, name=options["agent"]).first()
        if workspace is None or agent is None:
            raise CommandError("There is no such workspace or agent.")
        expires_at = timezone.now() + dt.timedelta(days=options["days"]) if options["days"] else None

        def act(write: Write) -> services.IssuedKey | None:
            if options["revoke"]:
                services.revoke_key(write, key=_key(agent, options["revoke"]))
                return None
            if options["replace"]:
                overlap = dt.timedelta(hours=options["overlap_hours"])
                key = _key(agent, options["replace"])
                return services.rotate_key(write, key=key, overlap=overlap, expires_at=expires_at)
            return services.issue_key(write, agent=agent, expires_at=expires_at)

        try:
            issued = record(services.operator(workspace), "revoke_key" if options["revoke"] else "issue_key", act)
        except DomainError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"Key (shown once): {issued.text}" if issued else "Revoked.")


def _key(agent: Agent, prefix: str) -> AgentKey:
    key = AgentKey.objects.filter(agent=agent, prefix=prefix.removeprefix("cpl_").split("_")[0]).first()
    if key is None:
        raise CommandError(f"{agent.name} has no key “{prefix}”.")
    return key
