"""Which files an agent or a member may see and write."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryapp.access.models import Agent, Membership
from memoryapp.access.paths import LEVELS
from memoryapp.access.services import operator, rule_paths
from memoryapp.doors.errors import DomainError
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.services import record


class Command(BaseCommand):
    help = "Rules which files an agent or a member may see and write. Without rules: what holds now, in words."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="Its slug.")
        who = parser.add_mutually_exclusive_group(required=True)
        who.add_argument("--agent", help="The agent's name.")
        who.add_argument("--member", help="The member's user name.")
        parser.add_argument(
            "--rule",
            action="append",
            nargs=2,
            default=[],
            metavar=("LEVEL", "PATH"),
            help="Such as: none /people. Of several that match, the later holds.",
        )
        parser.add_argument("--default", choices=LEVELS, help="What holds everywhere else: write unless told.")

    def handle(self, *args: Any, **given: Any) -> None:
        workspace = Workspace.objects.filter(slug=given["workspace"]).first()
        if workspace is None:
            raise CommandError(f"There is no workspace {given['workspace']}.")
        of: Agent | Membership | None
        if given["agent"]:
            of = Agent.objects.filter(workspace=workspace, name=given["agent"]).first()
        else:
            members = Membership.objects.filter(workspace=workspace, ended_at__isnull=True)
            of = members.filter(user__username=given["member"]).first()
        if of is None:
            raise CommandError(f"There is no such agent or member in {workspace.name}.")
        if given["rule"] or given["default"]:
            of = self._rule(workspace, of, given["rule"], given["default"] or "write")
        self.stdout.write(of.paths.in_words())

    @staticmethod
    def _rule(workspace: Workspace, of: Agent | Membership, told: list[list[str]], default: str) -> Agent | Membership:
        rules = [(path, level) for level, path in told]
        try:
            return record(
                operator(workspace), "rule_paths", lambda write: rule_paths(write, of=of, rules=rules, default=default)
            )
        except DomainError as error:
            said = "; ".join(f"{one.message} Accepted: {one.accepted}" for one in error.violations)
            raise CommandError(said or error.detail) from error
