"""`restore FILE`: make the workspace that a dump describes."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from memoryapp.doors.errors import DomainError
from memoryapp.ledger import dump


class Command(BaseCommand):
    help = "Restore a dumped workspace: all of it with its ids and times, or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="what `dump` wrote, its lines in any order")
        parser.add_argument("--as", dest="slug", default="", help="slug to restore it under, instead of its own")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            lines = Path(options["file"]).read_text(encoding="utf-8").split("\n")
            workspace = dump.restore(lines, slug=options["slug"])
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"Cannot read {options['file']}: {error}.") from error
        except (DomainError, DatabaseError) as error:
            raise CommandError(f"Nothing was restored. {error}") from error
        kept = dump.snapshot(workspace)
        self.stdout.write(f"Restored {workspace.slug}: {len(kept)} lines, digest {dump.digest(kept)}")
