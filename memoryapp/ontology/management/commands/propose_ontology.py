"""Compare an ontology, a file or a Python module, with the edition in force, and file what differs as a proposal."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryapp.access.services import operator
from memoryapp.doors.errors import DomainError
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.services import record
from memoryapp.ontology import services
from memoryapp.ontology.authoring import load
from memoryapp.ontology.changeset import Change, as_data
from memoryapp.ontology.changeset.comparing import changes_between
from memoryapp.ontology.changeset.kinds import in_words
from memoryapp.ontology.document import OntologyDocument, read_text
from memoryapp.ontology.models.proposals import Origin
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.queries.proposals import Outlook, outlook
from memoryapp.ontology.services import Draft

FILES = (".yaml", ".yml", ".json")


class Command(BaseCommand):
    help = "Say what differs between a file and the types in force; with --file, file it as a proposal."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("workspace", help="The slug of the workspace.")
        parser.add_argument("file", help="An ontology as YAML or JSON; a .py file or the dotted name of a module.")
        parser.add_argument("--file", action="store_true", dest="file_it", help="File it for people to decide on.")
        parser.add_argument("--why", default="From a file.", help="Why it should be so.")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = Workspace.objects.filter(slug=options["workspace"]).first()
        if workspace is None:
            raise CommandError(f"There is no workspace “{options['workspace']}”.")
        by = operator(workspace)
        try:
            before = current_ontology(by).document
            after = _document(options["file"])
            if before == after:
                self.stdout.write("Nothing differs.")
                return
            changes = changes_between(before, after)
            self._show(changes, outlook(by, as_data(changes)))
            if options["file_it"]:
                draft = Draft(as_data(changes), options["why"])
                filed = record(
                    by,
                    "propose_schema",
                    lambda write: services.propose(write, draft, origin=Origin.FILE),
                    options["why"],
                )
                self.stdout.write(f"Proposal {filed.number} waits for a person: /w/{workspace.slug}/proposals/")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{options['file']} cannot be read: {error}") from error
        except DomainError as error:
            lines = [error.detail, *(f"{one.path}: {one.message}" for one in error.violations if one.path)]
            raise CommandError("\n".join(lines)) from error

    def _show(self, changes: list[Change], found: Outlook) -> None:
        for change in changes:
            self.stdout.write(f"{in_words(change)}.")
        for problem in found.problems:
            self.stdout.write(f"Cannot be made: {problem['message']}")
        for violation in found.examined.violations:
            self.stdout.write(f"In the way: {violation.message}")
        for table, count in found.examined.moving.items():
            self.stdout.write(f"{count} {table} would follow.")


def _document(place: str) -> OntologyDocument:
    path = Path(place)
    if path.suffix == ".py" or (not path.exists() and path.suffix not in FILES):
        return load(place)
    return read_text(path.read_text(encoding="utf-8"))
