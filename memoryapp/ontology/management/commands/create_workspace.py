"""Create a workspace with the types it starts from."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_slug

from memoryapp.doors.errors import DomainError
from memoryapp.doors.moments import time_zones
from memoryapp.ledger.models import Workspace
from memoryapp.ontology.services import found_workspace, ready_made_names


class Command(BaseCommand):
    help = "Create a workspace with the types it starts from."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="How addresses name it, e.g. harbour.")
        parser.add_argument("--name", help="How people name it; the slug in words when not given.")
        parser.add_argument("--time-zone", default="UTC", help="Whose days its dates are, e.g. Europe/Lisbon.")
        parser.add_argument("--ontology", choices=ready_made_names(), default="default")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        try:
            validate_slug(slug)
        except ValidationError as error:
            raise CommandError(f"“{slug}” is no slug: letters, digits and hyphens.") from error
        if options["time_zone"] not in time_zones():
            raise CommandError(f"There is no time zone “{options['time_zone']}”, e.g. Europe/Lisbon.")
        if Workspace.objects.filter(slug=slug).exists():
            raise CommandError(f"There is a workspace “{slug}” already.")
        name = options["name"] or slug.replace("-", " ").capitalize()
        try:
            found_workspace(slug, name, options["time_zone"], options["ontology"])
        except DomainError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"{name} is ready: /w/{slug}/")
