"""`dump SLUG`: a whole workspace as lines of JSON."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable
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
        try:
            digest = (
                self._to_file(workspace, Path(options["output"])) if options["output"] else self._to_output(workspace)
            )
        except OSError as error:
            raise CommandError(f"Cannot write {options['output']}: {error.strerror}.") from error
        print(f"{len(digest)} lines, digest {digest}", file=sys.stderr)

    def _to_file(self, workspace: Workspace, path: Path) -> dump.Digest:
        """A line at a time; what cannot be written whole is not left behind."""
        with path.open("x", encoding="utf-8", newline="\n") as file:
            try:
                return self._write(workspace, file.write)
            except BaseException:
                path.unlink(missing_ok=True)
                raise

    def _to_output(self, workspace: Workspace) -> dump.Digest:
        return self._write(workspace, lambda text: self.stdout.write(text, ending=""))

    def _write(self, workspace: Workspace, put: Callable[[str], object]) -> dump.Digest:
        digest = dump.Digest()
        with dump.one_moment():
            for line in dump.dump(workspace):
                put(f"{line}\n")
                digest.add(line)
        return digest
