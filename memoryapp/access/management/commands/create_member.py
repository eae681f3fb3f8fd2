"""Let a person into a workspace; prints the password once when the account is new."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryapp.access import services
from memoryapp.access.capabilities import ROLES
from memoryapp.access.models import User
from memoryapp.doors.errors import DomainError
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.services import record


class Command(BaseCommand):
    help = "Let a person into a workspace. The password of a new account is printed once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="Slug of the workspace.")
        parser.add_argument("username")
        parser.add_argument("--role", choices=ROLES, default="reviewer")
        parser.add_argument("--name", default="", help="How the person is shown.")
        parser.add_argument("--email", default="")
        parser.add_argument("--operator", action="store_true", help="May also open the admin site.")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = Workspace.objects.filter(slug=options["workspace"]).first()
        if workspace is None:
            raise CommandError(f"There is no workspace “{options['workspace']}”.")
        password = services.new_password()

        def act(write: Write) -> bool:
            user = User.objects.filter(username__iexact=options["username"]).first()
            made = user is None
            user = user or services.create_account(
                username=options["username"],
                password=password,
                email=options["email"],
                operator_account=options["operator"],
            )
            services.create_member(write, user=user, role=options["role"], name=options["name"])
            return made

        try:
            made = record(services.operator(workspace), "create_member", act)
        except DomainError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"{options['username']} is {options['role']} in {workspace.slug}.")
        if made:
            self.stdout.write(f"Password (shown once): {password}")
