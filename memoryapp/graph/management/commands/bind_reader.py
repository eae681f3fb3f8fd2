"""Say which node a member or agent is, so that what is kept for its owners only is served to them."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryapp.access.models import Agent, Membership
from memoryapp.access.services import operator
from memoryapp.doors.errors import DomainError
from memoryapp.graph import services
from memoryapp.graph.queries.binding import meant
from memoryapp.ledger.models import Actor, Workspace
from memoryapp.ledger.services import record


class Command(BaseCommand):
    help = "Bind an agent or a member to the node that they are, or release them from it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="Slug of the workspace.")
        who = parser.add_mutually_exclusive_group(required=True)
        who.add_argument("--agent", metavar="NAME", help="An agent, by its name.")
        who.add_argument("--member", metavar="USERNAME", help="A member, by the name they sign in with.")
        parser.add_argument("--node", required=True, help="Name, identity key or id of the node.")
        parser.add_argument("--release", action="store_true", help="They are not that node.")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = Workspace.objects.filter(slug=options["workspace"]).first()
        if workspace is None:
            raise CommandError(f"There is no workspace “{options['workspace']}”.")
        actor = _actor(workspace, options)
        by = operator(workspace)
        act = services.release_actor if options["release"] else services.bind_actor
        try:
            node = meant(by, options["node"])
            record(by, act.__name__, lambda write: act(write, actor=actor, node=node))
        except DomainError as error:
            accepted = "; ".join(one.accepted for one in error.violations if one.accepted)
            raise CommandError(f"{error.detail} {accepted}".strip()) from error
        self.stdout.write(f"{actor.name} is {'no longer ' if options['release'] else ''}{node.label} ({node.pk}).")


def _actor(workspace: Workspace, options: dict[str, Any]) -> Actor:
    found: Agent | Membership | None
    if options["agent"]:
        found = Agent.objects.filter(workspace=workspace, name=options["agent"]).select_related("actor").first()
    else:
        members = Membership.objects.filter(workspace=workspace, user__username=options["member"])
        found = members.select_related("actor").first()
    if found is None:
        raise CommandError("There is no such agent or member in this workspace.")
    return found.actor
