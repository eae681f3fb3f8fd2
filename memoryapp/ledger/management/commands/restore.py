"""`restore FILE`: make the workspace that a dump describes."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from memoryapp.doors.errors import DomainError
from memoryapp.ledger import dump, storing


class Command(BaseCommand):
    help = "Restore a dumped workspace: all of it with its ids and times, or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="what `dump` wrote, its lines in any order")
        parser.add_argument("--as", dest="slug", default="", help="slug to restore it under, instead of its own")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with Path(options["file"]).open(encoding="utf-8", newline="\n") as lines:
                workspace = dump.restore(lines, slug=options["slug"])
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"Cannot read {options['file']}: {error}.") from error
        except (DomainError, DatabaseError) as error:
            raise CommandError(f"Nothing was restored. {error}") from error
        kept = dump.Digest()
        with dump.one_moment():
            for line in dump.dump(workspace):
                kept.add(line)
        self.stdout.write(f"Restored {workspace.slug}: {len(kept)} lines, digest {kept}")
        gone = sum(storing.digest_of(one.name) is None for one in storing.stored(workspace))
        if gone:
            self.stdout.write(f"The dump held no bytes of {gone} attachments, and they are not in the storage.")
