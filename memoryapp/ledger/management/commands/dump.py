"""`dump SLUG`: a whole workspace as lines of JSON."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memoryapp.ledger import dump
from memoryapp.ledger.models import Workspace


class Command(BaseCommand):
    help = "Write a workspace as lines of JSON, one for each row: a backup that any engine can restore."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("workspace", help="slug of the workspace")
        parser.add_argument("--output", help="file to write, which must not exist yet; otherwise standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        workspace = Workspace.objects.filter(slug=options["workspace"]).first()
        if workspace is None:
            raise CommandError(f"There is no workspace “{options['workspace']}”.")
        lines = dump.snapshot(workspace)
        text = "\n".join(lines) + "\n"
        if not options["output"]:
            self.stdout.write(text, ending="")
        else:
            try:
                with Path(options["output"]).open("x", encoding="utf-8", newline="\n") as file:
                    file.write(text)
            except OSError as error:
                raise CommandError(f"Cannot write {options['output']}: {error.strerror}.") from error
        print(f"{len(lines)} lines, digest {dump.digest(lines)}", file=sys.stderr)
